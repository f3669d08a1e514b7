//! What the platform owner allows.

use super::*;

#[test]
fn v28_what_the_platform_owner_forbids_is_ignored_and_reported() {
    let mut scene = Scene::new("1a 2b 3c");
    scene.limits.pins = Allowance::Forbidden;
    scene.limits.policies = Some([Policy::Auto].into());
    scene.check("1a", pin("1"), ("3c", Because::Following, &["PinForbidden"]));
    scene.check("1a", manual(None), ("3c", Because::Following, &["PolicyForbidden"]));
    let hold = Wishes { hold: Some(HeldInput::Of(content('a'))), ..AUTO };
    scene.check("1a", hold, ("3c", Because::Following, &["HoldForbidden"]));
    let order = |text| Wishes { order: Some(text), ..AUTO };
    scene.check("1a", order("first"), ("3c", Because::Following, &["OrderInvalid"]));
    scene.check("1a", order("-1"), ("3c", Because::Following, &[]));
    scene.limits.order = Allowance::Forbidden;
    scene.check("1a", order("-1"), ("3c", Because::Following, &["OrderForbidden"]));
    scene.limits.policies = Some(BTreeSet::new());
    scene.check("1a", Wishes { policy: Some("Auto"), ..AUTO }, ("3c", Because::Following, &[]));
}

#[test]
fn v28_nobody_runs_less_than_the_minimum() {
    let mut scene = Scene::new("1a 2b 3c 4a");
    scene.limits.minimum = Some(number(3));
    scene.check("2b", manual(None), ("3c", Because::Minimum, &["AwaitsApproval", "BelowMinimumRevision"]));
    scene.check("2b", pin("2"), ("3c", Because::Minimum, &["BelowMinimumRevision"]));
    scene.check("1a", pin("1"), ("1a", Because::Pinned, &[]));
    scene.limits.minimum = Some(number(9));
    scene.check("2b", pin("2"), ("2b", Because::Pinned, &["BelowMinimumRevision", "BelowMinimumRevision"]));
    scene.limits.minimum = Some(number(3));
    scene.refused = vec!['c'];
    scene.check("2b", pin("2"), ("2b", Because::Pinned, &["BelowMinimumRevision", "SpecRefused"]));
}

#[test]
fn v28_nobody_is_lifted_to_what_was_given_up() {
    let failed = Health::Failed("halted: 1 of 4 instances failed".to_owned());
    let mut scene = Scene::new("1a 2b 3c").with_health(2, &failed);
    scene.limits.minimum = Some(number(2));
    scene.check("1a", pin("1"), ("3c", Because::Minimum, &["BelowMinimumRevision"]));
    // The same content again is the same failure.
    let mut scene = Scene::new("1a 2b 3b").with_health(2, &failed);
    scene.limits.minimum = Some(number(2));
    let reasons = ["BelowMinimumRevision", "BelowMinimumRevision"];
    scene.check("1a", pin("1"), ("1a", Because::Pinned, &reasons));
    scene.check("2b", pin("2"), ("2b", Because::Pinned, &["PinnedToFailed"]));
    let waiting = scene.decide_behind(&Closed, "1a", AUTO);
    assert_eq!((shown(waiting.assignment).as_str(), waiting.because), ("1a", Because::AwaitingAdmission));
    let told: Vec<String> = waiting.remarks.iter().map(Remark::to_string).collect();
    let expected = "every revision that is at least 2, the lowest that the definition allows, was given up";
    assert_eq!(told.last().map(String::as_str), Some(expected));
}

#[test]
fn v41_who_waits_for_what_the_minimum_allows_goes_with_its_wave() {
    let mut scene = Scene::new("1a 2b 3c");
    let check = |scene: &Scene, gate: &dyn Gate, wishes: Wishes<'_>, expected: (&str, Because, usize)| {
        let verdict = scene.decide_behind(gate, "1a", wishes);
        let found = (shown(verdict.assignment), verdict.because, verdict.remarks.len());
        assert_eq!(found, (expected.0.to_owned(), expected.1, expected.2), "{wishes:?}");
    };
    scene.limits.minimum = Some(number(2));
    check(&scene, &Closed, AUTO, ("1a", Because::AwaitingAdmission, 0));
    check(&scene, &Open, AUTO, ("3c", Because::Following, 0));
    check(&scene, &Closed, pin("1"), ("2b", Because::Minimum, 1));
    check(&scene, &Closed, manual(None), ("2b", Because::Minimum, 2));
    // What is current is not allowed either.
    scene.limits.minimum = Some(number(3));
    (scene.current, scene.movement) = (Some(2), Movement::Held);
    check(&scene, &Closed, AUTO, ("3c", Because::Minimum, 1));
    // Nobody is admitted to what was given up.
    let failed = Health::Failed("halted: 1 of 4 instances failed".to_owned());
    let mut scene = Scene::new("1a 2b 3c").with_health(3, &failed);
    scene.limits.minimum = Some(number(2));
    check(&scene, &Closed, AUTO, ("2b", Because::Minimum, 1));
    scene.movement = Movement::Held;
    check(&scene, &Closed, AUTO, ("1a", Because::AwaitingAdmission, 0));
}

#[test]
fn v28_pins_expire_so_long_after_their_revision_was_superseded() {
    let mut scene = Scene::new("1a 2a 3c 4d");
    scene.limits.pin_expires = Some(SignedDuration::from_hours(48));
    let check = |scene: &mut Scene, day: i64, expected: (&str, Because, &[&str])| {
        scene.now = day * 86_400;
        scene.check("1a", pin("1"), expected);
    };
    check(&mut scene, 4, ("1a", Because::Pinned, &[]));
    check(&mut scene, 5, ("4d", Because::Following, &["PinExpired"]));
    scene.check("4d", pin("4"), ("4d", Because::Pinned, &[]));
}

#[test]
fn v28_a_pin_that_has_ended_does_not_begin_anew_when_what_ended_it_is_pruned() {
    let mut scene = Scene::new("1a 8h 9i");
    scene.limits.pin_expires = Some(SignedDuration::from_hours(48));
    scene.now = 9 * 86_400;
    scene.check("1a", pin("1"), ("1a", Because::Pinned, &[]));
    let noted =
        |it: &Revision| Revision { replaced_at: (it.number == number(1)).then(|| day(2)), ..it.clone() };
    scene.history = History::new(scene.history.live().map(noted).collect());
    scene.check("1a", pin("1"), ("9i", Because::Following, &["PinExpired"]));
}
