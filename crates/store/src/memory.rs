//! A store that lives as long as the process.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use tokio::sync::watch;

use crate::index::{Index, decide};
use crate::{Commit, Compacted, Entry, Next, Page, Range, Store, Write};

/// How many changes are remembered unless one says otherwise.
pub(crate) const REMEMBERED: usize = 50_000;

/// A store that lives as long as the process; everything else is as on disk.
#[derive(Debug)]
pub struct MemoryStore {
    index: RwLock<Index>,
    latest: watch::Sender<u64>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::remembering(REMEMBERED)
    }

    /// An empty store that remembers so many changes.
    pub fn remembering(changes: usize) -> Self {
        Self { index: RwLock::new(Index::new(changes)), latest: watch::channel(0).0 }
    }

    fn read(&self) -> RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_index(&self) -> RwLockWriteGuard<'_, Index> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl Store for MemoryStore {
    fn version(&self) -> u64 {
        self.read().version()
    }

    fn get(&self, key: &str) -> Option<Entry> {
        self.read().get(key).cloned()
    }

    fn range(&self, range: &Range<'_>) -> Result<Page, Compacted> {
        self.read().range(range)
    }

    fn write(&self, write: Write) -> Commit {
        let mut index = self.write_index();
        let version = index.version() + 1;
        let change = match decide(write.clone(), index.get(&write.key), version) {
            Ok(change) => change,
            Err(error) => return Commit::done(Err(error)),
        };
        index.apply(change);
        // Told under the lock, so that versions are told in order.
        self.latest.send_replace(version);
        Commit::done(Ok(version))
    }

    fn change_after(&self, prefix: &str, version: u64) -> Result<Next, Compacted> {
        self.read().change_after(prefix, version)
    }

    fn subscribe(&self) -> watch::Receiver<u64> {
        self.latest.subscribe()
    }

    fn compact(&self, version: u64) {
        self.write_index().compact(version);
    }
}
