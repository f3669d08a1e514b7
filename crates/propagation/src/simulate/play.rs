//! The course of a propagation, decision by decision.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::{Course, End, Point, Wave};
use crate::assignment::Assignment;
use crate::decide::{Decision, Phase, Wait, decide};
use crate::fleet::{Admission, Controls, Fleet, Health, Leadership, Member, Movement, Observed, Progress};
use crate::gate::Gates;
use crate::policy::Policy;

/// Decisions about so many instances together are made at most: half a minute of them.
pub(super) const MOST_WORK: usize = 300_000_000;
/// Small fleets are decided about so often at most.
const MOST_DECISIONS: usize = 100_000;

/// What expressions that cannot be asked about everybody cost, as so many instances.
const COSTLY: usize = 200_000;

/// A fleet, and what will happen to it.
#[derive(Clone, Debug)]
pub struct Play<'p> {
    /// The instances.
    pub members: Vec<Member<'p>>,
    /// What happens to each of them once it is admitted.
    pub fates: Vec<Fate>,
    /// What they move to.
    pub target: Assignment,
    /// What they would go back to.
    pub last_good: Option<Assignment>,
    /// The definition.
    pub definition: &'p Value,
    /// How the target is to reach them.
    pub policy: &'p Policy,
    /// What lets them through.
    pub gates: &'p Gates,
    /// How much time passes between two decisions at least.
    pub look_every: SignedDuration,
    /// When it begins.
    pub start: Timestamp,
}

/// What happens to an instance once it is admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fate {
    /// How long it takes.
    pub takes: SignedDuration,
    /// Whether it is in error then, and not ready.
    pub fails: bool,
}

/// Plays a propagation to its end. All stages are approved of at once.
pub fn play(play: Play<'_>) -> Course {
    play_within(MOST_WORK, play)
}

/// The same with another limit.
pub(super) fn play_within(most_work: usize, play: Play<'_>) -> Course {
    let mut stage = Theatre::new(most_work, play);
    loop {
        let decision = stage.decide();
        stage.note(&decision);
        if let Some(end) = stage.end(&decision.phase) {
            return stage.curtain(end, decision);
        }
        stage.admit(&decision);
        if !stage.go_on([decision.look_again, stage.news(&decision)]) {
            return stage.curtain(End::Stuck, decision);
        }
    }
}

struct Theatre<'p> {
    most_work: usize,
    play: Play<'p>,
    progress: Progress,
    controls: Controls,
    now: Timestamp,
    arrivals: BinaryHeap<Reverse<(Timestamp, usize)>>,
    waves: Vec<Wave>,
    points: Vec<Point>,
    peak_in_flight: usize,
    /// About how many instances decisions were made so far.
    work: usize,
}

impl<'p> Theatre<'p> {
    fn new(most_work: usize, play: Play<'p>) -> Self {
        let approved_stages = play.policy.stages.iter().map(|it| it.name.clone()).collect();
        Self {
            most_work,
            progress: Progress {
                started: play.start,
                is_completed: false,
                restarted: None,
                mark: None,
                waves: 0,
            },
            controls: Controls { approved_stages, ..Controls::default() },
            now: play.start,
            arrivals: BinaryHeap::new(),
            waves: Vec::new(),
            points: Vec::new(),
            peak_in_flight: 0,
            work: 0,
            play,
        }
    }

    fn decide(&self) -> Decision {
        let fleet = Fleet {
            members: &self.play.members,
            target: self.play.target,
            last_good: self.play.last_good,
            movement: Movement::Forward,
            progress: self.progress.clone(),
            controls: self.controls.clone(),
            leadership: Leadership { since: self.play.start, standstills: &[] },
            definition: self.play.definition,
        };
        decide(&fleet, self.play.policy, self.play.gates, self.now)
    }

    fn after(&self) -> SignedDuration {
        self.now.duration_since(self.play.start)
    }

    fn note(&mut self, decision: &Decision) {
        self.points.push(Point { after: self.after(), counts: decision.counts });
        let is_costly = decision.waiting.iter().any(|it| it.wait == Wait::GateBudget);
        self.work += self.play.members.len() + if is_costly { COSTLY } else { 0 };
    }

    /// The end that was reached with the last decision, whatever it would admit.
    fn end(&self, phase: &Phase) -> Option<End> {
        match phase {
            Phase::Completed | Phase::Halted(_) | Phase::RolledBack(_) | Phase::Aborted => {
                Some(End::Decided(phase.clone()))
            }
            Phase::Propagating | Phase::Paused => {
                (self.points.len() > MOST_DECISIONS || self.work > self.most_work).then_some(End::TooLong)
            }
        }
    }

    fn admit(&mut self, decision: &Decision) {
        let begin = decision.moves.iter().filter(|it| !it.is_excused).count();
        self.peak_in_flight = self.peak_in_flight.max(decision.counts.in_flight + begin);
        if !decision.moves.is_empty() {
            self.waves.push(Wave { after: self.after(), instances: decision.moves.len() });
        }
        for it in &decision.moves {
            let member = &mut self.play.members[it.member];
            member.admission = Some(Admission { at: it.at, from: it.from, is_excused: it.is_excused });
            member.assigned = Some(self.play.target.digest);
            // As long as its resources change, it says that it is not ready.
            if member.is_ready() {
                member.health = Health::Unready(self.now);
            }
            let takes = self.play.fates.get(it.member).map_or(SignedDuration::ZERO, |it| it.takes);
            let arrives = self.now.saturating_add(takes).unwrap_or(Timestamp::MAX);
            self.arrivals.push(Reverse((arrives, it.member)));
        }
    }

    /// When something is to be decided about those who move now: at once about who is excused and so has settled, else when they
    /// are late.
    fn news(&self, decision: &Decision) -> Option<Timestamp> {
        let late = self.now.saturating_add(self.play.policy.deadline).unwrap_or(Timestamp::MAX);
        let of = |is_excused: bool| if is_excused { self.now } else { late };
        decision.moves.iter().map(|it| of(it.is_excused)).min()
    }

    /// Lets time pass until something happens, if anything does.
    fn go_on(&mut self, times: [Option<Timestamp>; 2]) -> bool {
        let arrival = self.arrivals.peek().map(|Reverse((at, _))| *at);
        let Some(next) = times.into_iter().chain([arrival]).flatten().min() else { return false };
        let soonest = self.now.saturating_add(self.play.look_every).unwrap_or(Timestamp::MAX);
        self.now = next.max(soonest);
        while let Some(Reverse((at, member))) = self.arrivals.peek().copied().filter(|it| it.0.0 <= self.now)
        {
            self.arrivals.pop();
            self.arrive(member, at);
        }
        true
    }

    fn arrive(&mut self, at: usize, when: Timestamp) {
        let fails = self.play.fates.get(at).is_some_and(|it| it.fails);
        let member = &mut self.play.members[at];
        if fails {
            member.health = Health::Error(when);
        } else if member.admission.is_some_and(|it| !it.is_excused) {
            member.health = Health::Ready;
            member.observed = Some(Observed { digest: self.play.target.digest, since: when });
        }
    }

    fn curtain(self, end: End, decision: Decision) -> Course {
        let after = self.after();
        Course {
            end,
            took: after,
            peak_in_flight: self.peak_in_flight,
            waves: self.waves,
            points: self.points,
            counts: decision.counts,
            waiting: decision.waiting,
            gate_errors: decision.gate_errors,
        }
    }
}
