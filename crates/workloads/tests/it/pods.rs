//! Pods: how they run, fail, hang and end.

use std::time::Duration;

use k8s_openapi::api::core::v1::{Node, Pod};
use krono_workloads::Pace;
use kube::Api;
use serde_json::{Value, json};

use crate::harness::{condition, start, start_at};

fn pod(name: &str, image: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
        "spec": {"containers": [{"name": "main", "image": image}]},
    })
}

fn is_ready(pod: &Value) -> bool {
    condition(pod, "Ready")["status"] == "True"
}

fn waits_for(pod: &Value) -> &Value {
    &pod["status"]["containerStatuses"][0]["state"]["waiting"]["reason"]
}

#[tokio::test]
async fn a_pod_runs_on_the_simulated_node() {
    let it = start().await;
    it.create::<Pod>(pod("one", "web:1")).await;
    let one = it.when::<Pod>("one", "readiness", is_ready).await;
    assert_eq!(one["spec"]["nodeName"], "krono-simulated");
    assert_eq!(one["status"]["phase"], "Running");
    assert!(one["status"]["podIP"].as_str().unwrap().starts_with("10.244."));
    let container = &one["status"]["containerStatuses"][0];
    assert_eq!((&container["ready"], &container["restartCount"]), (&json!(true), &json!(0)));
    for reason in ["Scheduled", "Pulled", "Created", "Started"] {
        let event = it.told("one", reason).await;
        assert!(event["message"].as_str().unwrap().ends_with("(simulated)"), "{event}");
        assert_eq!(event["source"]["component"], "krono-workloads");
    }
    let nodes: Api<Node> = Api::all(it.client.clone());
    let node = serde_json::to_value(nodes.get("krono-simulated").await.unwrap()).unwrap();
    assert_eq!(condition(&node, "Ready")["status"], "True");
}

#[tokio::test]
async fn a_deleted_pod_ends() {
    let it = start().await;
    it.create::<Pod>(pod("one", "web:1")).await;
    it.when::<Pod>("one", "readiness", is_ready).await;
    it.delete::<Pod>("one").await;
    it.gone::<Pod>("one").await;
    it.told("one", "Killing").await;
}

#[tokio::test]
async fn pods_that_are_not_to_be_restarted_complete() {
    let it = start().await;
    for (name, image, phase) in [("well", "web:1", "Succeeded"), ("ill", "web:1-fail", "Failed")] {
        let mut pod = pod(name, image);
        pod["spec"]["restartPolicy"] = json!("Never");
        it.create::<Pod>(pod).await;
        let ended = it.when::<Pod>(name, phase, |it| it["status"]["phase"] == phase).await;
        assert!(!is_ready(&ended));
    }
}

#[tokio::test]
async fn a_failing_pod_is_restarted_again_and_again() {
    let it = start().await;
    it.create::<Pod>(pod("ill", "web:1-fail")).await;
    let restarts =
        |it: &Value| it["status"]["containerStatuses"][0]["restartCount"].as_i64().unwrap_or_default();
    let backs_off =
        |count: i64| move |it: &Value| waits_for(it) == "CrashLoopBackOff" && restarts(it) == count;
    let ill = it.when::<Pod>("ill", "one restart", backs_off(1)).await;
    assert_eq!(ill["status"]["phase"], "Running");
    assert_eq!(ill["status"]["containerStatuses"][0]["lastState"]["terminated"]["exitCode"], 1);
    it.clock.advance(Duration::from_secs(11));
    it.when::<Pod>("ill", "two restarts", backs_off(2)).await;
    it.clock.advance(Duration::from_secs(21));
    it.when::<Pod>("ill", "three restarts", backs_off(3)).await;
    assert_eq!(it.told("ill", "BackOff").await["type"], "Warning");
}

#[tokio::test]
async fn a_hanging_pod_never_starts_and_a_slow_one_takes_its_time() {
    let it = start().await;
    it.create::<Pod>(pod("stuck", "web:1-hang")).await;
    let mut slow = pod("slow", "web:1");
    slow["metadata"]["annotations"] = json!({"krono.dev/simulate": "slow=5s"});
    it.create::<Pod>(slow).await;
    it.when::<Pod>("stuck", "an attempt", |it| waits_for(it) == "ContainerCreating").await;
    let slow = it.when::<Pod>("slow", "a start", |it| it["status"]["phase"] == "Running").await;
    assert!(!is_ready(&slow));
    it.clock.advance(Duration::from_secs(6));
    it.when::<Pod>("slow", "readiness", is_ready).await;
    assert_eq!(waits_for(&it.get::<Pod>("stuck").await), "ContainerCreating");
}

#[tokio::test]
async fn steps_take_the_time_of_the_pace() {
    let it =
        start_at(Pace { start: Duration::from_secs(2), ready: Duration::from_secs(3), ..Pace::instant() })
            .await;
    it.create::<Pod>(pod("one", "web:1")).await;
    it.when::<Pod>("one", "an attempt", |it| waits_for(it) == "ContainerCreating").await;
    it.clock.advance(Duration::from_secs(2));
    let running = it.when::<Pod>("one", "a start", |it| it["status"]["phase"] == "Running").await;
    assert!(!is_ready(&running));
    it.clock.advance(Duration::from_secs(3));
    it.when::<Pod>("one", "readiness", is_ready).await;
}

#[tokio::test]
async fn a_wrong_annotation_is_told() {
    let it = start().await;
    let mut odd = pod("odd", "web:1");
    odd["metadata"]["annotations"] = json!({"krono.dev/simulate": "explode"});
    it.create::<Pod>(odd).await;
    let event = it.told("odd", "InvalidSimulation").await;
    assert_eq!(event["type"], "Warning");
    let message = event["message"].as_str().unwrap();
    assert!(message.contains("\"explode\"") && message.contains("slow=5s"), "{message}");
    it.when::<Pod>("odd", "readiness", is_ready).await;
}

#[tokio::test]
async fn what_no_node_offers_stays_pending() {
    let it = start().await;
    let mut picky = pod("picky", "web:1");
    picky["spec"]["nodeSelector"] = json!({"disk": "ssd"});
    it.create::<Pod>(picky).await;
    let unscheduled = |it: &Value| condition(it, "PodScheduled")["reason"] == "Unschedulable";
    it.when::<Pod>("picky", "a refusal", unscheduled).await;
    it.told("picky", "FailedScheduling").await;
}
