//! The data directory of a server: what is where, and whether somebody has it open.

use std::fs::{File, TryLockError};
use std::io::{ErrorKind as IoErrorKind, Read as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::arguments::server::DirectoryArguments;
use crate::command_error::{CommandError, ErrorKind};

/// A data directory; it need not be there.
#[derive(Clone, Debug)]
pub(super) struct DataDirectory {
    pub(super) path: PathBuf,
}

/// What a running server says about itself.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct Record {
    pub(super) url: String,
    pub(super) kubeconfig: PathBuf,
    pub(super) in_memory: bool,
}

/// The process that has a data directory open.
#[derive(Debug)]
pub(super) struct Holder {
    pub(super) process: Option<u32>,
    lock: File,
}

impl Holder {
    /// Waits until the process has let go of the directory.
    pub(super) fn wait(&self) -> std::io::Result<()> {
        self.lock.lock_shared()?;
        self.lock.unlock()
    }
}

impl DataDirectory {
    pub(super) fn of(arguments: &DirectoryArguments) -> Result<Self, CommandError> {
        let path = match &arguments.data_dir {
            Some(path) => path.clone(),
            None => default_path().ok_or_else(|| {
                CommandError::usage("there is no home directory to keep data in")
                    .hint("name one with --data-dir")
            })?,
        };
        let path = std::path::absolute(&path)
            .map_err(|error| CommandError::usage(format!("{} cannot be used: {error}", path.display())))?;
        Ok(Self { path })
    }

    pub(super) fn certificates(&self) -> PathBuf {
        self.path.join("pki")
    }

    pub(super) fn kubeconfig(&self) -> PathBuf {
        self.path.join("kubeconfig")
    }

    pub(super) fn log(&self) -> PathBuf {
        self.path.join("log")
    }

    fn record_file(&self) -> PathBuf {
        self.path.join("server.json")
    }

    /// Whoever has the directory open.
    pub(super) fn holder(&self) -> Result<Option<Holder>, CommandError> {
        let mut lock = match File::open(self.path.join("lock")) {
            Ok(lock) => lock,
            Err(error) if error.kind() == IoErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.unusable(&error)),
        };
        match lock.try_lock_shared() {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // The number helps people; the answer is the same without it.
                let process = lock.read_to_string(&mut text).ok().and_then(|_| text.trim().parse().ok());
                Ok(Some(Holder { process, lock }))
            }
            Err(TryLockError::Error(error)) => Err(self.unusable(&error)),
        }
    }

    /// What the server of the directory said when it started.
    pub(super) fn record(&self) -> Option<Record> {
        serde_json::from_str(&std::fs::read_to_string(self.record_file()).ok()?).ok()
    }

    pub(super) fn write_record(&self, record: &Record) -> Result<(), CommandError> {
        let text = serde_json::to_string(record)
            .map_err(|error| CommandError::of(ErrorKind::Internal, error.to_string()))?;
        write_private(&self.record_file(), &text)
    }

    pub(super) fn remove_record(&self) {
        // A record that stays says nothing: only a locked directory has a server.
        drop(std::fs::remove_file(self.record_file()));
    }

    fn unusable(&self, error: &std::io::Error) -> CommandError {
        CommandError::usage(format!("the data directory {} cannot be used: {error}", shown(&self.path)))
    }
}

fn default_path() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute());
    let data = set("XDG_DATA_HOME").or_else(|| Some(set("HOME")?.join(".local/share")))?;
    Some(data.join("krono"))
}

/// A path as people write it: `~` for their home, where a shell would understand it.
pub(crate) fn shown(path: &Path) -> String {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|it| it.is_absolute());
    let plain = |it: &str| it.chars().all(|it| it.is_alphanumeric() || "/._-+@".contains(it));
    match home.and_then(|home| path.strip_prefix(home).ok().map(|it| it.display().to_string())) {
        Some(inside) if plain(&inside) => format!("~/{inside}"),
        Some(_) | None => path.display().to_string(),
    }
}

/// Writes a file that only its owner may read, whole or not at all.
pub(super) fn write_private(path: &Path, text: &str) -> Result<(), CommandError> {
    let failed =
        |error: std::io::Error| CommandError::usage(format!("{} cannot be written: {error}", shown(path)));
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = folder.join(format!(".{name}.{}", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&unfinished).map_err(failed)?;
    std::io::Write::write_all(&mut file, text.as_bytes()).map_err(failed)?;
    std::fs::rename(&unfinished, path).map_err(failed)
}
