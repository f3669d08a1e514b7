//! Every interleaving of what can happen to a small fleet, explored by a model checker.
//!
//! Four instances and three revisions, an exponential gate. Anything may happen at any time: an instance arrives, breaks or heals, is
//! pinned or let go; a newer revision is issued; the propagation is paused, resumed, tried again; whoever decides is lost after any of
//! its writes and another starts from what was written. Time is left out: what is broken has been so for long enough.

use std::sync::LazyLock;

use jiff::SignedDuration;
use krono_history::Digest;
use serde_json::{Value, json};
use stateright::{Checker, HasDiscoveries, Model, Property, Representative};

use crate::assignment::Assignment;
use crate::fleet::*;
use crate::gate::Gates;
use crate::mark::{Mark, Outcome};
use crate::policy::{Policy, RollbackMode};
use crate::scene::{assignment, at};
use crate::{Decision, Phase, decide};

const FLEET: usize = 4;
const REVISIONS: u8 = 3;
/// Later than everything, by more than is forgiven.
const NOW: i64 = 1_000_000;
/// When the target became the target; before, and after.
const STARTED: [i64; 3] = [1_000, 999, 1_001];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Instance {
    assigned: u8,
    /// How it came there, and whether it was excused; when within a propagation makes no difference.
    admission: Option<(When, bool)>,
    observed: u8,
    is_broken: bool,
    is_pinned: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum When {
    Earlier,
    Now,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Revision {
    outcome: Option<bool>,
    is_completed: bool,
}

/// All that is written down, and how much may still go wrong.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    fleet: [Instance; FLEET],
    revisions: [Revision; REVISIONS as usize],
    latest: u8,
    target: u8,
    is_paused: bool,
    failures: u8,
    pins: u8,
    pauses: u8,
    retries: u8,
    /// What was found wrong with a decision.
    violation: Option<&'static str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Action {
    /// Somebody decides, sees instances of equal rank in this order, and writes so much of it.
    Look(usize, usize),
    Arrive(usize),
    Break(usize),
    Heal(usize),
    Pin(usize),
    Unpin(usize),
    Revise,
    Pause,
    Resume,
    Retry,
}

struct Small {
    policy: Policy,
    gates: Gates,
}

/// The orders in which instances of equal rank may stand. Names are arbitrary, so that states that differ by them alone are one; these
/// four orders put every instance first, and every pair, which is all that waves of one and two can tell apart.
const ORDERS: [[usize; FLEET]; 4] = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]];

impl State {
    fn new() -> Self {
        let instance =
            Instance { assigned: 0, admission: None, observed: 0, is_broken: false, is_pinned: false };
        let mut state = Self {
            fleet: [instance; FLEET],
            revisions: [Revision::default(); REVISIONS as usize],
            latest: 1,
            target: 1,
            is_paused: false,
            failures: 1,
            pins: 1,
            pauses: 1,
            retries: 1,
            violation: None,
        };
        state.revisions[0].is_completed = true;
        state
    }

    fn last_good(&self) -> Option<u8> {
        let is_good = |it: &u8| {
            let revision = self.revisions[usize::from(*it)];
            revision.is_completed && revision.outcome.is_none()
        };
        (0..self.latest).rev().find(is_good)
    }

    /// What instances move to follows from the marks.
    fn aim(&mut self) {
        let is_rolled_back = self.revisions[usize::from(self.latest)].outcome == Some(true);
        let target = self.last_good().filter(|_| is_rolled_back).unwrap_or(self.latest);
        if target != self.target {
            self.target = target;
            for admission in self.fleet.iter_mut().filter_map(|it| it.admission.as_mut()) {
                admission.0 = When::Earlier;
            }
        }
    }

    fn current(&self) -> Revision {
        self.revisions[usize::from(self.target)]
    }
}

/// Who stands where does not matter: names only part equals, and [`Action::Look`] parts them in every way that shows.
impl Representative for State {
    fn representative(&self) -> Self {
        let mut state = self.clone();
        state.fleet.sort_unstable();
        state
    }
}

fn revision(number: u8) -> Assignment {
    static REVISIONS: LazyLock<[Assignment; 3]> = LazyLock::new(|| ["1a", "2b", "3c"].map(assignment));
    REVISIONS[usize::from(number)]
}

fn digest(number: u8) -> Digest {
    revision(number).digest
}

const RULES: &str = "no decision breaks a rule";

static NOTHING: Value = Value::Null;
const NAMES: [&str; FLEET] = ["0", "1", "2", "3"];

fn member(instance: Instance, name: usize, target: u8) -> Member<'static> {
    let admission = |(when, is_excused): (When, bool)| Admission {
        at: at(STARTED[if when == When::Now { 2 } else { 1 }]),
        // Another content than the target; which does not matter.
        from: digest((target + 1) % REVISIONS),
        is_excused,
    };
    Member {
        namespace: "",
        name: NAMES[name],
        created: at(0),
        assigned: Some(digest(instance.assigned)),
        admission: instance.admission.map(admission),
        observed: Some(Observed { digest: digest(instance.observed), since: at(0) }),
        health: if instance.is_broken { Health::Error(at(0)) } else { Health::Ready },
        hindered: SignedDuration::ZERO,
        stance: if instance.is_pinned { Stance::Pinned } else { Stance::Auto },
        order: 0,
        is_edited: false,
        object: &NOTHING,
        namespace_labels: &NOTHING,
    }
}

fn progress(state: &State) -> Progress {
    let outcome = |back: bool| if back { Outcome::RolledBack } else { Outcome::Halted };
    let mark = |back| Mark { outcome: outcome(back), reason: String::new() };
    Progress {
        started: at(STARTED[0]),
        is_completed: state.current().is_completed && state.target == state.latest,
        restarted: None,
        mark: state.current().outcome.map(mark),
    }
}

impl Small {
    fn decide(&self, state: &State, order: usize) -> Decision {
        let named = state.fleet.iter().zip(ORDERS[order]);
        let members: Vec<Member<'_>> = named.map(|(it, name)| member(*it, name, state.target)).collect();
        let back = Movement::Back { mode: RollbackMode::Instant, by: RollbackBy::Failures };
        let fleet = Fleet {
            members: &members,
            target: revision(state.target),
            last_good: state.last_good().map(revision),
            movement: if state.target == state.latest { Movement::Forward } else { back },
            progress: progress(state),
            controls: Controls { paused: state.is_paused.then(|| at(STARTED[2])), ..Controls::default() },
            leadership: Leadership { since: at(0), standstills: &[] },
            definition: &NOTHING,
        };
        decide(&fleet, &self.policy, &self.gates, at(NOW))
    }

    /// What a decision breaks, if it breaks something.
    fn violation(state: &State, decision: &Decision) -> Option<&'static str> {
        let is_forward = state.target == state.latest;
        let (counts, moves) = (decision.counts, decision.moves.len());
        let most = (2 << (counts.settled + 1).ilog2()) - 1;
        match () {
            () if moves == 0 => None,
            () if is_forward && counts.admitted + moves > most => Some("more in flight than the gate allows"),
            () if is_forward && state.current().outcome.is_some() => Some("admits though it was given up"),
            () if state.is_paused => Some("admits though it is paused"),
            () => None,
        }
    }

    fn perform(&self, state: &mut State, order: usize, writes: usize) {
        let decision = self.decide(state, order);
        state.violation = Self::violation(state, &decision);
        let target = usize::from(state.target);
        // The mark is written first.
        if let Some(mark) = &decision.mark {
            state.revisions[target].outcome = Some(mark.outcome == Outcome::RolledBack);
        }
        for it in decision.moves.iter().take(writes) {
            let instance = &mut state.fleet[it.member];
            instance.admission = Some((When::Now, it.is_excused));
            instance.assigned = state.target;
        }
        state.revisions[target].is_completed |= decision.phase == Phase::Completed;
        state.aim();
    }

    /// Nothing fails any more: everybody arrives.
    fn comes_to_rest(&self, state: &State) -> bool {
        let mut state = state.clone();
        let latest = usize::from(state.latest);
        (state.is_paused, state.revisions[latest].outcome) = (false, None);
        state.aim();
        for _ in 0..3 * FLEET {
            for instance in &mut state.fleet {
                (instance.is_broken, instance.observed) = (false, instance.assigned);
            }
            let before = state.clone();
            self.perform(&mut state, 0, FLEET);
            if state == before {
                break;
            }
        }
        let has_arrived = |it: &Instance| it.is_pinned || it.observed == state.latest;
        state.fleet.iter().all(has_arrived) && self.decide(&state, 0).phase == Phase::Completed
    }
}

impl Model for Small {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::new()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let is_waiting = |it: &&Instance| !it.is_pinned && it.assigned != state.target;
        let waiting: Vec<&Instance> = state.fleet.iter().filter(is_waiting).collect();
        // Names part only those who wait, and these only where they are not all alike.
        let is_alike = waiting.windows(2).all(|it| it[0] == it[1]);
        let writes: &[usize] = if waiting.is_empty() { &[FLEET] } else { &[0, 1, FLEET] };
        for order in 0..if is_alike { 1 } else { ORDERS.len() } {
            actions.extend(writes.iter().map(|writes| Action::Look(order, *writes)));
        }
        for (at, instance) in state.fleet.iter().enumerate() {
            let is_on_its_way = instance.observed != instance.assigned;
            actions.extend(is_on_its_way.then_some(Action::Arrive(at)));
            actions.extend((state.failures > 0 && !instance.is_broken).then_some(Action::Break(at)));
            actions.extend((instance.is_broken).then_some(Action::Heal(at)));
            actions.extend((state.pins > 0 && !instance.is_pinned).then_some(Action::Pin(at)));
            actions.extend((instance.is_pinned).then_some(Action::Unpin(at)));
        }
        actions.extend((state.latest + 1 < REVISIONS).then_some(Action::Revise));
        actions.extend((state.pauses > 0 && !state.is_paused).then_some(Action::Pause));
        actions.extend(state.is_paused.then_some(Action::Resume));
        let is_marked = state.revisions[usize::from(state.latest)].outcome.is_some();
        actions.extend((state.retries > 0 && is_marked).then_some(Action::Retry));
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        match action {
            Action::Look(order, writes) => self.perform(&mut state, order, writes),
            Action::Arrive(at) => {
                let instance = &mut state.fleet[at];
                (instance.is_broken, instance.observed) = (false, instance.assigned);
            }
            Action::Break(at) => (state.fleet[at].is_broken, state.failures) = (true, state.failures - 1),
            Action::Heal(at) => state.fleet[at].is_broken = false,
            Action::Pin(at) => (state.fleet[at].is_pinned, state.pins) = (true, state.pins - 1),
            Action::Unpin(at) => state.fleet[at].is_pinned = false,
            Action::Revise => {
                state.latest += 1;
                state.aim();
            }
            Action::Pause => (state.is_paused, state.pauses) = (true, state.pauses - 1),
            Action::Resume => state.is_paused = false,
            Action::Retry => {
                let latest = usize::from(state.latest);
                (state.revisions[latest].outcome, state.retries) = (None, state.retries - 1);
                state.aim();
            }
        }
        (state != *last).then_some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(RULES, |_, state: &State| state.violation.is_none()),
            Property::always("everybody arrives when nothing fails", |model: &Small, state: &State| {
                state.violation.is_some() || model.comes_to_rest(state)
            }),
        ]
    }
}

const GATE: &str = "${exponentiallyUpdated(instances, each)}";
/// One too early.
const PLANTED: &str = "${fleet.settled + 1 >= exponentialTarget(each.index)}";

/// Nobody is late in a world without time.
fn small(on_failure: &str, gate: &str) -> Small {
    let policy = json!({"onFailure": on_failure, "progressDeadlineSeconds": 2_000_000});
    let gates = Gates::compile(&json!([gate]), &krono_cel::Type::Dyn).unwrap();
    Small { policy: Policy::read(&policy).unwrap(), gates }
}

#[test]
fn v41_every_interleaving_of_a_small_fleet() {
    for on_failure in ["Halt", "Rollback"] {
        let checker = small(on_failure, GATE).checker().symmetry().spawn_dfs().join();
        println!("propagation-model, {on_failure}: {} states", checker.unique_state_count());
        checker.assert_properties();
    }
}

#[test]
fn v41_a_gate_that_opens_one_too_early_is_found() {
    let checker = small("Halt", PLANTED).checker().finish_when(HasDiscoveries::Any).spawn_bfs().join();
    assert!(checker.discovery(RULES).is_some());
}
