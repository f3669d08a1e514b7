//! What readers, watchers and the one who commits share.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use tokio::sync::watch;

use crate::index::Index;
use crate::subscribers::{Subscriber, Subscribers, Waiting};
use crate::{Change, Compacted};

/// The changes to keys with one prefix, in order.
///
/// Only a change to such a key wakes the watcher. One that is slow holds no more memory than one that is not: it reads what the
/// store still remembers, and gets [`Compacted`] when that is less than it has missed.
#[derive(Debug)]
pub struct Watch {
    shared: Arc<Shared>,
    subscriber: Arc<Subscriber>,
    number: u64,
    prefix: Arc<str>,
    /// All changes up to here have been given out.
    version: u64,
}

#[derive(Debug)]
pub(crate) struct Shared {
    index: RwLock<Index>,
    /// Locked after the index or without it, never before.
    subscribers: Mutex<Subscribers>,
    latest: watch::Sender<u64>,
}

/// Watchers to be woken once those who wrote have been told.
#[must_use = "watchers sleep on until they are woken"]
pub(crate) struct Asleep(Vec<Arc<Subscriber>>);

impl Asleep {
    pub(crate) fn wake(self) {
        for subscriber in self.0 {
            subscriber.woken.notify_one();
        }
    }
}

impl Shared {
    pub(crate) fn new(index: Index) -> Arc<Self> {
        let latest = watch::channel(index.version()).0;
        Arc::new(Self { index: RwLock::new(index), subscribers: Mutex::default(), latest })
    }

    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest version, and the oldest that can be asked for.
    pub(crate) fn numbers(&self) -> (u64, u64) {
        let index = self.read();
        (index.version(), index.log().compacted())
    }

    pub(crate) fn lock(&self) -> RwLockWriteGuard<'_, Index> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn subscribers(&self) -> MutexGuard<'_, Subscribers> {
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.latest.subscribe()
    }

    /// Makes committed changes visible. The lock is the caller's, so that what was decided under it still holds.
    pub(crate) fn publish(&self, index: &mut Index, changes: Vec<Change>) -> Asleep {
        let subscribers = self.subscribers();
        let mut asleep = Vec::new();
        for change in changes {
            subscribers.offer(&change.key, change.version, &mut asleep);
            index.apply(change);
        }
        self.latest.send_replace(index.version());
        Asleep(asleep)
    }

    pub(crate) fn watch(self: &Arc<Self>, prefix: &str, version: u64) -> Watch {
        let (prefix, subscriber) = (Arc::<str>::from(prefix), Arc::new(Subscriber::default()));
        let number = self.subscribers().add(&prefix, Arc::clone(&subscriber));
        Watch { shared: Arc::clone(self), subscriber, number, prefix, version }
    }
}

impl Watch {
    /// The next change, as soon as there is one. Cancel safe.
    pub async fn next(&mut self) -> Result<Arc<Change>, Compacted> {
        loop {
            if let Some(change) = self.try_next()? {
                return Ok(change);
            }
            self.subscriber.woken.notified().await;
        }
    }

    /// The next change, if there is one already.
    pub fn try_next(&mut self) -> Result<Option<Arc<Change>>, Compacted> {
        // As long as the index is locked nothing is published, so that nothing falls between the log and the queue.
        let index = self.shared.read();
        let mut waiting = self.subscriber.waiting();
        let found = match &mut *waiting {
            Waiting::Versions(versions) => next_queued(versions, &index, self.version)?,
            Waiting::Behind => {
                let found = index.log().after(self.version)?.find(|it| it.key.starts_with(&*self.prefix));
                if found.is_none() {
                    *waiting = Waiting::Versions(VecDeque::new());
                }
                found.map(Arc::clone)
            }
        };
        self.version = found.as_ref().map_or_else(|| index.version().max(self.version), |it| it.version);
        Ok(found)
    }

    /// All changes up to here have been given out.
    pub fn version(&self) -> u64 {
        let index = self.shared.read();
        match &*self.subscriber.waiting() {
            Waiting::Versions(versions) if versions.is_empty() => index.version().max(self.version),
            Waiting::Versions(_) | Waiting::Behind => self.version,
        }
    }
}

fn next_queued(
    versions: &mut VecDeque<u64>,
    index: &Index,
    seen: u64,
) -> Result<Option<Arc<Change>>, Compacted> {
    // A watch may begin in the future.
    while versions.front().is_some_and(|it| *it <= seen) {
        versions.pop_front();
    }
    let Some(version) = versions.pop_front() else { return Ok(None) };
    if versions.is_empty() {
        // Most watchers idle most of the time.
        versions.shrink_to_fit();
    }
    Ok(index.log().after(version - 1)?.next().map(Arc::clone))
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.subscribers().remove(&self.prefix, self.number);
    }
}
