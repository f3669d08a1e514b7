//! Nodes that are left out.

use serde_json::json;

use crate::world::{World, config_map, definition};

/// `second` depends on `first`, which may be left out; `alone` depends on nothing.
fn resources() -> String {
    config_map("first", "text: one", "includeWhen: ['${schema.spec.on}']")
        + &config_map("second", "text: '${first.data.text}'", "")
        + &config_map("third", "text: '${second.data.text}'", "")
        + &config_map("alone", "text: alone", "")
}

const SCHEMA: &str = "spec: {on: 'boolean | default=false'}, status: {text: '${third.data.text}'}";

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_22_what_depends_on_an_excluded_node_is_excluded() {
    let world = World::start().await;
    world.define(&definition("App", SCHEMA, &resources())).await;
    world.instance("App a", "on: false").await;
    let instance = world.active("App a").await;
    assert!(instance["status"].get("text").is_none());
    assert_eq!(world.names("ConfigMap", "kro.run/owned=true").await, ["a-alone"]);
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_22_a_flip_makes_and_prunes() {
    let world = World::start().await;
    world.define(&definition("App", SCHEMA, &resources())).await;
    for _ in 0..2 {
        world.instance("App a", "on: true").await;
        world.there("ConfigMap a-third").await;
        let instance = world.active("App a").await;
        assert_eq!(instance["status"]["text"], "one");
        world.settled().await;
        world.instance("App a", "on: false").await;
        world.gone("ConfigMap a-first").await;
        world.active("App a").await;
        world.settled().await;
        assert_eq!(world.names("ConfigMap", "kro.run/owned=true").await, ["a-alone"]);
        assert!(world.there("App a").await["status"].get("text").is_none());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_22_pending_upstream_never_prunes() {
    let world = World::start().await;
    let resources = "- {id: gate, externalRef: {apiVersion: v1, kind: ConfigMap, metadata: {name: gate}}}\n"
        .to_owned()
        + &config_map("gated", "text: x", "includeWhen: ['${gate.data.open == \"yes\"}']");
    world.define(&definition("App", "spec: {}", &resources)).await;
    let gate = |data: &str| {
        format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: gate}}, data: {{{data}}}}}")
    };
    world.apply(&gate("open: 'yes'")).await;
    world.instance("App a", "").await;
    world.active("App a").await;
    let before = world.there("ConfigMap a-gated").await;
    world.apply(&gate("")).await;
    world.state("App a", "IN_PROGRESS").await;
    world.settled().await;
    world.delete("ConfigMap gate").await;
    world.settled().await;
    assert_eq!(world.there("ConfigMap a-gated").await, before);
    world.apply(&gate("open: 'no'")).await;
    world.gone("ConfigMap a-gated").await;
    world.active("App a").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_13_an_empty_optional_says_no() {
    let world = World::start().await;
    let resources = config_map("one", "text: '${schema.spec.?text.orValue(\"nothing\")}'", "")
        + &config_map("two", "text: x", "includeWhen: ['${schema.spec.?flag}']");
    world.define(&definition("App", "spec: {text: string, flag: boolean}", &resources)).await;
    world.instance("App a", "").await;
    world.active("App a").await;
    assert_eq!(world.there("ConfigMap a-one").await["data"], json!({"text": "nothing"}));
    assert!(world.get("ConfigMap a-two").await.is_none());
    world.settled().await;
    world.instance("App a", "text: some, flag: true").await;
    world.there("ConfigMap a-two").await;
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "some").await;
    world.active("App a").await;
    world.settled().await;
}
