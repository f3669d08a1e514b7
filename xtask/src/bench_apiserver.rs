//! `xtask bench apiserver`: krono's API server beside the real one.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde_json::Value;

use crate::{bench, command, go, results};

pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    if !go::is_present()? {
        return Ok(());
    }
    command::run(&mut command::cargo(root, &["build", "--release", "-p", "krono-cli"]))?;
    let arguments = ["run", "--release", "--quiet", "-p", "krono-e2e-bench", "--", "--krono"];
    let mut cargo = command::cargo(root, &arguments);
    let figures = bench::figures_of(cargo.arg(binary(root)?), "apiserver")?;
    let pass = figures.get("pass") == Some(&Value::Bool(true));
    results::write(root, "bench-apiserver", figures)?;
    if pass { Ok(()) } else { bail!("targets missed by apiserver; see results/bench-apiserver.json") }
}

/// Where cargo puts the program that ships.
pub(crate) fn binary(root: &Path) -> anyhow::Result<PathBuf> {
    let arguments = ["metadata", "--no-deps", "--format-version", "1"];
    let text = command::output(&mut command::cargo(root, &arguments))?;
    let metadata: Value = serde_json::from_str(&text).context("cannot read the output of cargo metadata")?;
    let target = metadata.get("target_directory").and_then(Value::as_str).context("no target directory")?;
    Ok(Path::new(target).join("release").join("krono"))
}
