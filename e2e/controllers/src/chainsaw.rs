//! Tests that the chainsaw program plays.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use jiff::{Timestamp, Unit};
use serde_json::Value;
use tempfile::TempDir;

use crate::corpus::{entries, file_name};
use crate::programs;

/// kro's own settings: instances end when all their resources have.
const CONFIGURATION: &str = "
apiVersion: chainsaw.kyverno.io/v1alpha1
kind: Configuration
metadata: {name: kro}
spec:
  timeouts: {apply: 60s, assert: 60s, cleanup: 120s, delete: 120s}
";

const REPORT: &str = "report";

/// What becomes of all that tests made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remains {
    Deleted,
    Kept,
}

/// How a test went.
pub(crate) struct Test {
    pub(crate) name: String,
    pub(crate) seconds: f64,
    pub(crate) played: anyhow::Result<()>,
}

/// The program, and copies of tests that do not sleep long.
pub(crate) struct Chainsaw {
    program: PathBuf,
    folder: TempDir,
}

impl Chainsaw {
    pub(crate) fn prepare(tests: &Path) -> anyhow::Result<Self> {
        let made = Self { program: programs::chainsaw()?, folder: tempfile::tempdir()? };
        fs::write(made.configuration(), CONFIGURATION)?;
        for test in entries(tests)? {
            let copy = made.test(&file_name(&test));
            fs::create_dir_all(&copy)?;
            for file in entries(&test)? {
                let text =
                    fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
                fs::write(copy.join(file_name(&file)), awake(&text))?;
            }
        }
        Ok(made)
    }

    /// Plays all tests.
    pub(crate) fn play(&self, kubeconfig: &Path, remains: Remains) -> anyhow::Result<Vec<Test>> {
        let mut command = Command::new(&self.program);
        command.arg("test").arg(self.tests()).arg("--config").arg(self.configuration());
        command.args(["--no-color", "--report-format", "JSON", "--report-name", REPORT, "--report-path"]);
        command.arg(self.folder.path()).env("KUBECONFIG", kubeconfig);
        if remains == Remains::Kept {
            command.arg("--skip-delete");
        }
        let report = self.folder.path().join(REPORT).with_extension("json");
        let output = command.output().context("chainsaw does not start")?;
        let words = || {
            let (out, errors) = (&output.stdout, &output.stderr);
            format!(
                "chainsaw: {}\n{}{}",
                output.status,
                String::from_utf8_lossy(out),
                String::from_utf8_lossy(errors)
            )
        };
        let text = fs::read_to_string(&report).with_context(words)?;
        fs::remove_file(&report)?;
        let tests = read_report(&serde_json::from_str(&text)?);
        let all_told = tests.len() == entries(&self.tests())?.len();
        if !all_told || output.status.success() != tests.iter().all(|it| it.played.is_ok()) {
            bail!("{}", words());
        }
        Ok(tests)
    }

    fn tests(&self) -> PathBuf {
        self.folder.path().join("tests")
    }

    fn configuration(&self) -> PathBuf {
        self.folder.path().join("configuration.yaml")
    }

    fn test(&self, name: &str) -> PathBuf {
        self.tests().join(name)
    }
}

fn read_report(report: &Value) -> Vec<Test> {
    let mut tests: Vec<_> = elements(&report["tests"]).map(read_test).collect();
    tests.sort_by(|one, other| one.name.cmp(&other.name));
    tests
}

fn read_test(test: &Value) -> Test {
    let operations = elements(&test["steps"]).flat_map(|it| elements(&it["operations"]));
    let failures: Vec<_> = operations.filter_map(|it| it["failure"]["error"].as_str()).collect();
    let failure = || Err(anyhow::anyhow!("{}", failures.join("\n")));
    Test {
        name: file_name(Path::new(test["basePath"].as_str().unwrap_or_default())),
        seconds: seconds_between(&test["startTime"], &test["endTime"]),
        played: if failures.is_empty() { Ok(()) } else { failure() },
    }
}

fn elements(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn seconds_between(start: &Value, end: &Value) -> f64 {
    let time = |it: &Value| it.as_str().and_then(|it| it.parse::<Timestamp>().ok());
    match (time(start), time(end)) {
        (Some(start), Some(end)) => (end - start).total(Unit::Second).unwrap_or_default(),
        _ => 0.0,
    }
}

/// The text with sleeps that are over at once: asserts wait for what they assert.
fn awake(text: &str) -> String {
    let mut sleeping = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        match line.split_once("duration:") {
            Some((indentation, _)) if sleeping => lines.push(format!("{indentation}duration: 10ms")),
            _ => lines.push(line.to_owned()),
        }
        sleeping = line.trim_start().trim_start_matches("- ") == "sleep:";
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_report_tells_how_each_test_went() {
        let operation = |failure: Value| json!({"operations": [{"name": "assert", "failure": failure}]});
        let test = |name: &str, failure: Value| {
            json!({"basePath": format!("/tests/{name}"), "startTime": "2026-01-01T00:00:01.5Z",
                "endTime": "2026-01-01T00:00:04Z", "steps": [operation(failure)]})
        };
        let report = json!({"tests": [test("b", json!({"error": "no"})), test("a", Value::Null)]});
        let told: Vec<_> = read_report(&report)
            .into_iter()
            .map(|it| (it.name, it.seconds, it.played.map_err(|error| error.to_string())))
            .collect();
        assert_eq!(told, [("a".to_owned(), 2.5, Ok(())), ("b".to_owned(), 2.5, Err("no".to_owned()))]);
    }

    #[test]
    fn sleeps_are_short() {
        let check = |text: &str, expect: &str| assert_eq!(awake(text), expect);
        check("- sleep:\n    duration: 20s # long\n", "- sleep:\n    duration: 10ms\n");
        check("spec:\n  duration: 20s\n", "spec:\n  duration: 20s\n");
    }
}
