//! How entries and changes lie in the file.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use redb::{Database, ReadableDatabase as _, ReadableTable as _, Table, TableDefinition, WriteTransaction};

use crate::change_log::{ChangeLog, Remembered};
use crate::index::{Entries, FIRST_VERSION, Index};
use crate::row::{self, Undo};
use crate::{Change, Entry};

/// The format this program reads and writes.
pub(crate) const FORMAT: u64 = 3;
/// The one before it, which had no journal beside it.
const WITHOUT_JOURNAL: u64 = 2;

/// Key → version, checksum and value.
const ENTRIES: TableDefinition<&[u8], &[u8]> = TableDefinition::new("entries");
/// Version → checksum, key and what was there before.
const CHANGES: TableDefinition<u64, &[u8]> = TableDefinition::new("changes");
/// One row of numbers of the store itself: format, version, compacted, entries, digest, and their checksum.
const NUMBERS: TableDefinition<&str, &[u8]> = TableDefinition::new("numbers");
const ROW: &str = "store";

/// Further than any store comes, and far enough from the end of numbers.
const LAST_VERSION: u64 = 1 << 62;

/// What a file can be wrong by.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FormatError {
    #[error("it has format {0}, and this program knows format {FORMAT}")]
    Newer(u64),
    #[error("it has format {0} of an early krono, which this one cannot read")]
    Older(u64),
    #[error("it is not a krono store")]
    Foreign,
    #[error("the row of {0} does not match its checksum")]
    Row(String),
    #[error("the numbers of the store do not match their checksum")]
    Numbers,
    #[error("rows are missing, or are of another version: {found} of {expected} are there")]
    Entries { found: u64, expected: u64 },
    #[error("the change of version {0} is missing or does not fit what came after it")]
    Change(u64),
    #[error("the journal beside it has lost its head")]
    Journal,
    #[error("it holds nothing, although it once did")]
    Empty,
    #[error("it is at version {found}, although version {acknowledged} was acknowledged")]
    Rolled { found: u64, acknowledged: u64 },
    #[error("its pages do not match their checksums")]
    Pages,
    #[error("reading it failed: {0}")]
    Panic(String),
    #[error(transparent)]
    Database(Box<redb::Error>),
}

macro_rules! from_redb {
    ($($error:ty),*) => {
        $(impl From<$error> for FormatError {
            fn from(error: $error) -> Self {
                Self::Database(Box::new(error.into()))
            }
        })*
    };
}

from_redb!(
    redb::DatabaseError,
    redb::TransactionError,
    redb::TableError,
    redb::StorageError,
    redb::CommitError
);

type Outcome<T> = Result<T, FormatError>;

/// Numbers of the store itself; together with the checksums of rows they show when a row is missing or an old one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    pub(crate) version: u64,
    /// There is a change for each version after this one.
    compacted: u64,
    entries: u64,
    /// The sum of the checksums of all entries.
    digest: u64,
}

impl Numbers {
    fn new(version: u64) -> Self {
        Self { version, compacted: version, entries: 0, digest: 0 }
    }

    fn add(&mut self, checksum: u32) {
        self.entries += 1;
        self.digest = self.digest.wrapping_add(checksum.into());
    }

    fn remove(&mut self, checksum: u32) {
        self.entries = self.entries.saturating_sub(1);
        self.digest = self.digest.wrapping_sub(checksum.into());
    }

    fn write(&self, transaction: &WriteTransaction) -> Outcome<()> {
        let numbers = [FORMAT, self.version, self.compacted, self.entries, self.digest];
        let checksum = row::numbers_checksum(&numbers);
        let row: Vec<u8> = numbers.iter().chain([&checksum]).flat_map(|it| it.to_le_bytes()).collect();
        transaction.open_table(NUMBERS)?.insert(ROW, &*row)?;
        Ok(())
    }

    fn read(database: &Database) -> Outcome<Self> {
        let transaction = database.begin_read()?;
        let table = transaction.open_table(NUMBERS).map_err(|error| {
            let first_format = matches!(error, redb::TableError::TableTypeMismatch { .. });
            if first_format { FormatError::Older(1) } else { FormatError::Foreign }
        })?;
        let row = table.get(ROW)?.ok_or(FormatError::Foreign)?;
        let numbers: Vec<u64> =
            row.value().as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        match numbers[..] {
            [format, ..] if format > FORMAT => Err(FormatError::Newer(format)),
            [FORMAT | WITHOUT_JOURNAL, version, compacted, entries, digest, checksum]
                if checksum == row::numbers_checksum(&numbers[..5])
                    && (FIRST_VERSION..=LAST_VERSION).contains(&version)
                    && compacted <= version =>
            {
                Ok(Self { version, compacted, entries, digest })
            }
            _ => Err(FormatError::Numbers),
        }
    }
}

/// Whether a file has no tables yet.
pub(crate) fn is_blank(database: &Database) -> Outcome<bool> {
    Ok(database.begin_read()?.list_tables()?.next().is_none())
}

/// Makes the tables of a new file.
pub(crate) fn create(database: &Database) -> Outcome<()> {
    let transaction = database.begin_write()?;
    transaction.open_table(ENTRIES)?;
    transaction.open_table(CHANGES)?;
    Numbers::new(FIRST_VERSION).write(&transaction)?;
    Ok(transaction.commit()?)
}

/// Writes changes, drops those up to and including `forgotten`, and gives the numbers after it.
pub(crate) fn append(
    database: &Database,
    numbers: Numbers,
    changes: &[Change],
    forgotten: u64,
) -> Outcome<Numbers> {
    let transaction = database.begin_write()?;
    let mut numbers = numbers;
    put_changes(&transaction, &mut numbers, changes)?;
    if forgotten > numbers.compacted {
        transaction.open_table(CHANGES)?.retain_in(..=forgotten, |_, _| false)?;
        numbers.compacted = forgotten;
    }
    numbers.write(&transaction)?;
    transaction.commit()?;
    Ok(numbers)
}

fn put_changes(transaction: &WriteTransaction, numbers: &mut Numbers, changes: &[Change]) -> Outcome<()> {
    let mut entries = transaction.open_table(ENTRIES)?;
    let mut log = transaction.open_table(CHANGES)?;
    let mut row = Vec::new();
    for change in changes {
        if let Some(previous) = &change.previous {
            numbers.remove(row::entry_checksum(&change.key, previous.version, &previous.value));
        }
        match &change.current {
            Some(value) => numbers.add(put(&mut entries, &change.key, change.version, value, &mut row)?),
            None => drop(entries.remove(change.key.as_bytes())?),
        }
        row::write_change(change, &mut row);
        log.insert(change.version, &*row)?;
        numbers.version = change.version;
    }
    Ok(())
}

fn put(
    entries: &mut Table<'_, &'static [u8], &'static [u8]>,
    key: &str,
    version: u64,
    value: &[u8],
    row: &mut Vec<u8>,
) -> Outcome<u32> {
    let checksum = row::write_entry(key, version, value, row);
    entries.insert(key.as_bytes(), &**row)?;
    Ok(checksum)
}

/// Writes the entries of an index into a new file; nothing of the past.
pub(crate) fn save(database: &Database, index: &Index) -> Outcome<()> {
    let transaction = database.begin_write()?;
    let mut numbers = Numbers::new(index.version());
    let mut entries = transaction.open_table(ENTRIES)?;
    let mut row = Vec::new();
    for (key, entry) in index.entries() {
        numbers.add(put(&mut entries, key, entry.version, &entry.value, &mut row)?);
    }
    drop(entries);
    transaction.open_table(CHANGES)?;
    numbers.write(&transaction)?;
    Ok(transaction.commit()?)
}

/// Leaps to a higher version and forgets all before it.
pub(crate) fn leap(database: &Database, numbers: Numbers, version: u64) -> Outcome<()> {
    append(database, Numbers { version, ..numbers }, &[], version).map(drop)
}

/// Reads a file.
pub(crate) fn load(database: &Database, remembered: Remembered) -> Outcome<(Index, Numbers)> {
    let numbers = Numbers::read(database)?;
    let entries = load_entries(database, &numbers)?;
    let changes = load_changes(database, &numbers, &entries)?;
    let mut log = ChangeLog::new(remembered, numbers.compacted);
    for change in changes {
        log.push(change);
    }
    Ok((Index::loaded(entries, log, numbers.version), numbers))
}

fn load_entries(database: &Database, numbers: &Numbers) -> Outcome<Entries> {
    let transaction = database.begin_read()?;
    let mut found = Numbers { entries: 0, digest: 0, ..*numbers };
    let mut rows = Vec::with_capacity(usize::try_from(numbers.entries).unwrap_or(0).min(1 << 20));
    for row in transaction.open_table(ENTRIES)?.iter()? {
        let (key, value) = row?;
        let damaged = || FormatError::Row(format!("key {:?}", String::from_utf8_lossy(key.value())));
        let (key, entry, checksum) = row::read_entry(key.value(), value.value()).ok_or_else(damaged)?;
        found.add(checksum);
        rows.push((key, entry));
    }
    if found != *numbers {
        return Err(FormatError::Entries { found: found.entries, expected: numbers.entries });
    }
    // In order already, from which a map is made faster than one by one.
    Ok(rows.into_iter().collect())
}

/// The changes, from rows that say how to undo them: new values are found by going back from the newest.
fn load_changes(database: &Database, numbers: &Numbers, entries: &Entries) -> Outcome<Vec<Arc<Change>>> {
    let transaction = database.begin_read()?;
    let table = transaction.open_table(CHANGES)?;
    let mut after = HashMap::new();
    let mut changes = Vec::new();
    let mut rows = table.range(numbers.compacted + 1..)?.rev();
    for version in (numbers.compacted + 1..=numbers.version).rev() {
        let row = rows.next().transpose()?.filter(|(found, _)| found.value() == version);
        let (_, row) = row.ok_or(FormatError::Change(version))?;
        let undo = row::read_change(version, row.value()).ok_or(FormatError::Change(version))?;
        changes.push(Arc::new(redo(undo, version, entries, &mut after)?));
    }
    if rows.next().is_some() {
        return Err(FormatError::Change(numbers.compacted));
    }
    changes.reverse();
    Ok(changes)
}

/// `after` holds what each key was before the changes seen so far: the outcome of the change before them.
fn redo(
    undo: Undo,
    version: u64,
    entries: &Entries,
    after: &mut HashMap<Arc<str>, Option<Entry>>,
) -> Outcome<Change> {
    let (key, now) = entries.get_key_value(&undo.key).unzip();
    let key = key.map_or(undo.key, Arc::clone);
    let outcome = after.insert(Arc::clone(&key), undo.previous.clone()).unwrap_or_else(|| now.cloned());
    let fits = match &outcome {
        Some(entry) => !undo.deleted && entry.version == version,
        None => undo.deleted,
    };
    let current: Option<Bytes> = outcome.map(|it| it.value);
    fits.then_some(Change { key, version, current, previous: undo.previous })
        .ok_or(FormatError::Change(version))
}
