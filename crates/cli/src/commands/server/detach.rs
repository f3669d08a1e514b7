//! `krono up --detach`: the same server in a process of its own.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::process::{Child, ChildStdout, Command, Stdio};

use super::banner::LAST_LINE;
use super::directory::{DataDirectory, shown};
use crate::command_error::{CommandError, ErrorKind};
use crate::output::Output;

pub(super) fn run(directory: &DataDirectory, output: &mut Output) -> Result<(), CommandError> {
    let (log, begin) = open_log(directory).map_err(|error| {
        CommandError::usage(format!("the log {} cannot be written: {error}", shown(&directory.log())))
    })?;
    let started = start(&log)
        .map_err(|error| CommandError::of(ErrorKind::Internal, format!("cannot start a process: {error}")));
    let (child, stdout) = started?;
    match banner(stdout) {
        Some(text) => output.text(&text),
        None => Err(failure(child, log, begin)),
    }
}

/// The log, and where it ends now.
fn open_log(directory: &DataDirectory) -> std::io::Result<(File, u64)> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(&directory.path)?;
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let log = options.open(directory.log())?;
    let end = log.metadata()?.len();
    Ok((log, end))
}

fn start(log: &File) -> std::io::Result<(Child, Option<ChildStdout>)> {
    let own = std::env::args_os().skip(1).filter(|it| it != "--detach");
    let mut command = Command::new(std::env::current_exe()?);
    command.args(own).arg("--detached");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log.try_clone()?);
    // Signals of this terminal are not for the server.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let stdout = child.stdout.take();
    Ok((child, stdout))
}

/// What the server says once it answers; nothing if it ended before.
fn banner(stdout: Option<ChildStdout>) -> Option<String> {
    let mut lines = BufReader::new(stdout?);
    let mut text = String::new();
    loop {
        let begin = text.len();
        if lines.read_line(&mut text).ok()? == 0 {
            return None;
        }
        if text[begin..].starts_with(LAST_LINE) {
            return Some(text);
        }
    }
}

/// What the server said before it ended, as if it had been started here.
fn failure(mut child: Child, mut log: File, begin: u64) -> CommandError {
    let code = child.wait().ok().and_then(|it| it.code());
    let kind = match code {
        Some(1) => ErrorKind::Wrong,
        Some(2) => ErrorKind::Usage,
        Some(_) | None => ErrorKind::Internal,
    };
    let mut said = String::new();
    let read = log.seek(SeekFrom::Start(begin)).and_then(|_| log.read_to_string(&mut said));
    if read.is_err() || said.is_empty() {
        "error: the server ended before it answered\n".clone_into(&mut said);
    }
    CommandError { kind, ..CommandError::report(said) }
}
