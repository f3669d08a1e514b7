//! All entries and the newest changes, in memory: what every read is answered from.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

use crate::{Change, Compacted, Entry, Expected, Next, Page, Range, Write, WriteError};

/// Entries by key, and the changes that led to them.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    entries: BTreeMap<Arc<str>, Entry>,
    /// Without a gap: one change for each version after `compacted`.
    changes: VecDeque<Arc<Change>>,
    version: u64,
    compacted: u64,
    remembered: usize,
}

impl Index {
    /// An empty index that remembers so many changes.
    pub(crate) fn new(remembered: usize) -> Self {
        let (entries, changes) = (BTreeMap::new(), VecDeque::new());
        Self { entries, changes, version: 0, compacted: 0, remembered }
    }

    /// An index as it was saved; changes beyond what is remembered are dropped.
    pub(crate) fn loaded(
        remembered: usize,
        version: u64,
        entries: BTreeMap<Arc<str>, Entry>,
        changes: VecDeque<Arc<Change>>,
    ) -> Self {
        let compacted = changes.front().map_or(version, |it| it.version - 1);
        let mut index = Self { entries, changes, version, compacted, remembered };
        index.trim();
        index
    }

    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    pub(crate) fn compacted(&self) -> u64 {
        self.compacted
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.get(key)
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = (&Arc<str>, &Entry)> {
        self.entries.iter()
    }

    pub(crate) fn changes(&self) -> impl Iterator<Item = &Arc<Change>> {
        self.changes.iter()
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
        self.changes.push_back(Arc::new(change));
        self.trim();
    }

    pub(crate) fn compact(&mut self, version: u64) {
        while self.changes.front().is_some_and(|it| it.version <= version) {
            self.forget_oldest();
        }
    }

    fn trim(&mut self) {
        while self.changes.len() > self.remembered {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        if let Some(change) = self.changes.pop_front() {
            self.compacted = change.version;
        }
    }

    pub(crate) fn range(&self, range: &Range<'_>) -> Result<Page, Compacted> {
        match range.at {
            Some(version) if version < self.compacted => Err(Compacted { oldest: self.compacted }),
            Some(version) if version < self.version => Ok(self.past(range, version)),
            _ => Ok(page(self.under(range), range.limit, self.version)),
        }
    }

    fn under<'i>(&'i self, range: &Range<'i>) -> impl Iterator<Item = (&'i Arc<str>, &'i Entry)> {
        let from = range.start.max(range.prefix);
        let prefix = range.prefix;
        let entries = self.entries.range::<str, _>((Bound::Included(from), Bound::Unbounded));
        entries.take_while(move |(key, _)| key.starts_with(prefix))
    }

    /// The range as it was: what is there now, with newer changes undone from the newest on.
    fn past(&self, range: &Range<'_>, version: u64) -> Page {
        let mut entries: BTreeMap<&Arc<str>, &Entry> = self.under(range).collect();
        for change in self.changes.iter().rev().take_while(|it| it.version > version) {
            if change.key.starts_with(range.prefix) && *change.key >= *range.start {
                match &change.previous {
                    Some(entry) => entries.insert(&change.key, entry),
                    None => entries.remove(&change.key),
                };
            }
        }
        page(entries.into_iter(), range.limit, version)
    }

    pub(crate) fn change_after(&self, prefix: &str, version: u64) -> Result<Next, Compacted> {
        if version < self.compacted {
            return Err(Compacted { oldest: self.compacted });
        }
        let skipped = usize::try_from(version - self.compacted).unwrap_or(usize::MAX);
        let found = self.changes.iter().skip(skipped).find(|it| it.key.starts_with(prefix));
        Ok(found.map_or(Next::Nothing(self.version.max(version)), |it| Next::Change(Arc::clone(it))))
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
