use serde_json::Value;

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

#[tokio::test(flavor = "multi_thread")]
async fn a_definition_becomes_an_api() {
    let world = World::start().await;
    world
        .eventually(
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            "resourcegraphdefinitions.kro.run",
            is_established,
        )
        .await;
    world.apply(DEFINITION).await;
    world
        .eventually("apiextensions.k8s.io/v1", "CustomResourceDefinition", "apps.kro.run", is_established)
        .await;
    world.apply("{apiVersion: kro.run/v1alpha1, kind: App, metadata: {name: a}, spec: {text: hello}}").await;
    let one = world.eventually("v1", "ConfigMap", "a-one", |_| true).await;
    println!("{one:#}");
    let two = world.eventually("v1", "ConfigMap", "a-two", |_| true).await;
    println!("{two:#}");
    let app = world.eventually("kro.run/v1alpha1", "App", "a", |it| it["status"]["state"] == "ACTIVE").await;
    println!("{app:#}");
}

fn is_established(definition: &Value) -> bool {
    let conditions = definition.pointer("/status/conditions").and_then(Value::as_array);
    conditions.into_iter().flatten().any(|it| it["type"] == "Established" && it["status"] == "True")
}
