//! Which stages may move.

use jiff::{SignedDuration, Timestamp};

use super::assess::{Failure, Settled, Standing};
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
    // Of those who were late, the last of each stage.
    let mut late: Vec<Option<Start>> = vec![None; tallies.len()];
    for at in &ranks.members {
        let (stage, member) = (ranks.stage(*at), &fleet.members[*at]);
        let tally = &mut tallies[stage];
        tally.eligible += 1;
        let Standing::Settled(settled) = standings[*at] else { continue };
        tally.settled += 1;
        match failure(member, settled) {
            Some(Failure::Deadline) => late[stage] = late[stage].max(start(member)),
            Some(Failure::Error | Failure::Soak) => tally.since = tally.since.max(failed_at(member, clock)),
            None => tally.since = tally.since.max(settled_at(member, settled, clock)),
        }
    }
    for (tally, start) in tallies.iter_mut().zip(late) {
        let since = start.map(|it| late_since(fleet, policy, clock.now, it));
        tally.since = tally.since.max(since.unwrap_or(Timestamp::MIN));
    }
    tallies
}

/// How an instance failed, if it has settled by that; one that was excused from the start has not.
fn failure(member: &Member<'_>, settled: Settled) -> Option<Failure> {
    match settled {
        Settled::Failed(failure) => Some(failure),
        Settled::Excused(failure) => failure.filter(|_| member.admission.is_some_and(|it| !it.is_excused)),
        Settled::Observed => None,
    }
}

fn failed_at(member: &Member<'_>, clock: &Clock<'_>) -> Timestamp {
    member.health.unwell_since().map_or(clock.now, |it| clock.lasting_at(it).min(clock.now))
}

fn settled_at(member: &Member<'_>, settled: Settled, clock: &Clock<'_>) -> Timestamp {
    let admitted = member.admission.map_or(Timestamp::MIN, |it| it.at.min(clock.now));
    match (settled, member.observed) {
        (Settled::Observed, Some(observed)) => clock.soaked_at(observed.since),
        (Settled::Observed | Settled::Excused(_) | Settled::Failed(_), _) => admitted,
    }
}

/// The admission of an instance and what held it up; the sum comes first, since it decides who is late first.
type Start = (Timestamp, Timestamp, SignedDuration);

fn start(member: &Member<'_>) -> Option<Start> {
    let admitted = member.admission?.at;
    let began = admitted.saturating_add(member.hindered).unwrap_or(Timestamp::MAX);
    Some((began, admitted, member.hindered))
}

/// When an instance that is late became so: what counts towards a deadline is told of one instant at a time.
fn late_since(fleet: &Fleet<'_>, policy: &Policy, now: Timestamp, start: Start) -> Timestamp {
    let (_, admitted, hindered) = start;
    let (mut early, mut late) = (admitted.as_second(), now.as_second());
    while late - early > 1 {
        let middle = early + (late - early) / 2;
        let clock = Timestamp::from_second(middle).ok().map(|it| Clock::new(fleet, policy, it));
        if clock.is_some_and(|it| it.is_late(admitted, hindered)) { late = middle } else { early = middle }
    }
    Timestamp::from_second(late).unwrap_or(now)
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
