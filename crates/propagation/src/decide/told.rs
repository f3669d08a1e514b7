//! What people should know about a decision.

use super::admit::{Admissions, Door};
use super::assess::{Settled, Standing};
use super::decision::{Counts, FailureTold, Waiting};
use super::wait::Wait;
use crate::assignment::Told;
use crate::fleet::Fleet;

pub(super) fn counts(fleet: &Fleet<'_>, standings: &[Standing]) -> Counts {
    let mut counts = Counts { total: standings.len(), ..Counts::default() };
    for (member, standing) in fleet.members.iter().zip(standings) {
        counts.ready += usize::from(member.is_ready_with(fleet.target.digest));
        counts.moving += usize::from(standing.is_moving(member.has_observed(fleet.target.digest)));
        counts.at_target += usize::from(member.has_observed(fleet.target.digest));
        counts.eligible += usize::from(standing.is_eligible());
        counts.admitted += usize::from(standing.is_admitted());
        counts.settled += usize::from(standing.is_settled());
        let is_excused = matches!(standing, Standing::Settled(Settled::Excused(_)));
        counts.excused += usize::from(is_excused);
        counts.failed += usize::from(standing.failure().is_some() && !is_excused);
    }
    let too_many = standings.iter().filter(|it| matches!(it, Standing::Failed(_))).count();
    counts.in_flight = counts.admitted - counts.settled - too_many;
    counts
}

pub(super) fn waiting(door: &Door<'_>, admissions: &Admissions) -> Vec<Waiting> {
    let waiting = |(wait, told): &(Wait, Told)| Waiting {
        wait: *wait,
        text: wait.text(door, &admissions.errors),
        told: told.clone(),
    };
    let mut waiting: Vec<Waiting> = admissions.waits.iter().map(waiting).collect();
    waiting.sort_by_key(|it| it.wait);
    waiting
}

pub(super) fn gate_errors(admissions: &Admissions) -> Vec<String> {
    admissions.errors.iter().map(|(at, error)| format!("propagateWhen[{at}]: {error}")).collect()
}

pub(super) fn failures(standings: &[Standing]) -> Vec<FailureTold> {
    let told = |(member, standing): (usize, &Standing)| {
        let is_excused = matches!(standing, Standing::Settled(Settled::Excused(_)));
        standing.failure().map(|failure| FailureTold { member, failure, is_excused })
    };
    standings.iter().enumerate().filter_map(told).collect()
}
