//! What was written since the database last was: a commit is one append and one flush.
//!
//! The file has a head and two halves of a fixed length that are written in turn, over and over in the same place, so that a
//! flush has nothing to do but those bytes. While one half fills, the changes in the other go into the database.

use std::hash::{BuildHasher as _, RandomState};

use bytes::Bytes;
use redb::StorageBackend;

use crate::Change;
use crate::format::FormatError;

/// Name of the format, seed of the checksums, bytes of a half, and the checksum of these.
const HEAD: usize = 16 + 8 + 8 + 4;
const NAME: [u8; 16] = *b"krono journal 1\n";
/// Where the first half begins.
const FIRST_HALF: usize = 4096;

const MAGIC: [u8; 4] = *b"kjr1";
/// Magic, checksum, length of all, number of changes, version of the first, and which changes are to be forgotten.
const HEADER: usize = 4 + 4 + 4 + 4 + 8 + 8;
/// Length of the key, and length of the value.
const CHANGE_HEADER: usize = 4 + 4;
/// In place of the length of a value: the key was deleted.
const DELETED: u32 = u32::MAX;
/// Records begin at multiples of this, which is where lost ones are looked for.
const ALIGNMENT: usize = 8;

/// The file, and where in it the next record goes.
#[derive(Debug)]
pub(crate) struct Journal {
    storage: Box<dyn StorageBackend>,
    head: Head,
    /// Whether the second half is being written.
    second: bool,
    used: usize,
    /// The record that is about to be appended.
    record: Vec<u8>,
}

/// What holds for the whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    /// Different for each file, so that nothing else is taken for a record: no value, and nothing of another store.
    seed: u64,
    /// Bytes of a half.
    half: usize,
}

/// What one commit wrote.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) first: u64,
    /// Changes up to here were to be forgotten.
    pub(crate) forgotten: u64,
    pub(crate) changes: Vec<(String, Option<Bytes>)>,
}

impl Record {
    /// The version after it.
    fn end(&self) -> u64 {
        self.first + self.changes.len() as u64
    }
}

impl Head {
    fn new(half: usize) -> Self {
        Self { seed: RandomState::new().hash_one(half), half }
    }

    fn write(self) -> Vec<u8> {
        let mut head = NAME.to_vec();
        head.extend_from_slice(&self.seed.to_le_bytes());
        head.extend_from_slice(&(self.half as u64).to_le_bytes());
        head.extend_from_slice(&crc32fast::hash(&head).to_le_bytes());
        head
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let seed = bytes.get(16..24)?.try_into().map(u64::from_le_bytes).ok()?;
        let half = bytes.get(24..32)?.try_into().map(u64::from_le_bytes).ok()?;
        let head = Self { seed, half: usize::try_from(half).ok()? };
        (bytes.get(..HEAD)? == head.write()).then_some(head)
    }
}

impl Journal {
    /// Opens a journal; an empty file becomes one with halves of this many bytes.
    pub(crate) fn open(storage: Box<dyn StorageBackend>, half: usize) -> Result<Self, FormatError> {
        let head = open_head(&*storage, half).map_err(redb::StorageError::Io)?;
        let head = head.ok_or(FormatError::Journal)?;
        Ok(Self { storage, head, second: false, used: 0, record: Vec::new() })
    }

    /// The records after a version, in order. A record that was cut short was never acknowledged; one that is missing
    /// before another was.
    pub(crate) fn replay(&self, version: u64) -> Result<Vec<Record>, FormatError> {
        let bytes = self.read().map_err(redb::StorageError::Io)?;
        let record = |place: usize| read_record(&bytes[place..], self.head.seed);
        let mut records: Vec<Record> = places(&bytes).filter_map(record).collect();
        // What only forgets stands before what was written at the same version.
        records.sort_by_key(|it| (it.first, it.end()));
        records.retain(|it| it.end() > version + 1 || (it.changes.is_empty() && it.first == version + 1));
        let mut next = version + 1;
        for record in &records {
            if record.first != next {
                return Err(FormatError::Change(next));
            }
            next = record.end();
        }
        Ok(records)
    }

    fn read(&self) -> std::io::Result<Vec<u8>> {
        let length = usize::try_from(self.storage.len()?).map_err(std::io::Error::other)?;
        let mut bytes = vec![0; length];
        self.storage.read(0, &mut bytes)?;
        Ok(bytes)
    }

    /// Makes the record of a commit, and says whether any half is long enough for it.
    pub(crate) fn prepare(&mut self, first: u64, changes: &[Change], forgotten: u64) -> bool {
        write_record(self.head.seed, first, changes, forgotten, &mut self.record);
        self.record.len() <= self.head.half
    }

    /// Whether there is room for the record that was prepared.
    pub(crate) fn has_room(&self) -> bool {
        self.used + self.record.len() <= self.head.half
    }

    /// Goes on in the other half, whose records must be in the database.
    pub(crate) fn turn(&mut self) {
        (self.second, self.used) = (!self.second, 0);
    }

    /// Appends the record that was prepared, to last.
    pub(crate) fn append(&mut self) -> Result<(), FormatError> {
        self.try_append().map_err(|error| redb::StorageError::Io(error).into())
    }

    fn try_append(&mut self) -> std::io::Result<()> {
        let half = self.head.half;
        let begin = FIRST_HALF + if self.second { half } else { 0 };
        if self.storage.len()? < (begin + half) as u64 {
            // A flush takes longer when the system must find blocks for what is flushed.
            self.storage.set_len((begin + half) as u64)?;
            self.storage.write(begin as u64, &vec![0; half])?;
        }
        self.storage.write((begin + self.used) as u64, &self.record)?;
        self.storage.sync_data()?;
        self.used += self.record.len();
        Ok(())
    }
}

/// The head of a journal, unless it is damaged; an empty file gets one.
fn open_head(storage: &dyn StorageBackend, half: usize) -> std::io::Result<Option<Head>> {
    let length = storage.len()?;
    let mut bytes = vec![0; HEAD.min(usize::try_from(length).unwrap_or(HEAD))];
    storage.read(0, &mut bytes)?;
    let found = Head::read(&bytes);
    // The head is flushed before anything comes after it.
    if found.is_some() || length > HEAD as u64 {
        return Ok(found);
    }
    let head = Head::new(half);
    storage.set_len(HEAD as u64)?;
    storage.write(0, &head.write())?;
    storage.sync_data()?;
    Ok(Some(head))
}

/// Where records may begin.
fn places(bytes: &[u8]) -> impl Iterator<Item = usize> {
    (0..bytes.len()).step_by(ALIGNMENT).filter(|it| bytes[*it..].starts_with(&MAGIC))
}

fn checksum(seed: u64, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&seed.to_le_bytes());
    hasher.update(bytes);
    hasher.finalize()
}

fn write_record(seed: u64, first: u64, changes: &[Change], forgotten: u64, record: &mut Vec<u8>) {
    record.clear();
    record.resize(HEADER, 0);
    for change in changes {
        // Requests are bounded long before such lengths, which no half has room for.
        let key = u32::try_from(change.key.len()).unwrap_or(u32::MAX);
        let value = change.current.as_ref().map_or(DELETED, |it| u32::try_from(it.len()).unwrap_or(u32::MAX));
        record.extend_from_slice(&key.to_le_bytes());
        record.extend_from_slice(&value.to_le_bytes());
        record.extend_from_slice(change.key.as_bytes());
        record.extend_from_slice(change.current.as_deref().unwrap_or_default());
    }
    record.resize(record.len().next_multiple_of(ALIGNMENT), 0);
    let length = u32::try_from(record.len()).unwrap_or(u32::MAX);
    let count = u32::try_from(changes.len()).unwrap_or(u32::MAX);
    record[..4].copy_from_slice(&MAGIC);
    record[8..12].copy_from_slice(&length.to_le_bytes());
    record[12..16].copy_from_slice(&count.to_le_bytes());
    record[16..24].copy_from_slice(&first.to_le_bytes());
    record[24..32].copy_from_slice(&forgotten.to_le_bytes());
    let checksum = checksum(seed, &record[8..]);
    record[4..8].copy_from_slice(&checksum.to_le_bytes());
}

/// Reads the record at the beginning, if it is whole.
fn read_record(bytes: &[u8], seed: u64) -> Option<Record> {
    let number = |at: usize| bytes.get(at..at + 4)?.try_into().map(u32::from_le_bytes).ok();
    let long = |at: usize| bytes.get(at..at + 8)?.try_into().map(u64::from_le_bytes).ok();
    let length = usize::try_from(number(8)?).ok()?;
    let record = bytes.get(..length)?;
    if checksum(seed, record.get(8..)?) != number(4)? {
        return None;
    }
    let mut rest = record.get(HEADER..)?;
    let changes = (0..number(12)?).map(|_| read_change(&mut rest)).collect::<Option<_>>()?;
    Some(Record { first: long(16)?, forgotten: long(24)?, changes })
}

fn read_change(rest: &mut &[u8]) -> Option<(String, Option<Bytes>)> {
    let (header, after) = rest.split_at_checked(CHANGE_HEADER)?;
    let (key, value) = header.split_at(4);
    let (key, value) = (u32::from_le_bytes(key.try_into().ok()?), u32::from_le_bytes(value.try_into().ok()?));
    let (key, after) = after.split_at_checked(usize::try_from(key).ok()?)?;
    let length = if value == DELETED { 0 } else { usize::try_from(value).ok()? };
    let (found, after) = after.split_at_checked(length)?;
    *rest = after;
    let value = (value != DELETED).then(|| Bytes::copy_from_slice(found));
    Some((std::str::from_utf8(key).ok()?.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use redb::backends::InMemoryBackend;

    fn put(version: u64, value: &str) -> Change {
        let current = Some(Bytes::copy_from_slice(value.as_bytes()));
        Change { key: format!("k{version}").into(), version, current, previous: None }
    }

    /// A journal with one record for each version from 2 to 7, of which a half holds three.
    fn filled() -> Journal {
        let mut journal = Journal::open(Box::new(InMemoryBackend::new()), 3 * 48).unwrap();
        for version in 2..8 {
            assert!(journal.prepare(version, &[put(version, "value")], 1));
            if !journal.has_room() {
                journal.turn();
            }
            journal.append().unwrap();
        }
        journal
    }

    fn first_versions(journal: &Journal, version: u64) -> Option<Vec<u64>> {
        journal.replay(version).ok().map(|it| it.iter().map(|it| it.first).collect())
    }

    #[test]
    fn what_follows_a_version_is_found() {
        let journal = filled();
        assert_eq!(first_versions(&journal, 1), Some(vec![2, 3, 4, 5, 6, 7]));
        assert_eq!(first_versions(&journal, 5), Some(vec![6, 7]));
        assert_eq!(first_versions(&journal, 7), Some(vec![]));
        assert_eq!(first_versions(&journal, 9), Some(vec![]));
        let record = journal.replay(6).unwrap().pop().unwrap();
        assert_eq!(record.changes, [("k7".to_owned(), Some(Bytes::from("value")))]);
    }

    #[test]
    fn what_is_missing_before_another_record_is_damage() {
        let check = |place: usize, version: u64, expect: Option<Vec<u64>>| {
            let journal = filled();
            journal.storage.write((FIRST_HALF + place) as u64, b"?").unwrap();
            assert_eq!(first_versions(&journal, version), expect, "{place} {version}");
        };
        check(0, 1, None);
        check(40, 2, Some(vec![3, 4, 5, 6, 7]));
        check(48, 2, None);
        check(5 * 48, 3, Some(vec![4, 5, 6]));
        check(5 * 48 + 33, 7, Some(vec![]));
    }

    #[test]
    fn records_of_another_file_are_none() {
        let (journal, other) = (filled(), filled());
        let mut half = vec![0; 3 * 48];
        other.storage.read(FIRST_HALF as u64, &mut half).unwrap();
        journal.storage.write(FIRST_HALF as u64, &half).unwrap();
        assert_eq!(first_versions(&journal, 4), Some(vec![5, 6, 7]));
        assert_eq!(first_versions(&journal, 1), None);
    }

    #[test]
    fn a_head_is_made_once() {
        let journal = filled();
        let reopened = |length: usize| {
            let mut bytes = vec![0; length];
            journal.storage.read(0, &mut bytes).unwrap();
            let storage = InMemoryBackend::new();
            storage.set_len(length as u64).unwrap();
            storage.write(0, &bytes).unwrap();
            Journal::open(Box::new(storage), 99)
        };
        assert_eq!(reopened(FIRST_HALF + 6 * 48).unwrap().head, journal.head);
        assert_eq!(reopened(HEAD - 1).unwrap().head.half, 99);
        journal.storage.write(20, b"?").unwrap();
        assert!(matches!(reopened(FIRST_HALF), Err(FormatError::Journal)));
    }
}
