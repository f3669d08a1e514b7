//! `xtask e2e`: kro's own manifests and the rules of revisions on krono's controllers.

mod table;

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use clap::Subcommand;
use serde_json::{Map, Value};

use crate::{command, results};

/// Where a run is asked to write its figures: one JSON object with at least a boolean `pass`.
const JSON_PATH_VARIABLE: &str = "KRONO_E2E_JSON";

#[derive(Clone, Subcommand)]
pub(crate) enum E2eArguments {
    /// Play kro's manifests on the embedded and on the real server and write results/e2e-corpus.json
    Corpus {
        /// Only on this server: `embedded` or `real`; no results are written
        #[arg(long)]
        server: Option<String>,
        /// Only this part: `examples`, `upgrade` or `chainsaw`; no results are written
        part: Option<String>,
    },
    /// Let krono take over from kro on the real server, and kro from krono, and write results/e2e-takeover.json
    Takeover,
    /// Let changes travel on the embedded and on the real server and write results/e2e-propagation.json
    Propagation {
        /// Only on this server: `embedded` or `real`; no results are written
        #[arg(long)]
        server: Option<String>,
        /// Only so many instances; no results are written
        #[arg(long)]
        instances: Option<usize>,
        /// Only this part: `bad image` or `rough`; no results are written
        part: Option<String>,
    },
    /// Play the tests of the controllers and commands that are named after rules on the real server and write results/e2e-revisions.json
    Revisions {
        /// Only tests whose names contain this; no results are written
        only: Option<String>,
    },
}

/// Everything when nothing is named.
pub(crate) fn run(root: &Path, wanted: Option<&E2eArguments>) -> anyhow::Result<()> {
    let all = [
        E2eArguments::Corpus { server: None, part: None },
        E2eArguments::Takeover,
        E2eArguments::Propagation { server: None, instances: None, part: None },
        E2eArguments::Revisions { only: None },
    ];
    command::run(&mut command::cargo(root, &["build", "-p", "krono-cli", "-p", "krono-e2e-controllers"]))?;
    let (mut cases, mut failed) = (Vec::new(), Vec::new());
    for part in wanted.map_or(&all[..], std::slice::from_ref) {
        let figures = play(root, part)?;
        cases.extend(figures.get("cases").and_then(Value::as_array).into_iter().flatten().cloned());
        if figures.get("pass") != Some(&Value::Bool(true)) {
            failed.push(part.name());
        }
        if part.is_whole() && figures.get("played") != Some(&Value::from(0)) {
            results::write(root, &format!("e2e-{}", part.name()), figures)?;
        }
    }
    print!("\n{}", table::of(&cases));
    if failed.is_empty() { Ok(()) } else { bail!("{} failed; see above", failed.join(" and ")) }
}

impl E2eArguments {
    fn name(&self) -> &'static str {
        match self {
            Self::Corpus { .. } => "corpus",
            Self::Takeover => "takeover",
            Self::Propagation { .. } => "propagation",
            Self::Revisions { .. } => "revisions",
        }
    }

    fn is_whole(&self) -> bool {
        match self {
            Self::Corpus { server, part } => server.is_none() && part.is_none(),
            Self::Takeover => true,
            Self::Propagation { server, instances, part } => {
                server.is_none() && instances.is_none() && part.is_none()
            }
            Self::Revisions { only } => only.is_none(),
        }
    }

    fn more(&self) -> Vec<String> {
        let flag = |name: &str, value: Option<String>| value.map(|it| format!("--{name}={it}"));
        match self {
            Self::Corpus { server, part } => {
                flag("server", server.clone()).into_iter().chain(part.clone()).collect()
            }
            Self::Takeover => Vec::new(),
            Self::Propagation { server, instances, part } => {
                let flags =
                    [flag("server", server.clone()), flag("instances", instances.map(|it| it.to_string()))];
                flags.into_iter().flatten().chain(part.clone()).collect()
            }
            Self::Revisions { only } => only.iter().cloned().collect(),
        }
    }
}

fn play(root: &Path, part: &E2eArguments) -> anyhow::Result<Map<String, Value>> {
    let name = part.name();
    let path = std::env::temp_dir().join(format!("krono-e2e-{name}-{}.json", std::process::id()));
    let mut cargo = command::cargo(root, &["run", "--quiet", "-p", "krono-e2e-controllers", "--", name]);
    command::watch(cargo.args(part.more()).env(JSON_PATH_VARIABLE, &path), |_| {})?;
    let text = fs::read_to_string(&path).context("the run did not come to an end")?;
    fs::remove_file(&path).context("cannot remove the temporary figures")?;
    serde_json::from_str(&text).context("the figures are not a JSON object")
}
