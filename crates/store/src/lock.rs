//! One process at a time may have a data directory open.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use crate::OpenError;

/// Held while a data directory is open; the operating system lets go of it however the process ends.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes a directory, which is made if it is not there; an error names the process that has it.
    pub fn take(directory: &Path) -> Result<Self, OpenError> {
        let unusable = |source| OpenError::Directory { path: directory.to_owned(), source };
        create_private(directory).map_err(unusable)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(directory.join("lock")).map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(in_use(directory, &mut file)),
            Err(TryLockError::Error(source)) => return Err(unusable(source)),
        }
        note_process(&mut file).map_err(unusable)?;
        Ok(Self { _file: file })
    }
}

/// Makes the directory for its owner only; one that is there keeps its permissions.
fn create_private(directory: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

fn note_process(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    writeln!(file, "{}", std::process::id())
}

fn in_use(directory: &Path, file: &mut File) -> OpenError {
    let mut process = String::new();
    // The number is a help to people; without it the message is still right.
    let process = file.read_to_string(&mut process).ok().and_then(|_| process.trim().parse().ok());
    OpenError::InUse { path: directory.to_owned(), process }
}
