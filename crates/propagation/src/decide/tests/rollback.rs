//! Going back.

use serde_json::json;

use crate::Phase;
use crate::fleet::{Cause, Deletions, Movement, Observed, RollbackBy, Standstill};
use crate::policy::{Policy, RollbackMode};
use crate::scene::{INSTANT, Scene, at, content};

const AUTOMATIC: Movement = Movement::Back { mode: RollbackMode::Instant, by: RollbackBy::Failures };
const CONTROLLED: Movement = Movement::Back { mode: RollbackMode::Controlled, by: RollbackBy::Person };

fn failing(policy: serde_json::Value) -> Scene {
    Scene::new(&["x b<a@20 error@30", "y a"]).policy(policy)
}

#[test]
fn v21_too_many_failures_mark_the_content_and_the_hold_follows() {
    let decision = failing(json!({"onFailure": "Rollback"})).decide(100);
    assert_eq!(decision.phase, Phase::RolledBack("1 of 2 instances failed: x".to_owned()));
    assert_eq!(
        decision.mark.as_ref().map(ToString::to_string).as_deref(),
        Some("rolled back: 1 of 2 instances failed: x")
    );
    assert_eq!(decision.moves, []);
}

#[test]
fn v21_without_anything_good_to_go_back_to_it_halts() {
    let mut scene = failing(json!({"onFailure": "Rollback"}));
    scene.last_good = None;
    assert_eq!(scene.phase(100), Phase::Halted("1 of 2 instances failed: x".to_owned()));
}

#[test]
fn v21_where_the_last_good_revision_is_below_the_minimum_it_halts_and_says_so() {
    let check = |minimum: u64, on_failure: &str, expected: Phase| {
        let mut scene = failing(json!({"onFailure": on_failure}));
        scene.definition =
            json!({"spec": {"revisionManagement": {"instances": {"minimumRevision": minimum}}}});
        assert_eq!(scene.phase(100), expected, "{minimum} {on_failure}");
    };
    let failed = "1 of 2 instances failed: x";
    check(1, "Rollback", Phase::RolledBack(failed.to_owned()));
    let obstacle =
        "nobody goes back: revision 1, the last good one, is below 2, the lowest that the definition allows";
    check(2, "Rollback", Phase::Halted(format!("{failed}; {obstacle}")));
    check(2, "Halt", Phase::Halted(failed.to_owned()));
}

#[test]
fn v21_what_was_halted_stays_so_when_the_policy_is_edited() {
    let scene = failing(json!({"onFailure": "Rollback"})).marked("halted: x failed");
    assert_eq!(scene.phase(100), Phase::Halted("x failed".to_owned()));
}

#[test]
fn v21_a_rollback_is_never_rolled_back() {
    for movement in [INSTANT, AUTOMATIC, CONTROLLED] {
        let mut scene = failing(json!({"onFailure": "Rollback"}));
        scene.movement = movement;
        let decision = scene.decide(100);
        assert_eq!(decision.mark, None, "{movement:?}");
        assert!(!matches!(decision.phase, Phase::RolledBack(_)), "{movement:?}");
    }
}

#[test]
fn v23_an_instant_rollback_waits_for_nothing_but_room() {
    let mut scene = Scene::of(3).gate("fleet.total > 9").policy(json!({
        "paused": true, "soakSeconds": 60, "windows": [{"schedule": "0 6 * * *", "duration": "1h"}],
        "stages": [{"name": "none", "instanceSelector": {}, "requireApproval": true}],
    }));
    assert_eq!(scene.moves(20), "");
    scene.movement = INSTANT;
    scene.controls.paused = Some(at(5));
    assert_eq!(scene.moves(20), "i0 i1 i2");
    // Who pauses the rollback itself is obeyed.
    scene.controls.paused = Some(at(15));
    assert_eq!(scene.moves(20), "");
}

#[test]
fn v23_a_controlled_rollback_respects_everything() {
    let mut scene = Scene::of(3).gate("exponentiallyUpdated(instances, each)");
    scene.movement = CONTROLLED;
    assert_eq!(scene.moves(20), "i0");
    let mut failing = failing(json!({}));
    failing.movement = CONTROLLED;
    assert_eq!(failing.phase(100), Phase::Halted("1 of 2 instances failed: x".to_owned()));
}

#[test]
fn v23_how_many_an_instant_rollback_moves_at_once() {
    let check = |count: usize, policy: serde_json::Value, expected: usize| {
        let mut scene = Scene::of(count).policy(policy);
        scene.movement = INSTANT;
        assert_eq!(scene.decide(20).moves.len(), expected, "{count}");
    };
    check(99, json!({}), 99);
    check(400, json!({}), 100);
    check(1_000, json!({}), 200);
    check(400, json!({"maxInFlight": 7}), 7);
}

#[test]
fn v23_an_instant_rollback_reports_failures_and_never_halts() {
    let mut scene = failing(json!({}));
    scene.movement = INSTANT;
    let decision = scene.decide(100);
    assert_eq!((scene.moves(100).as_str(), decision.failures.len()), ("y", 1));
    assert_eq!(decision.phase, Phase::Propagating);
}

#[test]
fn v23_who_hangs_on_an_instant_way_back_fails_in_a_pause_that_was_there_before_and_while_windows_are_closed()
{
    let closed = json!([{"schedule": "0 6 * * *", "duration": "1h"}]);
    let check = |policy: serde_json::Value, paused: Option<i64>, standstills: &[(i64, i64)], moves: &str| {
        let mut scene = Scene::new(&["x b<a@20", "y a"]).policy(policy);
        scene.movement = INSTANT;
        scene.controls.paused = paused.map(at);
        let paused =
            |(from, to): &(i64, i64)| Standstill { from: at(*from), to: at(*to), cause: Cause::Paused };
        scene.standstills = standstills.iter().map(paused).collect();
        assert_eq!((scene.moves(100).as_str(), scene.moves(140).as_str()), ("", moves), "{:?}", scene.policy);
    };
    let policy = json!({"maxInFlight": 1, "progressDeadlineSeconds": 100});
    let within = json!({"maxInFlight": 1, "progressDeadlineSeconds": 100, "windows": closed});
    check(policy.clone(), None, &[], "y");
    check(policy.clone(), Some(5), &[], "y");
    check(policy.clone(), None, &[(5, 60)], "y");
    check(within, None, &[], "y");
    // A pause of the rollback itself stops the clock.
    check(policy, None, &[(30, 60)], "");
}

#[test]
fn v23_an_instant_way_back_does_not_soak() {
    let mut scene =
        Scene::new(&["x b<a@20 obs@30", "y a"]).policy(json!({"maxInFlight": 1, "soakSeconds": 60}));
    assert_eq!(scene.moves(40), "");
    scene.movement = INSTANT;
    assert_eq!(scene.moves(40), "y");
    // Who broke in the soak of what is left still goes first.
    let mut scene = Scene::new(&["x c", "y c<b@20 obs@30 unready@50"]);
    (scene.policy, scene.movement) =
        (Policy::read(&json!({"maxInFlight": 1, "soakSeconds": 60})).unwrap(), INSTANT);
    assert_eq!(scene.moves(100), "y");
}

#[test]
fn v23_who_failed_goes_first() {
    let mut scene = Scene::new(&["a c", "b c<b@20 unready@30"]).policy(json!({"maxInFlight": 1}));
    scene.movement = INSTANT;
    assert_eq!(scene.moves(100), "b");
}

#[test]
fn v23_on_the_way_back_who_failed_goes_before_all_wishes() {
    let check = |movement: Movement, stages: serde_json::Value, expected: &str| {
        let members = ["a c order=-1 label=ring:1", "b c order=-1", "c c<b@20 unready@30"];
        let mut scene = Scene::new(&members).policy(json!({"maxInFlight": 1, "stages": stages}));
        scene.movement = movement;
        assert_eq!(scene.moves(100), expected, "{movement:?} {stages}");
    };
    let stages = json!([{"name": "first", "instanceSelector": {"matchLabels": {"ring": "1"}}}]);
    check(INSTANT, json!([]), "c");
    check(INSTANT, stages.clone(), "c");
    check(CONTROLLED, json!([]), "c");
    // Whoever is of a later stage cannot go before all of an earlier one.
    check(CONTROLLED, stages.clone(), "a");
    check(Movement::Forward, json!([]), "a");
}

#[test]
fn v23_a_rollback_of_a_broken_fleet_keeps_to_its_room() {
    let texts: Vec<String> = (0..10).map(|it| format!("i{it} c<b@5 unready@6 created={it}")).collect();
    let mut scene = Scene::new(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    scene = scene.policy(json!({"maxInFlight": 3}));
    scene.movement = INSTANT;
    let first = scene.decide(20);
    assert_eq!(scene.names(first.moves.iter().map(|it| it.member)), "i0 i1 i2");
    scene.perform(&first);
    assert_eq!((scene.moves(21).as_str(), scene.decide(21).look_again), ("", Some(at(620))));
    assert_eq!(scene.waiting(21), ["7 MaxInFlight: 3 may be on their way at once"]);
    // Whoever arrives makes room, and whoever is late.
    scene.members[1].member.observed = Some(Observed { digest: content('b'), since: at(30) });
    assert_eq!(scene.moves(31), "i3");
    assert_eq!(scene.moves(620), "i3 i4 i5");
}

#[test]
fn v25_an_automatic_rollback_leaves_what_it_would_delete() {
    let check = |movement: Movement, policy: serde_json::Value, moves: &str, leaves: bool| {
        let mut scene = Scene::of(2).policy(policy);
        (scene.movement, scene.controls.deletions) = (movement, Deletions::Pending);
        let decision = scene.decide(20);
        assert_eq!((scene.moves(20).as_str(), decision.leaves_surplus), (moves, leaves), "{movement:?}");
    };
    check(AUTOMATIC, json!({}), "i0 i1", true);
    check(AUTOMATIC, json!({"deletes": "RequireApproval"}), "i0 i1", true);
    check(AUTOMATIC, json!({"deletes": "Allow"}), "i0 i1", false);
    check(INSTANT, json!({}), "i0 i1", false);
    check(INSTANT, json!({"deletes": "RequireApproval"}), "", false);
}
