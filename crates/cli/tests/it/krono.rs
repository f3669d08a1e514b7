//! Running the binary under test.

use std::fmt;
use std::process::{Command, Stdio};

/// What a run left behind; its `Display` is what tests compare.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs `krono` with these arguments, nothing on stdin and a fixed environment.
pub(crate) fn krono(arguments: &[&str]) -> Run {
    let output = command(arguments).output().unwrap();
    Run {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The command itself, for tests that need its pipes.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_krono"));
    command.args(arguments).stdin(Stdio::null()).env_remove("COLUMNS");
    command
}

impl fmt::Display for Run {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "exit {:?}", self.code)?;
        write!(formatter, "--- stdout\n{}--- stderr\n{}", self.stdout, self.stderr)
    }
}
