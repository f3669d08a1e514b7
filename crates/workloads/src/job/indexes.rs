//! Sets of indexes as text: `0-2,5`.

use std::collections::BTreeSet;

pub(super) fn parse(text: &str) -> BTreeSet<i32> {
    let mut indexes = BTreeSet::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        if let (Ok(first), Ok(last)) = (first.parse::<i32>(), last.parse::<i32>()) {
            indexes.extend(first..=last);
        }
    }
    indexes
}

pub(super) fn format(indexes: &BTreeSet<i32>) -> String {
    let mut ranges: Vec<(i32, i32)> = Vec::new();
    for index in indexes {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *index => *last = *index,
            _ => ranges.push((*index, *index)),
        }
    }
    let text = |(first, last): &(i32, i32)| match last - first {
        0 => first.to_string(),
        1 => format!("{first},{last}"),
        _ => format!("{first}-{last}"),
    };
    ranges.iter().map(text).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for text in ["", "0", "0,1", "0-2", "0-2,5", "1,3,5-9"] {
            assert_eq!(format(&parse(text)), text);
        }
    }
}
