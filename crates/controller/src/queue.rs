//! Which definitions and instances wait to be looked at.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::backoff;

/// How often in a row work fails for a reason that goes away by itself.
const FEW: u32 = 3;

/// Something to look at.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Key {
    /// A definition.
    Definition(Arc<str>),
    /// The instances of a definition, as far as their assignments go.
    Fleet(Arc<str>),
    /// An instance.
    Instance(InstanceKey),
}

/// An instance of a definition.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct InstanceKey {
    pub(crate) definition: Arc<str>,
    /// Empty for cluster-wide kinds.
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// What became of a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing is left to do before something changes.
    Done,
    /// Nothing is left to do before that time, or before something changes.
    Later(Duration),
    /// It should be tried again, each time a little later.
    Retry,
    /// The same, because something is wrong and not just in somebody's way.
    Failed,
}

/// Keys in the order of asking, each once, none worked on twice at a time; no key is ever dropped.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    order: VecDeque<Key>,
    waiting: HashSet<Key>,
    busy: HashSet<Key>,
    timers: BTreeMap<(Instant, u64), Key>,
    timer_of: HashMap<Key, (Instant, u64)>,
    timers_set: u64,
    failures: HashMap<Key, u32>,
}

impl Queue {
    /// Asks for a look.
    pub(crate) fn add(&self, key: Key) {
        self.lock().add(key);
        self.changed.notify_one();
    }

    /// Asks for a look after a while, or earlier if somebody else does.
    pub(crate) fn add_later(&self, key: Key, pause: Duration) {
        if pause.is_zero() {
            return self.add(key);
        }
        self.lock().add_at(key, Instant::now() + pause);
        self.changed.notify_one();
    }

    /// The next key, when there is one; it is being worked on until [`Queue::finish`].
    pub(crate) async fn next(&self) -> Key {
        loop {
            let timer = {
                let mut state = self.lock();
                state.fire(Instant::now());
                if let Some(key) = state.begin() {
                    return key;
                }
                state.timers.first_key_value().map(|((time, _), _)| *time)
            };
            match timer {
                Some(time) => tokio::select! {
                    () = self.changed.notified() => {}
                    () = tokio::time::sleep_until(time) => {}
                },
                None => self.changed.notified().await,
            }
        }
    }

    /// The work on a key is done.
    pub(crate) fn finish(&self, key: &Key, outcome: Outcome) {
        let mut state = self.lock();
        state.busy.remove(key);
        match outcome {
            Outcome::Done => drop(state.failures.remove(key)),
            Outcome::Later(pause) => {
                state.failures.remove(key);
                state.add_at(key.clone(), Instant::now() + pause);
            }
            Outcome::Retry | Outcome::Failed => {
                let failures = state.failures.entry(key.clone()).or_default();
                *failures = failures.saturating_add(1);
                let pause = backoff::after(*failures);
                state.add_at(key.clone(), Instant::now() + pause);
            }
        }
        if state.waiting.contains(key) {
            state.order.push_back(key.clone());
        }
        drop(state);
        self.changed.notify_one();
    }

    /// How often in a row the work on a key has failed.
    pub(crate) fn failures(&self, key: &Key) -> u32 {
        self.lock().failures.get(key).copied().unwrap_or(0)
    }

    /// How many keys wait.
    pub(crate) fn len(&self) -> usize {
        self.lock().waiting.len()
    }

    /// Whether nothing waits or is worked on; some keys may be due for another try later.
    pub(crate) fn is_idle(&self) -> bool {
        let state = self.lock();
        state.waiting.is_empty() && state.busy.is_empty()
    }

    /// Whether the work on some key has just failed, as it does when others write the same object, and is tried again at once.
    pub(crate) fn tries_again(&self) -> bool {
        let state = self.lock();
        state.failures.iter().any(|(key, failures)| *failures <= FEW && state.timer_of.contains_key(key))
    }

    /// How many keys failed and are due for another try later.
    pub(crate) fn retries(&self) -> usize {
        self.lock().timers.len()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, key: Key) {
        self.withdraw(&key);
        if self.waiting.insert(key.clone()) && !self.busy.contains(&key) {
            self.order.push_back(key);
        }
    }

    fn add_at(&mut self, key: Key, time: Instant) {
        if self.waiting.contains(&key) || self.timer_of.get(&key).is_some_and(|(earlier, _)| *earlier <= time)
        {
            return;
        }
        self.withdraw(&key);
        self.timers_set += 1;
        self.timer_of.insert(key.clone(), (time, self.timers_set));
        self.timers.insert((time, self.timers_set), key);
    }

    fn withdraw(&mut self, key: &Key) {
        if let Some(timer) = self.timer_of.remove(key) {
            self.timers.remove(&timer);
        }
    }

    fn fire(&mut self, now: Instant) {
        while let Some(entry) = self.timers.first_entry()
            && entry.key().0 <= now
        {
            let key = entry.remove();
            self.add(key);
        }
    }

    fn begin(&mut self) -> Option<Key> {
        let key = self.order.pop_front()?;
        self.waiting.remove(&key);
        self.busy.insert(key.clone());
        Some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        Key::Definition(name.into())
    }

    #[tokio::test]
    async fn each_key_once_and_never_twice_at_a_time() {
        let queue = Queue::default();
        for name in ["a", "b", "a"] {
            queue.add(key(name));
        }
        assert_eq!(queue.next().await, key("a"));
        queue.add(key("a"));
        assert_eq!(queue.next().await, key("b"));
        queue.finish(&key("a"), Outcome::Done);
        assert_eq!(queue.next().await, key("a"));
        queue.finish(&key("a"), Outcome::Done);
        queue.finish(&key("b"), Outcome::Done);
        assert!(queue.is_idle());
    }

    #[tokio::test(start_paused = true)]
    async fn what_can_wait_comes_later_unless_something_happens() {
        let (queue, began) = (Queue::default(), Instant::now());
        let pause = Duration::from_secs(8);
        queue.add(key("a"));
        for waited in [Duration::ZERO, pause] {
            assert_eq!((queue.next().await, began.elapsed() / 1000 * 1000), (key("a"), waited));
            queue.finish(&key("a"), Outcome::Later(pause));
            assert!(queue.is_idle());
        }
        queue.add(key("a"));
        assert_eq!((queue.next().await, began.elapsed() < pause * 2), (key("a"), true));
    }

    #[tokio::test(start_paused = true)]
    async fn defect_b9_what_fails_comes_again_and_is_never_dropped() {
        let queue = Queue::default();
        queue.add(key("a"));
        for times in 1..40 {
            assert_eq!(queue.next().await, key("a"));
            queue.finish(&key("a"), Outcome::Retry);
            assert_eq!(queue.failures(&key("a")), times);
        }
        assert_eq!(queue.next().await, key("a"));
        queue.finish(&key("a"), Outcome::Done);
        assert!(queue.is_idle());
    }
}
