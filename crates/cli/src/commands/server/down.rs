//! `krono down`.

use std::sync::mpsc;
use std::time::Duration;

use super::directory::{DataDirectory, Holder, shown};
use crate::arguments::server::DownArguments;
use crate::command_error::CommandError;
use crate::output::Output;

/// Longer than a server gives the requests under way.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) fn run(arguments: &DownArguments, output: &mut Output) -> Result<(), CommandError> {
    let directory = DataDirectory::of(&arguments.directory)?;
    let path = shown(&directory.path);
    let Some(holder) = directory.holder()? else {
        return Err(CommandError::wrong(format!("no server runs on {path}")));
    };
    let Some(process) = holder.process else {
        return Err(CommandError::wrong(format!("{path} is in use by a process that left no number")));
    };
    terminate(process)
        .map_err(|error| CommandError::wrong(format!("process {process} cannot be stopped: {error}")))?;
    if !has_ended(holder) {
        let error = CommandError::wrong(format!("process {process} has been told to stop and still runs"));
        return Err(error.hint(format!("another `krono down` ends it at once, or kill {process}")));
    }
    output.text(&format!("the server on {path} has stopped\n"))
}

#[cfg(unix)]
fn terminate(process: u32) -> std::io::Result<()> {
    let process = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    let process = process.ok_or(std::io::ErrorKind::InvalidInput)?;
    Ok(rustix::process::kill_process(process, rustix::process::Signal::TERM)?)
}

#[cfg(not(unix))]
fn terminate(_: u32) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// The system tells when the directory is free; how long that takes is not bounded, so it is waited for elsewhere.
fn has_ended(holder: Holder) -> bool {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || drop(tell.send(holder.wait())));
    matches!(told.recv_timeout(PATIENCE), Ok(Ok(())))
}
