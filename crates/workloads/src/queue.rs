//! Which objects wait to be looked at.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use jiff::Timestamp;

use crate::kind::Key;

/// Keys in the order of asking, each once; keys that are being worked on wait.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    order: VecDeque<Key>,
    waiting: HashSet<Key>,
    busy: HashSet<Key>,
    timers: BTreeSet<(Timestamp, Key)>,
    by_key: BTreeMap<Key, Timestamp>,
}

impl Queue {
    /// Asks for a look at the object.
    pub(crate) fn add(&mut self, key: Key) {
        if self.waiting.insert(key.clone()) {
            self.order.push_back(key);
        }
    }

    /// Asks for a look at the objects.
    pub(crate) fn extend(&mut self, keys: BTreeSet<Key>) {
        for key in keys {
            self.add(key);
        }
    }

    /// Asks for a look at that time, instead of any asked for before; `None` withdraws it.
    pub(crate) fn set_timer(&mut self, key: &Key, time: Option<Timestamp>) {
        if let Some(before) = self.by_key.remove(key) {
            self.timers.remove(&(before, key.clone()));
        }
        if let Some(time) = time {
            self.by_key.insert(key.clone(), time);
            self.timers.insert((time, key.clone()));
        }
    }

    /// When the next timer is due.
    pub(crate) fn next_timer(&self) -> Option<Timestamp> {
        self.timers.first().map(|(time, _)| *time)
    }

    /// Moves what is due to the others.
    pub(crate) fn fire(&mut self, now: Timestamp) {
        while let Some((time, key)) = self.timers.first().cloned()
            && time <= now
        {
            self.set_timer(&key, None);
            self.add(key);
        }
    }

    /// The next key that is not being worked on; it is from now on, until [`Queue::finish`].
    pub(crate) fn begin(&mut self) -> Option<Key> {
        let position = self.order.iter().position(|key| !self.busy.contains(key))?;
        let key = self.order.remove(position)?;
        self.waiting.remove(&key);
        self.busy.insert(key.clone());
        Some(key)
    }

    /// The work on the key is done.
    pub(crate) fn finish(&mut self, key: &Key) {
        self.busy.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Kind;

    fn key(name: &str) -> Key {
        Key::new(Kind::Pod, "default", name)
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn each_key_once_and_never_twice_at_a_time() {
        let mut queue = Queue::default();
        for name in ["a", "b", "a"] {
            queue.add(key(name));
        }
        assert_eq!(queue.begin(), Some(key("a")));
        queue.add(key("a"));
        assert_eq!(queue.begin(), Some(key("b")));
        assert_eq!(queue.begin(), None);
        queue.finish(&key("a"));
        assert_eq!(queue.begin(), Some(key("a")));
    }

    #[test]
    fn timers_replace_one_another() {
        let mut queue = Queue::default();
        queue.set_timer(&key("a"), Some(at(5)));
        queue.set_timer(&key("a"), Some(at(9)));
        queue.set_timer(&key("b"), Some(at(7)));
        assert_eq!(queue.next_timer(), Some(at(7)));
        queue.fire(at(8));
        assert_eq!(queue.begin(), Some(key("b")));
        assert_eq!((queue.begin(), queue.next_timer()), (None, Some(at(9))));
        queue.set_timer(&key("a"), None);
        assert_eq!(queue.next_timer(), None);
    }
}
