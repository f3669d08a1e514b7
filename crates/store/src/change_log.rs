//! The newest changes, in order and bounded.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::{Change, Compacted};

/// What a remembered change costs beside its key and value: itself, its place, and what the allocator adds.
const OVERHEAD: usize = 200;

/// How much of the past is remembered, also over a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// How many changes at most.
    pub changes: usize,
    /// Bytes at most that only the past needs: values that were replaced or deleted, and what each change costs.
    pub bytes: usize,
}

impl Default for Remembered {
    fn default() -> Self {
        Self { changes: 50_000, bytes: 16 << 20 }
    }
}

/// One change for each version after `compacted`, without a gap.
#[derive(Clone, Debug)]
pub(crate) struct ChangeLog {
    changes: VecDeque<Arc<Change>>,
    bytes: usize,
    compacted: u64,
    remembered: Remembered,
}

impl ChangeLog {
    pub(crate) fn new(remembered: Remembered, compacted: u64) -> Self {
        Self { changes: VecDeque::new(), bytes: 0, compacted, remembered }
    }

    /// The oldest version that can be asked for.
    pub(crate) fn compacted(&self) -> u64 {
        self.compacted
    }

    /// Adds a change, whose version is the next.
    pub(crate) fn push(&mut self, change: Arc<Change>) {
        self.bytes += cost(&change);
        self.changes.push_back(change);
        while self.changes.len() > self.remembered.changes || self.bytes > self.remembered.bytes {
            self.forget_oldest();
        }
    }

    pub(crate) fn compact(&mut self, version: u64) {
        while self.compacted < version && !self.changes.is_empty() {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        if let Some(change) = self.changes.pop_front() {
            self.bytes -= cost(&change);
            self.compacted = change.version;
        }
        if self.changes.capacity() > 64 && self.changes.len() < self.changes.capacity() / 4 {
            self.changes.shrink_to(self.changes.capacity() / 2);
        }
    }

    /// The changes after a version.
    pub(crate) fn after(
        &self,
        version: u64,
    ) -> Result<impl DoubleEndedIterator<Item = &Arc<Change>>, Compacted> {
        let skipped = version.checked_sub(self.compacted).ok_or(Compacted { oldest: self.compacted })?;
        let skipped = usize::try_from(skipped).unwrap_or(usize::MAX).min(self.changes.len());
        Ok(self.changes.range(skipped..))
    }
}

/// What is freed when the change is forgotten. Its new value is shared with the entry, or is the value before a later change.
fn cost(change: &Change) -> usize {
    let previous = change.previous.as_ref().map_or(0, |it| it.value.len());
    OVERHEAD + change.key.len() + previous
}
