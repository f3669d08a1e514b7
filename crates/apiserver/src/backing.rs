//! Objects in memory, with versions and a bounded log of changes.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::watch;

/// Changes that are remembered for watchers and for paging.
const MAX_LOG: usize = 50_000;

#[derive(Debug)]
pub(crate) struct Backing {
    state: Mutex<State>,
    latest: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    entries: BTreeMap<Arc<str>, Entry>,
    log: VecDeque<Arc<Event>>,
    version: u64,
    compacted: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) value: Bytes,
    pub(crate) version: u64,
}

#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) key: Arc<str>,
    pub(crate) version: u64,
    pub(crate) current: Option<Bytes>,
    pub(crate) previous: Option<Entry>,
}

pub(crate) struct Range {
    pub(crate) entries: Vec<(Arc<str>, Entry)>,
    pub(crate) version: u64,
    pub(crate) remaining: usize,
}

pub(crate) struct Compacted;

impl Backing {
    pub(crate) fn new() -> Self {
        Self { state: Mutex::default(), latest: watch::channel(0).0 }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn version(&self) -> u64 {
        self.state().version
    }

    pub(crate) fn get(&self, key: &str) -> Option<Entry> {
        self.state().entries.get(key).cloned()
    }

    /// Writes when the entry is at `expected` (0 for absent); gives the version it really is at otherwise.
    pub(crate) fn set(&self, key: &str, expected: u64, value: Option<Bytes>) -> Result<u64, u64> {
        let mut state = self.state();
        let found = state.entries.get(key).map_or(0, |entry| entry.version);
        if found != expected {
            return Err(found);
        }
        state.version += 1;
        let version = state.version;
        let key: Arc<str> = key.into();
        let previous = match &value {
            Some(value) => state.entries.insert(Arc::clone(&key), Entry { value: value.clone(), version }),
            None => state.entries.remove(&key),
        };
        state.log.push_back(Arc::new(Event { key, version, current: value, previous }));
        if state.log.len() > MAX_LOG {
            state.compacted = state.log.pop_front().map_or(0, |event| event.version);
        }
        drop(state);
        self.latest.send_replace(version);
        Ok(version)
    }

    /// Entries under `prefix`, from `start` on, as they were at version `at`.
    pub(crate) fn range(
        &self,
        prefix: &str,
        start: &str,
        limit: usize,
        at: Option<u64>,
    ) -> Result<Range, Compacted> {
        let state = self.state();
        let version = at.unwrap_or(state.version);
        if version < state.compacted {
            return Err(Compacted);
        }
        let mut entries = state.under(prefix, start);
        for event in state.log.iter().rev().take_while(|event| event.version > version) {
            if !event.key.starts_with(prefix) || *event.key < *start {
                continue;
            }
            match &event.previous {
                Some(entry) => drop(entries.insert(Arc::clone(&event.key), entry.clone())),
                None => drop(entries.remove(&event.key)),
            }
        }
        let remaining = entries.len().saturating_sub(limit);
        Ok(Range { entries: entries.into_iter().take(limit).collect(), version, remaining })
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.latest.subscribe()
    }

    /// The next change under `prefix` after `version`; with how far we looked when there is none.
    pub(crate) fn next(&self, prefix: &str, version: u64) -> Result<Result<Arc<Event>, u64>, Compacted> {
        let state = self.state();
        if version < state.compacted {
            return Err(Compacted);
        }
        let skip = usize::try_from(version.saturating_sub(state.compacted)).unwrap_or(usize::MAX);
        let found = state.log.iter().skip(skip).find(|event| event.key.starts_with(prefix));
        Ok(found.cloned().ok_or(state.version.max(version)))
    }
}

impl State {
    fn under(&self, prefix: &str, start: &str) -> BTreeMap<Arc<str>, Entry> {
        let from = start.max(prefix);
        let range = self.entries.range::<str, _>((Bound::Included(from), Bound::Unbounded));
        let range = range.take_while(|(key, _)| key.starts_with(prefix));
        range.map(|(key, entry)| (Arc::clone(key), entry.clone())).collect()
    }
}
