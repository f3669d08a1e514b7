//! Rows of the file, each with a checksum of its own.

use std::sync::Arc;

use bytes::Bytes;

use crate::{Change, Entry};

/// Version and checksum before the value.
const ENTRY_HEADER: usize = 8 + 4;
/// Checksum, whether the key was deleted, version before, and length of the key.
const CHANGE_HEADER: usize = 4 + 1 + 8 + 4;

/// What a row of the log says: how to undo a change. The new value is found where it went.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Undo {
    pub(crate) key: Arc<str>,
    pub(crate) deleted: bool,
    pub(crate) previous: Option<Entry>,
}

/// The checksum of an entry: of the key, its version and its value.
pub(crate) fn entry_checksum(key: &str, version: u64, value: &[u8]) -> u32 {
    checksum(version, &[key.as_bytes(), value])
}

/// Writes the row of an entry, and gives its checksum.
pub(crate) fn write_entry(key: &str, version: u64, value: &[u8], row: &mut Vec<u8>) -> u32 {
    let checksum = entry_checksum(key, version, value);
    row.clear();
    row.extend_from_slice(&version.to_le_bytes());
    row.extend_from_slice(&checksum.to_le_bytes());
    row.extend_from_slice(value);
    checksum
}

/// Reads the row of an entry, if it is whole.
pub(crate) fn read_entry(key: &[u8], row: &[u8]) -> Option<(Arc<str>, Entry, u32)> {
    let (header, value) = row.split_at_checked(ENTRY_HEADER)?;
    let version = number(&header[..8])?;
    let key = std::str::from_utf8(key).ok()?;
    let checksum = entry_checksum(key, version, value);
    (header[8..] == checksum.to_le_bytes())
        .then(|| (key.into(), Entry { value: Bytes::copy_from_slice(value), version }, checksum))
}

/// Writes the row of a change.
pub(crate) fn write_change(change: &Change, row: &mut Vec<u8>) {
    let (before, value) = change.previous.as_ref().map_or((0, &[][..]), |it| (it.version, &it.value[..]));
    row.clear();
    row.extend_from_slice(&[0; 4]);
    row.push(change.current.is_none().into());
    row.extend_from_slice(&before.to_le_bytes());
    // Requests are bounded long before keys of such a length.
    let length = u32::try_from(change.key.len()).unwrap_or(u32::MAX);
    row.extend_from_slice(&length.to_le_bytes());
    row.extend_from_slice(change.key.as_bytes());
    row.extend_from_slice(value);
    let checksum = checksum(change.version, &[&row[4..]]);
    row[..4].copy_from_slice(&checksum.to_le_bytes());
}

/// Reads the row of the change that has this version, if it is whole.
pub(crate) fn read_change(version: u64, row: &[u8]) -> Option<Undo> {
    let (header, rest) = row.split_at_checked(CHANGE_HEADER)?;
    if header[..4] != checksum(version, &[&row[4..]]).to_le_bytes() {
        return None;
    }
    let length = header[13..].try_into().map(u32::from_le_bytes).ok()?;
    let (key, value) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    let before = number(&header[5..13])?;
    let previous = (before > 0).then(|| Entry { value: Bytes::copy_from_slice(value), version: before });
    Some(Undo { key: std::str::from_utf8(key).ok()?.into(), deleted: header[4] == 1, previous })
}

/// The checksum of some numbers, in order.
pub(crate) fn numbers_checksum(numbers: &[u64]) -> u64 {
    let mut hasher = crc32fast::Hasher::new();
    for number in numbers {
        hasher.update(&number.to_le_bytes());
    }
    hasher.finalize().into()
}

/// The lengths are part of it, so that bytes cannot move from one part to the next.
fn checksum(version: u64, parts: &[&[u8]]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&version.to_le_bytes());
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize()
}

fn number(bytes: &[u8]) -> Option<u64> {
    bytes.try_into().map(u64::from_le_bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flips(row: &[u8]) -> impl Iterator<Item = Vec<u8>> {
        (0..row.len() * 8).map(|bit| {
            let mut flipped = row.to_vec();
            flipped[bit / 8] ^= 1 << (bit % 8);
            flipped
        })
    }

    #[test]
    fn entries_are_read_as_they_were_written() {
        let mut row = Vec::new();
        let checksum = write_entry("pods/a", 7, b"value", &mut row);
        let entry = Entry { value: "value".into(), version: 7 };
        assert_eq!(read_entry(b"pods/a", &row), Some(("pods/a".into(), entry, checksum)));
        assert_eq!(read_entry(b"pods/b", &row), None);
        assert_eq!(read_entry(b"pods/a", &row[..row.len() - 1]), None);
        assert!(flips(&row).all(|it| read_entry(b"pods/a", &it).is_none()));
    }

    #[test]
    fn changes_are_read_as_they_were_written() {
        let previous = Some(Entry { value: "before".into(), version: 3 });
        for (current, previous) in
            [(Some("x".into()), None), (Some("x".into()), previous.clone()), (None, previous)]
        {
            let change = Change { key: "pods/a".into(), version: 7, current, previous };
            let mut row = Vec::new();
            write_change(&change, &mut row);
            let undo = read_change(7, &row).unwrap();
            assert_eq!(
                (undo.key, undo.deleted, undo.previous),
                (change.key, change.current.is_none(), change.previous)
            );
            assert_eq!(read_change(8, &row), None);
            assert!(flips(&row).all(|it| read_change(7, &it).is_none()));
        }
    }
}
