//! Which stages may move.

use jiff::Timestamp;

use super::assess::{Settled, Standing};
use super::rank::Ranks;
use super::wait::Wait;
use crate::clock::Clock;
use crate::fleet::{Fleet, Member};
use crate::policy::Policy;

/// What the stages in order wait for; those after the last are open.
pub(super) struct Stages(Vec<Option<Wait>>);

#[derive(Clone, Copy)]
struct Tally {
    eligible: usize,
    settled: usize,
    /// When the last of them settled.
    since: Timestamp,
}

impl Stages {
    pub(super) fn new(
        fleet: &Fleet<'_>,
        policy: &Policy,
        clock: &Clock<'_>,
        standings: &[Standing],
        ranks: &Ranks,
    ) -> Self {
        if policy.stages.is_empty() {
            return Self(Vec::new());
        }
        let tallies = tallies(fleet, policy, clock, standings, ranks);
        let mut waits = Vec::with_capacity(tallies.len());
        let mut before = None;
        for (at, tally) in tallies.iter().enumerate() {
            waits.push(before.or_else(|| unapproved(fleet, policy, at)));
            before = before.or_else(|| unfinished(policy, clock, at, tally));
        }
        Self(waits)
    }

    /// What an instance of a stage waits for, if it does.
    pub(super) fn wait(&self, stage: usize) -> Option<Wait> {
        self.0.get(stage).copied().flatten()
    }

    /// When a stage may begin by itself.
    pub(super) fn changes_at(&self) -> Option<Timestamp> {
        let until =
            |it: &Option<Wait>| if let Some(Wait::StageSoak(_, until)) = it { Some(*until) } else { None };
        self.0.iter().filter_map(until).min()
    }
}

fn tallies(
    fleet: &Fleet<'_>,
    policy: &Policy,
    clock: &Clock<'_>,
    standings: &[Standing],
    ranks: &Ranks,
) -> Vec<Tally> {
    let none = Tally { eligible: 0, settled: 0, since: Timestamp::MIN };
    let mut tallies = vec![none; policy.stages.len() + 1];
    for at in &ranks.members {
        let tally = &mut tallies[ranks.stage(*at)];
        tally.eligible += 1;
        if let Standing::Settled(settled) = standings[*at] {
            tally.settled += 1;
            tally.since = tally.since.max(settled_at(&fleet.members[*at], settled, clock));
        }
    }
    tallies
}

fn settled_at(member: &Member<'_>, settled: Settled, clock: &Clock<'_>) -> Timestamp {
    let admitted = member.admission.map_or(Timestamp::MIN, |it| it.at.min(clock.now));
    match (settled, member.observed) {
        (Settled::Observed, Some(observed)) => clock.soaked_at(observed.since),
        (Settled::Observed | Settled::Excused(_) | Settled::Failed(_), _) => admitted,
    }
}

fn unapproved(fleet: &Fleet<'_>, policy: &Policy, at: usize) -> Option<Wait> {
    let stage = policy.stages.get(at)?;
    let waits = stage.needs_approval && !fleet.controls.approved_stages.contains(&stage.name);
    waits.then_some(Wait::StageApproval(at))
}

fn unfinished(policy: &Policy, clock: &Clock<'_>, at: usize, tally: &Tally) -> Option<Wait> {
    let stage = policy.stages.get(at).filter(|_| tally.eligible > 0)?;
    if tally.settled < tally.eligible {
        return Some(Wait::Stage(at));
    }
    let until = clock.after(tally.since, stage.soak);
    (until > clock.now).then_some(Wait::StageSoak(at, until))
}
