//! A revision with an image that never starts, before a hundred Deployments.

use std::collections::BTreeMap;

use krono_workloads::{Options, Pace, Scope};
use serde_json::{Value, json};

use crate::propagation::{assigned, name, phase};
use crate::revisions::{APP, edit, numbers, revision};
use crate::world::{World, definition, message};

const INSTANCES: usize = 100;
const GOOD: &str = "web:1";
/// The simulated node takes the end of the tag at its word.
const BAD: &str = "web:2-hang";

/// One Deployment each; ready when all of its Pods are of the newest template.
fn app(image: &str, on_failure: &str) -> Value {
    let labels = "{app: '${schema.metadata.name}'}";
    let container = format!("{{name: web, image: '{image}'}}");
    let pod = format!("{{metadata: {{labels: {labels}}}, spec: {{containers: [{container}]}}}}");
    let spec = format!("{{replicas: 1, selector: {{matchLabels: {labels}}}, template: {pod}}}");
    let template = format!(
        "{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: '${{schema.metadata.name}}'}}, spec: {spec}}}"
    );
    let ready = "['${web.status.observedGeneration == web.metadata.generation}', '${web.status.updatedReplicas == 1}', \
                 '${web.status.replicas == 1}', '${web.status.readyReplicas == 1}']";
    let resource = format!("- {{id: web, readyWhen: {ready}, template: {template}}}");
    let mut made = definition("App", "spec: {text: string}", &resource);
    made["spec"]["propagateWhen"] = json!(["${exponentiallyUpdated(instances, each)}"]);
    made["spec"]["propagation"] = json!({"progressDeadlineSeconds": 3, "onFailure": on_failure});
    made
}

/// All instances ready at the good image, the policy in force.
async fn fleet(on_failure: &str) -> World {
    let world = World::start().await;
    // Pods are refused where nobody makes it.
    world.put(&json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}})).await;
    let options = Options { pace: Pace::instant(), ..Options::new(Scope::Everything) };
    tokio::spawn(krono_workloads::run(world.client.clone(), options, std::future::pending()));
    edit(&world, &app(GOOD, on_failure)).await;
    for at in 0..INSTANCES {
        world.instance(&format!("App {}", name(at)), "text: hello").await;
    }
    for at in 0..INSTANCES {
        world.active(&format!("App {}", name(at))).await;
    }
    world.settled_beside_workloads().await;
    world
}

/// The image of every Deployment, and how often its spec was written.
async fn deployments(world: &World) -> BTreeMap<String, (String, i64)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = world.all("Deployment").await;
    all.iter()
        .map(|it| {
            let image = text(&it["spec"]["template"]["spec"]["containers"][0]["image"]);
            (
                text(&it["metadata"]["name"]),
                (image, it["metadata"]["generation"].as_i64().unwrap_or_default()),
            )
        })
        .collect()
}

/// The resources that the controllers asked to be written since.
fn written(world: &World, since: usize) -> Vec<String> {
    let mut names: Vec<String> = world.line.writes()[since..]
        .iter()
        .filter_map(|it| it.split_once("/deployments/"))
        .map(|(_, rest)| rest.split(['?', '/', ' ']).next().unwrap_or_default().to_owned())
        .collect();
    names.dedup();
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn v35_and_v36_a_bad_image_reaches_one_deployment_of_a_hundred() {
    let world = fleet("Halt").await;
    let (before, since) = (deployments(&world).await, world.line.writes().len());
    assert_eq!(before.len(), INSTANCES);
    edit(&world, &app(BAD, "Halt")).await;
    let told = phase(&world, "Halted").await;
    let propagation = &told["status"]["propagation"];
    assert_eq!(propagation["reason"], "1 of 100 instances failed: default/i000");
    assert_eq!(propagation["failures"][0]["instance"], "default/i000");
    assert_eq!((&propagation["wave"], &propagation["instances"]["admitted"]), (&json!(1), &json!(1)));
    world.settled_beside_workloads().await;
    let told = world.there(APP).await;
    let expected = "revision 2 reaches nobody else: 1 of 100 instances failed: default/i000; ";
    assert!(message(&told, "PropagationHalted").starts_with(expected), "{told:#}");
    assert_eq!((assigned(&world, 1).await, assigned(&world, 2).await), (99, 1));
    let mut after = deployments(&world).await;
    assert_eq!(after.insert("i000".to_owned(), before["i000"].clone()), Some((BAD.to_owned(), 2)));
    assert_eq!(after, before);
    assert_eq!(written(&world, since), ["i000"]);
}

/// Waits until the bad pods of a Deployment are gone: on its way back it says that it is ready before they are counted.
async fn rolled_out(world: &World, name: &str) {
    for replicas in world.names("ReplicaSet", &format!("app={name}")).await {
        let is_done = |it: &Value| {
            let is_bad = it["spec"]["template"]["spec"]["containers"][0]["image"] == BAD;
            let (wanted, there) =
                (&it["spec"]["replicas"], it["status"]["replicas"].as_i64().unwrap_or_default());
            *wanted == i64::from(!is_bad) && there == i64::from(!is_bad)
        };
        world.eventually(&format!("ReplicaSet {replicas}"), is_done).await;
    }
    world.eventually(&format!("Deployment {name}"), |it| it["status"]["replicas"] == 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v21_and_v24_a_bad_image_is_taken_back_and_no_deployment_beyond_the_first_wave_is_written() {
    let world = fleet("Rollback").await;
    let (before, since) = (deployments(&world).await, world.line.writes().len());
    edit(&world, &app(BAD, "Rollback")).await;
    world.eventually(APP, |it| numbers(it) == "1 of 2").await;
    phase(&world, "Completed").await;
    rolled_out(&world, "i000").await;
    world.active("App i000").await;
    // Counts are told a little later.
    let is_counted = |it: &Value| it["revision"] == 1 && it["instanceCount"] == INSTANCES;
    let has_counts = |it: &Value| {
        let status = &it["status"];
        let are_counted = status["revisionHistory"].as_array().is_some_and(|it| it.iter().any(is_counted));
        are_counted && status["propagation"]["instances"]["ready"] == INSTANCES
    };
    world.eventually(APP, has_counts).await;
    world.settled_beside_workloads().await;
    let mut after = deployments(&world).await;
    assert_eq!(after.insert("i000".to_owned(), before["i000"].clone()), Some((GOOD.to_owned(), 3)));
    assert_eq!(after, before);
    assert_eq!(written(&world, since), ["i000"]);
    assert_eq!(assigned(&world, 1).await, INSTANCES);
    let mark = revision(&world, 2).await["metadata"]["annotations"]["krono.dev/failed"].clone();
    assert_eq!(mark, "rolled back: 1 of 100 instances failed: default/i000");
}
