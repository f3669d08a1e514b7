//! Which revision each instance of a definition should run, and when.
//!
//! An instance has wishes (a pin, a policy, an approval), the platform owner has limits, and a definition has a revision that is
//! current: [`assignment`] weighs them, one instance at a time. A [`assignment::Gate`] stands between an instance and the
//! current revision.
//!
//! [`decide`] is that gate for a whole fleet: from the observed [`fleet`], the [`policy`] of the definition, its compiled [`gate`]s and
//! an instant follows who may move now, who waits and why, who failed and what becomes of that, and when to look again. A
//! propagation that is given up leaves a [`mark`], from which everything else follows.
//!
//! Pure: no clock, no randomness, no files, no network; nothing is written here, and nothing panics on any input.

pub mod assignment;
mod clock;
mod decide;
pub mod fleet;
pub mod gate;
pub mod limits;
pub mod management;
pub mod mark;
pub mod policy;
mod problem;
mod rehearse;
#[cfg(test)]
mod scene;
pub mod simulate;

pub use decide::{
    Apart, Birth, Counts, Decision, Failure, FailureTold, Flight, Move, Phase, Return, Settled, Standing,
    Wait, Waiting, decide,
};
pub use problem::Problem;
pub use rehearse::{rehearse, rehearse_at_rest};
