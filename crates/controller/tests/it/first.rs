//! From a definition to objects, and back to nothing.

use serde_json::Value;

use crate::world::{World, config_map, definition};

fn text(object: &Value) -> &str {
    object["data"]["text"].as_str().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_definition_becomes_an_api() {
    let world = World::start().await;
    let schema =
        "spec: {text: string, second: 'boolean | default=true'}, status: {first: '${one.data.text}'}";
    let resources = config_map("one", "text: '${schema.spec.text}'", "")
        + &config_map("two", "text: '${one.data.text}!'", "includeWhen: ['${schema.spec.second}']");
    world.define(&definition("App", schema, &resources)).await;
    world.instance("App a", "text: hello").await;
    let app = world.active("App a").await;
    assert_eq!(app["status"]["first"], "hello");
    world.eventually("ConfigMap a-two", |it| text(it) == "hello!").await;

    world.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: a-one}, data: {text: drifted}}").await;
    world.eventually("ConfigMap a-one", |it| text(it) == "hello").await;

    world.instance("App a", "text: bye, second: false").await;
    world.eventually("ConfigMap a-one", |it| text(it) == "bye").await;
    world.gone("ConfigMap a-two").await;
    let app = world.active("App a").await;
    assert_eq!(app["status"]["first"], "bye");
    world.settled().await;

    world.delete("App a").await;
    world.gone("App a").await;
    world.gone("ConfigMap a-one").await;
    world.settled().await;
}
