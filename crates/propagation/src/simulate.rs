//! Playing a propagation before it is done: the same decisions, on a fleet that exists only here.

mod play;
mod synthetic;
#[cfg(test)]
mod tests;

use std::ops::RangeInclusive;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::decide::{Counts, Phase, Waiting};
use crate::gate::Gates;
use crate::policy::Policy;

pub use play::{Fate, Play, play};

/// What is to be played.
#[derive(Clone, Debug)]
pub struct Params<'p> {
    /// How many instances there are.
    pub instances: usize,
    /// How the new revision is to reach them.
    pub policy: &'p Policy,
    /// What lets them through.
    pub gates: &'p Gates,
    /// What happens to instances by chance.
    pub chances: Chances,
    /// How many seconds an instance takes to be ready at the new revision; each takes its own time.
    pub takes: RangeInclusive<u32>,
    /// What instances look like; whoever looks like none of these has no fields.
    pub looks: &'p [Look],
    /// What expressions see as the definition.
    pub definition: &'p Value,
    /// How much time passes between two decisions at least.
    pub look_every: SignedDuration,
    /// When the new revision is issued.
    pub start: Timestamp,
    /// What chance follows: the same seed plays the same course.
    pub seed: u64,
}

/// What happens to instances by chance; each is a share between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Chances {
    /// Who fails at the new revision.
    pub fails: f64,
    /// Who is not ready even before.
    pub is_broken: f64,
    /// Who is pinned, and takes no part.
    pub is_pinned: f64,
}

/// What some of the instances look like.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// How many, as a share between 0 and 1.
    pub share: f64,
    /// The object, but for its name.
    pub object: Value,
}

/// How a propagation went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// How it ended.
    pub end: End,
    /// How long that took.
    pub took: SignedDuration,
    /// The times at which instances were admitted.
    pub waves: Vec<Wave>,
    /// How the fleet stood at each decision.
    pub points: Vec<Point>,
    /// How the fleet stood at the end.
    pub counts: Counts,
    /// The most that were on their way at once.
    pub peak_in_flight: usize,
    /// Why instances still wait at the end.
    pub waiting: Vec<Waiting>,
    /// What went wrong with the gates at the end, each once.
    pub gate_errors: Vec<String>,
}

/// How a propagation that was played ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// As a propagation ends.
    Decided(Phase),
    /// It never ends: nothing more happens by itself, and instances wait.
    Stuck,
    /// It was not played to the end, since it goes on in so many small steps.
    TooLong,
}

/// Instances that were admitted at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wave {
    /// How long after the start.
    pub after: SignedDuration,
    /// How many.
    pub instances: usize,
}

/// How a fleet stood at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// How long after the start.
    pub after: SignedDuration,
    /// How many stood how.
    pub counts: Counts,
}

impl Course {
    /// How many instances the new revision reached, for good or ill.
    pub fn blast_radius(&self) -> usize {
        self.counts.admitted
    }
}

/// How much time should pass between two decisions about so many instances: as much as between those of a controller, but for
/// fleets so large that playing them would take too long.
pub fn usual_look_every(instances: usize) -> SignedDuration {
    const SECONDS: usize = 5;
    const PER_SECOND: usize = 20_000;
    let seconds = SECONDS.max(instances / PER_SECOND);
    SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX))
}

/// Plays a propagation on a fleet made up for it.
///
/// ```
/// use jiff::Timestamp;
/// use krono_cel::Type;
/// use krono_propagation::Phase;
/// use krono_propagation::gate::Gates;
/// use krono_propagation::policy::Policy;
/// use krono_propagation::simulate::{Chances, End, Params, simulate, usual_look_every};
/// use serde_json::json;
///
/// let gates = Gates::compile(&json!(["${exponentiallyUpdated(instances, each)}"]), &Type::Dyn).unwrap();
/// let course = simulate(&Params {
///     instances: 1_000,
///     policy: &Policy::default(),
///     gates: &gates,
///     chances: Chances { fails: 1.0, ..Chances::default() },
///     takes: 20..=60,
///     looks: &[],
///     definition: &json!({}),
///     look_every: usual_look_every(1_000),
///     start: Timestamp::UNIX_EPOCH,
///     seed: 1,
/// });
/// // A revision that breaks everybody reaches one.
/// assert_eq!(course.end, End::Decided(Phase::Halted("1 of 1000 instances failed: default/000000000".to_owned())));
/// assert_eq!(course.blast_radius(), 1);
/// ```
pub fn simulate(params: &Params<'_>) -> Course {
    synthetic::simulate(play::MOST_WORK, params)
}

/// What chance has in store for an instance, by its place among the members.
pub fn fate(params: &Params<'_>, member: usize) -> Fate {
    synthetic::fate(params, member)
}
