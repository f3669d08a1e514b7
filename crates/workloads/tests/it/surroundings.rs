//! Claims, services, budgets and autoscalers.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::core::v1::{Endpoints, PersistentVolume, PersistentVolumeClaim, Pod, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::api::storage::v1::StorageClass;
use kube::Api;
use kube::api::{ListParams, PostParams};
use serde_json::{Value, json};

use crate::harness::{PATIENCE, condition, deployment, start};

#[tokio::test]
async fn a_claim_is_bound_before_its_pod_runs() {
    let it = start().await;
    it.create::<Pod>(json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "user"},
        "spec": {
            "containers": [{"name": "main", "image": "web:1"}],
            "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
        },
    }))
    .await;
    it.told("user", "FailedScheduling").await;
    it.create::<PersistentVolumeClaim>(json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "2Gi"}}},
    }))
    .await;
    let bound = |it: &Value| it["status"]["phase"] == "Bound";
    let claim = it.when::<PersistentVolumeClaim>("data", "a volume", bound).await;
    assert_eq!(claim["status"]["capacity"]["storage"], "2Gi");
    it.when::<Pod>("user", "a start", |it| it["status"]["phase"] == "Running").await;
    it.delete::<Pod>("user").await;
    it.gone::<Pod>("user").await;
    it.delete::<PersistentVolumeClaim>("data").await;
    let volumes: Api<PersistentVolume> = Api::all(it.client.clone());
    let gone = async {
        while !volumes.list(&ListParams::default()).await.unwrap().items.is_empty() {
            tokio::task::yield_now().await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, gone).await.is_ok(), "the volume is still there");
}

#[tokio::test]
async fn a_claim_waits_for_its_class() {
    let it = start().await;
    it.create::<PersistentVolumeClaim>(json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
        "spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
            "resources": {"requests": {"storage": "2Gi"}},
        },
    }))
    .await;
    it.told("data", "ProvisioningFailed").await;
    let classes: Api<StorageClass> = Api::all(it.client.clone());
    let class = json!({"metadata": {"name": "fast"}, "provisioner": "example.com/disks"});
    classes.create(&PostParams::default(), &serde_json::from_value(class).unwrap()).await.unwrap();
    let bound = |it: &Value| it["status"]["phase"] == "Bound";
    it.when::<PersistentVolumeClaim>("data", "a volume", bound).await;
}

#[tokio::test]
async fn a_service_knows_its_pods_and_its_address() {
    let it = start().await;
    it.create::<Deployment>(deployment("web", 2, "web:1")).await;
    it.create::<Service>(json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
        "spec": {"type": "LoadBalancer", "selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]},
    }))
    .await;
    let service = it
        .when::<Service>("web", "an address", |it| !it["status"]["loadBalancer"]["ingress"].is_null())
        .await;
    assert!(service["status"]["loadBalancer"]["ingress"][0]["ip"].as_str().unwrap().starts_with("198.1"));
    let both = |it: &Value| it["subsets"][0]["addresses"].as_array().is_some_and(|it| it.len() == 2);
    let endpoints = it.when::<Endpoints>("web", "two addresses", both).await;
    assert_eq!(endpoints["subsets"][0]["ports"][0]["port"], 8080);
    let slices = it
        .until::<EndpointSlice>("two endpoints", |all| {
            all.iter().any(|it| it["endpoints"].as_array().is_some_and(|it| it.len() == 2))
        })
        .await;
    assert_eq!(slices[0]["metadata"]["labels"]["kubernetes.io/service-name"], "web");
    it.patch::<Deployment>("web", json!({"spec": {"replicas": 0}})).await;
    it.when::<Endpoints>("web", "no addresses", |it| it["subsets"].is_null()).await;
    it.delete::<Service>("web").await;
    it.gone::<Endpoints>("web").await;
}

#[tokio::test]
async fn a_budget_counts() {
    let it = start().await;
    it.create::<PodDisruptionBudget>(json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"},
        "spec": {"maxUnavailable": "34%", "selector": {"matchLabels": {"app": "web"}}},
    }))
    .await;
    it.create::<Deployment>(deployment("web", 3, "web:1")).await;
    let budget = it
        .when::<PodDisruptionBudget>("web", "room", |it| {
            it["status"]["currentHealthy"] == 3 && it["status"]["disruptionsAllowed"] == 2
        })
        .await;
    assert_eq!(
        (&budget["status"]["expectedPods"], &budget["status"]["desiredHealthy"]),
        (&json!(3), &json!(1))
    );
    assert_eq!(condition(&budget, "DisruptionAllowed")["status"], "True");
}

#[tokio::test]
async fn an_autoscaler_keeps_its_bounds() {
    let it = start().await;
    it.create::<Deployment>(deployment("web", 1, "web:1")).await;
    it.create::<HorizontalPodAutoscaler>(json!({
        "apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"},
        "spec": {
            "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"},
            "minReplicas": 2, "maxReplicas": 4,
        },
    }))
    .await;
    it.until::<Pod>("two pods", |pods| pods.len() == 2).await;
    let counted = |it: &Value| it["status"]["currentReplicas"] == 2;
    let autoscaler = it.when::<HorizontalPodAutoscaler>("web", "a count", counted).await;
    assert_eq!(condition(&autoscaler, "AbleToScale")["status"], "True");
}
