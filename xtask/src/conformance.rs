//! `xtask conformance`: krono's API server beside the real one.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use clap::Subcommand;
use serde_json::{Map, Value};

use crate::{command, go, results};

/// Where a comparison is asked to write its figures: one JSON object with at least a boolean `pass`.
const JSON_PATH_VARIABLE: &str = "KRONO_CONFORMANCE_JSON";

/// The package that sends requests.
const REQUESTS: &str = "krono-e2e-conformance";
/// The package that types commands.
const COMMANDS: &str = "krono-e2e-kubectl";

#[derive(Subcommand)]
pub(crate) enum ConformanceArguments {
    /// Replay the requests of e2e/conformance/http on both servers and write results/conformance-http.json
    Http {
        /// Only stories whose names contain this; no results are written
        story: Option<String>,
    },
    /// Play random sequences of server-side apply on both servers and write results/conformance-apply.json
    Apply,
    /// Type the commands of e2e/kubectl/stories on both servers and write results/conformance-kubectl.json
    Kubectl {
        /// Only stories whose names contain this; no results are written
        story: Option<String>,
    },
}

pub(crate) fn run(root: &Path, wanted: &ConformanceArguments) -> anyhow::Result<()> {
    if !go::is_present()? {
        return Ok(());
    }
    match wanted {
        ConformanceArguments::Http { story: Some(story) } => {
            compare(root, REQUESTS, &["http", story]).map(|_| ())
        }
        ConformanceArguments::Http { story: None } => recorded(root, "http", REQUESTS, &["http"]),
        ConformanceArguments::Apply => recorded(root, "apply", REQUESTS, &["apply"]),
        ConformanceArguments::Kubectl { story } => kubectl(root, story.as_deref()),
    }
}

/// The commands go to the server that people run, so it is built first.
fn kubectl(root: &Path, story: Option<&str>) -> anyhow::Result<()> {
    command::run(&mut command::cargo(root, &["build", "-p", "krono-cli"]))?;
    match story {
        Some(story) => compare(root, COMMANDS, &[story]).map(|_| ()),
        None => recorded(root, "kubectl", COMMANDS, &[]),
    }
}

fn recorded(root: &Path, name: &str, package: &str, arguments: &[&str]) -> anyhow::Result<()> {
    let figures = compare(root, package, arguments)?;
    let pass = figures.get("pass") == Some(&Value::Bool(true));
    results::write(root, &format!("conformance-{name}"), figures)?;
    if pass { Ok(()) } else { bail!("the servers differ; see above") }
}

fn compare(root: &Path, package: &str, arguments: &[&str]) -> anyhow::Result<Map<String, Value>> {
    let path = std::env::temp_dir().join(format!("krono-conformance-{}.json", std::process::id()));
    let mut cargo = command::cargo(root, &["run", "--quiet", "-p", package, "--"]);
    cargo.args(arguments).env(JSON_PATH_VARIABLE, &path);
    command::watch(&mut cargo, |_| {})?;
    let text = fs::read_to_string(&path).context("the comparison did not come to an end")?;
    fs::remove_file(&path).context("cannot remove the temporary figures")?;
    serde_json::from_str(&text).context("the figures are not a JSON object")
}
