//! Holds of instances that cannot be had, which are never read as no hold (V22).

use serde_json::{Value, json};

use crate::backup::restored;
use crate::inputs::numbers;
use crate::world::{World, condition, config_map, definition, instance, message};

const HOLD: &str = "krono.dev/hold-input-revision";

/// An instance that is held at what it asked for first, and asks for something else today.
async fn held(keeping: &str) -> World {
    let world = World::start().await;
    let mut app =
        definition("App", "spec: {text: string}", &config_map("one", "text: '${schema.spec.text}'", ""));
    app["spec"]["revisionManagement"] = json!({"inputRevisions": keeping});
    world.define(&app).await;
    world.put_by_hand(&instance("App a", "text: one")).await;
    world.active("App a").await;
    world.merge("App a", json!({"spec": {"text": "two"}})).await;
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == 2).await;
    world.annotate("App a", HOLD, Some("1")).await;
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == 3).await;
    world.settled().await;
    assert_eq!(text(&world).await, "one");
    world
}

async fn text(world: &World) -> Value {
    world.there("ConfigMap a-one").await["data"]["text"].clone()
}

/// What is said about the hold, once nothing moves any more.
async fn told_of_hold(world: &World, part: &str) -> Value {
    let is_told = |it: &Value| {
        condition(it, "Assigned")["reason"] == "HoldInvalid" && message(it, "Assigned").contains(part)
    };
    world.eventually("App a", is_told).await;
    world.settled().await;
    world.there("App a").await
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_nonsense_over_a_hold_leaves_the_instance_at_its_newest_input() {
    let world = held("Inline").await;
    for nonsense in ["99", "banana", "0", ""] {
        world.annotate("App a", HOLD, Some(nonsense)).await;
        let told = told_of_hold(&world, nonsense).await;
        assert_eq!((text(&world).await, numbers(&told)), (json!("one"), vec![3, 2, 1]), "{nonsense:?}");
    }
    world.merge("App a", json!({"spec": {"text": "three"}})).await;
    world.merge("ConfigMap a-one", json!({"data": {"text": "drifted"}})).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "one").await;
    world.settled().await;
    assert_eq!(numbers(&world.there("App a").await), [3, 2, 1]);
    world.annotate("App a", HOLD, Some("2")).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "two").await;
    world.annotate("App a", HOLD, None).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "three").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_an_instance_stays_at_an_input_whose_object_was_deleted() {
    let world = held("Objects").await;
    world.delete("ResourceGraphInputRevision a-input-rev-1").await;
    world.gone("ResourceGraphInputRevision a-input-rev-1").await;
    world.merge("App a", json!({"spec": {"text": "three"}})).await;
    let is_lost = |it: &Value| it["status"]["inputRevisionHistory"][2]["restorable"] == false;
    world.eventually("App a", is_lost).await;
    // The status tells of it first, and whoever looks at the instance next says why it stays.
    world.merge("App a", json!({"spec": {"text": "four"}})).await;
    told_of_hold(&world, "input revision 1").await;
    assert_eq!(text(&world).await, "one");

    // Nobody knows any longer what the resources were made of.
    world.delete("ResourceGraphInputRevision a-input-rev-3").await;
    world.merge("App a", json!({"spec": {"text": "five"}})).await;
    let is_left_alone = |it: &Value| message(it, "ResourcesReady").contains(HOLD);
    let told = world.eventually("App a", is_left_alone).await;
    world.settled().await;
    assert_eq!(condition(&told, "ResourcesReady")["reason"], "ReconciliationSuspended");
    assert_eq!((text(&world).await, numbers(&told)), (json!("one"), vec![3, 2, 1]));
    world.annotate("App a", HOLD, Some("2")).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "two").await;
    world.settled().await;
    world.annotate("App a", HOLD, None).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "five").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v03_and_v22_a_backup_that_has_lost_the_held_input_rolls_nothing_out() {
    let mut before = held("Inline").await;
    before.kill_controllers();
    let after = restored(&before, &["App", "ConfigMap"]).await;
    let told = told_of_hold(&after, "input revision 1").await;
    let suspended = condition(&told, "ResourcesReady");
    assert_eq!(suspended["reason"], "ReconciliationSuspended", "{told:#}");
    assert_eq!(told["status"]["assignment"]["revision"], 1, "{told:#}");
    let writes = after.line.writes();
    assert!(!writes.iter().any(|it| it.contains("/configmaps/a-one?")), "{writes:#?}");
    assert_eq!(text(&after).await, "one");
    after.annotate("App a", HOLD, None).await;
    after.eventually("ConfigMap a-one", |it| it["data"]["text"] == "two").await;
    let told = after.active("App a").await;
    assert_eq!(numbers(&told), [4], "numbers go on from the stamps");
    after.settled().await;
}
