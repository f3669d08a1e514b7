//! Who may move now.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::assess::{Assessor, Standing};
use super::decision::{Counts, Move};
use super::rank::Ranks;
use super::stages::Stages;
use super::wait::Wait;
use crate::assignment::Told;
use crate::fleet::{Deletions, Fleet, Member, Movement, RollbackBy};
use crate::gate::{Answer, Asking, Gates, Round};
use crate::policy::window::Opening;
use crate::policy::{Deletes, Policy};

/// A rollback that is not bounded by the policy moves so many at once.
const INSTANT_IN_FLIGHT: usize = 100;
/// Or one in so many of the fleet, if that is more.
const INSTANT_SHARE: usize = 5;

/// All that decides about admissions.
pub(super) struct Door<'d> {
    pub(super) assessor: &'d Assessor<'d>,
    pub(super) policy: &'d Policy,
    pub(super) gates: &'d Gates,
    pub(super) standings: &'d [Standing],
    pub(super) ranks: &'d Ranks,
    pub(super) stages: &'d Stages,
    pub(super) counts: Counts,
    pub(super) opening: Opening,
}

/// Who moves, who waits for what, and what went wrong with the gates.
#[derive(Default)]
pub(super) struct Admissions {
    pub(super) moves: Vec<Move>,
    /// A few reasons, whose order is that of the first who waits for each.
    pub(super) waits: Vec<(Wait, Told)>,
    /// By the number of the expression.
    pub(super) errors: BTreeSet<(usize, String)>,
}

impl Admissions {
    fn wait(&mut self, wait: Wait, member: &Member<'_>) {
        // Neighbours mostly wait for the same.
        let known = self.waits.iter().rposition(|(it, _)| *it == wait);
        let place = known.unwrap_or_else(|| {
            self.waits.push((wait, Told::default()));
            self.waits.len() - 1
        });
        self.waits[place].1.add_with(|| member.full_name());
    }
}

impl Door<'_> {
    pub(super) fn admit(&self, closed: Option<Wait>) -> Admissions {
        let mut admissions = Admissions::default();
        if let Some(wait) = closed.or_else(|| self.closed()) {
            let members = self.assessor.fleet.members;
            self.ranks.candidates().for_each(|(_, at)| admissions.wait(wait, &members[at]));
            return admissions;
        }
        let free = Gates::default();
        let mut gates = if self.is_instant() { free.ask(self.round()) } else { self.gates.ask(self.round()) };
        let candidates: Vec<(usize, usize)> = self.ranks.candidates().collect();
        let mut waits = self.walk(&mut gates, &candidates);
        self.ask_in_turn(&mut gates, &candidates, &mut waits);
        for ((_, at), wait) in candidates.into_iter().zip(waits) {
            match wait {
                Some(wait) => admissions.wait(wait, &self.assessor.fleet.members[at]),
                None => admissions.moves.extend(self.movement(at)),
            }
        }
        admissions.errors = gates.errors();
        admissions
    }

    fn round(&self) -> Round<'_> {
        Round {
            fleet: self.assessor.fleet,
            standings: self.standings,
            ranks: &self.ranks.members,
            counts: self.counts,
            failure_policy: self.policy.failure_policy,
        }
    }

    /// What each candidate waits for, if it does; each is asked as if those before it were on their way.
    fn walk(&self, gates: &mut Asking<'_>, candidates: &[(usize, usize)]) -> Vec<Option<Wait>> {
        let mut waits = Vec::with_capacity(candidates.len());
        // The places of those who are admitted, and how many were before them.
        let (mut admitted, before) = (Vec::new(), gates.admitted());
        while let Some((rank, at)) = candidates.get(waits.len()).copied() {
            let wait = self.wait(gates, rank, at);
            waits.push(wait);
            if wait.is_none() {
                gates.admit(rank, at);
                admitted.push(waits.len());
            }
            let is_due = gates.is_due() || waits.len() == candidates.len();
            if let Some(sure) = is_due.then(|| gates.confirm()).flatten() {
                admitted.truncate(sure - before);
                waits.truncate(admitted.last().copied().unwrap_or_default());
            }
        }
        waits
    }

    /// Those whom it costs too much to ask as well are asked in turn, whoever comes before them: the next time it begins with another.
    fn ask_in_turn(&self, gates: &mut Asking<'_>, candidates: &[(usize, usize)], waits: &mut [Option<Wait>]) {
        let mut unasked: Vec<usize> =
            (0..waits.len()).filter(|it| waits[*it] == Some(Wait::GateBudget)).collect();
        if unasked.is_empty() {
            return;
        }
        let start = turn(self.assessor.clock.now, unasked.len());
        unasked.rotate_left(start);
        let in_turn: Vec<(usize, usize)> = unasked.iter().map(|it| candidates[*it]).collect();
        gates.go_on();
        for (place, wait) in unasked.into_iter().zip(self.walk(gates, &in_turn)) {
            // Who may not move has not been asked as far as others know: it will be again.
            waits[place] = wait.and(waits[place]);
        }
    }

    fn wait(&self, gates: &mut Asking<'_>, rank: usize, at: usize) -> Option<Wait> {
        let most = self.most_in_flight();
        let has_room = self.counts.moving + gates.admitted() < most;
        let wait = self.stage_wait(at).or((!has_room).then_some(Wait::MaxInFlight(most)));
        wait.or_else(|| wait_for(gates.answer(rank, at)))
    }

    fn stage_wait(&self, at: usize) -> Option<Wait> {
        if self.is_instant() { None } else { self.stages.wait(self.ranks.stage(at)) }
    }

    fn movement(&self, at: usize) -> Option<Move> {
        let fleet = self.assessor.fleet;
        let member = &fleet.members[at];
        Some(Move {
            member: at,
            from: member.assigned?,
            is_excused: self.assessor.is_excused(member),
            // Never before the start: that is how an admission to this target is told from an earlier one.
            at: self.assessor.clock.now.max(fleet.progress.started),
        })
    }

    fn is_instant(&self) -> bool {
        self.assessor.fleet.is_instant()
    }

    /// What keeps everybody out.
    fn closed(&self) -> Option<Wait> {
        let fleet = self.assessor.fleet;
        if self.is_paused() {
            return Some(Wait::Paused);
        }
        if fleet.controls.deletions == Deletions::Pending && self.waits_for_deletes() {
            return Some(Wait::Deletes);
        }
        match self.opening {
            Opening::Closed(next) if !self.is_instant() => Some(Wait::Window(next)),
            Opening::Closed(_) | Opening::Open(_) => None,
        }
    }

    pub(super) fn is_paused(&self) -> bool {
        let fleet = self.assessor.fleet;
        let is_obeyed = fleet.controls.paused.is_some_and(|since| fleet.obeys_pause(since));
        self.policy.is_paused && !self.is_instant() || is_obeyed
    }

    /// An automatic rollback does all else at once and leaves what it would delete.
    fn waits_for_deletes(&self) -> bool {
        self.policy.deletes == Some(Deletes::RequireApproval) && !is_automatic(self.assessor.fleet)
    }

    fn most_in_flight(&self) -> usize {
        match self.policy.max_in_flight {
            Some(amount) => amount.of(self.counts.eligible).max(1),
            None if self.is_instant() => INSTANT_IN_FLIGHT.max(self.counts.eligible / INSTANT_SHARE),
            None => usize::MAX,
        }
    }
}

/// A place among so many that is another from one instant to the next, and sooner or later near every one.
fn turn(now: Timestamp, among: usize) -> usize {
    // Multiples of the golden ratio lie evenly between whole numbers.
    const RATIO: u64 = 0x9E37_79B9_7F4A_7C15;
    let fraction = u128::from(now.as_second().unsigned_abs().wrapping_mul(RATIO));
    usize::try_from((fraction * among as u128) >> 64).unwrap_or_default()
}

fn wait_for(answer: Answer) -> Option<Wait> {
    match answer {
        Answer::Yes => None,
        Answer::No(at) => Some(Wait::Gate(at)),
        Answer::Error(at) => Some(Wait::GateError(at)),
        Answer::Unasked => Some(Wait::GateBudget),
    }
}

pub(super) fn is_automatic(fleet: &Fleet<'_>) -> bool {
    matches!(fleet.movement, Movement::Back { by: RollbackBy::Failures, .. })
}
