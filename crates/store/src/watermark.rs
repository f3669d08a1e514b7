//! A version that was acknowledged, kept beside the store: a file that was cut short, swapped for an older one or emptied is told
//! from one that never held more.

use std::io::Write as _;
use std::path::Path;

use crate::disk::private_file;
use crate::row::numbers_checksum;

const FILE: &str = "acknowledged";

/// The version the store must be at or past; 0 when none is known.
pub(crate) fn read(directory: &Path) -> u64 {
    std::fs::read_to_string(directory.join(FILE)).ok().and_then(|it| parse(&it)).unwrap_or(0)
}

fn parse(text: &str) -> Option<u64> {
    let (version, checksum) = text.trim_end().split_once(' ')?;
    let version = version.parse().ok()?;
    (checksum.parse() == Ok(numbers_checksum(&[version]))).then_some(version)
}

/// Notes that this version is on disk.
pub(crate) fn write(directory: &Path, version: u64) -> std::io::Result<()> {
    let unfinished = directory.join("acknowledged.unfinished");
    let mut file = private_file(&unfinished)?;
    file.set_len(0)?;
    writeln!(file, "{version} {}", numbers_checksum(&[version]))?;
    file.sync_all()?;
    std::fs::rename(&unfinished, directory.join(FILE))?;
    sync_directory(directory)
}

/// Makes new names in a directory last.
pub(crate) fn sync_directory(directory: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    std::fs::File::open(directory)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = directory;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_written_is_believed() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(read(directory.path()), 0);
        write(directory.path(), 12).unwrap();
        write(directory.path(), 345).unwrap();
        assert_eq!(read(directory.path()), 345);
        for wrong in ["", "345", "346 1", "x y", "345 99999999999999999999999"] {
            std::fs::write(directory.path().join(FILE), wrong).unwrap();
            assert_eq!(read(directory.path()), 0, "{wrong:?}");
        }
    }
}
