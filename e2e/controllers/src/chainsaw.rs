//! Tests that the chainsaw program plays.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
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

    /// The names of all tests.
    pub(crate) fn tests(&self) -> anyhow::Result<Vec<String>> {
        let all = entries(&self.folder.path().join("tests"))?;
        Ok(all.iter().map(|it| file_name(it)).collect())
    }

    /// Plays a test; it cleans up after itself.
    pub(crate) fn play(&self, test: &str, kubeconfig: &Path) -> anyhow::Result<()> {
        self.run(test, kubeconfig, &[])
    }

    /// Plays a test, and lets all stay that it made.
    pub(crate) fn play_and_leave(&self, test: &str, kubeconfig: &Path) -> anyhow::Result<()> {
        self.run(test, kubeconfig, &["--skip-delete"])
    }

    fn run(&self, test: &str, kubeconfig: &Path, more: &[&str]) -> anyhow::Result<()> {
        let mut command = Command::new(&self.program);
        command.arg("test").arg(self.test(test)).arg("--config").arg(self.configuration());
        command.args(["--no-color", "--parallel", "1"]).args(more).env("KUBECONFIG", kubeconfig);
        let output = command.output().context("chainsaw does not start")?;
        if output.status.success() {
            return Ok(());
        }
        bail!(
            "chainsaw: {}\n{}{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        )
    }

    fn configuration(&self) -> PathBuf {
        self.folder.path().join("configuration.yaml")
    }

    fn test(&self, name: &str) -> PathBuf {
        self.folder.path().join("tests").join(name)
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
    use super::*;

    #[test]
    fn sleeps_are_short() {
        let check = |text: &str, expect: &str| assert_eq!(awake(text), expect);
        check("- sleep:\n    duration: 20s # long\n", "- sleep:\n    duration: 10ms\n");
        check("spec:\n  duration: 20s\n", "spec:\n  duration: 20s\n");
    }
}
