//! `xtask bench`: runs the benchmarks and keeps their figures.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use serde_json::{Map, Value};

use crate::{command, results};

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

pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    let mut missed = Vec::new();
    for benchmark in BENCHMARKS {
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

fn measure(root: &Path, benchmark: &Benchmark) -> anyhow::Result<Map<String, Value>> {
    let path =
        std::env::temp_dir().join(format!("krono-bench-{}-{}.json", benchmark.name, std::process::id()));
    let mut cargo = command::cargo(root, &["bench", "-p", benchmark.package]);
    command::run(cargo.env(JSON_PATH_VARIABLE, &path))?;
    let text = fs::read_to_string(&path).with_context(|| {
        format!("the benchmarks of {} wrote nothing to ${JSON_PATH_VARIABLE}", benchmark.package)
    })?;
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
