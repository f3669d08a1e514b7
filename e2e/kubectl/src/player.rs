//! Plays stories against one server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use tempfile::TempDir;

use crate::mask::Mask;
use crate::story::{CommandKind, Step, Story};

/// How long a command may run, in seconds.
const COMMAND_LIMIT: &str = "120";
/// How long a command is repeated that has to succeed.
const UNTIL_LIMIT: Duration = Duration::from_secs(90);
const REPEAT_AFTER: Duration = Duration::from_millis(250);

/// What a command did, masked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) exit_code: i32,
    pub(crate) output: String,
    pub(crate) errors: String,
}

/// One server and the kubectl that talks to it.
#[derive(Debug)]
pub(crate) struct Player<'m> {
    /// Where kubectl is; first on `PATH`.
    pub(crate) programs: PathBuf,
    pub(crate) kubeconfig: PathBuf,
    pub(crate) mask: &'m Mask,
}

impl Player<'_> {
    /// Plays a story from the beginning; one outcome per command.
    pub(crate) fn play(&self, story: &Story) -> anyhow::Result<Vec<Outcome>> {
        let folder = tempfile::tempdir().context("cannot make a folder for the story")?;
        fs::copy(&self.kubeconfig, folder.path().join("kubeconfig"))
            .with_context(|| format!("cannot copy {}", self.kubeconfig.display()))?;
        let mut outcomes = Vec::new();
        for step in &story.steps {
            match step {
                Step::File { path, text } => write(&folder, path, text)?,
                Step::Command { kind, text, .. } => outcomes.push(self.carry_out(&folder, *kind, text)?),
            }
        }
        Ok(outcomes)
    }

    fn carry_out(&self, folder: &TempDir, kind: CommandKind, text: &str) -> anyhow::Result<Outcome> {
        match kind {
            CommandKind::Compare => Ok(self.outcome(&self.run(folder, text)?)),
            CommandKind::ExitCode => {
                let outcome = self.outcome(&self.run(folder, text)?);
                let quiet = Outcome { output: String::new(), errors: String::new(), ..outcome.clone() };
                Ok(if outcome.exit_code == 0 { quiet } else { outcome })
            }
            CommandKind::Until => self.until(folder, text),
        }
    }

    fn until(&self, folder: &TempDir, text: &str) -> anyhow::Result<Outcome> {
        let deadline = Instant::now() + UNTIL_LIMIT;
        loop {
            let output = self.run(folder, text)?;
            if output.status.success() {
                return Ok(Outcome { exit_code: 0, output: String::new(), errors: String::new() });
            }
            if Instant::now() > deadline {
                return Ok(self.outcome(&output));
            }
            thread::sleep(REPEAT_AFTER);
        }
    }

    fn run(&self, folder: &TempDir, text: &str) -> anyhow::Result<Output> {
        let inherited = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("timeout");
        command.args([COMMAND_LIMIT, "bash", "-c", text]).current_dir(folder.path()).env_clear();
        command.env("PATH", format!("{}:{inherited}", self.programs.display()));
        command.env("HOME", folder.path()).env("KUBECONFIG", folder.path().join("kubeconfig"));
        command.output().with_context(|| format!("cannot run {text}"))
    }

    fn outcome(&self, output: &Output) -> Outcome {
        let masked = |bytes: &[u8]| self.mask.apply(&String::from_utf8_lossy(bytes));
        Outcome {
            exit_code: output.status.code().unwrap_or(-1),
            output: masked(&output.stdout),
            errors: masked(&output.stderr),
        }
    }
}

fn write(folder: &TempDir, path: &str, text: &str) -> anyhow::Result<()> {
    let path = folder.path().join(path);
    let parent = path.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(parent)
        .and_then(|()| fs::write(&path, text))
        .with_context(|| format!("cannot write {}", path.display()))
}
