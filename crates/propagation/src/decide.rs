//! All instances of a definition: who may move now, who waits and why, and what becomes of failures.

mod admit;
mod assess;
mod blame;
mod decision;
mod rank;
mod stages;
#[cfg(test)]
mod tests;
mod told;
mod valueless;
mod wait;

use jiff::Timestamp;

use crate::fleet::Fleet;
use crate::gate::Gates;
use crate::policy::Policy;

pub use assess::{Apart, Failure, Flight, Settled, Standing};
pub use decision::{Birth, Counts, Decision, FailureTold, Move, Phase, Return, Waiting};
pub(crate) use valueless::valueless;
pub use wait::Wait;

/// Decides about the whole fleet.
///
/// From the same values comes the same decision: nothing is remembered from one to the next.
pub fn decide(fleet: &Fleet<'_>, policy: &Policy, gates: &Gates, now: Timestamp) -> Decision {
    decision::decide(fleet, policy, gates, now)
}
