//! Running the binary under test.

use std::fmt;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What a run left behind; its `Display` is what tests compare.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs `krono` with these arguments, nothing on stdin and a fixed environment.
pub(crate) fn krono(arguments: &[&str]) -> Run {
    command(arguments).output().unwrap().into()
}

/// Runs `krono` with this text on stdin.
pub(crate) fn krono_reading(text: &str, arguments: &[&str]) -> Run {
    let mut command = command(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // It may end without having read all.
    drop(child.stdin.take().unwrap().write_all(text.as_bytes()));
    child.wait_with_output().unwrap().into()
}

/// A file with this text in the tests' own folder; gives its path.
pub(crate) fn file(name: &str, text: &str) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Tells what is missing and so cannot be tested, which is an error where `CI=true`.
pub(crate) fn left_out(missing: &str) {
    assert!(std::env::var("CI").as_deref() != Ok("true"), "missing where CI=true: {missing}");
    println!("left out: {missing}");
}

/// A text in which every time is the same, as `2026-01-15 10:30:00` in tables.
pub(crate) fn timeless(text: &str) -> String {
    let digits = |it: &str| it.replace(|it: char| it.is_ascii_digit(), "0");
    let is_time = |it: &str| ["0000-00-00", "00:00:00"].contains(&digits(it).trim_end());
    let words = text.split_inclusive([' ', '\n']);
    words.map(|it| if is_time(it) { digits(it) } else { it.to_owned() }).collect()
}

/// The command itself, for tests that need its pipes.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_krono"));
    command.args(arguments).stdin(Stdio::null()).env_remove("COLUMNS");
    command
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl fmt::Display for Run {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "exit {:?}", self.code)?;
        write!(formatter, "--- stdout\n{}--- stderr\n{}", self.stdout, self.stderr)
    }
}
