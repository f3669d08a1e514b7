//! `krono backup` and `krono restore`.

use std::path::Path;

use krono_store::{BackupError, DiskStore};

use super::directory::{DataDirectory, shown};
use super::up::{open_error, said_with_cause};
use super::{block_on, remote};
use crate::arguments::server::{BackupArguments, RestoreArguments};
use crate::command_error::CommandError;
use crate::output::Output;

pub(crate) fn backup(arguments: &BackupArguments, output: &mut Output) -> Result<(), CommandError> {
    let directory = DataDirectory::of(&arguments.directory)?;
    let file = &arguments.file;
    if file.exists() {
        return Err(failed(&BackupError::Exists(file.clone())));
    }
    match directory.holder()? {
        Some(_) => from_server(&directory, file)?,
        None => from_directory(&directory, file)?,
    }
    output.text(&format!("wrote {}\n", shown(file)))
}

/// Through the server, which alone may have the store open.
fn from_server(directory: &DataDirectory, file: &Path) -> Result<(), CommandError> {
    let path = shown(&directory.path);
    let record = directory.record();
    let record = record.ok_or_else(|| CommandError::wrong(format!("the server on {path} is not ready")))?;
    if record.in_memory {
        let error = CommandError::wrong("the server keeps its objects in memory, which are not backed up");
        return Err(error.hint("`kubectl get -o yaml` shows objects one would keep"));
    }
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".unfinished");
    let unfinished = file.with_file_name(name);
    let unwritable = |error: std::io::Error| {
        CommandError::usage(format!("the backup {} cannot be written: {error}", shown(file)))
    };
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let new = options.open(&unfinished).map_err(unwritable)?;
    let done = block_on(remote::backup(&record.kubeconfig, new, file))
        .and_then(|()| std::fs::rename(&unfinished, file).map_err(unwritable));
    if done.is_err() {
        // Half a backup is none.
        drop(std::fs::remove_file(&unfinished));
    }
    done
}

fn from_directory(directory: &DataDirectory, file: &Path) -> Result<(), CommandError> {
    if !directory.path.is_dir() {
        return Err(CommandError::usage(format!("there is no data directory {}", shown(&directory.path))));
    }
    let store = DiskStore::open(&directory.path, &krono_store::Options::default());
    let store = store.map_err(|error| open_error(&error))?;
    krono_store::backup(&store, file).map(drop).map_err(|error| failed(&error))
}

pub(crate) fn restore(arguments: &RestoreArguments, output: &mut Output) -> Result<(), CommandError> {
    let directory = DataDirectory::of(&arguments.directory)?;
    krono_store::restore(&arguments.file, &directory.path).map_err(|error| failed(&error))?;
    output.text(&format!("restored {} to {}\n", shown(&arguments.file), shown(&directory.path)))
}

fn failed(error: &BackupError) -> CommandError {
    match error {
        BackupError::Directory(error) => open_error(error),
        BackupError::Read { .. } => CommandError::wrong(said_with_cause(error)),
        BackupError::Exists(_) | BackupError::NotEmpty(_) | BackupError::Write { .. } | _ => {
            CommandError::usage(said_with_cause(error))
        }
    }
}
