//! `xtask bench reconcile`: krono's controllers beside kro's.

use std::path::Path;

use anyhow::bail;
use serde_json::Value;

use crate::{bench, bench_apiserver, command, go, results};

pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    if !go::is_present()? {
        return Ok(());
    }
    command::run(&mut command::cargo(root, &["build", "--release", "-p", "krono-cli"]))?;
    let arguments = ["run", "--release", "--quiet", "-p", "krono-e2e-controllers", "--", "bench", "--krono"];
    let mut cargo = command::cargo(root, &arguments);
    let figures = bench::figures_of(cargo.arg(bench_apiserver::binary(root)?), "reconcile")?;
    let pass = figures.get("pass") == Some(&Value::Bool(true));
    results::write(root, "bench-reconcile", figures)?;
    if pass { Ok(()) } else { bail!("targets missed by reconcile; see results/bench-reconcile.json") }
}
