//! Expressions that have no value for anybody who takes part.

use jiff::Timestamp;

use super::assess::{Assessor, Standing};
use super::rank::Ranks;
use super::told;
use crate::clock::Clock;
use crate::fleet::Fleet;
use crate::gate::{Answer, Gates, Round};
use crate::policy::{FailurePolicy, Policy};

/// The expressions, by their number, that have no value for any candidate, with what went wrong first; nothing where asking for all of
/// them costs too much.
pub(crate) fn valueless(
    fleet: &Fleet<'_>,
    policy: &Policy,
    gates: &Gates,
    now: Timestamp,
) -> Vec<(usize, String)> {
    let clock = Clock::new(fleet, policy, now);
    let assessor = Assessor { fleet, clock: &clock };
    let standings: Vec<Standing> = fleet.members.iter().map(|it| assessor.standing(it)).collect();
    let ranks = Ranks::new(&assessor, policy, &standings);
    let round = Round {
        fleet,
        standings: &standings,
        ranks: &ranks.members,
        counts: told::counts(fleet, &standings),
        failure_policy: FailurePolicy::Closed,
    };
    let alone = gates.one_by_one();
    alone.filter_map(|(at, gate)| Some((at, error(&gate, round, &ranks)?))).collect()
}

/// The first who has a value is enough.
fn error(gate: &Gates, round: Round<'_>, ranks: &Ranks) -> Option<String> {
    let mut asking = gate.ask(round);
    let is_error = |(rank, at): (usize, usize)| matches!(asking.answer(rank, at), Answer::Error(_));
    let is_valueless = ranks.candidates().all(is_error);
    asking.errors().into_iter().next().map(|(_, error)| error).filter(|_| is_valueless)
}
