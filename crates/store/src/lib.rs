//! Versioned keys and values, in memory or on disk.
//!
//! One number counts all writes: each committed write gets the next version, and readers see only what is committed. What a store
//! remembers of the past is bounded: reading or watching from a version that is too old gives [`Compacted`].
//!
//! ```
//! use krono_store::{Expected, MemoryStore, Store, Write};
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
//! # runtime.block_on(async {
//! let store = MemoryStore::new();
//! let mut watch = store.watch("pods/", store.version());
//! let first = store.write(Write::put("pods/a", Expected::Absent, "one")).await.unwrap();
//! let second = store.write(Write::put("pods/a", Expected::At(first), "two")).await.unwrap();
//! assert_eq!(store.get("pods/a").unwrap().version, second);
//! assert!(store.write(Write::put("pods/a", Expected::At(first), "three")).await.is_err());
//! assert_eq!(watch.next().await.unwrap().version, first);
//! # });
//! ```

mod backup;
mod change_log;
mod commit;
mod committer;
mod disk;
mod format;
mod index;
mod journal;
mod ledger;
mod lock;
mod memory;
mod row;
mod shared;
mod subscribers;
mod watermark;

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::watch;

pub use backup::{BackupError, backup, restore};
pub use change_log::Remembered;
pub use commit::Commit;
pub use disk::{DiskStore, OpenError, Options};
pub use lock::Lock as DirectoryLock;
pub use memory::MemoryStore;
pub use shared::Watch;

/// A store of versioned values.
pub trait Store: Send + Sync + fmt::Debug {
    /// The version of the newest committed write; an empty store is at version 1.
    fn version(&self) -> u64;

    /// The value of a key.
    fn get(&self, key: &str) -> Option<Entry>;

    /// Part of the keys with a prefix, as they were at a version.
    fn range(&self, range: &Range<'_>) -> Result<Page, Compacted>;

    /// Writes one key if it is as expected; the result is there once the write is safe.
    fn write(&self, write: Write) -> Commit;

    /// The changes after `version` to keys with this prefix.
    fn watch(&self, prefix: &str, version: u64) -> Watch;

    /// Tells the newest version whenever there is one.
    fn subscribe(&self) -> watch::Receiver<u64>;

    /// Forgets what was before `version`, and gives the oldest version that can still be asked for.
    fn compact(&self, version: u64) -> Commit;
}

/// A value with its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The value.
    pub value: Bytes,
    /// The version that wrote it.
    pub version: u64,
}

/// Which keys to read.
#[derive(Clone, Copy, Debug)]
pub struct Range<'r> {
    /// What the keys begin with.
    pub prefix: &'r str,
    /// The first key, if it is not the first with the prefix.
    pub start: &'r str,
    /// How many entries at most.
    pub limit: usize,
    /// The version to read at; `None` for the newest.
    pub at: Option<u64>,
}

/// Entries in the order of their keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Keys and values.
    pub entries: Vec<(Arc<str>, Entry)>,
    /// The version they were read at.
    pub version: u64,
    /// How many more there are.
    pub remaining: usize,
}

/// A write of one key.
#[derive(Clone, Debug)]
pub struct Write {
    /// The key.
    pub key: Arc<str>,
    /// What the key must be at.
    pub expected: Expected,
    /// The new value; `None` deletes the key.
    pub value: Option<Bytes>,
}

impl Write {
    /// Sets a key.
    pub fn put(key: &str, expected: Expected, value: impl Into<Bytes>) -> Self {
        Self { key: key.into(), expected, value: Some(value.into()) }
    }

    /// Deletes a key.
    pub fn delete(key: &str, version: u64) -> Self {
        Self { key: key.into(), expected: Expected::At(version), value: None }
    }
}

/// What a key must be at for a write to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The key is not there.
    Absent,
    /// The key was written at this version.
    At(u64),
}

/// Why a write was not acknowledged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// The key is not as expected; nothing was written.
    #[error("the key is not at the expected version")]
    Stale(Option<Entry>),
    /// The disk failed under this write, which may be there after a restart or not; nobody sees it before.
    #[error("the store cannot tell whether the write is on disk: {0}; read again after a restart")]
    Unknown(Arc<str>),
    /// The store has stopped writing; this write did not happen, and what was acknowledged before is safe.
    #[error("the store does not write any more: {0}; restart once the cause is removed")]
    Failed(Arc<str>),
}

/// A change to one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The key.
    pub key: Arc<str>,
    /// The version of the change.
    pub version: u64,
    /// The new value; `None` when the key was deleted.
    pub current: Option<Bytes>,
    /// What was there before.
    pub previous: Option<Entry>,
}

/// What was asked for lies before what the store remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("version is older than {oldest}, the oldest that the store remembers")]
pub struct Compacted {
    /// The oldest version that can be asked for.
    pub oldest: u64,
}
