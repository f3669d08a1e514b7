//! Every interleaving of what can happen to a small fleet, explored by a model checker.
//!
//! Four instances and three revisions, an exponential gate. Anything may happen at any time: an instance arrives, breaks or heals, is
//! pinned or let go; a newer revision is issued; somebody goes back to the first one and forward again; the propagation is paused,
//! resumed, tried again; whoever decides is lost after any of its writes and another starts from what was written. Time is left out:
//! what is broken has been so for long enough.

mod state;

use std::sync::LazyLock;
use std::time::Instant;

use jiff::SignedDuration;
use krono_history::Digest;
use serde_json::{Value, json};
use stateright::{Checker, HasDiscoveries, Model, Property};

use crate::assignment::Assignment;
use crate::fleet::*;
use crate::gate::Gates;
use crate::mark::{Mark, Outcome};
use crate::policy::{Policy, RollbackMode};
use crate::scene::{assignment, at};
use crate::{Decision, Phase, decide};

use state::{Instance, Left, State, When};

const FLEET: usize = 4;
const REVISIONS: u8 = 3;
/// How long it may take to explore everything.
const MOST_SECONDS: u64 = 300;
/// Later than everything, by more than is forgiven.
const NOW: i64 = 1_000_000;
/// When the target became the target; before, and after.
const STARTED: [i64; 3] = [1_000, 999, 1_001];

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
    Hold,
    Release,
}

struct Small {
    policy: Policy,
    gates: Gates,
    size: Size,
}

/// How much of all that is explored.
#[derive(Clone, Copy)]
struct Size {
    left: Left,
    /// After how many writes whoever decides may be lost.
    writes: &'static [usize],
}

impl Size {
    /// What a build without optimisation explores while somebody waits.
    const ORDINARY: Self =
        Self { left: Left { failures: 1, pins: 1, pauses: 1, retries: 1, holds: 0 }, writes: &[0, 1, FLEET] };
    const WHOLE: Self = Self {
        left: Left { failures: 2, pins: 1, pauses: 1, retries: 1, holds: 1 },
        writes: &[0, 1, 2, 3, FLEET],
    };

    /// All of it for `xtask deep`.
    fn wanted() -> Self {
        if std::env::var_os("KRONO_DEEP").is_some() { Self::WHOLE } else { Self::ORDINARY }
    }
}

/// The orders in which instances of equal rank may stand. Names are arbitrary, so that states that differ by them alone are one; these
/// four orders put every instance first, and every pair, which is all that waves of one and two can tell apart.
const ORDERS: [[usize; FLEET]; 4] = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]];

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
    let seen = if instance.is_there { STARTED[2] } else { 0 };
    Member {
        namespace: "",
        name: NAMES[name],
        created: at(0),
        assigned: Some(digest(instance.assigned)),
        admission: instance.admission.map(admission),
        observed: Some(Observed { digest: digest(instance.observed), since: at(seen) }),
        health: if instance.is_broken { Health::Error(at(0)) } else { Health::Ready },
        hindered: SignedDuration::ZERO,
        stance: if instance.is_pinned { Stance::Pinned } else { Stance::Auto },
        order: 0,
        is_edited: false,
        has_failed: false,
        object: &NOTHING,
        namespace_labels: &NOTHING,
    }
}

fn arrive(instance: &mut Instance) {
    (instance.is_broken, instance.is_there, instance.observed) = (false, true, instance.assigned);
}

fn progress(state: &State) -> Progress {
    let outcome = |back: bool| if back { Outcome::RolledBack } else { Outcome::Halted };
    let mark = |back| Mark { outcome: outcome(back), reason: String::new() };
    Progress {
        started: at(STARTED[0]),
        is_completed: state.current().is_completed && state.target == state.latest,
        restarted: None,
        mark: state.current().outcome.map(mark),
        waves: 0,
    }
}

impl Small {
    fn decide(&self, state: &State, order: usize) -> Decision {
        let named = state.fleet.iter().zip(ORDERS[order]);
        let members: Vec<Member<'_>> = named.map(|(it, name)| member(*it, name, state.target)).collect();
        let by = if state.is_held { RollbackBy::Person } else { RollbackBy::Failures };
        let back = Movement::Back { mode: RollbackMode::Instant, by };
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
        let (admitted, settled) = (state.admitted().count(), state.settled());
        let moves = decision.moves.len();
        let most = (2 << (settled + 1).ilog2()) - 1;
        match () {
            () if moves == 0 => None,
            () if is_forward && admitted + moves > most => Some("more in flight than the gate allows"),
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
            (instance.assigned, instance.is_there) = (state.target, false);
        }
        state.revisions[target].is_completed |= decision.phase == Phase::Completed;
        state.aim();
    }

    /// Nothing fails any more: everybody arrives.
    fn comes_to_rest(&self, state: &State) -> bool {
        let mut state = state.clone();
        let latest = usize::from(state.latest);
        (state.is_paused, state.is_held, state.revisions[latest].outcome) = (false, false, None);
        state.aim();
        for _ in 0..3 * FLEET {
            state.fleet.iter_mut().for_each(arrive);
            let before = state.clone();
            self.perform(&mut state, 0, FLEET);
            if state == before {
                break;
            }
        }
        let has_arrived = |it: &Instance| it.is_pinned || it.is_there && it.assigned == state.latest;
        let rest = self.decide(&state, 0);
        let is_left_alone = rest.moves.is_empty() && rest.returns.is_empty() && rest.mark.is_none();
        state.fleet.iter().all(has_arrived) && rest.phase == Phase::Completed && is_left_alone
    }
}

impl Model for Small {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::new(self.size.left)]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let left = state.left;
        let is_waiting = |it: &&Instance| !it.is_pinned && it.assigned != state.target;
        let waiting: Vec<&Instance> = state.fleet.iter().filter(is_waiting).collect();
        // Names part only those who wait, and these only where they are not all alike.
        let is_alike = waiting.windows(2).all(|it| it[0] == it[1]);
        // More than wait cannot be written; all of it always can.
        let is_possible = |it: &&usize| **it < waiting.len() || **it == FLEET;
        let writes: Vec<usize> = self.size.writes.iter().filter(is_possible).copied().collect();
        for order in 0..if is_alike { 1 } else { ORDERS.len() } {
            actions.extend(writes.iter().map(|writes| Action::Look(order, *writes)));
        }
        for (at, instance) in state.fleet.iter().enumerate() {
            actions.extend((!instance.is_there).then_some(Action::Arrive(at)));
            actions.extend((left.failures > 0 && !instance.is_broken).then_some(Action::Break(at)));
            actions.extend((instance.is_broken).then_some(Action::Heal(at)));
            actions.extend((left.pins > 0 && !instance.is_pinned).then_some(Action::Pin(at)));
            actions.extend((instance.is_pinned).then_some(Action::Unpin(at)));
        }
        actions.extend((state.latest + 1 < REVISIONS).then_some(Action::Revise));
        actions.extend((left.pauses > 0 && !state.is_paused).then_some(Action::Pause));
        actions.extend(state.is_paused.then_some(Action::Resume));
        let is_marked = state.revisions[usize::from(state.latest)].outcome.is_some();
        actions.extend((left.retries > 0 && is_marked).then_some(Action::Retry));
        actions.extend((left.holds > 0 && !state.is_held).then_some(Action::Hold));
        actions.extend(state.is_held.then_some(Action::Release));
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        let mut state = last.clone();
        let State { fleet, left, is_paused, is_held, .. } = &mut state;
        match action {
            Action::Look(order, writes) => self.perform(&mut state, order, writes),
            Action::Arrive(at) => arrive(&mut fleet[at]),
            Action::Break(at) => (fleet[at].is_broken, left.failures) = (true, left.failures - 1),
            Action::Heal(at) => fleet[at].is_broken = false,
            Action::Pin(at) => (fleet[at].is_pinned, left.pins) = (true, left.pins - 1),
            Action::Unpin(at) => fleet[at].is_pinned = false,
            Action::Revise => state.latest += 1,
            Action::Pause => (*is_paused, left.pauses) = (true, left.pauses - 1),
            Action::Resume => *is_paused = false,
            Action::Retry => {
                left.retries -= 1;
                state.revisions[usize::from(state.latest)].outcome = None;
            }
            Action::Hold => (*is_held, left.holds) = (true, left.holds - 1),
            Action::Release => *is_held = false,
        }
        state.aim();
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
    Small { policy: Policy::read(&policy).unwrap(), gates, size: Size::wanted() }
}

#[test]
fn v41_every_interleaving_of_a_small_fleet() {
    let begun = Instant::now();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut states = 0;
    for on_failure in ["Halt", "Rollback"] {
        let checker = small(on_failure, GATE).checker().threads(threads).symmetry().spawn_dfs().join();
        println!("propagation-model, {on_failure}: {} states", checker.unique_state_count());
        states += checker.unique_state_count();
        checker.assert_properties();
    }
    let seconds = begun.elapsed().as_secs();
    println!("propagation-model: {states}/{states} propagation-model-seconds: {seconds}/{MOST_SECONDS}");
    assert!(seconds <= MOST_SECONDS, "{seconds} s");
}

#[test]
fn v41_a_gate_that_opens_one_too_early_is_found_by_the_model() {
    let checker = small("Halt", PLANTED).checker().finish_when(HasDiscoveries::Any).spawn_bfs().join();
    assert!(checker.discovery(RULES).is_some());
    println!("propagation-model-planted: 1/1");
}
