//! Objects in a store: keys, records, compare-and-set, ranges and changes.

use std::sync::Arc;

use bytes::Bytes;
use krono_store::{Compacted, Entry, Expected, MemoryStore, Range, Store, Watch, Write, WriteError};

use crate::resource::Resource;
use crate::status::Status;
use crate::stored::{BadRecord, Stored};

/// The store as the server sees it.
#[derive(Clone, Debug)]
pub(crate) struct Storage {
    store: Arc<dyn Store>,
}

/// What a write supposes of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expect {
    /// There is none.
    Absent,
    /// It is at this version.
    Version(u64),
}

/// Some objects, in the order of their keys.
#[derive(Debug)]
pub(crate) struct Page {
    /// The objects with their keys.
    pub(crate) items: Vec<(Arc<str>, Stored)>,
    /// The version of the store that was read.
    pub(crate) version: u64,
    /// How many come after.
    pub(crate) remaining: usize,
}

/// A change to one object.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// The key.
    pub(crate) key: Arc<str>,
    /// The version of the change.
    pub(crate) version: u64,
    /// The object, unless it is gone.
    pub(crate) current: Option<Stored>,
    /// The object before, unless it is new.
    pub(crate) previous: Option<Stored>,
}

/// The changes under a prefix, in order.
#[derive(Debug)]
pub(crate) struct Changes(Watch);

/// The key of an object.
pub(crate) fn key(resource: &Resource, namespace: &str, name: &str) -> String {
    if namespace.is_empty() {
        format!("{}{name}", resource.prefix)
    } else {
        format!("{}{namespace}/{name}", resource.prefix)
    }
}

/// What the keys of a collection begin with.
pub(crate) fn collection(resource: &Resource, namespace: Option<&str>) -> String {
    match namespace {
        Some(namespace) => format!("{}{namespace}/", resource.prefix),
        None => resource.prefix.clone(),
    }
}

impl Storage {
    /// A store that lives as long as the process.
    pub(crate) fn in_memory() -> Self {
        Self::new(Arc::new(MemoryStore::new()))
    }

    /// Objects in this store.
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self { store }
    }

    /// The version of the last write.
    pub(crate) fn version(&self) -> u64 {
        self.store.version()
    }

    /// The object at a key.
    pub(crate) fn get(&self, key: &str) -> Result<Option<Stored>, Status> {
        self.store.get(key).map(|entry| stored(&entry)).transpose()
    }

    /// Writes a record, or removes it, and gives the version of the write once it is safe; `None` when the object
    /// is not at the version that was expected.
    pub(crate) async fn set(
        &self,
        key: &str,
        expect: Expect,
        record: Option<Bytes>,
    ) -> Result<Option<u64>, Status> {
        let expected = match expect {
            Expect::Absent => Expected::Absent,
            Expect::Version(version) => Expected::At(version),
        };
        match self.store.write(Write { key: key.into(), expected, value: record }).await {
            Ok(version) => Ok(Some(version)),
            Err(WriteError::Stale(_)) => Ok(None),
            Err(failed @ (WriteError::Unknown(_) | WriteError::Failed(_))) => Err(Status::internal(failed)),
        }
    }

    /// Up to `limit` objects under `prefix` from `start` on, as of version `at` (or now).
    pub(crate) fn range(
        &self,
        prefix: &str,
        start: &str,
        limit: usize,
        at: Option<u64>,
    ) -> Result<Page, Status> {
        let range = Range { prefix, start, limit, at };
        let page = self.store.range(&range).map_err(|Compacted { .. }| too_old())?;
        let items = page.entries.into_iter().map(|(key, entry)| Ok((key, stored(&entry)?)));
        let items = items.collect::<Result<_, Status>>()?;
        Ok(Page { items, version: page.version, remaining: page.remaining })
    }

    /// Waits until a version is there.
    pub(crate) async fn reached(&self, version: u64) -> Result<(), Status> {
        let mut latest = self.store.subscribe();
        latest.wait_for(|now| *now >= version).await.map(drop).map_err(Status::internal)
    }

    /// The first change under `prefix` after `version`, or the version up to which there is none.
    pub(crate) fn change_after(&self, prefix: &str, version: u64) -> Result<Result<Change, u64>, Status> {
        let mut watch = self.store.watch(prefix, version);
        match watch.try_next().map_err(|Compacted { .. }| too_old())? {
            Some(event) => change(&event).map(Ok),
            None => Ok(Err(watch.version())),
        }
    }

    /// The changes under `prefix` after `version`.
    pub(crate) fn changes(&self, prefix: &str, version: u64) -> Changes {
        Changes(self.store.watch(prefix, version))
    }
}

impl Changes {
    /// The next change, as soon as there is one. Cancel safe.
    pub(crate) async fn next(&mut self) -> Result<Change, Status> {
        change(&*self.0.next().await.map_err(|Compacted { .. }| too_old())?)
    }

    /// The next change, if there is one already.
    pub(crate) fn try_next(&mut self) -> Result<Option<Change>, Status> {
        let next = self.0.try_next().map_err(|Compacted { .. }| too_old())?;
        next.map(|event| change(&event)).transpose()
    }

    /// All changes up to here have been given out.
    pub(crate) fn version(&self) -> u64 {
        self.0.version()
    }
}

fn change(event: &krono_store::Change) -> Result<Change, Status> {
    let current = event.current.clone().map(|value| Stored::new(value, event.version)).transpose();
    let current = current.map_err(Status::internal)?;
    let previous = event.previous.as_ref().map(stored).transpose()?;
    Ok(Change { key: Arc::clone(&event.key), version: event.version, current, previous })
}

fn stored(entry: &Entry) -> Result<Stored, Status> {
    Stored::new(entry.value.clone(), entry.version).map_err(|error: BadRecord| Status::internal(error))
}

fn too_old() -> Status {
    Status::expired("The resourceVersion for the provided watch is too old.")
}
