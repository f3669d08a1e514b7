//! Random fleets and everything that can happen to them: what must hold whatever happens.

use krono_testkit::Run;
use proptest::prelude::*;
use proptest::test_runner::TestCaseResult;
use serde_json::{Value, json};

use crate::fleet::{Admission, Cause, Health, Movement, Observed, RollbackBy, Stance, Standstill};
use crate::mark::{Mark, Outcome};
use crate::policy::RollbackMode;
use crate::scene::{Scene, Written, assignment, at, letter};
use crate::{Decision, Phase, Standing};

/// In seconds, as it is where nobody says another.
const DEADLINE: i64 = 600;

#[derive(Clone, Debug)]
enum Step {
    /// Somebody decides, and performs so much of it before it is lost.
    Look(usize),
    Wait(i64),
    Arrive(usize),
    Break(usize),
    /// It breaks, and that lasts.
    Fail(usize),
    Tire(usize),
    Heal(usize),
    Stance(usize, Stance),
    Edit(usize),
    Delete(usize),
    Create,
    Revise,
    /// A revision is issued with the content of the one before the latest.
    Restore,
    Pause,
    Resume,
    Abort,
    Retry,
    /// Nobody leads for so long.
    Headless(i64),
}

/// Of whoever decides, at most so much is performed before it is lost.
fn step(writes: usize) -> impl Strategy<Value = Step> {
    let stance = prop_oneof![2 => Just(Stance::Auto), 1 => Just(Stance::Pinned), 1 => Just(Stance::Deleting)];
    prop_oneof![
        12 => (0..=writes).prop_map(Step::Look),
        4 => (0i64..120).prop_map(Step::Wait),
        8 => any::<usize>().prop_map(Step::Arrive),
        2 => any::<usize>().prop_map(Step::Break),
        4 => any::<usize>().prop_map(Step::Fail),
        1 => any::<usize>().prop_map(Step::Tire),
        3 => any::<usize>().prop_map(Step::Heal),
        1 => (any::<usize>(), stance).prop_map(|(who, stance)| Step::Stance(who, stance)),
        1 => any::<usize>().prop_map(Step::Edit),
        1 => any::<usize>().prop_map(Step::Delete),
        1 => Just(Step::Create),
        1 => Just(Step::Revise),
        1 => Just(Step::Restore),
        1 => Just(Step::Pause),
        3 => Just(Step::Resume),
        1 => prop_oneof![1 => Just(Step::Abort), 3 => Just(Step::Retry)],
        1 => (1i64..600).prop_map(Step::Headless),
    ]
}

#[derive(Clone, Copy, Debug)]
enum Gate {
    None,
    Exponential,
    Linear(usize),
    Formula,
    /// So many may be on their way.
    Budget(usize),
    /// The same, by looking at all instances.
    Unready(usize),
    /// The same, by looking at what they say.
    Said(usize),
}

fn gate(most: usize) -> impl Strategy<Value = Gate> {
    prop_oneof![
        Just(Gate::None),
        Just(Gate::Exponential),
        (1..=most).prop_map(Gate::Linear),
        Just(Gate::Formula),
        (1..=most).prop_map(Gate::Budget),
        (1..=most).prop_map(Gate::Unready),
        (1..=most).prop_map(Gate::Said),
    ]
}

const FORMULA: &str = "size(instances.filter(i, i.status.observedRGDRevision == rgd.status.currentRevision)) >= exponentialTarget(each.index)";

impl Gate {
    fn expression(self) -> String {
        match self {
            Self::None => "true".to_owned(),
            Self::Exponential => "exponentiallyUpdated(instances, each)".to_owned(),
            Self::Linear(step) => format!("linearlyUpdated(instances, each, {step})"),
            Self::Formula => FORMULA.to_owned(),
            Self::Budget(most) => format!("fleet.inFlight < {most}"),
            Self::Unready(most) => {
                format!("instances.filter(i, updated(i) && !ready(i)).size() < {most}")
            }
            Self::Said(most) => {
                format!("instances.filter(i, updated(i) && i.status.state != 'ACTIVE').size() < {most}")
            }
        }
    }

    /// How many may be on their way at once.
    fn most_at_once(self) -> usize {
        match self {
            Self::None | Self::Formula | Self::Exponential | Self::Linear(_) => usize::MAX,
            Self::Budget(most) | Self::Unready(most) | Self::Said(most) => most,
        }
    }

    /// How many may have been admitted when so many have settled.
    fn most(self, settled: usize) -> usize {
        match self {
            Self::None | Self::Formula | Self::Budget(_) | Self::Unready(_) | Self::Said(_) => usize::MAX,
            // 1, 3, 7, 15 …: the whole waves that have settled, and one more.
            Self::Exponential => (2 << (settled + 1).ilog2()) - 1,
            Self::Linear(step) => (settled / step + 1) * step,
        }
    }
}

#[derive(Clone, Debug)]
struct Revision {
    content: usize,
    mark: Option<Mark>,
    is_completed: bool,
}

struct World {
    scene: Scene,
    gate: Gate,
    most_in_flight: Option<usize>,
    now: i64,
    revisions: Vec<Revision>,
    target: usize,
    /// How many contents there are.
    contents: usize,
    made: usize,
}

impl World {
    fn new(gate: Gate, most_in_flight: Option<usize>, mut policy: Value, fleet: usize) -> Self {
        if let Some(most) = most_in_flight {
            policy["maxInFlight"] = json!(most);
        }
        let first = Revision { content: 0, mark: None, is_completed: true };
        let scene = Scene::of(fleet).policy(policy).gate(&gate.expression());
        let mut world = Self {
            scene,
            gate,
            most_in_flight,
            now: 10,
            revisions: vec![first],
            target: 0,
            contents: 1,
            made: fleet,
        };
        world.revise(1);
        world
    }

    fn revise(&mut self, content: usize) {
        if self.revisions.len() < 20 {
            // A mark is that of a content: what was given up is so when it comes back.
            let known = self.revisions.iter().rfind(|it| it.content == content);
            let mark = known.and_then(|it| it.mark.clone());
            self.revisions.push(Revision { content, mark, is_completed: false });
            self.contents = self.contents.max(content + 1);
            self.scene.controls.is_aborted = false;
        }
        self.aim();
    }

    fn restore(&mut self) {
        if let [.., before, _] = &self.revisions[..] {
            self.revise(before.content);
        }
    }

    /// Marks every revision of the content of one.
    fn mark(&mut self, at: usize, mark: Option<&Mark>) {
        let content = self.revisions[at].content;
        let same = self.revisions.iter_mut().filter(|it| it.content == content);
        same.for_each(|it| it.mark = mark.cloned());
    }

    /// What instances move to follows from the marks.
    fn aim(&mut self) {
        let latest = self.revisions.len() - 1;
        let is_good = |it: &usize| self.revisions[*it].is_completed && self.revisions[*it].mark.is_none();
        let good = (0..latest).rev().find(is_good);
        let is_rolled_back =
            self.revisions[latest].mark.as_ref().is_some_and(|it| it.outcome == Outcome::RolledBack);
        let target = good.filter(|_| is_rolled_back).unwrap_or(latest);
        let letter = |at: usize| char::from(b'a' + u8::try_from(self.revisions[at].content).unwrap());
        let name = |at: usize| assignment(&format!("{}{}", at + 1, letter(at)));
        self.scene.last_good = good.map(name);
        if target != self.target {
            self.scene.progress.started = at(self.now);
            self.scene.progress.restarted = None;
            self.scene.forget_failures();
            self.scene.movement = if target == latest {
                Movement::Forward
            } else {
                Movement::Back { mode: RollbackMode::Instant, by: RollbackBy::Failures }
            };
        }
        self.scene.target = name(target);
        self.target = target;
        self.scene.progress.mark.clone_from(&self.revisions[target].mark);
        self.scene.progress.is_completed = self.revisions[target].is_completed && target == latest;
    }

    fn step(&mut self, step: &Step) {
        self.now += 1;
        let now = at(self.now);
        match step {
            Step::Look(writes) => self.look(*writes),
            Step::Wait(seconds) => self.now += seconds,
            Step::Arrive(who) => self.touch(*who, |it| arrive(it, now)),
            Step::Break(who) => self.touch(*who, |it| it.member.health = Health::Error(now)),
            Step::Fail(who) => {
                self.touch(*who, |it| it.member.health = Health::Error(now));
                self.now += 40;
            }
            Step::Tire(who) => self.touch(*who, |it| it.member.health = Health::Unready(now)),
            Step::Heal(who) => self.touch(*who, |it| it.member.health = Health::Ready),
            Step::Stance(who, stance) => self.touch(*who, |it| it.member.stance = *stance),
            Step::Edit(who) => self.touch(*who, |it| it.member.is_edited = true),
            Step::Delete(who) => self.delete(*who),
            Step::Create => self.create(),
            Step::Revise => self.revise(self.contents),
            Step::Restore => self.restore(),
            Step::Pause => self.scene.controls.paused = Some(now),
            Step::Resume => self.scene.controls.paused = None,
            Step::Abort => self.scene.controls.is_aborted = true,
            Step::Retry => self.retry(),
            Step::Headless(seconds) => self.headless(*seconds),
        }
    }

    fn touch(&mut self, who: usize, change: impl FnOnce(&mut Written)) {
        let count = self.scene.members.len();
        if count > 0 {
            change(&mut self.scene.members[who % count]);
        }
    }

    fn delete(&mut self, who: usize) {
        let count = self.scene.members.len();
        if count > 1 {
            self.scene.members.remove(who % count);
        }
    }

    fn create(&mut self) {
        self.made += 1;
        let text = format!("i{} - created={}", self.made, self.now);
        self.scene.members.push(Written::new(&text));
    }

    fn retry(&mut self) {
        let latest = self.revisions.len() - 1;
        self.mark(latest, None);
        self.scene.controls.is_aborted = false;
        self.aim();
        self.scene.progress.restarted = Some(at(self.now));
        self.scene.forget_failures();
    }

    fn headless(&mut self, seconds: i64) {
        let from = at(self.now);
        self.now += seconds;
        self.scene.standstills.push(Standstill { from, to: at(self.now), cause: Cause::NoLeader });
        self.scene.leading_since = self.now;
    }

    fn look(&mut self, writes: usize) {
        self.scene.members.iter_mut().for_each(say);
        let decision = self.scene.decide(self.now);
        self.check(&decision);
        // The mark is written first; what comes after may be lost.
        let mut performed = decision;
        performed.moves.truncate(writes);
        performed.returns.truncate(writes);
        self.scene.perform(&performed);
        if performed.mark.is_some() {
            self.mark(self.target, performed.mark.as_ref());
        }
        self.revisions[self.target].is_completed |= performed.phase == Phase::Completed;
        self.aim();
    }

    fn check(&self, decision: &Decision) {
        let counts = decision.counts;
        let is_failed = |it: &&Standing| matches!(it, Standing::Failed(_));
        let too_many = decision.standings.iter().filter(is_failed).count();
        assert_eq!(counts.in_flight + counts.settled + too_many, counts.admitted);
        assert!(counts.admitted <= counts.eligible);
        let is_instant = self.scene.movement != Movement::Forward;
        let is_given_up = self.revisions[self.target].mark.is_some() || self.scene.controls.is_aborted;
        if !decision.moves.is_empty() {
            assert!(!is_given_up || is_instant, "admits though it was given up");
            assert!(decision.phase == Phase::Propagating, "{:?} admits", decision.phase);
            assert!(self.scene.controls.paused.is_none() || is_instant);
            let admitted = counts.admitted + decision.moves.len();
            if !is_instant {
                assert!(admitted <= self.gate.most(counts.settled), "{admitted} of {counts:?}");
                // Not as the decision counts them, but as they are.
                let settled = self.admitted().filter(|it| !self.is_waited_for(it)).count();
                assert!(admitted <= self.gate.most(settled), "{admitted}, {settled} settled");
                let at_once = self.unready() + decision.moves.len();
                assert!(at_once <= self.gate.most_at_once(), "{at_once} of {counts:?}");
            }
            let in_flight = counts.moving.max(self.flying()) + decision.moves.len();
            assert!(self.most_in_flight.is_none_or(|most| in_flight <= most), "{in_flight}");
        }
        assert!(decision.moves.iter().all(|it| it.from != self.scene.target.digest));
        self.check_direction(decision);
        assert_eq!(counts.admitted, self.admitted().count());
        let waiting: usize = decision.waiting.iter().map(|it| it.told.count).sum();
        assert_eq!(waiting + decision.moves.len() + counts.admitted, counts.eligible);
        self.check_restart(decision);
    }

    /// Nobody moves to a revision before its own but on the way back, and nobody returns but from what was aborted (V38).
    fn check_direction(&self, decision: &Decision) {
        let is_back = self.scene.movement != Movement::Forward;
        let newest = |letter: char| {
            let content = usize::from(letter as u8 - b'a');
            self.revisions.iter().rposition(|it| it.content == content)
        };
        for it in &decision.moves {
            let from = letter(it.from);
            assert!(is_back || newest(from) < Some(self.target), "{from} after {}", self.target);
        }
        assert!(decision.returns.is_empty() || self.scene.controls.is_aborted, "{:?}", decision.returns);
    }

    /// Those who were admitted to the target since it is the target.
    fn admitted(&self) -> impl Iterator<Item = &Written> {
        let (target, started) = (self.scene.target.digest, self.scene.progress.started);
        let is_admitted = move |it: &&Written| {
            let it = &it.member;
            let is_of_this = it.admission.is_some_and(|it| it.from != target && it.at >= started);
            it.stance == Stance::Auto && it.assigned == Some(target) && is_of_this
        };
        self.scene.members.iter().filter(is_admitted)
    }

    /// Whether somebody waits for one that was admitted, however time is counted: it is well, and has not arrived or not for long.
    fn is_waited_for(&self, written: &Written) -> bool {
        let is_excused = written.member.admission.is_some_and(|it| it.is_excused);
        !is_excused && (self.is_on_its_way(written) || self.soaks(written))
    }

    /// Whether it is well and may yet arrive in time.
    fn is_on_its_way(&self, Written { member, is_there, .. }: &Written) -> bool {
        let is_late = |it: Admission| it.at <= at(self.now - DEADLINE);
        member.is_ready() && !is_there && !member.admission.is_some_and(is_late)
    }

    fn soaks(&self, Written { member, is_there, .. }: &Written) -> bool {
        let soak = self.scene.policy.soak;
        let is_new = |it: Observed| at(self.now).duration_since(it.since) < soak;
        let is_instant = self.scene.movement != Movement::Forward;
        member.is_ready() && *is_there && !is_instant && member.observed.is_some_and(is_new)
    }

    /// How many are on their way at least, excused or not.
    fn flying(&self) -> usize {
        self.admitted().filter(|it| self.is_on_its_way(it)).count()
    }

    /// How many are on their way; for a gate that looks at all instances, everybody who should run the target and is not ready.
    fn unready(&self) -> usize {
        let target = self.scene.target.digest;
        let is_ready = |it: &Written| it.member.is_ready() && it.is_there;
        let unready = |it: &&Written| it.member.assigned == Some(target) && !is_ready(it);
        if matches!(self.gate, Gate::Budget(_)) {
            return self.scene.decide(self.now).counts.moving.max(self.flying());
        }
        self.scene.members.iter().filter(unready).count()
    }

    /// Whoever reads the same in another order decides the same.
    fn check_restart(&self, decision: &Decision) {
        let mut turned = self.scene.clone();
        turned.members.reverse();
        let again = turned.decide(self.now);
        let moved = |scene: &Scene, it: &Decision| scene.names(it.moves.iter().map(|it| it.member));
        assert_eq!(moved(&turned, &again), moved(&self.scene, decision));
        assert_eq!(
            (again.phase, again.mark, again.look_again),
            (decision.phase.clone(), decision.mark.clone(), decision.look_again)
        );
        assert_eq!((again.counts, again.waiting), (decision.counts, decision.waiting.clone()));
    }

    /// Nothing fails any more, and every gate holds some time: everybody arrives.
    fn settle(&mut self) -> Decision {
        self.scene.controls.paused = None;
        self.retry();
        for _ in 0..60 + 2 * self.scene.members.len() {
            self.now += 1_000;
            let now = at(self.now);
            self.scene.members.iter_mut().for_each(|it| arrive(it, now));
            self.now += 1_000;
            self.scene.members.iter_mut().for_each(say);
            let decision = self.scene.decide(self.now);
            let is_quiet = decision.moves.is_empty() && decision.births.is_empty();
            if decision.phase == Phase::Completed && is_quiet {
                return decision;
            }
            self.look(usize::MAX);
        }
        panic!("does not come to rest: {:?}", self.scene.decide(self.now));
    }
}

/// What an instance says last: nothing of an admission that it has not heard of.
fn say(written: &mut Written) {
    let is_active = written.member.is_ready() && written.member.observed.is_some();
    written.object["status"]["state"] = json!(if is_active { "ACTIVE" } else { "IN_PROGRESS" });
}

fn arrive(written: &mut Written, now: jiff::Timestamp) {
    written.member.health = Health::Ready;
    if !written.is_there && written.member.assigned.is_some() {
        written.observe(now);
    }
}

/// A fleet, and what happens to it.
#[derive(Clone, Debug)]
struct Story {
    steps: Vec<Step>,
    gate: Gate,
    most_in_flight: Option<usize>,
    on_failure: &'static str,
    soak: i64,
    max_failures: usize,
    fleet: usize,
}

fn stories(
    fleet: std::ops::Range<usize>,
    steps: std::ops::Range<usize>,
    at_once: usize,
) -> impl Strategy<Value = Story> {
    let on_failure = prop_oneof![Just("Halt"), Just("Rollback"), Just("Continue")];
    let soak = prop_oneof![Just(0i64), Just(60)];
    let steps = prop::collection::vec(step(at_once + 1), steps);
    let most_in_flight = prop::option::of(1..=at_once);
    (steps, gate(at_once), most_in_flight, on_failure, soak, 0..=at_once / 2, fleet).prop_map(
        |(steps, gate, most_in_flight, on_failure, soak, max_failures, fleet)| Story {
            steps,
            gate,
            most_in_flight,
            on_failure,
            soak,
            max_failures,
            fleet,
        },
    )
}

impl Story {
    fn play(&self) -> TestCaseResult {
        let policy =
            json!({"onFailure": self.on_failure, "soakSeconds": self.soak, "maxFailures": self.max_failures});
        let mut world = World::new(self.gate, self.most_in_flight, policy, self.fleet);
        for step in &self.steps {
            world.step(step);
        }
        let decision = world.settle();
        prop_assert!(decision.mark.is_none() && decision.look_again.is_none());
        prop_assert!(decision.moves.is_empty() && decision.returns.is_empty() && decision.births.is_empty());
        for written in &world.scene.members {
            let member = &written.member;
            if member.stance == Stance::Auto {
                prop_assert_eq!(member.assigned, Some(world.scene.target.digest), "{}", written.name);
            }
        }
        Ok(())
    }
}

/// Half as many cases as usual, since each is a long story; `PROPTEST_CASES` asks for more.
fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases / 2, failure_persistence: None, ..usual }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn v41_whatever_happens(story in stories(1..14, 1..120, 4)) {
        story.play()?;
    }
}

#[test]
fn v41_whatever_happens_to_larger_fleets() {
    let run = Run { name: "propagation-fleets", cases: 20, shrinks: 300 };
    krono_testkit::run_from(41, run, &stories(20..150, 20..200, 40), |story| story.play());
}
