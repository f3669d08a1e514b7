//! `xtask generated`: committed files that a program writes must be what that program writes today.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::{
    cel_golden, cli_reference, crds, definition_golden, patch_golden, proto_table, schema_golden, workspace,
};

/// A generator and the committed files it owns, as path prefixes relative to the root.
struct Generator {
    name: &'static str,
    run: fn(&Path) -> anyhow::Result<()>,
    outputs: &'static [&'static str],
}

/// Every generator; a generator that needs an absent tool leaves its files alone and says so.
const GENERATORS: &[Generator] = &[
    Generator { name: "cli-reference", run: cli_reference::run, outputs: &[cli_reference::PATH] },
    Generator { name: "cel-golden", run: cel_golden::run, outputs: &[cel_golden::OUTPUT] },
    Generator { name: "crds", run: crds::run, outputs: &[crds::FOLDER] },
    Generator { name: "definition-golden", run: definition_golden::run, outputs: &[definition_golden::FILE] },
    Generator { name: "patch-golden", run: patch_golden::run, outputs: &[patch_golden::FOLDER] },
    Generator { name: "proto-table", run: proto_table::run, outputs: &[proto_table::OUTPUT] },
    Generator { name: "schema-golden", run: schema_golden::run, outputs: &[schema_golden::FOLDER] },
];

pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    let mut stale = Vec::new();
    for generator in GENERATORS {
        let before = contents(root, generator.outputs)?;
        (generator.run)(root).with_context(|| format!("the generator {} failed", generator.name))?;
        let changed = changed(&before, &contents(root, generator.outputs)?);
        println!("{}: {} changed", generator.name, changed.len());
        stale.extend(changed);
    }
    if !stale.is_empty() {
        let list: Vec<_> = stale.iter().map(|it| it.display().to_string()).collect();
        bail!("generated files were out of date; they are written anew, commit them: {}", list.join(", "));
    }
    Ok(())
}

type Contents = BTreeMap<PathBuf, Vec<u8>>;

fn contents(root: &Path, outputs: &[&str]) -> anyhow::Result<Contents> {
    let owned = |path: &PathBuf| outputs.iter().any(|it| path.starts_with(it));
    let files = workspace::files(root)?.into_iter().filter(owned);
    files.map(|path| Ok((path.clone(), fs::read(root.join(&path))?))).collect()
}

fn changed(before: &Contents, after: &Contents) -> Vec<PathBuf> {
    let mut paths: Vec<_> = before.keys().chain(after.keys()).collect();
    paths.sort();
    paths.dedup();
    paths.into_iter().filter(|it| before.get(*it) != after.get(*it)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> Contents {
        list.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec())).collect()
    }

    #[test]
    fn added_removed_and_edited_files_are_changes() {
        let before = files(&[("same", "1"), ("edited", "1"), ("removed", "1")]);
        let after = files(&[("same", "1"), ("edited", "2"), ("added", "1")]);
        let expected: Vec<_> = ["added", "edited", "removed"].iter().map(PathBuf::from).collect();
        assert_eq!(changed(&before, &after), expected);
        assert!(changed(&before, &before).is_empty());
    }
}
