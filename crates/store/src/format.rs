//! How entries and changes lie in the file.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use redb::{Database, ReadableDatabase as _, ReadableTable as _, TableDefinition, WriteTransaction};

use crate::index::Index;
use crate::{Change, Entry};

/// The format this program writes; a file with a higher one is refused.
pub(crate) const FORMAT: u64 = 1;

/// Key → version and value.
const ENTRIES: TableDefinition<&str, (u64, &[u8])> = TableDefinition::new("entries");
/// Version → key, new value, version and value before; an absent value has version 0.
const CHANGES: TableDefinition<u64, ChangeRow<'static>> = TableDefinition::new("changes");
/// Numbers of the store itself.
const NUMBERS: TableDefinition<&str, u64> = TableDefinition::new("numbers");

type ChangeRow<'r> = (&'r str, Option<&'r [u8]>, u64, &'r [u8]);

/// What a file can be wrong by.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FormatError {
    #[error("it has format {0}, and this program knows formats up to {FORMAT}")]
    Newer(u64),
    #[error("it is not a krono store")]
    Foreign,
    #[error("changes are missing after version {0}")]
    Gap(u64),
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

from_redb!(redb::TransactionError, redb::TableError, redb::StorageError, redb::CommitError);

type Outcome<T> = Result<T, FormatError>;

/// Whether a file has no tables yet.
pub(crate) fn is_blank(database: &Database) -> Outcome<bool> {
    Ok(database.begin_read()?.list_tables()?.next().is_none())
}

/// Makes the tables of a new file.
pub(crate) fn create(database: &Database) -> Outcome<()> {
    let transaction = database.begin_write()?;
    {
        transaction.open_table(ENTRIES)?;
        transaction.open_table(CHANGES)?;
        let mut numbers = transaction.open_table(NUMBERS)?;
        for (name, number) in [("format", FORMAT), ("version", 0)] {
            numbers.insert(name, number)?;
        }
    }
    Ok(transaction.commit()?)
}

/// Writes changes, and drops those up to and including `forgotten`.
pub(crate) fn append(database: &Database, changes: &[Change], forgotten: u64) -> Outcome<()> {
    let transaction = database.begin_write()?;
    put_changes(&transaction, changes, forgotten)?;
    Ok(transaction.commit()?)
}

fn put_changes(transaction: &WriteTransaction, changes: &[Change], forgotten: u64) -> Outcome<()> {
    let mut entries = transaction.open_table(ENTRIES)?;
    let mut log = transaction.open_table(CHANGES)?;
    let mut numbers = transaction.open_table(NUMBERS)?;
    for change in changes {
        match &change.current {
            Some(value) => drop(entries.insert(&*change.key, (change.version, &**value))?),
            None => drop(entries.remove(&*change.key)?),
        }
        log.insert(change.version, row(change))?;
        numbers.insert("version", change.version)?;
    }
    Ok(log.retain_in(..=forgotten, |_, _| false)?)
}

fn row(change: &Change) -> ChangeRow<'_> {
    let (version, value) = change.previous.as_ref().map_or((0, &[][..]), |it| (it.version, &it.value[..]));
    (&change.key, change.current.as_deref(), version, value)
}

/// Writes all of an index into a new file.
pub(crate) fn save(database: &Database, index: &Index) -> Outcome<()> {
    create(database)?;
    let transaction = database.begin_write()?;
    {
        let mut entries = transaction.open_table(ENTRIES)?;
        for (key, entry) in index.entries() {
            entries.insert(&**key, (entry.version, &*entry.value))?;
        }
        let mut log = transaction.open_table(CHANGES)?;
        for change in index.changes() {
            log.insert(change.version, row(change))?;
        }
        let mut numbers = transaction.open_table(NUMBERS)?;
        numbers.insert("version", index.version())?;
    }
    Ok(transaction.commit()?)
}

/// Reads a file.
pub(crate) fn load(database: &Database, remembered: usize) -> Outcome<Index> {
    let transaction = database.begin_read()?;
    let numbers = transaction.open_table(NUMBERS).map_err(|_| FormatError::Foreign)?;
    let number = |name: &str| Outcome::Ok(numbers.get(name)?.map(|it| it.value()));
    match number("format")? {
        Some(FORMAT) => {}
        Some(newer) => return Err(FormatError::Newer(newer)),
        None => return Err(FormatError::Foreign),
    }
    let version = number("version")?.ok_or(FormatError::Foreign)?;
    let mut entries = BTreeMap::new();
    for row in transaction.open_table(ENTRIES)?.iter()? {
        let (key, value) = row?;
        let (version, value) = value.value();
        entries.insert(Arc::from(key.value()), Entry { value: Bytes::copy_from_slice(value), version });
    }
    let mut changes = VecDeque::new();
    for row in transaction.open_table(CHANGES)?.iter()? {
        let (version, change) = row?;
        changes.push_back(Arc::new(read_row(version.value(), change.value())));
    }
    check_gaps(&changes, version)?;
    Ok(Index::loaded(remembered, version, entries, changes))
}

fn read_row(version: u64, (key, current, before, value): ChangeRow<'_>) -> Change {
    let previous = (before > 0).then(|| Entry { value: Bytes::copy_from_slice(value), version: before });
    Change { key: key.into(), version, current: current.map(Bytes::copy_from_slice), previous }
}

/// Each remembered change follows the one before it, up to the newest version.
fn check_gaps(changes: &VecDeque<Arc<Change>>, version: u64) -> Outcome<()> {
    let expected = (1..=version).rev();
    let gap = changes.iter().rev().zip(expected).find(|(change, expected)| change.version != *expected);
    match gap {
        Some((_, expected)) => Err(FormatError::Gap(expected - 1)),
        None => Ok(()),
    }
}
