use serde_json::{Value, json};

use super::convert;
use crate::object::Object;

fn autoscaler(spec: &Value, status: &Value) -> Object {
    let metadata = json!({"name": "web", "annotations": {"own": "kept"}});
    let object = json!({"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": metadata,
        "spec": spec, "status": status});
    Object::new(object).unwrap()
}

#[test]
fn the_older_version_knows_the_use_of_cpu() {
    let cpu = json!({"type": "Resource", "resource":
        {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}});
    let new = autoscaler(
        &json!({"maxReplicas": 3, "metrics": [cpu]}),
        &json!({"desiredReplicas": 0, "currentMetrics": null}),
    );
    let old = convert(new.clone(), "autoscaling/v1");
    assert_eq!(old.get("spec").unwrap(), &json!({"maxReplicas": 3, "targetCPUUtilizationPercentage": 60}));
    assert_eq!(old.get("status").unwrap(), &json!({"currentReplicas": 0, "desiredReplicas": 0}));
    assert_eq!(convert(old, "autoscaling/v2"), new);
}

#[test]
fn nothing_is_lost_on_the_way() {
    let target = |kind: &str, field: &str| json!({"type": kind, field: "5"});
    let metric = json!({"name": "queue", "selector": {"matchLabels": {"a": "b"}}});
    let object = json!({"kind": "Service", "name": "s", "apiVersion": "v1"});
    let average = target("AverageValue", "averageValue");
    let metrics = json!([
        {"type": "Resource", "resource": {"name": "memory", "target": average}},
        {"type": "ContainerResource", "containerResource": {"name": "cpu", "container": "c", "target": average}},
        {"type": "Pods", "pods": {"metric": metric, "target": average}},
        {"type": "Object", "object": {"describedObject": object, "metric": metric, "target": target("Value", "value")}},
        {"type": "External", "external": {"metric": metric, "target": target("Value", "value")}},
    ]);
    let behavior = json!({"scaleDown": {"selectPolicy": "Max", "policies": [{"type": "Pods", "value": 1, "periodSeconds": 9}]}});
    let current = json!([{"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 7, "averageValue": "5m"}}}]);
    let condition = json!({"type": "AbleToScale", "status": "True"});
    let new = autoscaler(
        &json!({"maxReplicas": 3, "metrics": metrics, "behavior": behavior}),
        &json!({"currentReplicas": 2, "desiredReplicas": 2, "currentMetrics": current, "conditions": [condition]}),
    );
    let old = convert(new.clone(), "autoscaling/v1");
    assert_eq!(old.get("spec").unwrap(), &json!({"maxReplicas": 3}));
    assert_eq!(old.get("status").unwrap()["currentCPUUtilizationPercentage"], 7);
    let annotations = old.meta("annotations").unwrap();
    assert!(
        annotations["autoscaling.alpha.kubernetes.io/behavior"].as_str().unwrap().contains("\"ScaleDown\"")
    );
    assert_eq!(convert(old, "autoscaling/v2"), new);
}

#[test]
fn an_old_one_without_a_target_gets_one() {
    let bare = json!({"apiVersion": "autoscaling/v1", "kind": "HorizontalPodAutoscaler", "metadata": {}, "spec": {}});
    let new = convert(Object::new(bare).unwrap(), "autoscaling/v2");
    assert_eq!(new.value().pointer("/spec/metrics/0/resource/target/averageUtilization"), Some(&json!(80)));
}
