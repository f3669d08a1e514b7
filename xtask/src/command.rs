//! Running other programs: success, or an error that names the command.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, bail};

/// A command of this toolchain's cargo, run at the workspace root.
pub(crate) fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root).args(arguments);
    command
}

/// A git command run at the workspace root.
pub(crate) fn git(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.current_dir(root).args(arguments);
    command
}

/// Runs the command with our own stdout and stderr.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", shown(command)))?;
    demand_success(command, status)
}

/// Runs the command and returns what it printed.
pub(crate) fn output(command: &mut Command) -> anyhow::Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {}", shown(command)))?;
    demand_success(command, output.status)?;
    String::from_utf8(output.stdout).with_context(|| format!("{} printed invalid UTF-8", shown(command)))
}

/// Runs the command, passing each line of its stdout on and to `each_line`; failure of the command is the answer.
pub(crate) fn watch(command: &mut Command, mut each_line: impl FnMut(&str)) -> anyhow::Result<bool> {
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start {}", shown(command)))?;
    let stdout = child.stdout.take().context("the child's stdout was not piped")?;
    for line in BufReader::new(stdout).lines() {
        let line = line?;
        println!("{line}");
        each_line(&line);
    }
    Ok(child.wait()?.success())
}

/// The command as a person would type it.
pub(crate) fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let mut words: Vec<_> = words.map(|it| it.to_string_lossy().into_owned()).collect();
    if let Some(name) = Path::new(&words[0]).file_name() {
        words[0] = name.to_string_lossy().into_owned();
    }
    words.join(" ")
}

fn demand_success(command: &Command, status: ExitStatus) -> anyhow::Result<()> {
    if status.success() {
        return Ok(());
    }
    bail!("`{}` failed: {status}", shown(command))
}
