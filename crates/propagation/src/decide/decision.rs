//! The decision about a fleet.

use jiff::{SignedDuration, Timestamp};
use krono_history::Digest;

use super::admit::{Admissions, Door, is_automatic};
use super::assess::{Assessor, Failure, Settled, Standing};
use super::rank::Ranks;
use super::stages::Stages;
use super::wait::Wait;
use super::{blame, told};
use crate::assignment::{Assignment, Told};
use crate::clock::Clock;
use crate::fleet::{Deletions, Fleet, Movement};
use crate::gate::Gates;
use crate::mark::{Mark, Outcome};
use crate::policy::window::Opening;
use crate::policy::{Deletes, NewInstances, Policy};

/// How soon those are asked whom it cost too much to ask.
const ASK_AGAIN: SignedDuration = SignedDuration::from_secs(10);

/// What is to be done about a fleet now, and what people should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// How the propagation is.
    pub phase: Phase,
    /// Who moves to the target now.
    pub moves: Vec<Move>,
    /// Who goes back to what it ran before, because the propagation was aborted.
    pub returns: Vec<Return>,
    /// Who is new, and what it begins with.
    pub births: Vec<Birth>,
    /// The mark to write on the target's revision.
    pub mark: Option<Mark>,
    /// Whether resources that the target no longer has are left in place until somebody approves.
    pub leaves_surplus: bool,
    /// How many instances stand how.
    pub counts: Counts,
    /// How many times instances were admitted to the target, this time included.
    pub wave: usize,
    /// Whether that is not to be told from instances any more, since some who were admitted are gone.
    pub is_wave_forgotten: bool,
    /// Why instances wait, with the number and the first names for each reason.
    pub waiting: Vec<Waiting>,
    /// Who failed.
    pub failures: Vec<FailureTold>,
    /// What went wrong with the gates, each once.
    pub gate_errors: Vec<String>,
    /// How each member stands.
    pub standings: Vec<Standing>,
    /// When to decide again even if nothing has changed.
    pub look_again: Option<Timestamp>,
}

/// How a propagation is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Everybody who takes part has settled.
    Completed,
    /// It goes on.
    Propagating,
    /// It would go on if it were not paused.
    Paused,
    /// Too many failed; with the reason.
    Halted(String),
    /// Too many failed, and the fleet goes back; with the reason.
    RolledBack(String),
    /// Somebody stopped it.
    Aborted,
}

/// An instance that moves to the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// Its place among the members.
    pub member: usize,
    /// What it ran before.
    pub from: Digest,
    /// Whether its failure will not count.
    pub is_excused: bool,
    /// The time of its admission.
    pub at: Timestamp,
}

/// An instance that goes back to what it ran before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Return {
    /// Its place among the members.
    pub member: usize,
    /// What it ran before.
    pub to: Digest,
}

/// An instance that is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Birth {
    /// Its place among the members.
    pub member: usize,
    /// What it begins with.
    pub on: Assignment,
}

/// How many instances stand how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All of them.
    pub total: usize,
    /// Those who take part.
    pub eligible: usize,
    /// Of these, those who were admitted.
    pub admitted: usize,
    /// Of these, those nobody waits for.
    pub settled: usize,
    /// Of the admitted, those on their way that somebody waits for.
    pub in_flight: usize,
    /// Of the admitted, those on their way, excused or not: they take the room of others.
    pub moving: usize,
    /// Of the admitted, those who failed and are not excused.
    pub failed: usize,
    /// Of the admitted, those whose failure does not count.
    pub excused: usize,
    /// Of all, those who are ready.
    pub ready: usize,
    /// Of all, those at the target's content.
    pub at_target: usize,
}

/// Instances that wait for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The reason.
    pub wait: Wait,
    /// What people read.
    pub text: String,
    /// How many, and the first of them in the order in which they move.
    pub told: Told,
}

/// An instance that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailureTold {
    /// Its place among the members.
    pub member: usize,
    /// How.
    pub failure: Failure,
    /// Whether it does not count.
    pub is_excused: bool,
}

pub(super) fn decide(fleet: &Fleet<'_>, policy: &Policy, gates: &Gates, now: Timestamp) -> Decision {
    let clock = Clock::new(fleet, policy, now);
    let assessor = Assessor { fleet, clock: &clock };
    let mut standings: Vec<Standing> = fleet.members.iter().map(|it| assessor.standing(it)).collect();
    let mark = blame::judge(fleet, policy, &mut standings);
    let ranks = Ranks::new(&assessor, policy, &standings);
    let stages = Stages::new(fleet, policy, &clock, &standings, &ranks);
    let opening = policy.windows.at(now);
    let counts = told::counts(fleet, &standings);
    let door = Door {
        assessor: &assessor,
        policy,
        gates,
        standings: &standings,
        ranks: &ranks,
        stages: &stages,
        counts,
        opening,
    };
    let given_up = blame::given_up(fleet, mark.as_ref());
    let admissions = door.admit(given_up.as_ref().map(closing));
    let phase = given_up.unwrap_or_else(|| phase(&door));
    let look_again = look_again(&door, &phase, &admissions);
    Decision {
        returns: returns(fleet, &standings),
        births: births(fleet, policy, &phase, &standings),
        leaves_surplus: leaves_surplus(fleet, policy),
        wave: wave(fleet, &ranks, &admissions),
        is_wave_forgotten: fleet.progress.waves > ranks.admissions.len(),
        waiting: told::waiting(&door, &admissions),
        gate_errors: told::gate_errors(&admissions),
        moves: admissions.moves,
        failures: told::failures(&standings),
        mark: new_mark(fleet, mark, &phase),
        phase,
        counts,
        look_again,
        standings,
    }
}

fn closing(phase: &Phase) -> Wait {
    if *phase == Phase::Aborted { Wait::Aborted } else { Wait::GivenUp }
}

fn phase(door: &Door<'_>) -> Phase {
    match () {
        () if door.counts.settled == door.counts.eligible => Phase::Completed,
        () if door.is_paused() => Phase::Paused,
        () => Phase::Propagating,
    }
}

/// A content is marked once: by the first failure too many, or by whoever aborted. What a rollback goes back to is never marked, or
/// there would be nothing good left.
fn new_mark(fleet: &Fleet<'_>, mark: Option<Mark>, phase: &Phase) -> Option<Mark> {
    if fleet.progress.mark.is_some() || fleet.movement != Movement::Forward {
        return None;
    }
    let aborted = || Mark { outcome: Outcome::Halted, reason: "aborted".to_owned() };
    mark.or_else(|| (*phase == Phase::Aborted).then(aborted))
}

/// An abort sends back who was admitted and has not arrived.
fn returns(fleet: &Fleet<'_>, standings: &[Standing]) -> Vec<Return> {
    if !fleet.controls.is_aborted {
        return Vec::new();
    }
    let goes_back = |(at, standing): (usize, &Standing)| {
        let member = &fleet.members[at];
        let has_arrived = member.has_observed(fleet.target.digest);
        let to = member.admission.filter(|_| standing.is_admitted() && !has_arrived)?.from;
        Some(Return { member: at, to })
    };
    standings.iter().enumerate().filter_map(goes_back).collect()
}

fn births(fleet: &Fleet<'_>, policy: &Policy, phase: &Phase, standings: &[Standing]) -> Vec<Birth> {
    let is_given_up = matches!(phase, Phase::Halted(_) | Phase::RolledBack(_) | Phase::Aborted);
    let usual = if is_given_up { NewInstances::LastGood } else { NewInstances::Current };
    let on = match policy.new_instances.unwrap_or(usual) {
        NewInstances::Current => fleet.target,
        NewInstances::LastGood => fleet.last_good.unwrap_or(fleet.target),
    };
    let newborn = standings.iter().enumerate().filter(|(_, it)| **it == Standing::Newborn);
    newborn.map(|(member, _)| Birth { member, on }).collect()
}

/// For an automatic rollback, approval is the rule.
fn leaves_surplus(fleet: &Fleet<'_>, policy: &Policy) -> bool {
    let needs_approval = policy.deletes.unwrap_or(Deletes::RequireApproval) == Deletes::RequireApproval;
    is_automatic(fleet) && needs_approval && fleet.controls.deletions == Deletions::Pending
}

fn wave(fleet: &Fleet<'_>, ranks: &Ranks, admissions: &Admissions) -> usize {
    let new = admissions.moves.first().map(|it| it.at);
    fleet.progress.waves.max(ranks.admissions.len())
        + usize::from(new.is_some_and(|it| !ranks.admissions.contains(&it)))
}

fn look_again(door: &Door<'_>, phase: &Phase, admissions: &Admissions) -> Option<Timestamp> {
    let is_open = |it: &(usize, &Standing)| {
        matches!(it.1, Standing::InFlight(_) | Standing::Settled(Settled::Excused(_)))
    };
    let flying = door.standings.iter().enumerate().filter(is_open);
    let members = door.assessor.fleet.members;
    let soonest = flying.filter_map(|(at, _)| door.assessor.changes_at(&members[at])).min();
    if matches!(phase, Phase::Halted(_) | Phase::RolledBack(_) | Phase::Aborted | Phase::Paused) {
        return soonest;
    }
    let (Opening::Open(window) | Opening::Closed(window)) = door.opening;
    let window = window.filter(|_| !admissions.waits.is_empty());
    let is_unasked = admissions.waits.iter().any(|(it, _)| *it == Wait::GateBudget);
    let ask_again = is_unasked.then(|| door.assessor.clock.now.saturating_add(ASK_AGAIN).ok()).flatten();
    [soonest, window, door.stages.changes_at(), ask_again].into_iter().flatten().min()
}
