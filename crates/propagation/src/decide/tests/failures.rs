//! What counts as a failure, and which time counts.

use serde_json::json;

use crate::Phase;
use crate::fleet::{Cause, Standstill};
use crate::scene::{Scene, at};

#[test]
fn v37_how_an_instance_fails() {
    let policy = json!({"soakSeconds": 300, "progressDeadlineSeconds": 600, "maxFailures": 9});
    let check = |member: &str, now: i64, expected: &str| {
        let scene = Scene::new(&[member]).policy(policy.clone());
        assert_eq!(scene.standings(now), format!("x {expected}"), "{member} {now}");
    };
    check("x b<a@20 error@50", 80, "InFlight(Updating)");
    check("x b<a@20 error@50", 81, "Settled(Failed(Error))");
    check("x b<a@20 unready@50", 619, "InFlight(Updating)");
    check("x b<a@20 unready@50", 620, "Settled(Failed(Deadline))");
    check("x b<a@20", 620, "Settled(Failed(Deadline))");
    check("x b<a@20 obs@30 unready@50", 80, "InFlight(Soaking)");
    check("x b<a@20 obs@30 unready@50", 81, "Settled(Failed(Soak))");
    check("x b<a@20 obs@30 unready@50", 999, "Settled(Failed(Soak))");
    check("x b<a@20 obs@30 error@50", 81, "Settled(Failed(Error))");
    // The soak is over before: that is its own affair.
    check("x b<a@20 obs@30 unready@331", 999, "Settled(Observed)");
    check("x b<a@20 obs@30 error@331", 999, "Settled(Observed)");
    // What held it up does not count.
    check("x b<a@20 hindered=100", 719, "InFlight(Updating)");
    check("x b<a@20 hindered=100", 720, "Settled(Failed(Deadline))");
}

#[test]
fn v37_closed_windows_do_not_count_towards_the_deadline() {
    let policy = json!({"windows": [{"schedule": "0 * * * *", "duration": "10m"}], "progressDeadlineSeconds": 900, "maxFailures": 1});
    let check = |now: i64, expected: &str| {
        let scene = Scene::new(&["x b<a@300"]).policy(policy.clone());
        assert_eq!(scene.standings(now), format!("x {expected}"), "{now}");
    };
    check(3_599, "InFlight(Updating)");
    check(3_600 + 599, "InFlight(Updating)");
    check(3_600 + 600, "Settled(Failed(Deadline))");
}

#[test]
fn v37_windows_that_open_often_hide_no_deadline() {
    let check = |schedule: &str, lasts: &str, deadline: i64| {
        let policy = json!({"windows": [{"schedule": schedule, "duration": lasts}], "progressDeadlineSeconds": deadline, "maxFailures": 1});
        let scene = Scene::new(&["x b<a@300"]).policy(policy);
        assert_eq!(scene.standings(300 + deadline - 1), "x InFlight(Updating)", "{schedule}");
        assert_eq!(scene.standings(300 + deadline), "x Settled(Failed(Deadline))", "{schedule}");
    };
    check("* * * * * *", "1h", 1_800);
    check("* * * * *", "1m", 3 * 86_400);
    check("*/10 * * * * *", "1d", 30 * 86_400);
}

#[test]
fn v39_time_without_a_leader_counts_for_nothing() {
    let mut scene = Scene::new(&["x b<a@20", "y b<a@20 obs@30", "z b<a@20 obs@30 unready@40"])
        .policy(json!({"soakSeconds": 100, "maxFailures": 9}));
    scene.standstills = vec![Standstill { from: at(50), to: at(1_050), cause: Cause::NoLeader }];
    scene.leading_since = 1_050;
    let z = "z InFlight(Soaking)";
    assert_eq!(scene.standings(1_079), format!("x InFlight(Updating), y InFlight(Soaking), {z}"));
    assert_eq!(scene.standings(1_130), "x InFlight(Updating), y Settled(Observed), z Settled(Failed(Soak))");
    assert_eq!(scene.standings(1_619).split(',').next(), Some("x InFlight(Updating)"));
    assert_eq!(scene.standings(1_620).split(',').next(), Some("x Settled(Failed(Deadline))"));
}

#[test]
fn v39_who_began_after_a_time_without_a_leader_is_looked_at_when_it_can_be_late() {
    let check = |member: &str, now: i64, expected: i64| {
        let mut scene = Scene::new(&[member]).policy(json!({"progressDeadlineSeconds": 100}));
        scene.standstills = vec![Standstill { from: at(50), to: at(9_050), cause: Cause::NoLeader }];
        scene.leading_since = 9_050;
        assert_eq!(scene.decide(now).look_again, Some(at(expected)), "{member} {now}");
    };
    check("x b<a@9060", 9_060, 9_160);
    check("x b<a@9060", 9_100, 9_160);
    check("x b<a@20", 9_060, 9_120);
    check("x b<a@9060 hindered=30", 9_070, 9_190);
}

#[test]
fn v39_unreadiness_found_at_takeover_starts_then() {
    let mut scene = Scene::new(&["x b<a@20 error@30"]).policy(json!({"maxFailures": 1}));
    scene.leading_since = 100;
    assert_eq!(scene.standings(130), "x InFlight(Updating)");
    assert_eq!(scene.standings(131), "x Settled(Failed(Error))");
}

#[test]
fn v39_a_stamp_in_the_future_counts_as_now() {
    let scene = Scene::new(&["x b<a@900 error@900", "y b<a@20 obs@900", "z a"])
        .policy(json!({"soakSeconds": 10, "maxInFlight": 2}));
    let decision = scene.decide(100);
    assert_eq!(scene.standings(100), "x InFlight(Updating), y InFlight(Soaking), z Candidate");
    assert_eq!(decision.look_again, Some(at(110)));
}

#[test]
fn v42_a_pause_does_not_count_towards_the_deadline() {
    let mut scene = Scene::new(&["x b<a@20"]).policy(json!({"maxFailures": 1}));
    scene.standstills = vec![Standstill { from: at(100), to: at(400), cause: Cause::Paused }];
    assert_eq!(scene.standings(919), "x InFlight(Updating)");
    assert_eq!(scene.standings(920), "x Settled(Failed(Deadline))");
    scene.standstills.clear();
    scene.controls.paused = Some(at(100));
    assert_eq!(scene.standings(99_999), "x InFlight(Updating)");
}

#[test]
fn v36_more_failures_than_may_be_halt() {
    let check = |max_failures: serde_json::Value, expected: Option<&str>| {
        let scene = Scene::new(&["x b<a@20 error@30", "y b<a@20 error@30", "u a", "v a"])
            .policy(json!({"maxFailures": max_failures}));
        let decision = scene.decide(100);
        assert_eq!(decision.mark.as_ref().map(ToString::to_string).as_deref(), expected);
        assert_eq!(
            scene.names(decision.moves.iter().map(|it| it.member)),
            if expected.is_some() { "" } else { "u v" }
        );
    };
    check(json!(0), Some("halted: 2 of 4 instances failed: x, y"));
    check(json!(1), Some("halted: 2 of 4 instances failed, 1 may: x, y"));
    check(json!(2), None);
    check(json!("49%"), Some("halted: 2 of 4 instances failed, 1 may: x, y"));
    check(json!("50%"), None);
}

#[test]
fn v36_failures_may_be_passed_over() {
    let scene = Scene::new(&["x b<a@20 error@30", "u a"]).policy(json!({"onFailure": "Continue"}));
    let decision = scene.decide(100);
    assert_eq!((scene.moves(100).as_str(), decision.counts.failed, decision.mark), ("u", 1, None));
}

#[test]
fn v38_what_fails_after_completion_is_its_own_affair() {
    let mut scene = Scene::new(&["x b<a@20 error@30", "y b<a@20 obs@30", "u a"]);
    scene.progress.is_completed = true;
    let decision = scene.decide(100);
    assert_eq!((decision.mark.clone(), scene.moves(100).as_str()), (None, "u"));
    assert_eq!(decision.failures.len(), 1);
}

#[test]
fn v38_completed_when_all_who_take_part_have_settled() {
    let check = |members: &[&str], expected: Phase| {
        assert_eq!(Scene::new(members).phase(100), expected, "{members:?}");
    };
    check(&["x b<a@20 obs@30", "y b", "z a pinned"], Phase::Completed);
    check(&["x b<a@20! unready@30"], Phase::Completed);
    check(&[], Phase::Completed);
    check(&["x b<a@20"], Phase::Propagating);
    check(&["x b<a@20 obs@30", "y a"], Phase::Propagating);
}

#[test]
fn v41_a_halted_propagation_admits_nobody() {
    // The one that failed has recovered; the mark stays.
    let scene = Scene::new(&["x b<a@20 obs@30", "y a"]).marked("halted: 1 of 2 instances failed");
    let decision = scene.decide(100);
    assert_eq!(decision.phase, Phase::Halted("1 of 2 instances failed".to_owned()));
    assert_eq!((decision.moves.len(), decision.mark), (0, None));
    assert_eq!(
        scene.waiting(100),
        [
            "1 Halted: the propagation was given up; edit the definition, or run `krono propagation retry rgd/NAME`"
        ]
    );
}

#[test]
fn v41_the_next_look_is_when_something_changes_by_itself() {
    let check = |member: &str, expected: Option<i64>| {
        let scene =
            Scene::new(&[member, "y b<a@20 obs@30"]).policy(json!({"soakSeconds": 60, "maxFailures": 9}));
        let found = scene.decide(100).look_again;
        assert_eq!(found, expected.map(at), "{member}");
        // Nothing changes before.
        if let Some(expected) = expected {
            assert_eq!(scene.standings(expected - 1), scene.standings(100), "{member}");
            assert_ne!(scene.standings(expected), scene.standings(100), "{member}");
        }
    };
    check("x b<a@20", Some(620));
    check("x b<a@20 error@90", Some(121));
    check("x b<a@20 obs@80", Some(140));
    check("x b<a@20 obs@80 unready@95", Some(126));
    check("x b<a@20 obs@30", None);
}

/// It was born there, or came there before: its waves are not these.
#[test]
fn v33_who_is_at_the_content_and_not_ready_neither_blocks_nor_opens() {
    for gate in ["exponentiallyUpdated(instances, each)", "linearlyUpdated(instances, each, 1)"] {
        let check = |born: &str, moved: &str, expected: &str| {
            let scene = Scene::new(&[born, moved, "y a", "z a"]).gate(gate);
            let decision = scene.decide(100);
            let moves = scene.names(decision.moves.iter().map(|it| it.member));
            assert!(
                moves.starts_with(expected) && (moves.is_empty() == expected.is_empty()),
                "{born}: {moves}"
            );
            assert_eq!((decision.mark, decision.counts.failed), (None, 0), "{born}");
        };
        for born in ["p b", "p b unready@20", "p b error@20", "p b<a@5 unready@20"] {
            check(born, "x b<a@20 obs@30", "y");
            check(born, "x b<a@20", "");
        }
    }
    let alone = Scene::new(&["p b error@20", "x b<a@20 obs@30"]);
    assert_eq!(alone.phase(100), Phase::Completed);
}
