//! Looks at fleets, one after another.

use krono_model::names;
use serde_json::{Value, json};

use crate::fleet::Fleet;

/// Everybody is well at revision 2, with content b.
fn at_second(count: usize, propagation: Value) -> Fleet {
    let mut fleet = Fleet::new(count, propagation);
    fleet.issue('b', &["one"]);
    fleet.finish();
    assert_eq!((fleet.assigned(), fleet.phase()), ("b".repeat(count), "Completed"));
    fleet.heard.clear();
    fleet
}

#[test]
fn v23_a_controlled_way_back_that_halts_stays_halted_until_somebody_has_it_tried_again() {
    let mut fleet = at_second(4, json!({"maxInFlight": 1}));
    fleet.roll_back(1, "Controlled");
    fleet.rest();
    assert_eq!(fleet.assigned(), "abbb");
    fleet.fail(0);
    fleet.wait(60);
    fleet.rest();
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Halted", "abbb"));
    let halted = "PropagationHalted: revision 3 reaches nobody else: 1 of 4 instances failed: home/i000";
    assert_eq!(fleet.heard.iter().filter(|it| *it == halted).count(), 1, "{:#?}", fleet.heard);
    fleet.arrive(0);
    fleet.takeover(100);
    fleet.rest();
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Halted", "abbb"));
    fleet.annotate(names::PROPAGATION_ANNOTATION, Some("retry"));
    fleet.rest();
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Propagating", "aabb"));
    assert!(fleet.definition["metadata"]["annotations"].get(names::PROPAGATION_ANNOTATION).is_none());
    fleet.finish();
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Completed", "aaaa"));
}

#[test]
fn v23_a_way_back_that_is_no_longer_controlled_is_not_halted() {
    let mut fleet = at_second(3, json!({"maxInFlight": 1}));
    fleet.roll_back(1, "Controlled");
    fleet.rest();
    fleet.fail(0);
    fleet.wait(60);
    fleet.rest();
    assert_eq!(fleet.phase(), "Halted");
    fleet.annotate(names::ROLLBACK_MODE_ANNOTATION, Some("Instant"));
    fleet.finish();
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Completed", "aaa"));
}

#[test]
fn v23_an_instant_way_back_goes_on_after_a_takeover_though_a_pause_was_there_before() {
    for by_spec in [true, false] {
        let mut fleet = at_second(3, json!({"maxInFlight": 1}));
        if by_spec {
            fleet.patch_definition(json!({"spec": {"propagation": {"paused": true}}}));
        } else {
            fleet.annotate(names::PROPAGATION_ANNOTATION, Some("paused"));
        }
        fleet.rest();
        fleet.roll_back(1, "Instant");
        fleet.rest();
        assert_eq!(fleet.assigned(), "abb");
        fleet.takeover(100);
        fleet.rest();
        fleet.finish();
        assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Completed", "aaa"));
    }
}

#[test]
fn v23_a_way_back_is_bounded_though_the_definition_knows_no_waves() {
    let moved = |fleet: &Fleet| fleet.assigned().matches('a').count();
    let mut fleet = Fleet::new(120, Value::Null);
    fleet.issue('b', &["one"]);
    fleet.rest();
    assert_eq!(moved(&fleet), 0, "forward everybody moves at once");
    fleet.finish();
    fleet.roll_back(1, "Instant");
    fleet.rest();
    assert_eq!(moved(&fleet), 100);
    fleet.finish();
    assert_eq!((moved(&fleet), fleet.phase()), (120, "Completed"));
    fleet.issue('c', &["one"]);
    fleet.rest();
    assert_eq!((fleet.assigned(), fleet.told()), ("c".repeat(120), &Value::Null));
}

#[test]
fn v23_a_controlled_way_back_respects_that_nothing_is_said() {
    let mut fleet = Fleet::new(120, Value::Null);
    fleet.issue('b', &["one"]);
    fleet.finish();
    fleet.roll_back(1, "Controlled");
    fleet.rest();
    assert_eq!(fleet.assigned(), "a".repeat(120));
}

#[test]
fn v20_a_hold_that_cannot_be_had_stops_everybody_and_repeats_nothing() {
    let mut fleet = Fleet::new(3, json!({"maxInFlight": 1}));
    fleet.issue('b', &["one"]);
    fleet.rest();
    fleet.heard.clear();
    fleet.annotate(names::ACTIVE_REVISION_ANNOTATION, Some("999"));
    fleet.arrive(0);
    for _ in 0..3 {
        fleet.wait(100);
        let found = fleet.rest();
        assert_eq!((found.turns.len(), found.progress), (0, None));
    }
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Invalid", "baa"));
    assert_eq!(fleet.heard, Vec::<String>::new());
    fleet.annotate(names::ACTIVE_REVISION_ANNOTATION, None);
    fleet.finish();
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Completed", "bbb"));
}

#[test]
fn v20_what_was_aborted_can_be_held() {
    for mode in ["Instant", "Controlled"] {
        let mut fleet = Fleet::new(3, json!({"maxInFlight": 1}));
        fleet.issue('b', &["one"]);
        fleet.rest();
        fleet.annotate(names::PROPAGATION_ANNOTATION, Some("aborted"));
        fleet.rest();
        assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Aborted", "aaa"));
        fleet.issue('c', &["one"]);
        fleet.annotate(names::ROLLBACK_MODE_ANNOTATION, Some(mode));
        fleet.annotate(names::ACTIVE_REVISION_ANNOTATION, Some("2"));
        fleet.finish();
        assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Completed", "bbb"), "{mode}");
    }
}

#[test]
fn v36_who_is_new_begins_with_what_accepts_it_and_the_status_goes_on() {
    let mut fleet = Fleet::new(2, json!({"maxInFlight": 1, "newInstances": "LastGood"}));
    fleet.issue('b', &["one"]);
    fleet.rest();
    fleet.create(json!({"refusedBy": "a"}));
    fleet.create(json!({"refusedBy": "b"}));
    fleet.rest();
    assert_eq!((fleet.assigned().as_str(), &fleet.told()["instances"]["total"]), ("ba-a", &json!(4)));
    let refused = &fleet.instances[2]["status"]["assignment"];
    assert_eq!((&refused["reason"], &refused["because"]), (&json!("SpecRefused"), &json!("Following")));
    let told = fleet.heard.len();
    fleet.wait(10);
    fleet.rest();
    assert_eq!(fleet.heard.len(), told, "{:#?}", fleet.heard);
    fleet.finish();
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Completed", "bbba"));
}

#[test]
fn v42_an_abort_is_told_though_somebody_cannot_go_back() {
    let mut fleet = Fleet::new(3, json!({"maxInFlight": 2}));
    fleet.issue('b', &["one"]);
    fleet.rest();
    fleet.instances[0]["spec"] = json!({"refusedBy": "a"});
    fleet.annotate(names::PROPAGATION_ANNOTATION, Some("aborted"));
    fleet.rest();
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Aborted", "baa"));
}

#[test]
fn v42_an_abort_of_a_way_back_is_refused_and_told() {
    let mut fleet = at_second(3, json!({"maxInFlight": 1}));
    fleet.roll_back(1, "Controlled");
    fleet.rest();
    fleet.annotate(names::PROPAGATION_ANNOTATION, Some("aborted"));
    fleet.rest();
    assert!(fleet.definition["metadata"]["annotations"].get(names::PROPAGATION_ANNOTATION).is_none());
    let refused = "AbortRefused: revision 3 is not aborted: it is a way back; hold another revision, or edit the definition";
    assert!(fleet.heard.iter().any(|it| it == refused), "{:#?}", fleet.heard);
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Propagating", "abb"));
}

#[test]
fn v42_an_abort_is_answered_while_the_policy_makes_no_sense() {
    let mut fleet = Fleet::new(3, json!({"maxInFlight": 1}));
    fleet.issue('b', &["one"]);
    fleet.rest();
    fleet.patch_definition(json!({"spec": {"propagation": {"maxInFlight": "many"}}}));
    fleet.rest();
    assert_eq!(fleet.phase(), "Invalid");
    fleet.annotate(names::PROPAGATION_ANNOTATION, Some("aborted"));
    fleet.rest();
    assert!(fleet.definition["metadata"]["annotations"].get(names::PROPAGATION_ANNOTATION).is_none());
    fleet.patch_definition(json!({"spec": {"propagation": {"maxInFlight": 1}}}));
    fleet.rest();
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Aborted", "aaa"));
}

#[test]
fn v42_a_retry_reaches_what_was_given_up_while_another_revision_is_held() {
    let mut fleet = at_second(3, json!({"maxInFlight": 1}));
    fleet.issue('c', &["one"]);
    fleet.rest();
    fleet.fail(0);
    fleet.wait(60);
    fleet.rest();
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Halted", "cbb"));
    fleet.annotate(names::ACTIVE_REVISION_ANNOTATION, Some("2"));
    fleet.finish();
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Completed", "bbb"));
    fleet.annotate(names::PROPAGATION_ANNOTATION, Some("retry"));
    fleet.rest();
    assert!(fleet.definition["metadata"]["annotations"].get(names::PROPAGATION_ANNOTATION).is_none());
    let told =
        "PropagationRetried: revision 3 is no longer given up: it is tried when no other revision is held";
    assert!(fleet.heard.iter().any(|it| it == told), "{:#?}", fleet.heard);
    assert_eq!(fleet.assigned(), "bbb");
    fleet.annotate(names::ACTIVE_REVISION_ANNOTATION, None);
    fleet.finish();
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Completed", "ccc"));
}

#[test]
fn v42_a_retry_of_a_way_back_leaves_what_was_given_up() {
    let mut fleet = at_second(3, json!({"maxInFlight": 1}));
    fleet.issue('c', &["one"]);
    fleet.rest();
    fleet.annotate(names::PROPAGATION_ANNOTATION, Some("aborted"));
    fleet.rest();
    fleet.annotate(names::ROLLBACK_MODE_ANNOTATION, Some("Controlled"));
    fleet.annotate(names::ACTIVE_REVISION_ANNOTATION, Some("1"));
    fleet.rest();
    fleet.fail(0);
    fleet.wait(60);
    fleet.rest();
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Halted", "abb"));
    fleet.annotate(names::PROPAGATION_ANNOTATION, Some("retry"));
    fleet.finish();
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Completed", "aaa"));
    assert!(fleet.is_given_up(3));
}

#[test]
fn v42_a_halt_of_a_way_back_is_told_with_all_that_was_found() {
    let mut fleet = at_second(4, json!({"maxInFlight": 1}));
    fleet.roll_back(1, "Controlled");
    fleet.rest();
    fleet.fail(0);
    fleet.wait(60);
    while fleet.phase() != "Halted" {
        fleet.step();
    }
    let told = fleet.told();
    assert_eq!((&told["instances"]["inFlight"], &told["instances"]["failed"]), (&json!(0), &json!(1)));
    assert_eq!((&told["waiting"][0]["reason"], &told["waiting"][0]["count"]), (&json!("Halted"), &json!(3)));
    assert_eq!(told["failures"][0]["instance"], "home/i000");
    fleet.rest();
    let failed = fleet.heard.iter().filter(|it| it.starts_with("InstanceFailed: home/i000 failed"));
    assert_eq!(failed.count(), 1, "{:#?}", fleet.heard);
    fleet.annotate(names::PROPAGATION_ANNOTATION, Some("retry"));
    while fleet.phase() == "Halted" {
        fleet.step();
    }
    assert_eq!(fleet.told()["waiting"], Value::Null);
}

#[test]
fn v42_a_pause_and_its_end_tell_what_is_so() {
    let check = |fleet: &mut Fleet, paused: &str, resumed: &str| {
        fleet.heard.clear();
        fleet.annotate(names::PROPAGATION_ANNOTATION, Some("paused"));
        fleet.rest();
        fleet.annotate(names::PROPAGATION_ANNOTATION, None);
        fleet.reconcile(0);
        let told = [
            format!("PropagationPaused: revision 3 {paused}"),
            format!("PropagationResumed: revision 3 {resumed}"),
        ];
        assert_eq!(fleet.heard[..2], told);
    };
    let over = ("is paused: whoever is yet to move to it waits", "is no longer paused");
    let mut fleet = at_second(3, json!({"maxInFlight": 1}));
    fleet.issue('c', &["one"]);
    fleet.rest();
    check(&mut fleet, "reaches nobody else for now: it is paused", "goes on");
    let mut aborted = fleet.clone();
    aborted.annotate(names::PROPAGATION_ANNOTATION, Some("aborted"));
    aborted.rest();
    check(&mut aborted, over.0, over.1);
    fleet.finish();
    check(&mut fleet, over.0, over.1);
}

#[test]
fn v25_who_does_not_move_loses_nothing() {
    let policy = json!({"deletes": "RequireApproval"});
    let check = |key: &str, text: &str| {
        let mut fleet = Fleet::new(2, policy.clone());
        // What the first has lost before is lost by nobody now.
        fleet.issue('b', &["one", "two"]);
        fleet.finish();
        fleet.instances[0]["metadata"]["annotations"] = json!({key: text});
        fleet.issue('c', &["one"]);
        fleet.annotate(names::ALLOW_DELETES_ANNOTATION, Some("3"));
        fleet.finish();
        assert_eq!(fleet.assigned(), "bc");
        fleet.issue('d', &["one"]);
        fleet.finish();
        assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Completed", "bd"), "{key}");
    };
    check(names::RGD_REVISION, "2");
    check(names::UPDATE_POLICY_ANNOTATION, "Manual");
}

#[test]
fn v38_what_nobody_was_ever_well_with_is_not_gone_back_to() {
    let mut fleet = Fleet::new(3, Value::Null);
    fleet.issue('b', &["one"]);
    fleet.rest();
    let policy = json!({"maxInFlight": 1, "progressDeadlineSeconds": 4, "onFailure": "Rollback"});
    fleet.patch_definition(json!({"spec": {"propagation": policy}}));
    fleet.rest();
    assert_eq!((fleet.phase(), fleet.is_completed(2)), ("Completed", false));
    fleet.issue('c', &["one"]);
    fleet.rest();
    assert_eq!(fleet.assigned(), "cbb");
    fleet.wait(10);
    fleet.rest();
    fleet.finish();
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Completed", "aaa"));
}

#[test]
fn v38_what_reached_only_those_who_are_excused_is_good_when_somebody_is_well_with_it() {
    let mut fleet = Fleet::new(3, Value::Null);
    fleet.issue('b', &["one"]);
    fleet.finish();
    (0..3).for_each(|it| fleet.fail(it));
    fleet.wait(60);
    fleet.patch_definition(json!({"spec": {"propagation": {"progressDeadlineSeconds": 4}}}));
    fleet.rest();
    fleet.issue('c', &["one"]);
    fleet.rest();
    let told = fleet.told()["instances"]["excused"].clone();
    assert_eq!((fleet.phase(), fleet.is_completed(3), told), ("Completed", false, json!(3)));
    fleet.wait(60);
    fleet.rest();
    assert!(!fleet.is_completed(3));
    fleet.arrive(0);
    fleet.rest();
    assert!(fleet.is_completed(3));
}

#[test]
fn v38_a_revision_that_meets_nobody_is_good() {
    let mut fleet = Fleet::new(0, json!({}));
    fleet.issue('b', &["one"]);
    fleet.rest();
    assert_eq!((fleet.phase(), fleet.is_completed(2)), ("Completed", true));
}

#[test]
fn v20_what_was_given_up_and_is_the_latest_can_be_held() {
    for (mode, ask) in [("Instant", false), ("Controlled", false), ("Instant", true), ("Controlled", true)] {
        let mut fleet = Fleet::new(3, json!({"maxInFlight": 1}));
        fleet.issue('b', &["one"]);
        fleet.rest();
        if ask {
            fleet.annotate(names::PROPAGATION_ANNOTATION, Some("aborted"));
        }
        fleet.wait(1_000);
        fleet.rest();
        assert_eq!(fleet.phase(), if ask { "Aborted" } else { "Halted" });
        fleet.annotate(names::ROLLBACK_MODE_ANNOTATION, Some(mode));
        fleet.annotate(names::ACTIVE_REVISION_ANNOTATION, Some("2"));
        fleet.finish();
        assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Completed", "bbb"), "{mode} {ask}");
        fleet.annotate(names::PROPAGATION_ANNOTATION, Some("retry"));
        fleet.rest();
        fleet.annotate(names::ACTIVE_REVISION_ANNOTATION, None);
        fleet.rest();
        assert_eq!(fleet.phase(), "Completed", "{mode} {ask}");
    }
}

#[test]
fn v40_waves_are_numbered_though_who_was_in_them_is_gone() {
    let mut fleet = Fleet::new(3, json!({"maxInFlight": 1}));
    fleet.issue('b', &["one"]);
    fleet.rest();
    fleet.instances[0]["metadata"]["annotations"] = json!({names::RGD_REVISION: "1"});
    fleet.rest();
    assert_eq!((fleet.assigned().as_str(), &fleet.told()["wave"]), ("aba", &json!(2)));
    fleet.finish();
    let waves: Vec<&String> = fleet.heard.iter().filter(|it| it.starts_with("PropagationWave")).collect();
    let wave = |it: usize| format!("PropagationWave: wave {it}: 1 instance moves to revision 2");
    assert_eq!(waves, [&wave(1), &wave(2), &wave(3)]);
    fleet.issue('c', &["one"]);
    fleet.rest();
    assert_eq!(fleet.told()["wave"], 1);
}

#[test]
fn v42_an_abort_sends_nobody_back_to_what_is_not_kept_or_was_given_up() {
    let check = |prune: bool, is_halted: bool| {
        let mut fleet = Fleet::new(2, json!({"maxInFlight": 1}));
        fleet.issue('b', &["one"]);
        fleet.rest();
        if is_halted {
            fleet.wait(1_000);
            fleet.rest();
            assert_eq!(fleet.phase(), "Halted");
        }
        fleet.issue('c', &["one"]);
        fleet.rest();
        assert_eq!(fleet.assigned(), "ca");
        if prune {
            fleet.prune(2);
        }
        fleet.annotate(names::PROPAGATION_ANNOTATION, Some("aborted"));
        fleet.rest();
        assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Aborted", "aa"), "{prune} {is_halted}");
    };
    check(true, false);
    check(false, true);
    check(true, true);
}

#[test]
fn v33_an_edit_after_a_failure_that_counts_excuses_nothing() {
    let mut fleet = Fleet::new(3, json!({"maxInFlight": 1, "maxFailures": 1}));
    fleet.issue('b', &["one"]);
    fleet.rest();
    assert_eq!(fleet.assigned(), "baa");
    fleet.fail(0);
    fleet.wait(60);
    fleet.rest();
    let failure = json!([{"instance": "home/i000", "message": "in error for more than 30 seconds"}]);
    assert_eq!(fleet.told()["failures"], failure);
    fleet.instances[0]["metadata"]["generation"] = json!(2);
    fleet.wait(5);
    fleet.rest();
    assert_eq!(fleet.told()["failures"], failure);
    assert_eq!(fleet.told()["instances"]["excused"], 0);
    // It is one of two now.
    fleet.fail(1);
    fleet.wait(60);
    fleet.rest();
    assert_eq!(fleet.phase(), "Halted", "{:#}", fleet.told());
}

#[test]
fn v33_who_was_edited_before_it_failed_is_excused_and_a_retry_forgets_what_failed() {
    let mut fleet = Fleet::new(2, json!({"maxInFlight": 1}));
    fleet.issue('b', &["one"]);
    fleet.rest();
    fleet.fail(0);
    fleet.wait(60);
    fleet.rest();
    assert_eq!(fleet.phase(), "Halted");
    fleet.instances[0]["metadata"]["generation"] = json!(2);
    fleet.annotate(names::PROPAGATION_ANNOTATION, Some("retry"));
    fleet.rest();
    fleet.wait(60);
    fleet.rest();
    assert_eq!(fleet.told()["failures"][0]["excused"], true, "{:#}", fleet.told());
    assert_ne!(fleet.phase(), "Halted");
}

#[test]
fn v33_a_failure_that_counts_is_remembered_while_the_policy_makes_no_sense() {
    let policy = |wrong: i64| json!({"maxInFlight": 1, "maxFailures": 1, "soakSeconds": wrong});
    let mut fleet = Fleet::new(3, policy(0));
    fleet.issue('b', &["one"]);
    fleet.rest();
    fleet.fail(0);
    fleet.wait(60);
    fleet.rest();
    fleet.definition["spec"]["propagation"] = policy(-1);
    fleet.rest();
    assert_eq!(fleet.phase(), "Invalid");
    fleet.instances[0]["metadata"]["generation"] = json!(2);
    fleet.definition["spec"]["propagation"] = policy(0);
    fleet.rest();
    assert_eq!(fleet.told()["instances"]["excused"], 0, "{:#}", fleet.told());
}

#[test]
fn v21_an_automatic_way_back_is_instant_whatever_mode_and_gates_say() {
    let never = json!([{"schedule": "0 0 1 1 *", "duration": "1m"}]);
    let policy =
        |windows: Value| json!({"onFailure": "Rollback", "rollbackMode": "Controlled", "windows": windows});
    let mut fleet = Fleet::new(3, policy(Value::Null));
    fleet.issue('b', &["one"]);
    fleet.rest();
    assert_eq!(fleet.assigned(), "bbb");
    fleet.definition["spec"]["propagation"] = policy(never);
    fleet.definition["spec"]["propagateWhen"] = json!(["${fleet.total > 9}"]);
    fleet.fail(0);
    fleet.wait(60);
    fleet.rest();
    assert!(fleet.is_given_up(2));
    assert_eq!(fleet.assigned(), "aaa", "{:#}", fleet.told());
    fleet.finish();
    assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Completed", "aaa"));
}

/// Two at content c, which neither comes to, on their way back to b, where both were seen.
fn on_the_way_back(mode: &str, propagation: Value) -> Fleet {
    let mut fleet = at_second(2, propagation);
    fleet.wait(10);
    fleet.issue('c', &["one"]);
    fleet.wait(10);
    for _ in 0..2 {
        fleet.rest();
        // Whoever does not come to it in time makes room for the next.
        fleet.wait(700);
    }
    fleet.rest();
    assert_eq!(fleet.assigned(), "cc");
    fleet.roll_back(2, mode);
    fleet.heard.clear();
    fleet.rest();
    fleet
}

#[test]
fn v23_where_it_goes_back_to_was_seen_before_and_must_be_seen_anew() {
    let policy = json!({"maxInFlight": 1, "onFailure": "Continue"});
    for mode in ["Instant", "Controlled"] {
        let mut fleet = on_the_way_back(mode, policy.clone());
        assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Propagating", "bc"), "{mode}");
        let told = fleet.told()["waiting"][0].clone();
        assert_eq!((&told["reason"], &told["count"]), (&json!("MaxInFlight"), &json!(1)), "{mode}");
        // It does not come to it in time.
        fleet.wait(700);
        fleet.rest();
        assert_eq!(fleet.assigned(), "bb", "{mode}");
        let late = "InstanceFailed: home/i000 failed at revision 4: not ready at the new revision within the deadline";
        assert!(fleet.heard.iter().any(|it| it.starts_with(late)), "{mode} {:#?}", fleet.heard);
        fleet.finish();
        assert_eq!((fleet.phase(), &fleet.told()["failures"]), ("Completed", &Value::Null), "{mode}");
    }
}

#[test]
fn v41_a_restart_on_the_way_back_changes_nothing() {
    let mut fleet = on_the_way_back("Controlled", json!({"maxInFlight": 1, "onFailure": "Continue"}));
    fleet.takeover(5);
    fleet.rest();
    assert_eq!(fleet.assigned(), "bc");
    fleet.wait(1);
    fleet.arrive(0);
    fleet.rest();
    assert_eq!(fleet.assigned(), "bb");
    // Latched: what was seen since stays so.
    fleet.fail(0);
    fleet.takeover(5);
    assert_eq!(fleet.told()["instances"]["updated"], 1);
}

#[test]
fn v35_old_content_that_comes_as_a_step_forward_travels_in_waves() {
    let mut fleet = at_second(4, json!({"onFailure": "Continue"}));
    fleet.wait(10);
    fleet.issue('c', &["one"]);
    fleet.rest();
    assert_eq!(fleet.assigned(), "cccc");
    fleet.wait(10);
    // Nobody has come to it when a tool puts back what was there before.
    fleet.patch_definition(json!({"spec": {"propagateWhen": ["${exponentiallyUpdated(instances, each)}"]}}));
    fleet.issue('b', &["one"]);
    for assigned in ["bccc", "bbbc", "bbbb"] {
        fleet.rest();
        fleet.wait(1);
        fleet.rest();
        assert_eq!((fleet.phase(), fleet.assigned().as_str()), ("Propagating", assigned));
        fleet.wait(1);
        (0..4).for_each(|it| fleet.arrive(it));
    }
    fleet.rest();
    assert_eq!(fleet.phase(), "Completed");
}
