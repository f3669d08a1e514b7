//! A store that lives as long as the process.

use std::sync::Arc;

use tokio::sync::watch;

use crate::change_log::Remembered;
use crate::index::{Index, decide};
use crate::shared::Shared;
use crate::{Commit, Compacted, Entry, Page, Range, Store, Watch, Write};

/// A store that lives as long as the process; everything else is as on disk.
#[derive(Debug)]
pub struct MemoryStore {
    shared: Arc<Shared>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::remembering(Remembered::default())
    }

    /// An empty store that remembers so much of the past.
    pub fn remembering(remembered: Remembered) -> Self {
        Self { shared: Shared::new(Index::new(remembered)) }
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl Store for MemoryStore {
    fn version(&self) -> u64 {
        self.shared.read().version()
    }

    fn get(&self, key: &str) -> Option<Entry> {
        self.shared.read().get(key).cloned()
    }

    fn range(&self, range: &Range<'_>) -> Result<Page, Compacted> {
        self.shared.read().range(range)
    }

    fn write(&self, write: Write) -> Commit {
        let mut index = self.shared.lock();
        let version = index.version() + 1;
        let found = index.get(&write.key).cloned();
        let change = match decide(write, found.as_ref(), version) {
            Ok(change) => change,
            Err(error) => return Commit::done(Err(error)),
        };
        let asleep = self.shared.publish(&mut index, vec![change]);
        drop(index);
        asleep.wake();
        Commit::done(Ok(version))
    }

    fn watch(&self, prefix: &str, version: u64) -> Watch {
        self.shared.watch(prefix, version)
    }

    fn subscribe(&self) -> watch::Receiver<u64> {
        self.shared.subscribe()
    }

    fn compact(&self, version: u64) -> Commit {
        let mut index = self.shared.lock();
        index.compact(version);
        Commit::done(Ok(index.log().compacted()))
    }
}
