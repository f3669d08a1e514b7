//! The small JSON files under `results/`: what was measured, at which commit.

use std::fs;
use std::path::Path;

use anyhow::Context;
use serde_json::{Map, Value};

use crate::command;

/// Writes `results/<name>.json`: the commit and its date first, then the measurement.
pub(crate) fn write(root: &Path, name: &str, measured: Map<String, Value>) -> anyhow::Result<()> {
    let mut result = provenance(root)?;
    result.extend(measured);
    let folder = root.join("results");
    fs::create_dir_all(&folder).context("cannot create results/")?;
    let text = serde_json::to_string_pretty(&Value::Object(result))? + "\n";
    fs::write(folder.join(format!("{name}.json")), text)
        .with_context(|| format!("cannot write results/{name}.json"))?;
    println!("wrote results/{name}.json");
    Ok(())
}

/// The date is the commit's own, so that the same commit always gives the same file.
fn provenance(root: &Path) -> anyhow::Result<Map<String, Value>> {
    let line = command::output(&mut command::git(root, &["show", "-s", "--format=%H %cI", "HEAD"]))?;
    let (commit, date) = line.trim_end().split_once(' ').context("git show printed no date")?;
    // The commit may get another name before it is merged; what was measured keeps its own.
    let measured = command::output(&mut command::git(root, &["rev-parse", "HEAD:crates"]))?;
    let changed = command::output(&mut command::git(
        root,
        &["status", "--porcelain", "--untracked-files=no", "--", ".", ":!results"],
    ))?;
    Ok(Map::from_iter([
        ("commit".to_owned(), commit.into()),
        ("date".to_owned(), date.into()),
        ("crates".to_owned(), measured.trim_end().into()),
        ("uncommitted_changes".to_owned(), (!changed.is_empty()).into()),
    ]))
}
