//! Stateful sets, daemon sets and replication controllers.

use std::time::Duration;

use k8s_openapi::api::apps::v1::{ControllerRevision, DaemonSet, StatefulSet};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod, ReplicationController};
use krono_workloads::Pace;
use serde_json::{Value, json};

use crate::harness::{Cluster, image, start, start_at, template};

fn stateful_set(replicas: i32) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"},
        "spec": {
            "replicas": replicas, "serviceName": "db", "selector": {"matchLabels": {"app": "db"}},
            "template": template("db", "db:1"),
            "volumeClaimTemplates": [{
                "metadata": {"name": "data"},
                "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
            }],
        },
    })
}

/// Waits until `kubectl rollout status` of the set would be content.
async fn settled(it: &Cluster) -> Value {
    it.when::<StatefulSet>("db", "an update", |it| {
        let status = &it["status"];
        status["observedGeneration"] == it["metadata"]["generation"]
            && status["currentRevision"] == status["updateRevision"]
            && status["readyReplicas"].as_i64().unwrap_or_default()
                == it["spec"]["replicas"].as_i64().unwrap()
            && status["replicas"] == it["spec"]["replicas"]
    })
    .await
}

fn names(pods: &[Value]) -> Vec<&str> {
    pods.iter().map(|it| it["metadata"]["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn pods_of_a_stateful_set_come_in_order() {
    let it = start_at(Pace { ready: Duration::from_secs(1), ..Pace::instant() }).await;
    it.create::<StatefulSet>(stateful_set(2)).await;
    it.when::<Pod>("db-0", "a start", |it| it["status"]["phase"] == "Running").await;
    assert_eq!(names(&it.list::<Pod>("").await), ["db-0"]);
    it.clock.advance(Duration::from_secs(2));
    it.when::<Pod>("db-1", "a start", |it| it["status"]["phase"] == "Running").await;
    it.clock.advance(Duration::from_secs(2));
    settled(&it).await;
}

#[tokio::test]
async fn a_stateful_set_has_names_claims_and_revisions() {
    let it = start().await;
    it.create::<StatefulSet>(stateful_set(3)).await;
    let first = settled(&it).await;
    let pods = it.list::<Pod>("").await;
    assert_eq!(names(&pods), ["db-0", "db-1", "db-2"]);
    assert_eq!(pods[1]["spec"]["hostname"], "db-1");
    assert_eq!(pods[1]["metadata"]["labels"]["apps.kubernetes.io/pod-index"], "1");
    let claims = it.list::<PersistentVolumeClaim>("").await;
    assert_eq!(names(&claims), ["data-db-0", "data-db-1", "data-db-2"]);
    it.patch::<StatefulSet>("db", image("db:2")).await;
    let second = settled(&it).await;
    assert_ne!(first["status"]["currentRevision"], second["status"]["currentRevision"]);
    assert_eq!(it.images().await, ["db:2"; 3]);
    assert_eq!(it.list::<ControllerRevision>("").await.len(), 2);
    it.patch::<StatefulSet>("db", image("db:1")).await;
    let third = settled(&it).await;
    assert_eq!(first["status"]["currentRevision"], third["status"]["currentRevision"]);
    it.patch::<StatefulSet>("db", json!({"spec": {"replicas": 1}})).await;
    settled(&it).await;
    assert_eq!(names(&it.until::<Pod>("one pod", |pods| pods.len() == 1).await), ["db-0"]);
    assert_eq!(it.list::<PersistentVolumeClaim>("").await.len(), 3);
}

#[tokio::test]
async fn a_partition_holds_an_update_back() {
    let it = start().await;
    it.create::<StatefulSet>(stateful_set(3)).await;
    settled(&it).await;
    let partition = json!({"spec": {"updateStrategy": {"rollingUpdate": {"partition": 2}}}});
    it.patch::<StatefulSet>("db", partition).await;
    it.patch::<StatefulSet>("db", image("db:2")).await;
    it.when::<StatefulSet>("db", "one update", |it| {
        it["status"]["updatedReplicas"] == 1 && it["status"]["readyReplicas"] == 3
    })
    .await;
    assert_eq!(it.images().await, ["db:1", "db:1", "db:2"]);
    it.delete::<Pod>("db-0").await;
    it.until::<Pod>("a replacement", |pods| {
        pods.len() == 3
            && pods[0]["status"]["phase"] == "Running"
            && pods[0]["metadata"]["deletionTimestamp"].is_null()
    })
    .await;
    assert_eq!(it.images().await, ["db:1", "db:1", "db:2"]);
}

#[tokio::test]
async fn a_daemon_set_has_a_pod_on_the_node() {
    let it = start().await;
    it.create::<DaemonSet>(json!({
        "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent"},
        "spec": {"selector": {"matchLabels": {"app": "agent"}}, "template": template("agent", "agent:1")},
    }))
    .await;
    let ready = |it: &Value| {
        let status = &it["status"];
        status["observedGeneration"] == it["metadata"]["generation"]
            && status["numberAvailable"] == 1
            && status["updatedNumberScheduled"] == 1
    };
    it.when::<DaemonSet>("agent", "readiness", ready).await;
    it.patch::<DaemonSet>("agent", image("agent:2")).await;
    let agent = it.when::<DaemonSet>("agent", "an update", ready).await;
    assert_eq!(agent["status"]["desiredNumberScheduled"], 1);
    it.until::<Pod>("one pod", |pods| {
        pods.len() == 1 && pods[0]["spec"]["containers"][0]["image"] == "agent:2"
    })
    .await;
    assert_eq!(it.list::<ControllerRevision>("").await.len(), 2);
}

#[tokio::test]
async fn a_replication_controller_replicates() {
    let it = start().await;
    it.create::<ReplicationController>(json!({
        "apiVersion": "v1", "kind": "ReplicationController", "metadata": {"name": "old"},
        "spec": {"replicas": 2, "selector": {"app": "old"}, "template": template("old", "old:1")},
    }))
    .await;
    it.when::<ReplicationController>("old", "readiness", |it| it["status"]["availableReplicas"] == 2).await;
}
