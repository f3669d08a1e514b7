//! What watches are told, and whom it concerns.

use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::Histogram;

use super::table::{Count, Table, Time};

/// What has happened to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Added,
    Updated,
    Deleted,
}

/// By [`Change`], as kro says it.
const CHANGES: [&str; 3] = ["add", "update", "delete"];

/// The counters of one kind: there is more news than anything else, and it is counted without looking for them.
#[derive(Clone, Debug)]
pub(crate) struct Traffic {
    changes: [Counter; 3],
    routed: Counter,
    matched: Counter,
    listed: Histogram,
}

impl Traffic {
    pub(super) fn new(table: &Table, gvr: &str) -> Self {
        let gvr = ("gvr", gvr.to_owned());
        let counter = |of: Count| table.counts[of as usize].get_or_create_owned(&vec![gvr.clone()]);
        let changes = CHANGES.map(|change| {
            let labels = vec![gvr.clone(), ("event_type", change.to_owned())];
            table.counts[Count::InformerEvent as usize].get_or_create_owned(&labels)
        });
        let listed = table.times[Time::InformerSync as usize].get_or_create_owned(&vec![gvr.clone()]);
        Self { changes, routed: counter(Count::Route), matched: counter(Count::RouteMatch), listed }
    }

    /// A watch has shown something.
    pub(crate) fn shown(&self, change: Change) {
        self.changes[change as usize].inc();
    }

    /// That was news, which concerned somebody or nobody.
    pub(crate) fn routed(&self, concerned: bool) {
        self.routed.inc();
        if concerned {
            self.matched.inc();
        }
    }

    /// All objects are known for the first time.
    pub(crate) fn listed(&self, took: Duration) {
        self.listed.observe(took.as_secs_f64());
    }
}
