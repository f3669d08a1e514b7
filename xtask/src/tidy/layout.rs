//! Crates and documents lie where they belong.

use std::fs;
use std::path::Path;

use anyhow::Context;

use crate::workspace::Package;

const DECISIONS: &str = "docs/decisions";

/// Every crate says what it is and has at most one test binary, `tests/it/main.rs`.
pub(super) fn crate_findings(packages: &[Package]) -> Vec<String> {
    let mut findings = Vec::new();
    for package in packages {
        if package.description.as_deref().unwrap_or_default().is_empty() {
            findings.push(format!("{}: the manifest has no description", package.name));
        }
        let tests = package.targets.iter().filter(|it| it.kind.iter().any(|kind| kind == "test"));
        for test in tests.filter(|it| it.name != "it") {
            findings.push(format!("{}: move the tests of `{}` into tests/it/", package.name, test.name));
        }
    }
    findings
}

/// Decisions are numbered from 1 without gaps, and the index names each.
pub(super) fn decision_findings(root: &Path) -> anyhow::Result<Vec<String>> {
    let folder = root.join(DECISIONS);
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| format!("cannot list {DECISIONS}"))? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.retain(|it| it != "README.md");
    names.sort();
    let index = fs::read_to_string(folder.join("README.md"))
        .with_context(|| format!("{DECISIONS} has no README.md"))?;
    Ok(numbering_findings(&names, &index))
}

fn numbering_findings(names: &[String], index: &str) -> Vec<String> {
    let mut findings = Vec::new();
    for (position, name) in names.iter().enumerate() {
        let expected = format!("{:04}-", position + 1);
        if !name.starts_with(&expected) {
            findings.push(format!("{DECISIONS}/{name}: expected the number {expected}"));
        }
        if !index.contains(&format!("({name})")) {
            findings.push(format!("{DECISIONS}/README.md: has no link to {name}"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Target;
    use std::path::PathBuf;

    fn package(description: &str, tests: &[&str]) -> Package {
        let target = |name: &&str| Target { name: (*name).to_owned(), kind: vec!["test".to_owned()] };
        Package {
            name: "p".to_owned(),
            description: Some(description.to_owned()),
            manifest_path: PathBuf::new(),
            targets: tests.iter().map(target).collect(),
        }
    }

    #[test]
    fn one_test_binary() {
        assert!(crate_findings(&[package("d", &["it"]), package("d", &[])]).is_empty());
        let found = crate_findings(&[package("", &["it", "other"])]);
        assert_eq!(
            found,
            ["p: the manifest has no description", "p: move the tests of `other` into tests/it/"]
        );
    }

    #[test]
    fn numbers_have_no_gaps() {
        let names = ["0001-a.md".to_owned(), "0003-b.md".to_owned()];
        assert!(numbering_findings(&names[..1], "[a](0001-a.md)").is_empty());
        let found = numbering_findings(&names, "[a](0001-a.md)");
        assert_eq!(found.len(), 2, "{found:?}");
    }
}
