//! `xtask bench reconcile`, `xtask bench revisions` and the played part of `xtask bench propagation`: the controllers as processes of their own.

use std::path::Path;

use anyhow::bail;
use serde_json::{Map, Value};

use crate::{bench, bench_apiserver, command, dist, go, results};

/// krono's controllers beside kro's.
pub(crate) fn reconcile(root: &Path) -> anyhow::Result<()> {
    if go::is_present()? { measure(root, "bench", "reconcile") } else { Ok(()) }
}

/// What many revisions and many instances cost.
pub(crate) fn revisions(root: &Path) -> anyhow::Result<()> {
    measure(root, "bench-revisions", "revisions")
}

/// A change over a large fleet.
pub(crate) fn played(root: &Path) -> anyhow::Result<Map<String, Value>> {
    let krono = bench_apiserver::binary(root)?;
    command::run(&mut command::cargo(root, &["build", "--release", "--locked", "-p", "krono-cli"]))?;
    let chore = ["run", "--release", "--quiet", "-p", "krono-e2e-controllers", "--", "bench-propagation"];
    bench::figures_of(command::cargo(root, &chore).arg("--krono").arg(krono), "propagation")
}

fn measure(root: &Path, chore: &str, name: &str) -> anyhow::Result<()> {
    let krono = dist::build(root)?;
    let arguments = ["run", "--release", "--quiet", "-p", "krono-e2e-controllers", "--", chore, "--krono"];
    let mut cargo = command::cargo(root, &arguments);
    let figures = bench::figures_of(cargo.arg(krono), name)?;
    let pass = figures.get("pass") == Some(&Value::Bool(true));
    results::write(root, &format!("bench-{name}"), figures)?;
    if pass { Ok(()) } else { bail!("targets missed by {name}; see results/bench-{name}.json") }
}
