//! Reading `name: passed/total` from the output of a suite.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::suites::Target;

/// The last count printed under each name.
#[derive(Default)]
pub(super) struct Counts(BTreeMap<String, Count>);

#[derive(Debug, PartialEq)]
struct Count {
    passed: u64,
    total: u64,
}

impl Counts {
    /// Takes the counts of one line; libtest may have written its own words before them.
    pub(super) fn read(&mut self, line: &str) {
        let words: Vec<_> = line.split_whitespace().collect();
        for pair in words.windows(2) {
            if let (Some(name), Some(count)) = (pair[0].strip_suffix(':'), count(pair[1])) {
                self.0.insert(name.to_owned(), count);
            }
        }
    }

    /// Whether enough was counted; a count that was never printed is not enough.
    pub(super) fn meets(&self, target: &Target) -> bool {
        self.0.get(target.count).is_some_and(|it| it.passed >= target.at_least)
    }

    pub(super) fn to_json(&self) -> Value {
        let entry =
            |(name, it): (&String, &Count)| (name.clone(), json!({"passed": it.passed, "total": it.total}));
        Value::Object(self.0.iter().map(entry).collect())
    }
}

fn count(word: &str) -> Option<Count> {
    let (passed, total) = word.trim_end_matches([',', ';', '.']).split_once('/')?;
    Some(Count { passed: passed.parse().ok()?, total: total.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Counts {
        let mut counts = Counts::default();
        for line in lines {
            counts.read(line);
        }
        counts
    }

    #[test]
    fn counts_are_found_among_other_words() {
        let counts =
            read(&["test spec ... cel-spec: 1750/1754, 4 left out", "a: b/c", "ratio 1/2", "x: 3/4"]);
        assert_eq!(
            counts.to_json(),
            json!({"cel-spec": {"passed": 1750, "total": 1754}, "x": {"passed": 3, "total": 4}})
        );
    }

    #[test]
    fn a_target_needs_its_count() {
        let counts = read(&["x: 3/4"]);
        assert!(counts.meets(&Target { count: "x", at_least: 3 }));
        assert!(!counts.meets(&Target { count: "x", at_least: 4 }));
        assert!(!counts.meets(&Target { count: "y", at_least: 0 }));
    }
}
