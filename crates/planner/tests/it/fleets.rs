//! Random fleets that are looked at again and again while all kinds of things happen to them.

use krono_model::names;
use krono_planner::fleet::{Look, Turn};
use krono_testkit::Run;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::fleet::Fleet;

#[derive(Clone, Debug)]
enum Deed {
    /// Somebody looks, and so many instances take their turn before it is lost.
    Look(usize),
    Wait(i64),
    Arrive(usize),
    Fail(usize),
    Create,
    Issue,
    RollBack {
        to: usize,
        is_instant: bool,
    },
    Hold(Option<usize>),
    Pause(bool),
    Ask(&'static str),
    Takeover(i64),
}

fn deed() -> impl Strategy<Value = Deed> {
    let back = (any::<usize>(), any::<bool>());
    prop_oneof![
        10 => (0usize..3).prop_map(Deed::Look),
        3 => (1i64..90).prop_map(Deed::Wait),
        8 => any::<usize>().prop_map(Deed::Arrive),
        3 => any::<usize>().prop_map(Deed::Fail),
        1 => Just(Deed::Create),
        1 => Just(Deed::Issue),
        1 => back.prop_map(|(to, is_instant)| Deed::RollBack { to, is_instant }),
        1 => prop::option::of(any::<usize>()).prop_map(Deed::Hold),
        2 => any::<bool>().prop_map(Deed::Pause),
        1 => prop_oneof![Just("aborted"), Just("retry")].prop_map(Deed::Ask),
        1 => (1i64..300).prop_map(Deed::Takeover),
    ]
}

#[derive(Clone, Debug)]
struct Story {
    deeds: Vec<Deed>,
    count: usize,
    most_in_flight: usize,
    on_failure: &'static str,
    soak: i64,
}

fn stories() -> impl Strategy<Value = Story> {
    let on_failure = prop_oneof![2 => Just("Halt"), 1 => Just("Rollback"), 1 => Just("Continue")];
    let soak = prop_oneof![Just(0i64), Just(60)];
    (prop::collection::vec(deed(), 1..80), 1usize..7, 1usize..3, on_failure, soak).prop_map(
        |(deeds, count, most_in_flight, on_failure, soak)| Story {
            deeds,
            count,
            most_in_flight,
            on_failure,
            soak,
        },
    )
}

struct World {
    fleet: Fleet,
    most_in_flight: usize,
    issued: usize,
}

impl World {
    fn perform(&mut self, deed: &Deed) {
        self.fleet.wait(1);
        let fleet = &mut self.fleet;
        let count = fleet.instances.len();
        match *deed {
            Deed::Look(taken) => self.look(taken),
            Deed::Wait(seconds) => fleet.wait(seconds),
            Deed::Arrive(who) => fleet.arrive(who % count),
            Deed::Fail(who) => fleet.fail(who % count),
            Deed::Create => fleet.create(json!({})),
            Deed::Issue => self.issue(),
            Deed::RollBack { to, is_instant } => self.roll_back(to, is_instant),
            Deed::Hold(to) => {
                let to = to.map(|it| (it % (self.issued + 1) + 1).to_string());
                fleet.annotate(names::ACTIVE_REVISION_ANNOTATION, to.as_deref());
            }
            Deed::Pause(is_paused) => {
                fleet.annotate(names::PROPAGATION_ANNOTATION, is_paused.then_some("paused"));
            }
            Deed::Ask(what) => fleet.annotate(names::PROPAGATION_ANNOTATION, Some(what)),
            Deed::Takeover(seconds) => fleet.takeover(seconds),
        }
    }

    fn issue(&mut self) {
        if self.issued < 20 {
            let letter = char::from(b'a' + u8::try_from(self.issued).expect("a few"));
            self.fleet.issue(letter, &["one"]);
            self.issued += 1;
        }
    }

    /// Not to what was given up, nor to what is there.
    fn roll_back(&mut self, to: usize, is_instant: bool) {
        let to = to % self.issued + 1;
        if self.issued < 20 && self.fleet.can_go_back_to(to) {
            self.fleet.roll_back(to, if is_instant { "Instant" } else { "Controlled" });
            self.issued += 1;
        }
    }

    fn look(&mut self, taken: usize) {
        let before = self.fleet.told().clone();
        let (found, _) = self.fleet.reconcile(taken);
        self.check(&before, &found);
        self.check_restart();
    }

    fn check(&self, before: &Value, found: &Look) {
        let moves = found.turns.iter().filter(|(_, turn)| matches!(turn, Turn::Goes(_))).count();
        let Some(told) = found.progress.filter(|_| moves > 0) else { return };
        let in_flight = told.counts.in_flight + moves;
        assert!(in_flight <= self.most_in_flight, "{in_flight} are on their way");
        // What was halted when it was last told admits nobody, unless somebody has it tried again.
        let now = self.fleet.told();
        let was_halted = before["phase"] == "Halted" && before["digest"] == now["digest"];
        let is_instant = self.fleet.is_instant();
        assert!(!was_halted || is_instant || now["restartedAt"] != before["restartedAt"], "{before:#}");
    }

    /// Whoever starts anew has nothing to do that was done.
    fn check_restart(&self) {
        let mut fleet = self.fleet.clone();
        fleet.rest();
        let (found, writes) = fleet.reconcile(usize::MAX);
        assert_eq!((writes, found.notices.len()), (0, 0), "{:#?}", found.notices);
    }

    /// Nothing fails any more, and nobody stands in the way: everybody arrives.
    fn finish(&mut self) {
        self.fleet.annotate(names::ACTIVE_REVISION_ANNOTATION, None);
        for request in [None, Some("retry")] {
            self.fleet.annotate(names::PROPAGATION_ANNOTATION, request);
            self.fleet.finish();
        }
        let latest = self.fleet.latest();
        let assigned = self.fleet.assigned();
        assert!(
            assigned.chars().all(|it| it == latest),
            "{assigned} and not {latest}: {:#}",
            self.fleet.told()
        );
        assert_eq!(self.fleet.phase(), "Completed");
    }
}

impl Story {
    fn play(&self) {
        let policy = json!({"maxInFlight": self.most_in_flight, "onFailure": self.on_failure, "soakSeconds": self.soak});
        let fleet = Fleet::new(self.count, policy);
        let mut world = World { fleet, most_in_flight: self.most_in_flight, issued: 1 };
        world.issue();
        self.deeds.iter().for_each(|it| world.perform(it));
        world.finish();
    }
}

#[test]
fn v41_whatever_happens_between_looks() {
    let run = Run { name: "planner-looks", cases: 150, shrinks: 300 };
    krono_testkit::run_from(41, run, &stories(), |story| {
        story.play();
        Ok(())
    });
}
