//! Files that only their owner may read.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use super::CertificatesError;

pub(super) fn create_private_directory(path: &Path) -> Result<(), CertificatesError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|source| failed(path, source))
}

/// The text of a file, unless there is none.
pub(super) fn read_private(path: &Path) -> Result<Option<String>, CertificatesError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(failed(path, source)),
    }
}

/// Writes a file whole or not at all.
pub(super) fn write_private(path: &Path, text: &str) -> Result<(), CertificatesError> {
    let unfinished = path.with_extension("unfinished");
    let written = new_private(&unfinished).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&unfinished, path)
    });
    written.map_err(|source| failed(path, source))
}

fn new_private(path: &Path) -> std::io::Result<std::fs::File> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn failed(path: &Path, source: std::io::Error) -> CertificatesError {
    CertificatesError::File { path: path.to_owned(), source }
}
