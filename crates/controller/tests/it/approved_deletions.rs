//! Changes that delete resources, where that needs approval.

use serde_json::{Value, json};

use crate::propagation::{app, fleet, phase, with_text};
use crate::revisions::{APP, edit, numbers, text_is};
use crate::world::{World, condition};

#[tokio::test(flavor = "multi_thread")]
async fn v25_what_deletes_resources_waits_for_approval() {
    let policy = json!({"propagation": {"deletes": "RequireApproval"}});
    let with_second = |text: &str| {
        let mut made = app(text, &policy);
        let second = json!({"id": "second", "template": {"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "${schema.metadata.name}-second"}}});
        made["spec"]["resources"].as_array_mut().expect("a list").push(second);
        made
    };
    let world = World::start().await;
    edit(&world, &with_second("one")).await;
    world.instance("App a", "text: hello").await;
    world.active("App a").await;
    edit(&world, &app("two", &policy)).await;
    let is_waiting =
        |it: &Value| it["status"]["propagation"]["waiting"][0]["reason"] == "DeletesNeedApproval";
    world.eventually(APP, is_waiting).await;
    world.settled().await;
    assert_eq!(world.there("ConfigMap a-one").await["data"]["text"], "one");
    world.annotate(APP, "krono.dev/allow-deletes", Some("2")).await;
    world.gone("ConfigMap a-second").await;
    world.eventually("ConfigMap a-one", text_is("two")).await;
    world.settled().await;
    // What deletes nothing waits for nobody.
    edit(&world, &app("three", &policy)).await;
    world.eventually("ConfigMap a-one", text_is("three")).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v25_another_name_or_a_new_condition_is_a_deletion() {
    let policy = json!({"propagation": {"deletes": "RequireApproval"}});
    let world = fleet(1, &policy).await;
    let is_waiting =
        |it: &Value| it["status"]["propagation"]["waiting"][0]["reason"] == "DeletesNeedApproval";
    let mut renamed = app("two", &policy);
    renamed["spec"]["resources"][0]["template"]["metadata"]["name"] = json!("${schema.metadata.name}-two");
    edit(&world, &renamed).await;
    world.eventually(APP, is_waiting).await;
    world.settled().await;
    assert_eq!(with_text(&world, "one").await, ["i000-one"]);
    let mut conditional = app("three", &policy);
    conditional["spec"]["resources"][0]["includeWhen"] = json!(["${schema.spec.text == \"other\"}"]);
    edit(&world, &conditional).await;
    world.eventually(APP, |it| it["status"]["propagation"]["revision"] == 3 && is_waiting(it)).await;
    world.settled().await;
    assert_eq!(with_text(&world, "one").await, ["i000-one"]);
    world.annotate(APP, "krono.dev/allow-deletes", Some("3")).await;
    world.gone("ConfigMap i000-one").await;
    phase(&world, "Completed").await;
    world.settled().await;
}

/// With a resource that says something, and one that is made by what it says.
fn by_what_is_said(text: &str, says: &str, made: &Value, policy: &Value) -> Value {
    let mut definition = app(text, policy);
    let says = json!({"id": "says", "template": {"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "${schema.metadata.name}-says"}, "data": {"this": says, "text": text}}});
    let resources = definition["spec"]["resources"].as_array_mut().expect("a list");
    resources.extend([says, made.clone()]);
    definition
}

/// A secret whose name ends so.
fn secret(end: &str) -> Value {
    let name = format!("${{schema.metadata.name}}-{end}");
    json!({"id": "made", "template": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}}})
}

#[tokio::test(flavor = "multi_thread")]
async fn v25_who_is_made_by_what_another_resource_says_is_not_deleted_without_approval() {
    let policy = json!({"propagation": {"deletes": "RequireApproval"}});
    let is_waiting =
        |it: &Value| it["status"]["propagation"]["waiting"][0]["reason"] == "DeletesNeedApproval";
    let named = secret("${says.data.this}");
    let mut counted = secret("${i}");
    counted["forEach"] = json!([{"i": "${says.data['this'].split(',')}"}]);
    let mut conditional = secret("b");
    conditional["includeWhen"] = json!(["${says.data.this != 'a'}"]);
    for (made, before, secret) in [(named, "b", "b"), (counted, "a,b", "b"), (conditional, "b", "b")] {
        let world = World::start().await;
        edit(&world, &by_what_is_said("one", before, &made, &policy)).await;
        world.instance("App i", "text: hello").await;
        world.active("App i").await;
        let secret = format!("Secret i-{secret}");
        world.there(&secret).await;
        edit(&world, &by_what_is_said("one", "a", &made, &policy)).await;
        world.eventually(APP, is_waiting).await;
        world.settled().await;
        world.there(&secret).await;
        assert_eq!(world.there("ConfigMap i-says").await["data"]["this"], before);
        world.annotate(APP, "krono.dev/allow-deletes", Some("2")).await;
        world.gone(&secret).await;
        phase(&world, "Completed").await;
        // What nobody's name is made of deletes nothing.
        edit(&world, &by_what_is_said("three", "a", &made, &policy)).await;
        world.eventually("ConfigMap i-says", text_is("three")).await;
        world.settled().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn v25_what_the_way_back_leaves_of_it_is_told_and_waits() {
    let policy = json!({"propagation": {"progressDeadlineSeconds": 1, "onFailure": "Rollback"}});
    let made = secret("${says.data.this}");
    let world = World::start().await;
    edit(&world, &by_what_is_said("one", "a", &made, &policy)).await;
    world.instance("App i", "text: hello").await;
    world.active("App i").await;
    world.settled().await;
    edit(&world, &by_what_is_said("bad", "b", &made, &policy)).await;
    world.there("Secret i-b").await;
    world.eventually(APP, |it| numbers(it) == "1 of 2").await;
    world.there("Secret i-a").await;
    world.eventually(APP, |it| !condition(it, "DeletionPending").is_null()).await;
    world.settled().await;
    world.there("Secret i-b").await;
    world.annotate(APP, "krono.dev/allow-deletes", Some("2")).await;
    world.gone("Secret i-b").await;
    world.eventually(APP, |it| condition(it, "DeletionPending").is_null()).await;
    world.settled().await;
}
