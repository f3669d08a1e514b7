//! What a simulator is told at its start.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;

/// How much is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Pods and the node they run on, beside the controllers of a real cluster.
    Pods,
    /// Pods and all controllers of workloads, on a server that has none.
    Everything,
}

/// How long things take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// From the assignment to a node until containers run.
    pub start: Duration,
    /// From then until they are ready.
    pub ready: Duration,
    /// How long containers run that are to complete.
    pub run: Duration,
    /// How long containers run that are to fail.
    pub crash: Duration,
    /// The first pause between two failures; each is twice the one before, up to five minutes.
    pub back_off: Duration,
    /// Whether `initialDelaySeconds` of readiness probes is waited for.
    pub probes: bool,
}

impl Pace {
    /// Nothing takes time, but for the pauses between failures.
    pub fn instant() -> Self {
        let now = Duration::ZERO;
        Self { start: now, ready: now, run: now, crash: now, probes: false, ..Self::default() }
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            start: Duration::from_millis(200),
            ready: Duration::from_millis(300),
            run: Duration::from_secs(1),
            crash: Duration::from_secs(1),
            back_off: Duration::from_secs(10),
            probes: true,
        }
    }
}

/// What a simulator is told at its start.
#[derive(Clone)]
pub struct Options {
    /// How much is simulated.
    pub scope: Scope,
    /// How long things take.
    pub pace: Pace,
    /// Where the time comes from.
    pub clock: Clock,
    /// The name of the simulated node.
    pub node: String,
    /// Is told of requests that failed and will be repeated.
    pub on_failure: Arc<dyn Fn(&str) + Send + Sync>,
}

impl Options {
    /// The usual pace and clock; failures are repeated silently.
    pub fn new(scope: Scope) -> Self {
        Self {
            scope,
            pace: Pace::default(),
            clock: Clock::system(),
            node: "krono-simulated".to_owned(),
            on_failure: Arc::new(|_| ()),
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scope, pace, clock, node, on_failure: _ } = self;
        out.debug_struct("Options")
            .field("scope", scope)
            .field("pace", pace)
            .field("clock", clock)
            .field("node", node)
            .finish_non_exhaustive()
    }
}
