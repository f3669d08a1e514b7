//! Pods: assigned to nodes, ended gracefully.

use serde_json::{Value, json};

use crate::harness::{Harness, start};

const PODS: &str = "/api/v1/namespaces/default/pods";

async fn create(it: &Harness, name: &str) -> Value {
    let spec = json!({"containers": [{"name": "main", "image": "web:1"}]});
    it.post(PODS, &json!({"metadata": {"name": name}, "spec": spec})).await.ok()
}

async fn bind(it: &Harness, name: &str, node: &str) -> u16 {
    let binding = json!({"metadata": {"name": name}, "target": {"kind": "Node", "name": node}});
    it.post(&format!("{PODS}/{name}/binding"), &binding).await.code
}

#[tokio::test]
async fn a_pod_is_bound_once() {
    let it = start().await;
    create(&it, "one").await;
    assert_eq!(bind(&it, "one", "").await, 400);
    assert_eq!(bind(&it, "one", "node").await, 201);
    let pod = it.get(&format!("{PODS}/one")).await.ok();
    assert_eq!(pod["spec"]["nodeName"], "node");
    assert_eq!(pod["status"]["conditions"][0]["type"], "PodScheduled");
    assert_eq!(bind(&it, "one", "other").await, 409);
    assert_eq!(bind(&it, "two", "node").await, 404);
}

#[tokio::test]
async fn a_pod_on_a_node_ends_when_the_node_says_so() {
    let it = start().await;
    create(&it, "one").await;
    bind(&it, "one", "node").await;
    let path = format!("{PODS}/one");
    let marked = it.delete(&path).await.ok();
    assert_eq!(marked["metadata"]["deletionGracePeriodSeconds"], 30);
    let status = json!({"status": {"message": "stopping"}});
    it.patch(&format!("{path}/status"), "merge-patch+json", &status).await.ok();
    let sooner = it.delete(&format!("{path}?gracePeriodSeconds=5")).await.ok();
    assert_eq!(sooner["metadata"]["deletionGracePeriodSeconds"], 5);
    let unchanged = it.delete(&format!("{path}?gracePeriodSeconds=9")).await.ok();
    assert_eq!(unchanged["metadata"]["deletionGracePeriodSeconds"], 5);
    it.delete(&format!("{path}?gracePeriodSeconds=0")).await.ok();
    assert_eq!(it.get(&path).await.code, 404);
}

#[tokio::test]
async fn a_pod_without_a_node_ends_at_once() {
    let it = start().await;
    create(&it, "one").await;
    it.delete(&format!("{PODS}/one")).await.ok();
    assert_eq!(it.get(&format!("{PODS}/one")).await.code, 404);
}
