//! The examples do what they promise, with simulated workloads.

use std::path::{Path, PathBuf};

use krono_workloads::{Options, Scope};
use serde_json::Value;

use crate::world::World;

/// Applies a folder, waits until its instances are active, deletes them and waits until they are gone.
async fn check(folder: &str) {
    let world = World::start().await;
    tokio::spawn(krono_workloads::run(
        world.client.clone(),
        Options::new(Scope::Everything),
        std::future::pending(),
    ));
    let documents = |file: &str| documents(&path(folder).join(file));
    for definition in documents("rgd.yaml") {
        world.define(&definition).await;
    }
    for object in documents("external.yaml").iter().chain(&documents("instance.yaml")) {
        world.put(object).await;
    }
    for instance in documents("instance.yaml") {
        let what = what(&instance);
        world.state(&what, "ACTIVE").await;
        world.settled_beside_workloads().await;
        world.delete(&what).await;
        world.gone(&what).await;
        world.settled_beside_workloads().await;
    }
}

/// An instance of a kind of the group `kro.run`, as tests name it.
fn what(instance: &Value) -> String {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let metadata = &instance["metadata"];
    format!("{} {}", text(&instance["kind"]), text(&metadata["name"]))
}

fn path(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(folder)
}

/// None when there is no such file.
fn documents(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let documents = serde_saphyr::from_multiple::<Value>(&text).expect("YAML");
    documents.into_iter().filter(|it| !it.is_null()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn web_app() {
    check("web-app").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn multi_tenant() {
    check("multi-tenant").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn collections() {
    check("collections").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn external_reference() {
    check("external-reference").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn job_pipeline() {
    check("job-pipeline").await;
}
