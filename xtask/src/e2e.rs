//! `xtask e2e`: kro's own manifests on krono's controllers.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use clap::Subcommand;
use serde_json::{Map, Value};

use crate::{command, go, results};

/// Where a run is asked to write its figures: one JSON object with at least a boolean `pass`.
const JSON_PATH_VARIABLE: &str = "KRONO_E2E_JSON";

#[derive(Subcommand)]
pub(crate) enum E2eArguments {
    /// Play kro's manifests on the embedded and on the real server and write results/e2e-corpus.json
    Corpus,
    /// Let krono take over from kro on the real server, and kro from krono, and write results/e2e-takeover.json
    Takeover,
}

/// Everything when nothing is named.
pub(crate) fn run(root: &Path, wanted: Option<&E2eArguments>) -> anyhow::Result<()> {
    let all = [E2eArguments::Corpus, E2eArguments::Takeover];
    if !go::is_present()? {
        println!("left out: the real server, chainsaw and kro are built with Go");
        return Ok(());
    }
    command::run(&mut command::cargo(root, &["build", "-p", "krono-cli", "-p", "krono-e2e-controllers"]))?;
    let mut failed = Vec::new();
    for part in wanted.map_or(&all[..], std::slice::from_ref) {
        let name = match part {
            E2eArguments::Corpus => "corpus",
            E2eArguments::Takeover => "takeover",
        };
        let figures = play(root, name)?;
        if figures.get("pass") != Some(&Value::Bool(true)) {
            failed.push(name);
        }
        results::write(root, &format!("e2e-{name}"), figures)?;
    }
    if failed.is_empty() { Ok(()) } else { bail!("{} failed; see above", failed.join(" and ")) }
}

fn play(root: &Path, name: &str) -> anyhow::Result<Map<String, Value>> {
    let path = std::env::temp_dir().join(format!("krono-e2e-{name}-{}.json", std::process::id()));
    let mut cargo = command::cargo(root, &["run", "--quiet", "-p", "krono-e2e-controllers", "--", name]);
    command::watch(cargo.env(JSON_PATH_VARIABLE, &path), |_| {})?;
    let text = fs::read_to_string(&path).context("the run did not come to an end")?;
    fs::remove_file(&path).context("cannot remove the temporary figures")?;
    serde_json::from_str(&text).context("the figures are not a JSON object")
}
