//! Instances that are to be left alone for a while.

use serde_json::{Value, json};

use crate::world::{World, condition, config_map, definition};

async fn with_an_instance() -> World {
    let world = World::start().await;
    let schema = "spec: {text: 'string | default=hello'}, status: {text: '${one.data.text}'}";
    world.define(&definition("App", schema, &config_map("one", "text: '${schema.spec.text}'", ""))).await;
    world.instance("App a", "").await;
    world.active("App a").await;
    world
}

async fn wish(world: &World, said: Value) {
    world.merge("App a", json!({"metadata": {"annotations": {"kro.run/reconcile": said}}})).await;
}

fn is_suspended(instance: &Value) -> bool {
    condition(instance, "ResourcesReady")["reason"] == "ReconciliationSuspended"
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_36_suspension_works_at_once_in_both_directions() {
    let world = with_an_instance().await;
    for word in ["suspended", "Disabled"] {
        wish(&world, json!(word)).await;
        world.eventually("App a", is_suspended).await;
        world.merge("ConfigMap a-one", json!({"data": {"text": "drifted"}})).await;
        world.merge("App a", json!({"spec": {"text": word}})).await;
        world.settled().await;
        assert_eq!(world.there("ConfigMap a-one").await["data"]["text"], "drifted");
        wish(&world, Value::Null).await;
        world.eventually("ConfigMap a-one", |it| it["data"]["text"] == word).await;
        world.active("App a").await;
        world.settled().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_36_a_suspended_instance_can_be_deleted() {
    let world = with_an_instance().await;
    wish(&world, json!("suspended")).await;
    world.eventually("App a", is_suspended).await;
    world.delete("App a").await;
    world.gone("App a").await;
    assert!(world.get("ConfigMap a-one").await.is_none());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_36_an_instance_that_is_born_suspended_makes_nothing() {
    let world = with_an_instance().await;
    let mut born = crate::world::instance("App b", "");
    born["metadata"]["annotations"] = json!({"kro.run/reconcile": "suspended"});
    world.put(&born).await;
    world.eventually("App b", is_suspended).await;
    world.settled().await;
    assert!(world.get("ConfigMap b-one").await.is_none());
    world.merge("App b", json!({"metadata": {"annotations": {"kro.run/reconcile": null}}})).await;
    world.there("ConfigMap b-one").await;
    world.active("App b").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn defect_b5_a_suspended_instance_keeps_its_status_and_does_not_claim_to_be_active() {
    let world = with_an_instance().await;
    wish(&world, json!("suspended")).await;
    let told = world.eventually("App a", is_suspended).await;
    assert_eq!(told["status"]["text"], "hello");
    assert_eq!(condition(&told, "Ready")["status"], "False");
    assert_ne!(told["status"]["state"], "ACTIVE");
    world.settled().await;
}
