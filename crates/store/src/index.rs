//! All entries and the newest changes, in memory: what every read is answered from.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use crate::change_log::{ChangeLog, Remembered};
use crate::{Change, Compacted, Entry, Expected, Page, Range, Write, WriteError};

/// The version of a store that was never written to; clients take version 0 for none.
pub(crate) const FIRST_VERSION: u64 = 1;

/// Entries by key.
pub(crate) type Entries = BTreeMap<Arc<str>, Entry>;

/// Entries by key, and the changes that led to them.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    entries: Entries,
    log: ChangeLog,
    version: u64,
}

impl Index {
    /// An empty index.
    pub(crate) fn new(remembered: Remembered) -> Self {
        Self::loaded(Entries::new(), ChangeLog::new(remembered, FIRST_VERSION), FIRST_VERSION)
    }

    /// An index as it was saved.
    pub(crate) fn loaded(entries: Entries, log: ChangeLog, version: u64) -> Self {
        Self { entries, log, version }
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    pub(crate) fn log(&self) -> &ChangeLog {
        &self.log
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }

    pub(crate) fn entries(&self) -> &Entries {
        &self.entries
    }

    /// Makes a change that is committed; its version is the next.
    pub(crate) fn apply(&mut self, change: Change) {
        match &change.current {
            Some(value) => {
                let entry = Entry { value: value.clone(), version: change.version };
                self.entries.insert(Arc::clone(&change.key), entry);
            }
            None => {
                self.entries.remove(&change.key);
            }
        }
        self.version = change.version;
        self.log.push(Arc::new(change));
    }

    pub(crate) fn compact(&mut self, version: u64) {
        self.log.compact(version);
    }

    pub(crate) fn range(&self, range: &Range<'_>) -> Result<Page, Compacted> {
        match range.at {
            Some(version) if version < self.version => self.past(range, version),
            Some(_) | None => Ok(page(self.under(range), range.limit, self.version)),
        }
    }

    fn under<'i>(&'i self, range: &Range<'i>) -> impl Iterator<Item = (&'i Arc<str>, &'i Entry)> {
        let from = range.start.max(range.prefix);
        let prefix = range.prefix;
        let entries = self.entries.range::<str, _>((Bound::Included(from), Bound::Unbounded));
        entries.take_while(move |(key, _)| key.starts_with(prefix))
    }

    /// The range as it was: what is there now, with newer changes undone from the newest on.
    fn past(&self, range: &Range<'_>, version: u64) -> Result<Page, Compacted> {
        let newer = self.log.after(version)?;
        let mut entries: BTreeMap<&Arc<str>, &Entry> = self.under(range).collect();
        for change in newer.rev() {
            if change.key.starts_with(range.prefix) && *change.key >= *range.start {
                match &change.previous {
                    Some(entry) => entries.insert(&change.key, entry),
                    None => entries.remove(&change.key),
                };
            }
        }
        Ok(page(entries.into_iter(), range.limit, version))
    }
}

fn page<'i>(entries: impl Iterator<Item = (&'i Arc<str>, &'i Entry)>, limit: usize, version: u64) -> Page {
    let mut entries = entries;
    let taken = entries.by_ref().take(limit);
    let taken = taken.map(|(key, entry)| (Arc::clone(key), entry.clone())).collect();
    Page { entries: taken, version, remaining: entries.count() }
}

/// The change that a write makes, if the key is as the write expects.
pub(crate) fn decide(write: Write, found: Option<&Entry>, version: u64) -> Result<Change, WriteError> {
    let as_expected = match write.expected {
        Expected::Absent => found.is_none() && write.value.is_some(),
        Expected::At(version) => found.is_some_and(|it| it.version == version),
    };
    if !as_expected {
        return Err(WriteError::Stale(found.cloned()));
    }
    Ok(Change { key: write.key, version, current: write.value, previous: found.cloned() })
}
