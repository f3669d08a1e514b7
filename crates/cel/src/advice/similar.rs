//! Names that look alike.

use std::collections::BTreeSet;

/// The candidate that a person may have meant: the same in another case, or at most two typing errors away.
pub fn nearest<'c>(name: &str, candidates: &BTreeSet<&'c str>) -> Option<&'c str> {
    let within = ((name.chars().count() + 1) / 3).min(2);
    let distances = candidates.iter().filter(|it| **it != name).map(|it| (distance(name, it), *it));
    distances.filter(|(distance, _)| *distance <= within).min().map(|(_, it)| it)
}

/// How many characters to insert, remove or replace; case does not count.
fn distance(a: &str, b: &str) -> usize {
    let lower = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<Vec<_>>();
    let (a, b) = (lower(a), lower(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(left != right);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_and_other_cases() {
        let candidates = BTreeSet::from(["replicas", "readyReplicas", "image", "app"]);
        let check = |name: &str, expected| assert_eq!(nearest(name, &candidates), expected, "{name}");
        check("replica", Some("replicas"));
        check("Replicas", Some("replicas"));
        check("readyreplica", Some("readyReplicas"));
        check("imgae", Some("image"));
        check("imag", Some("image"));
        check("aps", Some("app"));
        check("ap", Some("app"));
        check("x", None);
        check("image", None);
    }
}
