//! Resources that others change again and again.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use krono_planner::contest::Contest;
use krono_planner::instance::ObjectName;
use tokio::time::Instant;

/// Every resource that had to be put right of late.
#[derive(Debug)]
pub(crate) struct Contests {
    since: Instant,
    all: Mutex<HashMap<ObjectName, Contest>>,
}

impl Default for Contests {
    fn default() -> Self {
        Self { since: Instant::now(), all: Mutex::default() }
    }
}

impl Contests {
    /// A resource was put right; how long it will be left alone from now on, if others change it again.
    pub(crate) fn correct(&self, name: &ObjectName) -> Option<Duration> {
        let now = self.since.elapsed();
        let mut all = self.lock();
        all.retain(|_, it| !it.is_over(now));
        let contest = all.entry(name.clone()).or_default();
        contest.correct(now);
        contest.rests_until(now).map(|until| until.saturating_sub(now))
    }

    /// The resources that are left alone for now.
    pub(crate) fn resting(&self) -> BTreeSet<ObjectName> {
        let now = self.since.elapsed();
        let all = self.lock();
        all.iter().filter(|(_, it)| it.rests_until(now).is_some()).map(|(name, _)| name.clone()).collect()
    }

    /// How long until the first of some resources may be put right.
    pub(crate) fn pause(&self, names: &[ObjectName]) -> Duration {
        let now = self.since.elapsed();
        let all = self.lock();
        let ends = names.iter().filter_map(|name| all.get(name)?.rests_until(now));
        ends.min().unwrap_or(now).saturating_sub(now)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ObjectName, Contest>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
