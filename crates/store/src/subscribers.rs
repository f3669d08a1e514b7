//! Who watches which keys, so that a commit wakes nobody else.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// Changes that wait for one watcher; beyond that it reads the log.
const QUEUE: usize = 128;

/// One watcher, as those who commit see it.
#[derive(Debug, Default)]
pub(crate) struct Subscriber {
    pub(crate) woken: Notify,
    waiting: Mutex<Waiting>,
}

/// What a watcher has still to see.
#[derive(Debug, Default)]
pub(crate) enum Waiting {
    /// Changes with these versions. They stay in the log, which is what bounds the memory of slow watchers.
    Versions(VecDeque<u64>),
    /// More than fit, or not known yet: it must look in the log for itself.
    #[default]
    Behind,
}

impl Subscriber {
    pub(crate) fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a change; says whether the watcher may be asleep.
    fn offer(&self, version: u64) -> bool {
        let mut waiting = self.waiting();
        match &mut *waiting {
            Waiting::Behind => false,
            Waiting::Versions(versions) if versions.len() == QUEUE => {
                *waiting = Waiting::Behind;
                false
            }
            Waiting::Versions(versions) => {
                versions.push_back(version);
                versions.len() == 1
            }
        }
    }
}

/// All watchers by prefix.
#[derive(Debug, Default)]
pub(crate) struct Subscribers {
    by_prefix: HashMap<Arc<str>, BTreeMap<u64, Arc<Subscriber>>>,
    /// How many prefixes there are of each length: few lengths, however many watchers.
    lengths: BTreeMap<usize, usize>,
    next: u64,
}

impl Subscribers {
    /// Adds a watcher, and gives the number to remove it by.
    pub(crate) fn add(&mut self, prefix: &Arc<str>, subscriber: Arc<Subscriber>) -> u64 {
        self.next += 1;
        let watchers = self.by_prefix.entry(Arc::clone(prefix)).or_default();
        if watchers.is_empty() {
            *self.lengths.entry(prefix.len()).or_default() += 1;
        }
        watchers.insert(self.next, subscriber);
        self.next
    }

    pub(crate) fn remove(&mut self, prefix: &str, number: u64) {
        let Some(watchers) = self.by_prefix.get_mut(prefix) else { return };
        watchers.remove(&number);
        if !watchers.is_empty() {
            return;
        }
        self.by_prefix.remove(prefix);
        if let Some(count) = self.lengths.get_mut(&prefix.len()) {
            *count -= 1;
            if *count == 0 {
                self.lengths.remove(&prefix.len());
            }
        }
    }

    /// Queues a change for all who watch its key, and gives those who may be asleep.
    pub(crate) fn offer(&self, key: &str, version: u64, asleep: &mut Vec<Arc<Subscriber>>) {
        let prefixes =
            self.lengths.keys().map_while(|length| (*length <= key.len()).then(|| key.get(..*length)));
        let watchers = prefixes.flatten().filter_map(|prefix| self.by_prefix.get(prefix));
        for subscriber in watchers.flat_map(BTreeMap::values) {
            if subscriber.offer(version) {
                asleep.push(Arc::clone(subscriber));
            }
        }
    }
}
