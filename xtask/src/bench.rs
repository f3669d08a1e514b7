//! `xtask bench`: runs the benchmarks and keeps their figures.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, bail};
use serde_json::{Map, Value};

use crate::{bench_controllers, command, results};

/// Where a benchmark is asked to write its figures: one JSON object with at least a boolean `pass`.
const JSON_PATH_VARIABLE: &str = "KRONO_BENCH_JSON";

struct Benchmark {
    name: &'static str,
    package: &'static str,
}

const BENCHMARKS: &[Benchmark] = &[
    Benchmark { name: "cel", package: "krono-cel" },
    Benchmark { name: "patch", package: "krono-patch" },
    Benchmark { name: "store", package: "krono-store" },
];

pub(crate) fn run(root: &Path, name: Option<&str>) -> anyhow::Result<()> {
    let mut missed = Vec::new();
    let chosen = BENCHMARKS.iter().filter(|it| name.is_none_or(|name| name == it.name)).collect::<Vec<_>>();
    if chosen.is_empty() {
        let known: Vec<_> = BENCHMARKS
            .iter()
            .map(|it| it.name)
            .chain(["apiserver", "propagation", "reconcile", "revisions"])
            .collect();
        bail!("no such benchmark; there are {}", known.join(", "));
    }
    for benchmark in chosen {
        let figures = measure(root, benchmark)?;
        if figures.get("pass") != Some(&Value::Bool(true)) {
            missed.push(benchmark.name);
        }
        results::write(root, &format!("bench-{}", benchmark.name), figures)?;
    }
    if !missed.is_empty() {
        bail!("targets missed by: {}; see results/", missed.join(", "));
    }
    Ok(())
}

/// What decisions about large fleets cost, and a change over one that is played.
pub(crate) fn propagation(root: &Path) -> anyhow::Result<()> {
    let decided = Benchmark { name: "propagation", package: "krono-propagation" };
    let mut figures = measure(root, &decided)?;
    let played = bench_controllers::played(root)?;
    figures.insert("played".to_owned(), Value::Object(played));
    let pass = figures.get("pass") == Some(&Value::Bool(true));
    results::write(root, "bench-propagation", figures)?;
    if pass { Ok(()) } else { bail!("targets missed by propagation; see results/bench-propagation.json") }
}

fn measure(root: &Path, benchmark: &Benchmark) -> anyhow::Result<Map<String, Value>> {
    let mut cargo = command::cargo(root, &["bench", "-p", benchmark.package]);
    figures_of(&mut cargo, benchmark.name)
}

/// Runs a program that measures and takes the figures it leaves.
pub(crate) fn figures_of(program: &mut Command, name: &str) -> anyhow::Result<Map<String, Value>> {
    let path = std::env::temp_dir().join(format!("krono-bench-{name}-{}.json", std::process::id()));
    command::run(program.env(JSON_PATH_VARIABLE, &path))?;
    let text = fs::read_to_string(&path)
        .with_context(|| format!("the benchmark {name} wrote nothing to ${JSON_PATH_VARIABLE}"))?;
    fs::remove_file(&path).context("cannot remove the temporary figures")?;
    figures(&text)
}

fn figures(text: &str) -> anyhow::Result<Map<String, Value>> {
    let figures: Map<String, Value> =
        serde_json::from_str(text).context("the figures are not a JSON object")?;
    if !figures.get("pass").is_some_and(Value::is_boolean) {
        bail!("the figures have no boolean `pass`");
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_an_object_with_a_verdict() {
        assert!(figures(r#"{"pass": false, "ratios": {}}"#).is_ok());
        for wrong in ["", "[]", "{}", r#"{"pass": "yes"}"#] {
            assert!(figures(wrong).is_err(), "{wrong}");
        }
    }
}
