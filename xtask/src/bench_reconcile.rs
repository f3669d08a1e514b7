//! `xtask bench reconcile`: krono's controllers beside kro's.

use std::path::Path;

use anyhow::bail;
use serde_json::Value;

use crate::{bench, command, dist, go, results};

pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    if !go::is_present()? {
        return Ok(());
    }
    let krono = dist::build(root)?;
    let arguments = ["run", "--release", "--quiet", "-p", "krono-e2e-controllers", "--", "bench", "--krono"];
    let mut cargo = command::cargo(root, &arguments);
    let figures = bench::figures_of(cargo.arg(krono), "reconcile")?;
    let pass = figures.get("pass") == Some(&Value::Bool(true));
    results::write(root, "bench-reconcile", figures)?;
    if pass { Ok(()) } else { bail!("targets missed by reconcile; see results/bench-reconcile.json") }
}
