//! Whether anything goes on in a connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the requests of one connection.
#[derive(Debug, Default)]
pub(super) struct Activity {
    begun: AtomicUsize,
    ended: AtomicUsize,
}

/// Held while a request is being answered, to the last byte.
#[derive(Debug)]
pub(super) struct Busy(Arc<Activity>);

impl Activity {
    pub(super) fn begin(self: &Arc<Self>) -> Busy {
        self.begun.fetch_add(1, Ordering::Relaxed);
        Busy(Arc::clone(self))
    }

    /// How many requests have begun.
    pub(super) fn begun(&self) -> usize {
        self.begun.load(Ordering::Relaxed)
    }

    /// Whether nothing is being answered and nothing has begun since this many had.
    pub(super) fn is_idle_since(&self, begun: usize) -> bool {
        self.begun() == begun && self.ended.load(Ordering::Relaxed) == begun
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_means_nothing_begun_and_all_ended() {
        let activity = Arc::new(Activity::default());
        assert!(activity.is_idle_since(0));
        let busy = activity.begin();
        assert!(!activity.is_idle_since(0) && !activity.is_idle_since(1));
        drop(busy);
        assert!(!activity.is_idle_since(0) && activity.is_idle_since(activity.begun()));
    }
}
