//! `xtask check-pure`: the pure crates are values in, values out.
//!
//! Two checks per pure crate: its dependency tree holds nothing that reaches the world, and its own sources do not
//! name the parts of `std` that do.

mod rules;
mod source;
mod tree;

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::bail;

use crate::workspace::{self, Package};
use crate::{command, purity::rules::Purity};

pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    let mut findings = Vec::new();
    for package in workspace::packages(root)? {
        match rules::purity(&package.name) {
            Some(Purity::Pure) => {
                let found = check(root, &package)?;
                println!("{}: {}", package.name, if found.is_empty() { "pure" } else { "NOT PURE" });
                findings.extend(found);
            }
            Some(Purity::Effectful) => {}
            None => findings.push(format!("{} is in no list of xtask/src/purity/rules.rs", package.name)),
        }
    }
    for finding in &findings {
        eprintln!("{finding}");
    }
    if findings.is_empty() { Ok(()) } else { bail!("{} purity findings", findings.len()) }
}

fn check(root: &Path, package: &Package) -> anyhow::Result<BTreeSet<String>> {
    let mut findings = BTreeSet::new();
    let arguments =
        ["tree", "-p", &package.name, "-e", "normal,no-proc-macro", "--target", "all", "--all-features"];
    let format = ["--prefix", "none", "-f", tree::FORMAT, "--locked"];
    let printed = command::output(command::cargo(root, &arguments).args(format))?;
    for finding in tree::findings(&printed)? {
        findings.insert(format!("{} depends on {finding}", package.name));
    }
    for finding in source::findings(root, package)? {
        findings.insert(format!("{finding} (in the pure crate {})", package.name));
    }
    Ok(findings)
}
