//! From a definition to objects, and back to nothing.

use serde_json::{Value, json};

use crate::world::World;

const DEFINITION: &str = "
apiVersion: kro.run/v1alpha1
kind: ResourceGraphDefinition
metadata: {name: app}
spec:
  schema:
    apiVersion: v1alpha1
    kind: App
    spec: {text: string, second: 'boolean | default=true'}
    status: {first: '${one.data.text}'}
  resources:
  - id: one
    template:
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: '${schema.metadata.name}-one'}
      data: {text: '${schema.spec.text}'}
  - id: two
    includeWhen: ['${schema.spec.second}']
    template:
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: '${schema.metadata.name}-two'}
      data: {text: '${one.data.text}!'}
";

fn is_active(object: &Value) -> bool {
    let current =
        object.pointer("/status/conditions/3/observedGeneration") == object.pointer("/metadata/generation");
    object["status"]["state"].as_str().is_some_and(|it| it.eq_ignore_ascii_case("active")) && current
}

#[tokio::test(flavor = "multi_thread")]
async fn a_definition_becomes_an_api() {
    let world = World::start().await;
    world.apply(DEFINITION).await;
    let definition = world.eventually("kro.run/v1alpha1", "ResourceGraphDefinition", "app", is_active).await;
    println!("{:#}", definition["status"]);
    world.apply("{apiVersion: kro.run/v1alpha1, kind: App, metadata: {name: a}, spec: {text: hello}}").await;
    let app = world.eventually("kro.run/v1alpha1", "App", "a", is_active).await;
    assert_eq!(app["status"]["first"], "hello");
    let text = |object: &Value| object["data"]["text"].clone();
    world.eventually("v1", "ConfigMap", "a-two", |it| text(it) == "hello!").await;

    world.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: a-one}, data: {text: drifted}}").await;
    world.eventually("v1", "ConfigMap", "a-one", |it| text(it) == "hello").await;

    world
        .apply("{apiVersion: kro.run/v1alpha1, kind: App, metadata: {name: a}, spec: {text: bye, second: false}}")
        .await;
    world.eventually("v1", "ConfigMap", "a-one", |it| text(it) == "bye").await;
    world.gone("v1", "ConfigMap", "a-two").await;
    let app = world.eventually("kro.run/v1alpha1", "App", "a", is_active).await;
    assert_eq!(app["status"]["first"], json!("bye"));

    world.delete("kro.run/v1alpha1", "App", "a").await;
    world.gone("kro.run/v1alpha1", "App", "a").await;
    world.gone("v1", "ConfigMap", "a-one").await;
}
