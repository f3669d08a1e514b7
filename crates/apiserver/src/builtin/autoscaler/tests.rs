//! Tables of defaults and rules.

use serde_json::json;

use super::{AUTOSCALER, AUTOSCALER_V1, DISRUPTION_BUDGET};
use crate::builtin::testing::{changes, complaints, defaulted};

#[test]
fn defaults() {
    assert_eq!(
        defaulted(
            AUTOSCALER,
            json!({"spec": {"maxReplicas": 3, "behavior": {"scaleDown": {"selectPolicy": "Min"}}}})
        ),
        json!({"spec": {"minReplicas": 1, "maxReplicas": 3,
            "metrics": [{"type": "Resource", "resource":
                {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}],
            "behavior": {
                "scaleUp": {"stabilizationWindowSeconds": 0, "selectPolicy": "Max", "policies": [
                    {"type": "Pods", "value": 4, "periodSeconds": 15},
                    {"type": "Percent", "value": 100, "periodSeconds": 15}]},
                "scaleDown": {"selectPolicy": "Min", "policies": [
                    {"type": "Percent", "value": 100, "periodSeconds": 15}]},
            }}, "status": {"desiredReplicas": 0, "currentMetrics": null}})
    );
    assert_eq!(defaulted(AUTOSCALER_V1, json!({}))["spec"]["targetCPUUtilizationPercentage"], 80);
    assert_eq!(defaulted(DISRUPTION_BUDGET, json!({}))["status"]["disruptionsAllowed"], 0);
}

#[test]
fn rules() {
    let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"});
    let check = |least: i64, most: i64, expect: &[&str]| {
        let spec = json!({"minReplicas": least, "maxReplicas": most, "scaleTargetRef": target});
        assert_eq!(complaints(AUTOSCALER, json!({"spec": spec})), expect);
    };
    check(1, 2, &[]);
    check(3, 2, &["spec.maxReplicas: Invalid value: 2: must be greater than or equal to `minReplicas`"]);
    check(
        1,
        0,
        &[
            "spec.maxReplicas: Invalid value: 0: must be greater than 0",
            "spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`",
        ],
    );
    let spec = |version: &str, kind: &str| {
        let target = json!({"apiVersion": version, "kind": kind, "name": "d"});
        json!({"spec": {"maxReplicas": 2, "scaleTargetRef": target}})
    };
    let complaint =
        "spec.scaleTargetRef.apiVersion: Invalid value: \"v1\": apiVersion must specify API group";
    assert_eq!(complaints(AUTOSCALER, spec("v1", "Deployment")), [complaint]);
    assert_eq!(complaints(AUTOSCALER, spec("v1", "ReplicationController")), [""; 0]);
    assert_eq!(changes(AUTOSCALER, spec("v1", "Deployment"), spec("v1", "Deployment")), [""; 0]);
    let both = json!({"spec": {"minAvailable": 1, "maxUnavailable": "101%"}});
    assert_eq!(
        complaints(DISRUPTION_BUDGET, both),
        [
            "spec: Invalid value: {\"maxUnavailable\":\"101%\",\"minAvailable\":1}: minAvailable and maxUnavailable \
             cannot be both set",
            "spec.maxUnavailable: Invalid value: \"101%\": must not be greater than 100%",
        ]
    );
}
