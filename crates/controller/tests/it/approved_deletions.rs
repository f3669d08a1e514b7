//! Changes that delete resources, where that needs approval.

use serde_json::{Value, json};

use crate::propagation::{app, fleet, phase, with_text};
use crate::revisions::{APP, edit, text_is};
use crate::world::World;

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
