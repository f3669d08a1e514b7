//! What can be set.

/// How the controllers work.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many definitions and instances are worked on at a time.
    pub concurrency: usize,
    /// Whether the kind of a definition goes with it, and with the kind all instances.
    pub allow_crd_deletion: bool,
    /// Whether every change of an instance's conditions is told by an Event.
    pub condition_events: bool,
    /// What definitions may use.
    pub graph: krono_graph::Options,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            concurrency: 32,
            allow_crd_deletion: false,
            condition_events: false,
            graph: krono_graph::Options::default(),
        }
    }
}
