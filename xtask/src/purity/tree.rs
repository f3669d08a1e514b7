//! Reading what `cargo tree` prints, one package per line.

use std::collections::BTreeSet;

use anyhow::Context;

use super::rules::{FORBIDDEN, Forbidden};

/// Package and features, parted by a character that occurs in neither.
pub(super) const FORMAT: &str = "{p}|{f}";

/// The forbidden packages of a tree, each with the reason.
pub(super) fn findings(tree: &str) -> anyhow::Result<BTreeSet<String>> {
    let mut findings = BTreeSet::new();
    for line in tree.lines().filter(|it| !it.is_empty()) {
        let node =
            Node::parse(line).with_context(|| format!("cannot read this line of cargo tree: {line}"))?;
        let broken = FORBIDDEN.iter().filter_map(|it| node.breaks(it));
        findings.extend(broken);
    }
    Ok(findings)
}

struct Node<'a> {
    name: &'a str,
    features: Vec<&'a str>,
}

impl<'a> Node<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let line = line.strip_suffix(" (*)").unwrap_or(line);
        let (package, features) = line.rsplit_once('|')?;
        let name = package.split(' ').next().filter(|it| !it.is_empty())?;
        Some(Self { name, features: features.split(',').filter(|it| !it.is_empty()).collect() })
    }

    fn breaks(&self, rule: &Forbidden) -> Option<String> {
        if self.name != rule.name {
            return None;
        }
        if rule.features.is_empty() {
            return Some(format!("{}, which is {}", self.name, rule.reason));
        }
        let feature = rule.features.iter().find(|it| self.features.contains(it))?;
        Some(format!("{} with its feature `{feature}`, which is {}", self.name, rule.reason))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tree: &str, expected: &[&str]) {
        let found: Vec<_> = findings(tree).unwrap().into_iter().collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_pure_tree() {
        check(
            "krono-cel v0.1.0 (/somewhere/crates/cel)|\n\
             jiff v0.2.31|alloc,tzdb-bundle-always\n\
             serde_json v1.0.150|default,std\n\
             serde_json v1.0.150|default,std (*)\n\
             tokio-like v1.0.0|std\n",
            &[],
        );
    }

    #[test]
    fn a_runtime_deep_in_the_tree() {
        check(
            "krono-graph v0.1.0 (/somewhere/crates/graph)|default\n\
             kube v5.0.0|client\n\
             kube-client v5.0.0|\n\
             tokio v1.60.0|default,rt (*)\n",
            &["kube-client, which is the network", "tokio, which is an async runtime"],
        );
    }

    #[test]
    fn a_clock_is_a_matter_of_features() {
        check("chrono v0.4.45|alloc,serde\njiff v0.2.31|alloc\ntime v0.3.50|alloc\n", &[]);
        check(
            "chrono v0.4.45|alloc,clock\njiff v0.2.31|alloc,std\ntime v0.3.50|std\n",
            &[
                "chrono with its feature `clock`, which is a clock",
                "jiff with its feature `std`, which is a clock",
                "time with its feature `std`, which is a clock",
            ],
        );
    }

    #[test]
    fn randomness() {
        check("getrandom v0.4.0|\n", &["getrandom, which is randomness"]);
    }

    #[test]
    fn an_unreadable_line_is_an_error() {
        assert!(findings("no bar here").is_err());
        assert!(findings("|features").is_err());
    }
}
