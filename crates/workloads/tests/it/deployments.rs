//! Deployments: rolled out, rolled back, stuck, scaled, paused, deleted.

use std::time::Duration;

use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};

use crate::harness::{condition, deployment, image, start};

const REVISION: &str = "deployment.kubernetes.io/revision";

fn revision(object: &Value) -> &Value {
    &object["metadata"]["annotations"][REVISION]
}

#[tokio::test]
async fn a_deployment_becomes_available() {
    let it = start().await;
    it.create::<Deployment>(deployment("web", 3, "web:1")).await;
    it.rolled_out("web").await;
    let complete = |it: &Value| condition(it, "Progressing")["reason"] == "NewReplicaSetAvailable";
    let web = it.when::<Deployment>("web", "completion", complete).await;
    assert_eq!(condition(&web, "Available")["status"], "True");
    assert_eq!((&web["status"]["readyReplicas"], revision(&web)), (&json!(3), &json!("1")));
    let sets = it.list::<ReplicaSet>("app=web").await;
    let hash = sets[0]["metadata"]["labels"]["pod-template-hash"].as_str().unwrap();
    assert_eq!(sets[0]["metadata"]["name"], format!("web-{hash}"));
    let pods = it.list::<Pod>(&format!("pod-template-hash={hash}")).await;
    assert_eq!(pods.len(), 3);
    assert_eq!(web["metadata"]["generation"], 1);
    let scaled = it.told("web", "ScalingReplicaSet").await;
    assert_eq!(scaled["message"], format!("Scaled up replica set web-{hash} from 0 to 3"));
}

#[tokio::test]
async fn a_new_image_is_rolled_out_and_back() {
    let it = start().await;
    it.create::<Deployment>(deployment("web", 4, "web:1")).await;
    it.rolled_out("web").await;
    it.patch::<Deployment>("web", image("web:2")).await;
    let web = it.rolled_out("web").await;
    assert_eq!((it.images().await, revision(&web)), (vec!["web:2".to_owned(); 4], &json!("2")));
    it.patch::<Deployment>("web", image("web:1")).await;
    let web = it.rolled_out("web").await;
    assert_eq!((it.images().await, revision(&web)), (vec!["web:1".to_owned(); 4], &json!("3")));
    let sets = it.list::<ReplicaSet>("").await;
    assert_eq!(sets.len(), 2);
    let back = sets.iter().find(|it| revision(it) == "3").unwrap();
    assert_eq!(back["metadata"]["annotations"]["deployment.kubernetes.io/revision-history"], "1");
}

#[tokio::test]
async fn a_stuck_rollout_is_told_and_keeps_what_works() {
    let it = start().await;
    let mut web = deployment("web", 4, "web:1");
    web["spec"]["progressDeadlineSeconds"] = json!(60);
    it.create::<Deployment>(web).await;
    it.rolled_out("web").await;
    it.patch::<Deployment>("web", image("web:2-hang")).await;
    it.when::<Deployment>("web", "new pods", |it| it["status"]["updatedReplicas"] == 2).await;
    it.clock.advance(Duration::from_secs(62));
    let late = |it: &Value| condition(it, "Progressing")["reason"] == "ProgressDeadlineExceeded";
    let web = it.when::<Deployment>("web", "a timeout", late).await;
    assert_eq!(condition(&web, "Progressing")["status"], "False");
    assert_eq!(condition(&web, "Available")["status"], "True");
    assert_eq!(web["status"]["availableReplicas"], 3);
    it.patch::<Deployment>("web", image("web:1")).await;
    it.rolled_out("web").await;
    let complete = |it: &Value| condition(it, "Progressing")["reason"] == "NewReplicaSetAvailable";
    it.when::<Deployment>("web", "completion", complete).await;
    assert_eq!(it.images().await, ["web:1"; 4]);
}

#[tokio::test]
async fn scaling_goes_both_ways() {
    let it = start().await;
    it.create::<Deployment>(deployment("web", 1, "web:1")).await;
    for replicas in [5, 2, 0, 3] {
        it.patch::<Deployment>("web", json!({"spec": {"replicas": replicas}})).await;
        it.rolled_out("web").await;
        it.until::<Pod>("pods", |pods| pods.len() == replicas).await;
    }
    assert_eq!(it.list::<ReplicaSet>("").await.len(), 1);
}

#[tokio::test]
async fn a_paused_deployment_waits() {
    let it = start().await;
    it.create::<Deployment>(deployment("web", 2, "web:1")).await;
    it.rolled_out("web").await;
    it.patch::<Deployment>("web", json!({"spec": {"paused": true}})).await;
    let paused = |it: &Value| condition(it, "Progressing")["reason"] == "DeploymentPaused";
    it.when::<Deployment>("web", "a pause", paused).await;
    it.patch::<Deployment>("web", image("web:2")).await;
    it.patch::<Deployment>("web", json!({"spec": {"replicas": 3}})).await;
    it.until::<Pod>("pods", |pods| pods.len() == 3).await;
    assert_eq!(it.images().await, ["web:1"; 3]);
    it.patch::<Deployment>("web", json!({"spec": {"paused": false}})).await;
    it.rolled_out("web").await;
    assert_eq!(it.images().await, ["web:2"; 3]);
}

#[tokio::test]
async fn recreation_leaves_a_gap() {
    let it = start().await;
    let mut web = deployment("web", 2, "web:1");
    web["spec"]["strategy"] = json!({"type": "Recreate"});
    it.create::<Deployment>(web).await;
    it.rolled_out("web").await;
    it.patch::<Deployment>("web", image("web:2")).await;
    it.rolled_out("web").await;
    assert_eq!(it.images().await, ["web:2"; 2]);
}

#[tokio::test]
async fn old_revisions_beyond_the_limit_go() {
    let it = start().await;
    let mut web = deployment("web", 1, "web:1");
    web["spec"]["revisionHistoryLimit"] = json!(1);
    it.create::<Deployment>(web).await;
    for version in 2..5 {
        it.rolled_out("web").await;
        it.patch::<Deployment>("web", image(&format!("web:{version}"))).await;
    }
    it.rolled_out("web").await;
    let left = it.until::<ReplicaSet>("two revisions", |sets| sets.len() == 2).await;
    let mut numbers: Vec<&str> = left.iter().map(|it| revision(it).as_str().unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, ["3", "4"]);
}

#[tokio::test]
async fn all_goes_with_the_deployment() {
    let it = start().await;
    it.create::<Deployment>(deployment("web", 2, "web:1")).await;
    it.rolled_out("web").await;
    it.delete::<Deployment>("web").await;
    it.until::<ReplicaSet>("no replica sets", <[Value]>::is_empty).await;
    it.until::<Pod>("no pods", <[Value]>::is_empty).await;
}

#[tokio::test]
async fn the_annotation_of_a_deployment_reaches_its_pods() {
    let it = start().await;
    let mut web = deployment("web", 1, "web:1");
    web["metadata"]["annotations"] = json!({"krono.dev/simulate": "hang"});
    it.create::<Deployment>(web).await;
    let creating = |pods: &[Value]| {
        pods.iter().any(|it| {
            it["status"]["containerStatuses"][0]["state"]["waiting"]["reason"] == "ContainerCreating"
        })
    };
    it.until::<Pod>("an attempt", creating).await;
    it.patch::<Deployment>("web", json!({"metadata": {"annotations": {"krono.dev/simulate": null}}})).await;
    it.rolled_out("web").await;
}

#[tokio::test]
async fn a_pod_out_of_rotation_is_replaced() {
    let it = start().await;
    it.create::<Deployment>(deployment("web", 1, "web:1")).await;
    it.rolled_out("web").await;
    let name = it.list::<Pod>("").await[0]["metadata"]["name"].as_str().unwrap().to_owned();
    it.patch::<Pod>(&name, json!({"metadata": {"labels": {"app": "debug"}}})).await;
    it.until::<Pod>("a replacement", |pods| pods.len() == 2).await;
    let released = it.when::<Pod>(&name, "release", |it| it["metadata"]["ownerReferences"].is_null()).await;
    assert_eq!(released["metadata"]["labels"]["app"], "debug");
}
