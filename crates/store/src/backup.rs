//! Copies of a store.

use std::path::{Path, PathBuf};

use redb::Builder;

use crate::change_log::Remembered;
use crate::disk::{CACHE, DiskStore, FILE, OpenError, Opened, UNFINISHED, empty_file, guarded, put_in_place};
use crate::format::{self, FormatError};
use crate::index::FIRST_VERSION;
use crate::lock::Lock;
use crate::watermark;

/// How far a restored store leaps ahead of its backup: further than the lost store can have come since.
const LEAP: u64 = 1_000_000_000;

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
    let mut unfinished = file.as_os_str().to_owned();
    unfinished.push(".unfinished");
    let unfinished = PathBuf::from(unfinished);
    let index = store.snapshot();
    let private = empty_file(&unfinished).map_err(|error| failed(error.to_string()))?;
    let database = Builder::new().set_cache_size(CACHE).create_file(private);
    let database = database.map_err(|error| failed(error.to_string()))?;
    format::save(&database, &index).map_err(|error| failed(error.to_string()))?;
    drop(database);
    put_in_place(&unfinished, file).map_err(|error| failed(error.to_string()))?;
    Ok(index.version())
}

/// Makes a data directory from a backup, and gives the version of the new store.
///
/// It leaps ahead, so that no version stands for anything else than it did in the store that was lost, and it remembers nothing of
/// the past: whoever watched the lost store is told to start anew.
pub fn restore(file: &Path, directory: &Path) -> Result<u64, BackupError> {
    let _lock = Lock::take(directory)?;
    let failed = |reason: String| BackupError::Read { path: file.to_owned(), reason };
    if !file.is_file() {
        return Err(failed("it is not a file".to_owned()));
    }
    let path = directory.join(FILE);
    if path.exists() {
        return Err(BackupError::NotEmpty(directory.to_owned()));
    }
    let unusable = |source| OpenError::Directory { path: directory.to_owned(), source };
    let unfinished = directory.join(UNFINISHED);
    copy(file, &unfinished).map_err(|error| failed(error.to_string()))?;
    let past = watermark::read(directory);
    match guarded(|| leap(&unfinished, past)) {
        Ok(version) => {
            put_in_place(&unfinished, &path).map_err(unusable)?;
            watermark::write(directory, version).map_err(unusable)?;
            Ok(version)
        }
        Err(error) => {
            // What could not be read must not be in the way of another try.
            drop(std::fs::remove_file(&unfinished));
            Err(failed(error.to_string()))
        }
    }
}

/// Checks all of a file and leaps ahead of it, and of what the directory was at before.
fn leap(file: &Path, past: u64) -> Result<u64, FormatError> {
    let Opened { database, numbers, .. } =
        Opened::new(|it| it.open(file), FIRST_VERSION, Remembered::default())?;
    let version = numbers.version.max(past) + LEAP;
    format::leap(&database, numbers, version)?;
    Ok(version)
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    let (mut from, mut to) = (std::fs::File::open(from)?, empty_file(to)?);
    std::io::copy(&mut from, &mut to).map(drop)
}
