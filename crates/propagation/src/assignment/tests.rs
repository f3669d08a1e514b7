//! The rules, one by one.

mod limits;

use std::collections::BTreeSet;

use jiff::SignedDuration;
use krono_history::revision::Health;
use serde_json::json;

use super::*;
use crate::limits::{Allowance, Policy};

/// Revisions by number and content; a letter is a content.
struct Scene {
    history: History,
    limits: Limits,
    current: Option<u64>,
    movement: Movement<'static>,
    now: i64,
    refused: Vec<char>,
    broken: Vec<char>,
    /// Contents under which no resource becomes another; one that accounts for more is there more than once.
    at: Vec<char>,
    recorded: Option<char>,
    stamp: Option<u64>,
}

fn number(number: u64) -> RevisionNumber {
    RevisionNumber::new(number).unwrap()
}

fn content(letter: char) -> Digest {
    Digest::of_content("test", &json!(letter.to_string()))
}

fn day(day: u64) -> Timestamp {
    Timestamp::from_second(i64::try_from(day).unwrap() * 86_400).unwrap()
}

fn revision(at: u64, letter: char) -> Revision {
    Revision::new(number(at), content(letter))
}

impl Evidence for Scene {
    fn refusal(&self, revision: &Revision) -> Option<String> {
        let refuses = self.refused.iter().any(|it| content(*it) == revision.digest);
        refuses.then(|| "spec.size: too large".to_owned())
    }

    fn unusable(&self, revision: &Revision) -> Option<String> {
        self.broken.iter().any(|it| content(*it) == revision.digest).then(|| "no such kind".to_owned())
    }

    fn fit(&self, of: Digest) -> Option<usize> {
        let fitting = self.at.iter().filter(|it| content(**it) == of).count();
        (fitting > 0).then_some(fitting)
    }

    fn recorded(&self) -> Option<Digest> {
        self.recorded.map(content)
    }

    fn highest_stamp(&self) -> Option<RevisionNumber> {
        self.stamp.map(number)
    }
}

/// `3c` is revision 3 with content c.
fn parse(text: &str) -> (u64, char) {
    let (digits, letter) = text.split_at(text.len() - 1);
    (digits.parse().unwrap(), letter.chars().next().unwrap())
}

fn assignment(text: &str) -> Assignment {
    let (at, letter) = parse(text);
    Assignment { number: number(at), digest: content(letter) }
}

fn shown(assignment: Option<Assignment>) -> String {
    let Some(assignment) = assignment else { return "none".to_owned() };
    let letter = ('a'..='z').find(|it| content(*it) == assignment.digest).unwrap();
    format!("{}{letter}", assignment.number)
}

impl Scene {
    /// The last revision is current, and revisions were issued a day apart.
    fn new(revisions: &str) -> Self {
        let issued = |(at, letter)| Revision { issued_at: Some(day(at)), ..revision(at, letter) };
        let revisions: Vec<Revision> = revisions.split(' ').map(parse).map(issued).collect();
        Self {
            current: revisions.last().map(|it| it.number.get()),
            history: History::new(revisions),
            limits: Limits::default(),
            movement: Movement::Free,
            now: 100 * 86_400,
            refused: Vec::new(),
            broken: Vec::new(),
            at: Vec::new(),
            recorded: None,
            stamp: None,
        }
    }

    fn with_health(mut self, at: u64, health: &Health) -> Self {
        let changed = |it: &Revision| {
            let health = if it.number == number(at) { health } else { &it.health };
            Revision { health: health.clone(), ..it.clone() }
        };
        self.history = History::new(self.history.live().map(changed).collect());
        self
    }

    fn decide(&self, assigned: &str, wishes: Wishes<'_>) -> Verdict {
        self.decide_behind(&Open, assigned, wishes)
    }

    fn decide_behind(&self, gate: &dyn Gate, assigned: &str, wishes: Wishes<'_>) -> Verdict {
        let assigned = (!assigned.is_empty()).then(|| assignment(assigned));
        let instance = Instance { assigned, life: Life::Living, wishes, evidence: self };
        decide(&self.fleet(), &instance, gate)
    }

    fn fleet(&self) -> Fleet<'_> {
        Fleet {
            history: &self.history,
            current: self.current.and_then(|it| self.history.find(number(it))).map(Assignment::of),
            movement: self.movement,
            highest: self.history.highest(),
            limits: &self.limits,
            now: Timestamp::from_second(self.now).unwrap(),
        }
    }

    /// Where an instance ends up, why, and the reasons of all remarks.
    fn check(&self, assigned: &str, wishes: Wishes<'_>, expected: (&str, Because, &[&str])) {
        let verdict = self.decide(assigned, wishes);
        let remarks: Vec<&str> = verdict.remarks.iter().map(Remark::reason).collect();
        let found = (shown(verdict.assignment), verdict.because, remarks);
        assert_eq!(found, (expected.0.to_owned(), expected.1, expected.2.to_vec()), "{assigned} {wishes:?}");
    }
}

fn pin(text: &str) -> Wishes<'_> {
    Wishes { pin: Some(text), ..Wishes::default() }
}

fn manual(approval: Option<&str>) -> Wishes<'_> {
    Wishes { policy: Some("Manual"), approval, ..Wishes::default() }
}

const AUTO: Wishes<'static> =
    Wishes { suspended: false, policy: None, pin: None, approval: None, hold: None, order: None };

#[test]
fn v14_instances_follow_what_is_current() {
    let scene = Scene::new("1a 2b 3c");
    scene.check("", AUTO, ("3c", Because::Following, &[]));
    scene.check("1a", AUTO, ("3c", Because::Following, &[]));
    scene.check("3c", AUTO, ("3c", Because::Following, &[]));
    scene.check("2b", Wishes { policy: Some("Automatic"), ..AUTO }, ("3c", Because::Following, &[]));
}

#[test]
fn v14_the_first_in_the_order_of_precedence_decides() {
    let mut scene = Scene::new("1a 2b 3c 4d");
    scene.limits.minimum = Some(number(2));
    let all = Wishes {
        suspended: true,
        policy: Some("Manual"),
        pin: Some("3"),
        approval: Some("4"),
        hold: Some(HeldInput::Of(content('a'))),
        order: None,
    };
    let evidence = &scene;
    let ending = Instance { assigned: Some(assignment("1a")), life: Life::Ending, wishes: all, evidence };
    let verdict = decide(&scene.fleet(), &ending, &Open);
    assert_eq!((shown(verdict.assignment).as_str(), verdict.because), ("1a", Because::Ending));
    scene.check("1a", all, ("1a", Because::Paused, &[]));
    let mut wishes = Wishes { suspended: false, ..all };
    scene.check("4d", wishes, ("2b", Because::Minimum, &["BelowMinimumRevision"]));
    wishes.hold = Some(HeldInput::Of(content('c')));
    wishes.pin = Some("2");
    scene.check("4d", wishes, ("3c", Because::InputHeld, &[]));
    wishes.hold = None;
    scene.check("4d", wishes, ("2b", Because::Pinned, &[]));
    wishes.pin = None;
    scene.check("3c", wishes, ("4d", Because::Approved, &[]));
    wishes.approval = None;
    scene.check("3c", wishes, ("3c", Because::Manual, &["AwaitsApproval"]));
    wishes.policy = None;
    scene.check("3c", wishes, ("4d", Because::Following, &[]));
}

#[test]
fn v14_an_assignment_that_was_lost_is_found_again() {
    let check = |at: &[char], stamp: Option<u64>, wishes: Wishes<'_>, expected: (&str, Because, &[&str])| {
        let scene = Scene { at: at.to_vec(), stamp, ..Scene::new("1a 2b 3c") };
        scene.check("", wishes, expected);
    };
    check(&['a', 'b'], Some(1), pin("1"), ("1a", Because::Pinned, &[]));
    check(&['a', 'b'], Some(1), manual(None), ("2b", Because::Manual, &[]));
    check(&[], Some(1), manual(None), ("1a", Because::Manual, &[]));
    check(&[], Some(9), manual(None), ("3c", Because::Manual, &[]));
    check(&[], None, manual(None), ("3c", Because::Manual, &[]));
    check(&['b'], None, pin("x"), ("2b", Because::Pinned, &["PinInvalid"]));
    check(&['b'], None, Wishes { suspended: true, ..AUTO }, ("2b", Because::Paused, &[]));
}

#[test]
fn v14_of_several_that_fit_the_one_that_is_told_otherwise_is_found_again() {
    let check = |at: &str, recorded: Option<char>, stamp: Option<u64>, expected: &str| {
        let scene = Scene { at: at.chars().collect(), recorded, stamp, ..Scene::new("2b 3c 4d 5e") };
        scene.check("", manual(None), (expected, Because::Manual, &[]));
    };
    // Stamps lag behind where revisions change no resource.
    check("bcd", None, Some(1), "4d");
    check("bcd", None, Some(2), "4d");
    check("bcd", Some('c'), Some(2), "3c");
    // What is recorded would write: what fits does not.
    check("bd", Some('c'), Some(2), "4d");
    // Nothing fits, as where a status is missed: what is recorded comes before any stamp.
    check("", Some('c'), Some(2), "3c");
    check("", Some('z'), Some(2), "2b");
    // What a newer one leaves out is still there, unless resources were written for the newer one.
    check("bbde", None, Some(2), "2b");
    check("bbde", None, Some(4), "5e");
    check("bbd", None, Some(9), "2b");
    // The revision of the stamp is pruned, and those up to the next changed nothing.
    check("", None, Some(1), "2b");
}

#[test]
fn v14_an_instance_that_follows_a_held_revision_and_fits_it_is_there() {
    let scene = |at: &str, recorded| Scene {
        at: at.chars().collect(),
        recorded,
        current: Some(3),
        movement: Movement::Held,
        ..Scene::new("1a 2b 3c 4d 5e")
    };
    let check = |scene: Scene, expected: (&str, Because)| {
        let verdict = scene.decide_behind(&Closed, "", AUTO);
        assert_eq!((shown(verdict.assignment).as_str(), verdict.because), expected);
    };
    check(scene("abcd", None), ("3c", Because::Following));
    check(scene("abcd", Some('b')), ("2b", Because::AwaitingAdmission));
    check(scene("ab", None), ("2b", Because::AwaitingAdmission));
}

#[test]
fn v14_an_assignment_whose_content_is_there_is_not_looked_for_elsewhere() {
    let scene = Scene { at: vec!['a'], recorded: Some('a'), stamp: Some(1), ..Scene::new("1a 2b 3c") };
    scene.check("2b", manual(None), ("2b", Because::Manual, &["AwaitsApproval"]));
}

#[test]
fn v26_a_pin_to_what_is_gone_has_nothing_written_for_another_revision() {
    let scene = |at: &str, recorded| Scene {
        at: at.chars().collect(),
        recorded,
        stamp: Some(1),
        ..Scene::new("2b 3c")
    };
    let check = |scene: Scene, assigned: &str, expected: &str| {
        scene.check(assigned, pin("1"), (expected, Because::Pinned, &["PinPruned"]));
    };
    check(scene("", None), "1a", "1a");
    check(scene("", Some('b')), "1a", "1a");
    check(scene("b", None), "1a", "2b");
    check(scene("bc", Some('c')), "1a", "3c");
    check(scene("", None), "3c", "3c");
    // Its status was lost: what is left tells where it was.
    check(scene("", Some('b')), "", "2b");
    check(scene("", None), "", "2b");
}

#[test]
fn v27_an_old_approval_moves_nobody_back_whose_assignment_was_lost() {
    let check = |scene: Scene, approval: &str, expected: (&str, Because, &[&str])| {
        scene.check("", manual(Some(approval)), expected);
    };
    let behind: &[&str] = &["ApprovalBehind"];
    check(Scene { at: vec!['c'], ..Scene::new("1a 2b 3c 4d") }, "2", ("3c", Because::Manual, behind));
    check(Scene { recorded: Some('c'), ..Scene::new("1a 2b 3c 4d") }, "2", ("3c", Because::Manual, behind));
    check(Scene { stamp: Some(3), ..Scene::new("1a 2b 3c 4d") }, "2", ("3c", Because::Manual, behind));
    check(Scene { at: vec!['c'], ..Scene::new("1a 2b 3c 4d") }, "4", ("4d", Because::Approved, &[]));
    // One of which nothing is left is new.
    check(Scene::new("1a 2b 3c 4d"), "2", ("2b", Because::Approved, &[]));
}

#[test]
fn v14_what_a_status_says_counts_by_content() {
    let scene = Scene { at: vec!['b'], ..Scene::new("2b 3c") };
    scene.check("7b", manual(None), ("7b", Because::Manual, &["AwaitsApproval"]));
    scene.check("1z", manual(None), ("2b", Because::Manual, &[]));
}

#[test]
fn v14_a_hold_of_the_definition_only_changes_what_is_current() {
    let scene = Scene { current: Some(2), movement: Movement::Held, ..Scene::new("1a 2b 3c") };
    scene.check("3c", AUTO, ("2b", Because::Following, &[]));
    scene.check("3c", pin("3"), ("3c", Because::Pinned, &[]));
    scene.check("3c", manual(None), ("3c", Because::Manual, &["AwaitsApproval"]));
    scene.check("1a", manual(Some("3")), ("1a", Because::Manual, &["ApprovalAhead", "AwaitsApproval"]));
    scene.check("1a", manual(Some("2")), ("2b", Because::Approved, &[]));
}

#[test]
fn v20_while_a_hold_is_invalid_everybody_stays() {
    let scene = Scene { movement: Movement::Stopped("no such revision"), ..Scene::new("1a 2b 3c") };
    scene.check("1a", AUTO, ("1a", Because::Following, &["HoldInvalid"]));
    scene.check("", AUTO, ("3c", Because::Following, &["HoldInvalid"]));
    scene.check("1a", pin("2"), ("2b", Because::Pinned, &[]));
}

#[test]
fn v15_a_spec_that_a_revision_refuses_is_not_assigned_to_it() {
    let scene = Scene { refused: vec!['c'], ..Scene::new("1a 2b 3c") };
    scene.check("2b", AUTO, ("2b", Because::Following, &["SpecRefused"]));
    scene.check("", AUTO, ("none", Because::Following, &["SpecRefused"]));
    scene.check("1a", pin("3"), ("1a", Because::Pinned, &["SpecRefused"]));
    scene.check("3c", AUTO, ("3c", Because::Following, &[]));
    scene.check("1a", pin("2"), ("2b", Because::Pinned, &[]));
    let told = scene.decide("2b", AUTO).remarks[0].to_string();
    assert_eq!(told, "revision 3 does not accept the spec: spec.size: too large");
}

#[test]
fn v24_equal_contents_are_the_same_assignment() {
    let scene = Scene::new("1a 2b 3a");
    scene.check("1a", AUTO, ("1a", Because::Following, &[]));
    scene.check("2b", AUTO, ("3a", Because::Following, &[]));
    scene.check("1a", pin("3"), ("1a", Because::Pinned, &[]));
    scene.check("1a", manual(None), ("1a", Because::Manual, &[]));
    scene.check("1a", manual(Some("2")), ("1a", Because::Manual, &["ApprovalBehind"]));
}

#[test]
fn v26_a_pin_that_makes_no_sense_leaves_the_instance_where_it_is() {
    let scene = Scene::new("3c 4d 5e");
    scene.check("4d", pin("3"), ("3c", Because::Pinned, &[]));
    for garbage in ["", "x", "-1", "03", "3 "] {
        scene.check("4d", pin(garbage), ("4d", Because::Pinned, &["PinInvalid"]));
        scene.check("", pin(garbage), ("none", Because::Pinned, &["PinInvalid"]));
    }
    scene.check("4d", pin("2"), ("4d", Because::Pinned, &["PinPruned"]));
    scene.check("4d", pin("9"), ("4d", Because::Pinned, &["PinInvalid"]));
    scene.check("", pin("9"), ("none", Because::Pinned, &["PinInvalid"]));
}

#[test]
fn v26_a_pin_names_content_not_health() {
    let scene = Scene::new("1a 2b 3c").with_health(1, &Health::Failed("3 instances failed".to_owned()));
    scene.check("3c", pin("1"), ("1a", Because::Pinned, &["PinnedToFailed"]));
    let scene = Scene::new("1a 2b 3a 4c").with_health(1, &Health::Failed("3 instances failed".to_owned()));
    scene.check("4c", pin("3"), ("3a", Because::Pinned, &["PinnedToFailed"]));
    let scene = Scene::new("1a 2b 3c").with_health(1, &Health::DoesNotCompile("no kind".to_owned()));
    scene.check("3c", pin("1"), ("3c", Because::Pinned, &["PinInvalid"]));
    scene.check("1a", pin("1"), ("1a", Because::Pinned, &["PinInvalid"]));
    let scene = Scene { broken: vec!['a'], ..Scene::new("1a 2b 3c") };
    scene.check("3c", pin("1"), ("3c", Because::Pinned, &["PinInvalid"]));
}

#[test]
fn v27_a_manual_instance_moves_when_somebody_approves() {
    let scene = Scene::new("1a 2b 3c");
    scene.check("1a", manual(None), ("1a", Because::Manual, &["AwaitsApproval"]));
    scene.check("1a", manual(Some("2")), ("2b", Because::Approved, &[]));
    scene.check("2b", manual(Some("2")), ("2b", Because::Approved, &[]));
    scene.check("3c", manual(Some("2")), ("3c", Because::Manual, &["ApprovalBehind"]));
    scene.check("1a", manual(Some("x")), ("1a", Because::Manual, &["ApprovalInvalid", "AwaitsApproval"]));
    scene.check("1a", manual(Some("9")), ("1a", Because::Manual, &["ApprovalInvalid", "AwaitsApproval"]));
    scene.check("", manual(None), ("3c", Because::Manual, &[]));
}

#[test]
fn v27_an_approval_of_what_is_behind_is_told() {
    let scene = Scene::new("1a 2b 3a");
    scene.check("1a", manual(Some("2")), ("1a", Because::Manual, &["ApprovalBehind"]));
    scene.check("1a", manual(Some("1")), ("1a", Because::Manual, &[]));
}

#[test]
fn v27_an_approval_moves_nobody_who_follows() {
    let scene = Scene::new("1a 2b 3c");
    scene.check("1a", Wishes { approval: Some("2"), ..AUTO }, ("3c", Because::Following, &[]));
}

#[test]
fn v27_paused_instances_stay() {
    let scene = Scene::new("1a 2b 3c");
    scene.check("1a", Wishes { policy: Some("Paused"), ..AUTO }, ("1a", Because::Paused, &[]));
    scene.check("", Wishes { policy: Some("paused"), ..AUTO }, ("3c", Because::Paused, &[]));
    scene.check("1a", Wishes { policy: Some("Later"), ..AUTO }, ("1a", Because::Manual, &["PolicyInvalid"]));
}

#[test]
fn v22_an_instance_is_held_at_the_content_of_its_input() {
    let scene = Scene::new("1a 2b 3c");
    let held = |hold: HeldInput<'static>| Wishes { hold: Some(hold), pin: Some("2"), ..AUTO };
    scene.check("3c", held(HeldInput::Of(content('a'))), ("1a", Because::InputHeld, &[]));
    let unusable = held(HeldInput::Unusable("there is no input revision 7"));
    scene.check("3c", unusable, ("3c", Because::InputHeld, &["HoldInvalid"]));
}

#[test]
fn v22_a_held_input_is_not_judged_by_the_spec_of_today() {
    let scene = Scene { refused: vec!['a'], ..Scene::new("1a 2b") };
    let held = Wishes { hold: Some(HeldInput::Of(content('a'))), ..AUTO };
    scene.check("2b", held, ("1a", Because::InputHeld, &[]));
    scene.check("2b", pin("1"), ("2b", Because::Pinned, &["SpecRefused"]));
}

struct Closed;

impl Gate for Closed {
    fn admits(&self, _: Option<Assignment>, _: Assignment) -> bool {
        false
    }
}

#[test]
fn v33_a_gate_holds_back_only_those_who_follow_and_move() {
    let scene = Scene::new("1a 2b 3c");
    let check = |assigned: &str, wishes: Wishes<'_>, expected: (&str, Because)| {
        let verdict = scene.decide_behind(&Closed, assigned, wishes);
        assert_eq!((shown(verdict.assignment).as_str(), verdict.because), expected, "{assigned} {wishes:?}");
    };
    check("1a", AUTO, ("1a", Because::AwaitingAdmission));
    check("3c", AUTO, ("3c", Because::Following));
    check("", AUTO, ("3c", Because::Following));
    check("1a", pin("2"), ("2b", Because::Pinned));
    check("1a", manual(Some("3")), ("3c", Because::Approved));
}

#[test]
fn v40_verdicts_are_counted_with_the_first_names() {
    let scene = Scene::new("1a 2b 3c");
    let (fine, wrong) = (scene.decide("1a", AUTO), scene.decide("1a", pin("x")));
    let all = [("a", &wrong), ("b", &wrong), ("c", &wrong), ("d", &wrong), ("e", &fine)];
    let report = report(all);
    assert_eq!(report.decided[&Because::Following].count, 1);
    let told = &report.remarked["PinInvalid"];
    assert_eq!((told.count, told.first.join(" ").as_str()), (4, "a b c"));
}
