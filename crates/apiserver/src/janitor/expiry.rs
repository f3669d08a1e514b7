//! Objects that are kept for a while.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use tokio::time::Instant;

/// When which object ends.
#[derive(Debug, Default)]
pub(super) struct Expiry {
    ends: HashMap<Arc<str>, Instant>,
    queue: BTreeSet<(Instant, Arc<str>)>,
}

impl Expiry {
    /// The object ends at this time, whatever was said before.
    pub(super) fn set(&mut self, key: &Arc<str>, end: Instant) {
        self.forget(key);
        self.ends.insert(Arc::clone(key), end);
        self.queue.insert((end, Arc::clone(key)));
    }

    /// The object is gone.
    pub(super) fn forget(&mut self, key: &Arc<str>) {
        if let Some(end) = self.ends.remove(key) {
            self.queue.remove(&(end, Arc::clone(key)));
        }
    }

    /// When something ends next.
    pub(super) fn next(&self) -> Option<Instant> {
        self.queue.first().map(|(end, _)| *end)
    }

    /// What has ended by now.
    pub(super) fn take(&mut self, now: Instant) -> Vec<Arc<str>> {
        let ended: Vec<_> =
            self.queue.iter().take_while(|(end, _)| *end <= now).map(|(_, key)| Arc::clone(key)).collect();
        for key in &ended {
            self.forget(key);
        }
        ended
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_last_word_counts() {
        let (now, mut expiry) = (Instant::now(), Expiry::default());
        let later = |seconds: u64| now + Duration::from_secs(seconds);
        let (a, b): (Arc<str>, Arc<str>) = ("a".into(), "b".into());
        expiry.set(&a, later(1));
        expiry.set(&b, later(2));
        expiry.set(&a, later(3));
        assert_eq!(expiry.next(), Some(later(2)));
        assert_eq!(expiry.take(later(2)), [b]);
        expiry.forget(&a);
        assert_eq!(expiry.next(), None);
    }
}
