//! What Argo CD, Flux and `kubectl wait` make of a status: they follow kstatus of cli-utils.

use serde_json::{Value, json};

use crate::world::{World, condition, config_map, definition};

/// The result of kstatus for kinds that it has no rules of their own for.
fn kstatus(object: &Value) -> &'static str {
    let is_true = |of: &str| condition(object, of)["status"] == "True";
    let (metadata, status) = (&object["metadata"], &object["status"]);
    let observed = status.get("observedGeneration").and_then(Value::as_i64);
    let is_stale = observed.is_some_and(|it| metadata["generation"].as_i64() != Some(it));
    match () {
        () if !metadata["deletionTimestamp"].is_null() => "Terminating",
        () if is_stale || is_true("Reconciling") => "InProgress",
        () if is_true("Stalled") => "Failed",
        () if is_true("Ready") || condition(object, "Ready").is_null() => "Current",
        () => "InProgress",
    }
}

fn check(object: &Value, expected: &str) {
    assert_eq!(kstatus(object), expected, "{object:#}");
    let Some(observed) = object["status"].get("observedGeneration") else { return };
    assert_eq!(*observed, condition(object, "Ready")["observedGeneration"], "{object:#}");
}

fn app(more: &str) -> Value {
    let ready = "readyWhen: ['${one.data.?done.orValue(\"no\") == \"yes\"}']";
    let one = config_map("one", &format!("share: '${{string(6 / schema.spec.parts)}}'{more}"), ready);
    definition("App", "spec: {parts: 'integer | default=1'}", &one)
}

/// The object with an edit that no controller has seen.
async fn edited(world: &mut World, what: &str, patch: Value) -> Value {
    world.kill_controllers();
    let edited = world.merge(what, patch).await;
    assert_eq!(condition(&edited, "Ready")["status"], "True", "the status is not from before the edit");
    edited
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_34_tools_that_follow_kstatus_understand_instances() {
    let mut world = World::start().await;
    world.define(&app("")).await;
    world.instance("App a", "").await;
    check(&world.state("App a", "IN_PROGRESS").await, "InProgress");
    world.merge("ConfigMap a-one", json!({"data": {"done": "yes"}})).await;
    check(&world.active("App a").await, "Current");
    world.settled().await;

    check(&edited(&mut world, "App a", json!({"spec": {"parts": 2}})).await, "InProgress");
    world.start_controllers();
    check(&world.active("App a").await, "Current");
    world.settled().await;

    world.merge("App a", json!({"spec": {"parts": 0}})).await;
    check(&world.state("App a", "ERROR").await, "InProgress");
    world.settled().await;

    world.merge("ConfigMap a-one", json!({"metadata": {"finalizers": ["acme.io/hold"]}})).await;
    world.delete("App a").await;
    check(&world.state("App a", "DELETING").await, "Terminating");
    world.merge("ConfigMap a-one", json!({"metadata": {"finalizers": null}})).await;
    world.gone("App a").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_34_tools_that_follow_kstatus_understand_definitions() {
    let mut world = World::start().await;
    let (what, policy) = ("ResourceGraphDefinition /app", json!({"revisionManagement": {"historyLimit": 7}}));
    check(&world.define(&app("")).await, "Current");
    world.instance("App a", "").await;
    world.state("App a", "IN_PROGRESS").await;
    world.settled().await;

    for spec in [json!({"resources": app(", b: c")["spec"]["resources"]}), policy] {
        check(&edited(&mut world, what, json!({"spec": spec})).await, "InProgress");
        world.start_controllers();
        check(&world.active(what).await, "Current");
        world.settled().await;
    }

    world.put(&app(", b: '${nobody.data.c}'")).await;
    check(&world.eventually(what, |it| condition(it, "Ready")["status"] == "False").await, "InProgress");
    world.put(&app("")).await;
    check(&world.active(what).await, "Current");

    world.delete(what).await;
    let blocked = world.eventually(what, |it| condition(it, "DeletionBlocked")["status"] == "True").await;
    check(&blocked, "Terminating");
    world.settled().await;
}
