//! A settled world is left alone.

use std::time::Duration;

use k8s_openapi::api::apps::v1::{DaemonSet, Deployment, StatefulSet};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::{PersistentVolumeClaim, Pod, Service};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use serde_json::{Value, json};

use crate::harness::{Cluster, condition, deployment, start, template};

/// What one Pod takes from its creation to its readiness: binding, status and four events.
const WRITES_OF_A_POD: usize = 6;

fn selected(name: &str, extra: &Value) -> Value {
    let mut spec = json!({"selector": {"matchLabels": {"app": name}}, "template": template(name, "web:1")});
    spec.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    json!({"metadata": {"name": name}, "spec": spec})
}

/// One of everything.
async fn populate(it: &Cluster) {
    let once =
        json!({"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "task:1"}]}});
    let storage = json!({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1024Mi"}}});
    let claims = json!([{"metadata": {"name": "data"}, "spec": storage}]);
    it.create::<Deployment>(deployment("web", 2, "web:1")).await;
    it.create::<StatefulSet>(selected("db", &json!({"serviceName": "db", "volumeClaimTemplates": claims})))
        .await;
    it.create::<DaemonSet>(selected("agent", &json!({}))).await;
    it.create::<PersistentVolumeClaim>(json!({"metadata": {"name": "alone"}, "spec": storage})).await;
    it.create::<Job>(json!({"metadata": {"name": "once"}, "spec": {"template": once}})).await;
    let cron = json!({"schedule": "0 0 1 1 *", "jobTemplate": {"spec": {"template": once}}});
    it.create::<CronJob>(json!({"metadata": {"name": "yearly"}, "spec": cron})).await;
    for (name, app, kind) in [("web", "web", "LoadBalancer"), ("none", "nobody", "ClusterIP")] {
        let spec = json!({"type": kind, "selector": {"app": app}, "ports": [{"port": 80}]});
        it.create::<Service>(json!({"metadata": {"name": name}, "spec": spec})).await;
        let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": name});
        let spec = json!({"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 3});
        it.create::<HorizontalPodAutoscaler>(json!({"metadata": {"name": name}, "spec": spec})).await;
        let spec = json!({"minAvailable": 1, "selector": {"matchLabels": {"app": app}}});
        it.create::<PodDisruptionBudget>(json!({"metadata": {"name": name}, "spec": spec})).await;
    }
}

/// Lets a Pod live that nothing else cares for; by its end all that came before is done.
async fn poke(it: &Cluster, name: &str) {
    let spec = json!({"containers": [{"name": "main", "image": "web:1"}]});
    it.create::<Pod>(json!({"metadata": {"name": name}, "spec": spec})).await;
    it.told(name, "Started").await;
}

#[tokio::test]
async fn a_settled_world_is_not_written_to() {
    let it = start().await;
    populate(&it).await;
    it.rolled_out("web").await;
    it.when::<Job>("once", "completion", |it| condition(it, "Complete")["status"] == "True").await;
    it.when::<StatefulSet>("db", "readiness", |it| it["status"]["availableReplicas"] == 1).await;
    it.when::<DaemonSet>("agent", "readiness", |it| it["status"]["numberAvailable"] == 1).await;
    for name in ["first", "second", "third"] {
        poke(&it, name).await;
    }
    let before = it.writes();
    poke(&it, "fourth").await;
    assert_eq!(it.writes() - before, WRITES_OF_A_POD);
    it.clock.advance(Duration::from_secs(11));
    poke(&it, "fifth").await;
    assert_eq!(it.writes() - before, 2 * WRITES_OF_A_POD + 1, "one renewal of the lease");
}
