//! What can be set.

use std::time::Duration;

use krono_history::witness::Notes;

/// How the controllers work.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many definitions and instances are worked on at a time.
    pub concurrency: usize,
    /// Whether the kind of a definition goes with it, and with the kind all instances.
    pub allow_crd_deletion: bool,
    /// Whether every change of an instance's conditions is told by an Event.
    pub condition_events: bool,
    /// Whether metrics tell of every condition of every instance for how long it has been so.
    pub condition_metrics: bool,
    /// How long to wait before telling again how many instances there are (V31).
    pub counts_every: Duration,
    /// Whether a witness notes on objects which user changed them; else anybody may have written that.
    pub notes: Notes,
    /// What definitions may use.
    pub graph: krono_graph::Options,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            concurrency: 16,
            allow_crd_deletion: false,
            condition_events: false,
            condition_metrics: false,
            counts_every: Duration::from_secs(5),
            notes: Notes::default(),
            graph: krono_graph::Options::default(),
        }
    }
}
