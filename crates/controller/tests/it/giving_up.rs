//! Propagations that do not go well: they halt, or go back.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::propagation::{app, assigned, fleet, issue, name, phase, with_text};
use crate::revisions::{APP, edit, numbers, revision, text_is};
use crate::world::{World, condition, message};

/// One at first, who has a second to become ready.
pub(crate) fn careful(on_failure: &str) -> Value {
    json!({
        "propagateWhen": ["${exponentiallyUpdated(instances, each)}"],
        "propagation": {"progressDeadlineSeconds": 1, "onFailure": on_failure},
    })
}

async fn mark(world: &World, number: u64) -> Value {
    revision(world, number).await["metadata"]["annotations"]["krono.dev/failed"].clone()
}

const FAILED: &str = "Warning InstanceFailed: default/i000 failed at revision 2: not ready at the new revision within the deadline; it last said: ";

/// The versions of all resources.
async fn versions(world: &World) -> BTreeMap<String, Value> {
    let all = world.all("ConfigMap").await;
    all.iter()
        .map(|it| (it["metadata"]["name"].to_string(), it["metadata"]["resourceVersion"].clone()))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn v36_a_bad_revision_reaches_one_of_a_hundred_and_halts() {
    let policy = careful("Halt");
    let world = fleet(100, &policy).await;
    issue(&world, "bad", &policy).await;
    let told = phase(&world, "Halted").await;
    assert_eq!(told["status"]["propagation"]["reason"], "1 of 100 instances failed: default/i000");
    world.settled().await;
    assert_eq!((assigned(&world, 1).await, assigned(&world, 2).await), (99, 1));
    assert_eq!(with_text(&world, "bad").await, ["i000-one"]);
    assert_eq!(mark(&world, 2).await, "halted: 1 of 100 instances failed: default/i000");
    let told = world.there(APP).await;
    let expected = "revision 2 reaches nobody else: 1 of 100 instances failed: default/i000; edit the definition, or run `krono \
                    propagation retry rgd/app`";
    assert_eq!(message(&told, "PropagationHalted"), expected);
    world
        .has_told("Warning PropagationHalted: revision 2 reaches nobody else: 1 of 100 instances failed: default/i000")
        .await;
    let events = world.told().await;
    assert!(events.iter().any(|it| it.starts_with(FAILED)), "{events:#?}");
    // Who is new while it is halted begins with what is known to be good.
    world.instance("App late", "text: hello").await;
    world.eventually("ConfigMap late-one", text_is("one")).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v21_a_bad_revision_is_rolled_back_and_nothing_beyond_the_first_wave_was_written() {
    let policy = careful("Rollback");
    let mut world = fleet(100, &policy).await;
    let before = versions(&world).await;
    issue(&world, "bad", &policy).await;
    world.eventually(APP, |it| numbers(it) == "1 of 2").await;
    world.eventually("ConfigMap i000-one", text_is("one")).await;
    phase(&world, "Completed").await;
    world.settled().await;
    let after = versions(&world).await;
    let written: Vec<&String> =
        before.iter().filter(|(name, it)| after[*name] != **it).map(|(name, _)| name).collect();
    assert_eq!(written, ["\"i000-one\""]);
    assert_eq!(mark(&world, 2).await, "rolled back: 1 of 100 instances failed: default/i000");
    let events = world.told().await;
    assert!(events.iter().any(|it| it.starts_with(FAILED)), "{events:#?}");
    let expected =
        "Warning PropagationRolledBack: revision 2 is rolled back: 1 of 100 instances failed: default/i000";
    world.has_told(expected).await;
    let told = world.there(APP).await;
    assert!(
        message(&told, "Held").starts_with("revision 1 is served since revision 2 was rolled back"),
        "{told:#}"
    );
    assert_eq!(told["spec"]["resources"][0]["template"]["data"]["text"], "bad", "the spec is the author's");
    // The hold outlives whoever made it.
    world.start_controllers();
    world.settled().await;
    assert_eq!((numbers(&world.there(APP).await).as_str(), assigned(&world, 1).await), ("1 of 2", 100));
}

#[tokio::test(flavor = "multi_thread")]
async fn v21_the_same_content_again_is_recorded_and_reaches_nobody_until_it_is_tried_again() {
    let policy = careful("Rollback");
    let world = fleet(3, &policy).await;
    issue(&world, "bad", &policy).await;
    world.eventually(APP, |it| numbers(it) == "1 of 2").await;
    phase(&world, "Completed").await;
    // Other content ends the hold.
    issue(&world, "three", &policy).await;
    world.eventually("ConfigMap i002-one", text_is("three")).await;
    phase(&world, "Completed").await;
    world.settled().await;
    assert_eq!(numbers(&world.there(APP).await), "3 of 3");
    issue(&world, "bad", &policy).await;
    world.eventually(APP, |it| numbers(it) == "3 of 4").await;
    world.settled().await;
    assert_eq!(with_text(&world, "three").await.len(), 3);
    world.annotate(APP, "krono.dev/propagation", Some("retry")).await;
    world.eventually("ConfigMap i000-one", text_is("bad")).await;
    world.eventually(APP, |it| numbers(it) == "3 of 4").await;
    world.eventually("ConfigMap i000-one", text_is("three")).await;
    phase(&world, "Completed").await;
    world.settled().await;
    assert!(world.there(APP).await["metadata"]["annotations"].get("krono.dev/propagation").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn v24_what_was_rolled_back_to_and_is_put_back_by_hand_is_told_under_its_new_number() {
    let policy = careful("Rollback");
    let world = fleet(3, &policy).await;
    issue(&world, "bad", &policy).await;
    world.eventually(APP, |it| numbers(it) == "1 of 2").await;
    phase(&world, "Completed").await;
    issue(&world, "one", &policy).await;
    world.eventually(APP, |it| numbers(it) == "3 of 3").await;
    world.eventually(APP, |it| it["status"]["propagation"]["revision"] == 3).await;
    world.settled().await;
    // The same failure again leads back to the newest revision with the good content.
    issue(&world, "bad", &policy).await;
    let told = world.eventually(APP, |it| numbers(it) == "3 of 4").await;
    let held = "revision 3 is served since revision 4 is revision 2 again, which was rolled back: 1 of 3 instances failed: \
                default/i000; ";
    assert!(message(&told, "Held").starts_with(held), "{told:#}");
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v42_a_pause_outlives_a_retry() {
    let policy = careful("Halt");
    let world = fleet(3, &policy).await;
    issue(&world, "bad", &policy).await;
    phase(&world, "Halted").await;
    world.settled().await;
    world.annotate(APP, "krono.dev/propagation", Some("paused, retry")).await;
    let is_paused = |it: &Value| it["metadata"]["annotations"]["krono.dev/propagation"] == "paused";
    world.eventually(APP, is_paused).await;
    phase(&world, "Paused").await;
    world.settled().await;
    assert_eq!((assigned(&world, 1).await, mark(&world, 2).await), (2, Value::Null));
}

#[tokio::test(flavor = "multi_thread")]
async fn v38_a_newer_revision_ends_a_halt_and_who_failed_moves_first() {
    let policy = careful("Halt");
    let world = fleet(3, &policy).await;
    issue(&world, "bad", &policy).await;
    phase(&world, "Halted").await;
    world.settled().await;
    issue(&world, "three", &policy).await;
    phase(&world, "Completed").await;
    world.settled().await;
    assert_eq!(with_text(&world, "three").await.len(), 3);
    let at =
        |it: &Value| it["status"]["assignment"]["admission"]["at"].as_str().unwrap_or_default().to_owned();
    let first = at(&world.there("App i000").await);
    assert!(first < at(&world.there("App i001").await));
    assert!(condition(&world.there(APP).await, "PropagationHalted").is_null());
}

#[tokio::test(flavor = "multi_thread")]
async fn v21_a_retry_tries_again() {
    let policy = careful("Halt");
    let world = fleet(3, &policy).await;
    issue(&world, "bad", &policy).await;
    phase(&world, "Halted").await;
    world.settled().await;
    world.annotate(APP, "krono.dev/propagation", Some("retry")).await;
    world.eventually(APP, |it| it["status"]["propagation"]["restartedAt"].is_string()).await;
    phase(&world, "Halted").await;
    world.settled().await;
    assert_eq!(assigned(&world, 2).await, 1);
    world.has_told("Normal PropagationRetried: revision 2 is tried again").await;
    assert_eq!(mark(&world, 2).await, "halted: 1 of 3 instances failed: default/i000");
}

#[tokio::test(flavor = "multi_thread")]
async fn v42_an_abort_halts_and_returns_who_has_not_arrived() {
    let policy = json!({"propagateWhen": ["${each.index < 2}"]});
    let world = fleet(4, &policy).await;
    issue(&world, "bad", &policy).await;
    world.eventually(APP, |it| it["status"]["propagation"]["instances"]["inFlight"] == 2).await;
    world.annotate(APP, "krono.dev/propagation", Some("aborted")).await;
    phase(&world, "Aborted").await;
    for at in 0..2 {
        world.eventually(&format!("ConfigMap {}-one", name(at)), text_is("one")).await;
    }
    world.settled().await;
    assert_eq!(assigned(&world, 1).await, 4);
    assert_eq!(mark(&world, 2).await, "halted: aborted");
    world
        .has_told("Normal PropagationAborted: revision 2 was aborted: who is on the way to it goes back")
        .await;
    assert!(world.there(APP).await["metadata"]["annotations"].get("krono.dev/propagation").is_none());
    // What comes next is not aborted.
    edit(&world, &app("three", &json!({"propagation": {}}))).await;
    phase(&world, "Completed").await;
    world.settled().await;
    assert_eq!(with_text(&world, "three").await.len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn v42_what_was_halted_is_aborted_as_well_and_who_failed_goes_back() {
    let policy = careful("Halt");
    let world = fleet(3, &policy).await;
    issue(&world, "bad", &policy).await;
    phase(&world, "Halted").await;
    world.settled().await;
    world.annotate(APP, "krono.dev/propagation", Some("aborted")).await;
    phase(&world, "Aborted").await;
    world.eventually("ConfigMap i000-one", text_is("one")).await;
    world.settled().await;
    assert_eq!((assigned(&world, 1).await, mark(&world, 2).await), (3, json!("halted: aborted")));
    assert!(world.there(APP).await["metadata"]["annotations"].get("krono.dev/propagation").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn v38_what_failed_everywhere_is_not_good_though_it_went_on() {
    let on = json!({"propagation": {"progressDeadlineSeconds": 1, "onFailure": "Continue"}});
    let world = fleet(2, &on).await;
    issue(&world, "bad", &on).await;
    let told = phase(&world, "Completed").await;
    world.settled().await;
    for told in [told, world.there(APP).await] {
        let counts = &told["status"]["propagation"]["instances"];
        assert_eq!((&counts["failed"], &counts["excused"]), (&json!(2), &json!(0)), "{counts}");
    }
    let mut another = app("bad", &careful("Rollback"));
    another["spec"]["resources"][0]["template"]["data"]["more"] = json!("of the same");
    edit(&world, &another).await;
    world.eventually(APP, |it| numbers(it) == "1 of 3").await;
    phase(&world, "Completed").await;
    world.settled().await;
    assert_eq!(with_text(&world, "one").await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn v23_a_rollback_waits_for_nothing_unless_it_is_controlled() {
    let policy = json!({"propagateWhen": ["${each.index < 1}"]});
    let world = fleet(3, &policy).await;
    issue(&world, "two", &json!({"propagation": {}})).await;
    phase(&world, "Completed").await;
    world.settled().await;
    edit(&world, &app("two", &policy)).await;
    world
        .merge(
            APP,
            json!({"metadata": {"annotations":
        {"kro.run/rollback-to-revision": "1", "krono.dev/rollback-mode": "Controlled"}}}),
        )
        .await;
    world
        .eventually(APP, |it| {
            it["status"]["propagation"]["instances"]["settled"] == 1 && numbers(it) == "3 of 3"
        })
        .await;
    world.settled().await;
    assert_eq!(with_text(&world, "one").await.len(), 1);
    world.annotate(APP, "krono.dev/rollback-mode", Some("Instant")).await;
    phase(&world, "Completed").await;
    world.settled().await;
    assert_eq!(with_text(&world, "one").await.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn v36_so_many_may_fail_and_the_rest_goes_on() {
    let policy = json!({
        "propagateWhen": ["${linearlyUpdated(instances, each, 1)}"],
        "propagation": {"progressDeadlineSeconds": 1, "maxFailures": 3},
    });
    let world = fleet(3, &policy).await;
    issue(&world, "bad", &policy).await;
    let told = phase(&world, "Completed").await;
    world.settled().await;
    assert_eq!(with_text(&world, "bad").await.len(), 3);
    assert_eq!(told["status"]["propagation"]["instances"]["failed"], 3, "{told:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn v25_the_way_back_deletes_nothing_before_somebody_approves() {
    let policy = careful("Rollback");
    let world = fleet(2, &policy).await;
    let mut more = app("bad", &policy);
    let second = json!({"id": "second", "template": {"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "${schema.metadata.name}-second"}}});
    more["spec"]["resources"].as_array_mut().expect("a list").push(second);
    edit(&world, &more).await;
    world.there("ConfigMap i000-second").await;
    world.eventually(APP, |it| numbers(it) == "1 of 2").await;
    world.eventually("ConfigMap i000-one", text_is("one")).await;
    let told = world.eventually(APP, |it| !condition(it, "DeletionPending").is_null()).await;
    assert!(
        message(&told, "DeletionPending").contains("krono propagation approve rgd/app --deletes"),
        "{told:#}"
    );
    // V40
    let blocked = |it: &Value| it["status"]["propagation"]["status"].clone();
    let told = world.eventually("App i000", |it| blocked(it) == "Blocked").await;
    let expected = "ConfigMap default/i000-second will go when somebody approves of that";
    assert_eq!(message(&told, "ResourceGated"), expected);
    world.settled().await;
    world.there("ConfigMap i000-second").await;
    world.annotate(APP, "krono.dev/allow-deletes", Some("2")).await;
    world.gone("ConfigMap i000-second").await;
    world
        .eventually("App i000", |it| blocked(it) == "Completed" && condition(it, "ResourceGated").is_null())
        .await;
    world.eventually(APP, |it| condition(it, "DeletionPending").is_null()).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v28_nobody_is_lifted_to_what_was_halted() {
    let mut policy = careful("Rollback");
    let world = fleet(3, &policy).await;
    policy["revisionManagement"] = json!({"instances": {"minimumRevision": 2}});
    issue(&world, "bad", &policy).await;
    // There is nothing to go back to that is allowed.
    let told = phase(&world, "Halted").await;
    let expected = "1 of 3 instances failed: default/i000; nobody goes back: revision 1, the last good one, is below 2, the lowest \
                    that the definition allows";
    assert_eq!(told["status"]["propagation"]["reason"], expected);
    world.settled().await;
    assert_eq!(with_text(&world, "bad").await, ["i000-one"]);
    assert!(condition(&world.there(APP).await, "HoldInvalid").is_null());
    let told = world.there("App i001").await;
    assert_eq!(condition(&told, "Assigned")["reason"], "BelowMinimumRevision", "{told:#}");
    assert!(message(&told, "Assigned").ends_with("was given up"), "{told:#}");
    issue(&world, "three", &policy).await;
    for at in 0..3 {
        world.eventually(&format!("ConfigMap {}-one", name(at)), text_is("three")).await;
    }
    world.settled().await;
}

/// It is not ready from its admission on; the error comes later.
#[tokio::test(flavor = "multi_thread")]
async fn v37_an_instance_tells_since_when_it_is_in_error() {
    let policy = json!({"propagation": {}});
    let world = fleet(1, &policy).await;
    issue(&world, "bad", &policy).await;
    world.eventually(APP, |it| it["status"]["propagation"]["instances"]["inFlight"] == 1).await;
    let told = world.state("App i000", "IN_PROGRESS").await;
    assert!(told["status"]["propagation"]["errorSince"].is_null(), "{told:#}");
    let mut wrong = app("bad", &policy);
    wrong["spec"]["resources"][0]["readyWhen"] = json!(["${int(one.data.text) > 0}"]);
    edit(&world, &wrong).await;
    let told = world.state("App i000", "ERROR").await;
    let since = told["status"]["propagation"]["errorSince"].clone();
    assert!(since.is_string(), "{told:#}");
    // Another look changes nothing.
    world.settled_in_vain().await;
    assert_eq!(world.there("App i000").await["status"]["propagation"]["errorSince"], since);
    edit(&world, &app("good", &policy)).await;
    let told = world.active("App i000").await;
    assert!(told["status"]["propagation"]["errorSince"].is_null(), "{told:#}");
    world.settled().await;
}
