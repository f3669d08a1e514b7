//! What people should know about a decision.

use std::collections::BTreeMap;

use super::admit::Admissions;
use super::assess::{Settled, Standing};
use super::decision::{Counts, FailureTold, Waiting};
use super::wait::Wait;
use crate::assignment::Told;
use crate::fleet::Fleet;
use crate::gate::Gates;
use crate::policy::Policy;

pub(super) fn counts(fleet: &Fleet<'_>, standings: &[Standing]) -> Counts {
    let mut counts = Counts { total: standings.len(), ..Counts::default() };
    for (member, standing) in fleet.members.iter().zip(standings) {
        counts.ready += usize::from(member.is_ready());
        counts.at_target += usize::from(member.has_observed(fleet.target.digest));
        counts.eligible += usize::from(standing.is_eligible());
        counts.admitted += usize::from(standing.is_admitted());
        counts.settled += usize::from(standing.is_settled());
        let is_excused = matches!(standing, Standing::Settled(Settled::Excused(_)));
        counts.excused += usize::from(is_excused);
        counts.failed += usize::from(standing.failure().is_some() && !is_excused);
    }
    counts.in_flight = counts.admitted - counts.settled;
    counts
}

pub(super) fn waiting(
    fleet: &Fleet<'_>,
    policy: &Policy,
    gates: &Gates,
    admissions: &Admissions,
) -> Vec<Waiting> {
    let mut reasons: BTreeMap<Wait, Told> = BTreeMap::new();
    for (at, wait) in &admissions.waits {
        reasons.entry(*wait).or_default().add_with(|| fleet.members[*at].full_name());
    }
    let waiting = |(wait, told): (Wait, Told)| Waiting { wait, text: wait.text(policy, gates), told };
    reasons.into_iter().map(waiting).collect()
}

pub(super) fn failures(standings: &[Standing]) -> Vec<FailureTold> {
    let told = |(member, standing): (usize, &Standing)| {
        let is_excused = matches!(standing, Standing::Settled(Settled::Excused(_)));
        standing.failure().map(|failure| FailureTold { member, failure, is_excused })
    };
    standings.iter().enumerate().filter_map(told).collect()
}
