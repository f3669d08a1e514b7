//! Instances on their way back to content that they were at before.

use serde_json::{Value, json};

use crate::propagation::{assigned, name};
use crate::revisions::{APP, edit};
use crate::world::{World, config_map, definition};

/// Revisions are told apart by a text; that of `bad` is never ready, and no other is while somebody says so on the resource.
fn app(text: &str, policy: &Value) -> Value {
    let ready = "readyWhen: ['${one.data.text != \"bad\" && one.data.?broken.orValue(\"no\") == \"no\"}']";
    let mut made =
        definition("App", "spec: {text: string}", &config_map("one", &format!("text: '{text}'"), ready));
    for (field, value) in policy.as_object().expect("a map") {
        made["spec"][field] = value.clone();
    }
    made
}

/// So many instances that were well at revision 1 and never came to revision 2, which all are assigned to; what they were at is
/// broken meanwhile.
async fn stranded(count: usize) -> World {
    let policy = json!({"propagation": {"maxInFlight": count, "onFailure": "Continue"}});
    let world = World::start().await;
    edit(&world, &app("one", &policy)).await;
    for at in 0..count {
        world.instance(&format!("App {}", name(at)), "text: hello").await;
    }
    // They have been so for an hour.
    let since = (jiff::Timestamp::now() - jiff::SignedDuration::from_hours(1)).to_string();
    for at in 0..count {
        let instance = format!("App {}", name(at));
        world.active(&instance).await;
        world.quiet().await;
        world.merge_status(&instance, json!({"propagation": {"lastTransitionTime": since}})).await;
    }
    world.settled().await;
    edit(&world, &app("bad", &policy)).await;
    for at in 0..count {
        let has_begun = |it: &Value| {
            it["status"]["currentRGDRevision"] == 2 && it["status"]["propagation"]["status"] == "InProgress"
        };
        world.eventually(&format!("App {}", name(at)), has_begun).await;
        breaks(&world, at, Some("yes")).await;
    }
    world.settled().await;
    world
}

async fn breaks(world: &World, at: usize, broken: Option<&str>) {
    world.merge(&format!("ConfigMap {}-one", name(at)), json!({"data": {"broken": broken}})).await;
}

/// Waits until so many wait, and tells how many are on the way.
async fn waiting(world: &World, count: usize) -> Value {
    let are_waiting = |it: &Value| it["status"]["propagation"]["waiting"][0]["count"] == count;
    world.eventually(APP, are_waiting).await;
    world.settled().await;
    let told = world.there(APP).await;
    assert!(are_waiting(&told), "{told:#}");
    assert_eq!(told["status"]["propagation"]["phase"], "Propagating", "{told:#}");
    told["status"]["propagation"]["waiting"][0]["reason"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn v23_a_way_back_keeps_to_its_room_and_tells_who_does_not_come_to_what_it_was_at_before() {
    let world = stranded(2).await;
    world.merge(APP, json!({"spec": {"propagation": {"maxInFlight": 1}}})).await;
    world.annotate(APP, "krono.dev/active-revision", Some("1")).await;
    assert_eq!(waiting(&world, 1).await, "MaxInFlight");
    assert_eq!(assigned(&world, 1).await, 1);
    let told = world.told().await;
    assert!(!told.iter().any(|it| it.contains("PropagationCompleted: revision 1")), "{told:#?}");
    world.merge(APP, json!({"spec": {"propagation": {"progressDeadlineSeconds": 1}}})).await;
    let has_failed = |it: &Value| it["status"]["propagation"]["failures"][0]["instance"] == "default/i000";
    world.eventually(APP, has_failed).await;
    world.eventually("App i001", |it| it["status"]["assignment"]["revision"] == 1).await;
    for at in 0..2 {
        breaks(&world, at, None).await;
    }
    for at in 0..2 {
        let instance = format!("App {}", name(at));
        let told = world.eventually(&instance, |it| it["status"]["observedRGDRevision"] == 1).await;
        assert!(told["status"]["assignment"]["admission"].is_object(), "{told:#}");
        world.active(&instance).await;
    }
    world.eventually(APP, |it| it["status"]["propagation"]["instances"]["updated"] == 2).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v35_old_content_that_a_tool_puts_back_travels_in_waves() {
    let world = stranded(3).await;
    let policy = json!({"propagateWhen": ["${exponentiallyUpdated(instances, each)}"]});
    edit(&world, &app("one", &policy)).await;
    assert_eq!(waiting(&world, 2).await, "GateClosed");
    assert_eq!(assigned(&world, 3).await, 1);
    breaks(&world, 0, None).await;
    world.eventually("App i002", |it| it["status"]["assignment"]["revision"] == 3).await;
    for at in 1..3 {
        breaks(&world, at, None).await;
    }
    world.eventually(APP, |it| it["status"]["propagation"]["phase"] == "Completed").await;
    world.settled().await;
}
