//! `xtask deep`: the suites at the counts the acceptance lines ask for.

mod counts;
mod suites;

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail};
use clap::Args;
use serde_json::{Map, Value, json};

use self::counts::Counts;
use self::suites::{SUITES, Suite};
use crate::{command, results};

#[derive(Args)]
pub(crate) struct DeepArguments {
    /// Suites to run; all when none is named
    suites: Vec<String>,
    /// Seed of the random suites; taken from the time when absent, and always recorded
    #[arg(long, env = "KRONO_SEED")]
    seed: Option<u64>,
    /// Name the suites and their targets, and run none
    #[arg(long)]
    list: bool,
}

pub(crate) fn run(root: &Path, arguments: &DeepArguments) -> anyhow::Result<()> {
    let suites = chosen(&arguments.suites)?;
    if arguments.list {
        for suite in suites {
            println!("{}: {}", suite.name, shown_targets(suite));
        }
        return Ok(());
    }
    let seed = arguments.seed.map_or_else(seed_from_time, Ok)?;
    let mut failed = Vec::new();
    for suite in suites {
        if !run_suite(root, suite, seed)? {
            failed.push(suite.name);
        }
    }
    if !failed.is_empty() {
        bail!("deep suites that failed: {}; see results/", failed.join(", "));
    }
    Ok(())
}

fn chosen(names: &[String]) -> anyhow::Result<Vec<&'static Suite>> {
    if names.is_empty() {
        return Ok(SUITES.iter().collect());
    }
    let find = |name: &String| SUITES.iter().find(|it| it.name == name);
    names
        .iter()
        .map(|it| find(it).with_context(|| format!("no deep suite is named {it}; try --list")))
        .collect()
}

fn run_suite(root: &Path, suite: &Suite, seed: u64) -> anyhow::Result<bool> {
    let mut cargo = command::cargo(root, &["test", "--release", "-p", suite.package]);
    cargo
        .args(suite.home.arguments())
        .args([suite.filter, "--", "--nocapture"])
        .env("KRONO_SEED", seed.to_string())
        .env("KRONO_DEEP", "1");
    if let Some(cases) = suite.cases {
        cargo.env("KRONO_RANDOM_CASES", cases.to_string());
    }
    println!("== {} (seed {seed}): {}", suite.name, command::shown(&cargo));
    let mut counts = Counts::default();
    let succeeded = command::watch(&mut cargo, |line| counts.read(line))?;
    let pass = succeeded && suite.targets.iter().all(|it| counts.meets(it));
    println!("== {}: {} ({})", suite.name, if pass { "pass" } else { "FAIL" }, shown_targets(suite));
    results::write(root, &format!("deep-{}", suite.name), measured(suite, seed, &counts, pass))?;
    Ok(pass)
}

fn measured(suite: &Suite, seed: u64, counts: &Counts, pass: bool) -> Map<String, Value> {
    let targets: Map<_, _> =
        suite.targets.iter().map(|it| (it.count.to_owned(), json!({"at_least": it.at_least}))).collect();
    let mut measured =
        Map::from_iter([("suite".to_owned(), suite.name.into()), ("seed".to_owned(), seed.into())]);
    if let Some(cases) = suite.cases {
        measured.insert("random_cases".to_owned(), cases.into());
    }
    measured.insert("counts".to_owned(), counts.to_json());
    measured.insert("targets".to_owned(), Value::Object(targets));
    measured.insert("pass".to_owned(), pass.into());
    measured
}

fn shown_targets(suite: &Suite) -> String {
    let targets = suite.targets.iter().map(|it| format!("{} at least {}", it.count, it.at_least));
    targets.collect::<Vec<_>>().join(", ")
}

fn seed_from_time() -> anyhow::Result<u64> {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock is before 1970")?;
    Ok(elapsed.as_secs() ^ u64::from(elapsed.subsec_nanos()))
}
