//! What is told while a resource becomes ready.

use serde_json::{Value, json};

use crate::world::{World, definition, message};

/// A Deployment that becomes ready in steps.
fn app(image: &str) -> Value {
    let labels = "{app: '${schema.metadata.name}'}";
    let pod = format!(
        "{{metadata: {{labels: {labels}}}, spec: {{containers: [{{name: web, image: '{image}'}}]}}}}"
    );
    let spec = format!("{{selector: {{matchLabels: {labels}}}, template: {pod}}}");
    let ready =
        "['${web.status.observedGeneration == web.metadata.generation}', '${web.status.readyReplicas == 1}']";
    let metadata = "{name: '${schema.metadata.name}'}";
    let template = format!("{{apiVersion: apps/v1, kind: Deployment, metadata: {metadata}, spec: {spec}}}");
    definition("App", "spec: {}", &format!("- {{id: web, readyWhen: {ready}, template: {template}}}"))
}

async fn rolled_out(world: &World, generation: u8, ready: u8) {
    let status = json!({"observedGeneration": generation, "replicas": 1, "readyReplicas": ready});
    world.merge_status("Deployment a", status).await;
    world.quiet().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v16_what_a_resource_lacks_is_told_once_while_it_becomes_ready() {
    let world = World::start().await;
    world.define(&app("web:1")).await;
    world.instance("App a", "").await;
    world.there("Deployment a").await;
    rolled_out(&world, 1, 1).await;
    world.active("App a").await;
    world.settled().await;
    let before = world.line.writes().len();
    world.define(&app("web:2")).await;
    let first = "observedGeneration == web.metadata.generation";
    world.eventually("App a", |it| message(it, "Ready").contains(first)).await;
    rolled_out(&world, 2, 0).await;
    world.settled().await;
    assert!(message(&world.there("App a").await, "Ready").contains(first));
    rolled_out(&world, 2, 1).await;
    world.eventually("App a", |it| it["status"]["observedRGDRevision"] == 2).await;
    world.settled().await;
    let writes = &world.line.writes()[before..];
    let statuses = writes.iter().filter(|it| it.contains("/apps/a/status")).count();
    assert_eq!(statuses, 3, "{writes:#?}");
}
