//! Copies of a store.

use std::path::{Path, PathBuf};

use redb::Database;

use crate::disk::{DiskStore, FILE, OpenError, Options, private_file};
use crate::format;
use crate::lock::Lock;

/// Why a backup could not be made or restored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackupError {
    /// The file to write is there already.
    #[error("{} exists; choose another name or remove it", .0.display())]
    Exists(PathBuf),
    /// The directory to restore to has a store.
    #[error("the data directory {} holds a store already; restore to an empty directory", .0.display())]
    NotEmpty(PathBuf),
    /// The backup cannot be written.
    #[error("the backup {} cannot be written: {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The backup cannot be read.
    #[error("{} is no backup that can be read: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The data directory cannot be used.
    #[error(transparent)]
    Directory(#[from] OpenError),
}

/// Writes a copy of a running store to a new file: all of one version, whatever is written meanwhile.
pub fn backup(store: &DiskStore, file: &Path) -> Result<u64, BackupError> {
    if file.exists() {
        return Err(BackupError::Exists(file.to_owned()));
    }
    let failed = |reason: String| BackupError::Write { path: file.to_owned(), reason };
    let unfinished = file.with_extension("unfinished");
    let private = private_file(&unfinished).map_err(|error| failed(error.to_string()))?;
    let database = Database::builder().create_file(private).map_err(|error| failed(error.to_string()))?;
    let index = store.snapshot();
    format::save(&database, &index).map_err(|error| failed(error.to_string()))?;
    drop(database);
    std::fs::rename(&unfinished, file).map_err(|error| failed(error.to_string()))?;
    Ok(index.version())
}

/// Makes a data directory from a backup.
pub fn restore(file: &Path, directory: &Path) -> Result<u64, BackupError> {
    let _lock = Lock::take(directory)?;
    let path = directory.join(FILE);
    if path.exists() {
        return Err(BackupError::NotEmpty(directory.to_owned()));
    }
    let failed = |reason: String| BackupError::Read { path: file.to_owned(), reason };
    if !file.is_file() {
        return Err(failed("it is not a file".to_owned()));
    }
    let unfinished = directory.join("unfinished");
    std::fs::copy(file, &unfinished).map_err(|error| failed(error.to_string()))?;
    let checked = Database::open(&unfinished).map_err(|error| error.to_string());
    let checked = checked
        .and_then(|it| format::load(&it, Options::default().remembered).map_err(|error| error.to_string()));
    match checked {
        Ok(index) => {
            std::fs::rename(&unfinished, &path).map_err(|error| failed(error.to_string()))?;
            Ok(index.version())
        }
        Err(reason) => {
            // What could not be read must not be in the way of another try.
            drop(std::fs::remove_file(&unfinished));
            Err(failed(reason))
        }
    }
}
