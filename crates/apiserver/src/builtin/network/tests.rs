//! Tables of defaults and rules.

use serde_json::{Value, json};

use super::{INGRESS, INGRESS_CLASS, NETWORK_POLICY};
use crate::builtin::testing::{complaints, defaulted};

#[test]
fn defaults() {
    assert_eq!(defaulted(INGRESS, json!({})), json!({"status": {"loadBalancer": {}}}));
    assert_eq!(
        defaulted(INGRESS_CLASS, json!({"spec": {"parameters": {"kind": "K", "name": "n"}}})),
        json!({"spec": {"parameters": {"kind": "K", "name": "n", "scope": "Cluster"}}})
    );
    assert_eq!(
        defaulted(NETWORK_POLICY, json!({"spec": {"egress": [{"ports": [{"port": 53}]}]}})),
        json!({"spec": {"podSelector": {}, "egress": [{"ports": [{"port": 53, "protocol": "TCP"}]}],
            "policyTypes": ["Ingress", "Egress"]}})
    );
}

#[test]
fn ingresses() {
    let check = |spec: Value, expect: &[&str]| assert_eq!(complaints(INGRESS, json!({"spec": spec})), expect);
    let path = |path_type: Value, backend: Value| {
        json!({"rules": [{"host": "a.example.com", "http": {"paths": [
            {"path": "/", "pathType": path_type, "backend": backend}]}}]})
    };
    let backend = json!({"service": {"name": "s", "port": {"number": 80}}});
    check(path(json!("Prefix"), backend.clone()), &[]);
    check(json!({"defaultBackend": backend}), &[]);
    check(json!({}), &["spec: Invalid value: null: either `defaultBackend` or `rules` must be specified"]);
    check(
        path(Value::Null, backend),
        &["spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified"],
    );
    check(
        path(json!("Exact"), json!({"service": {"name": "s"}})),
        &["spec.rules[0].http.paths[0].backend: Required value: port name or number is required"],
    );
    check(
        json!({"rules": [{"host": "10.0.0.1"}]}),
        &["spec.rules[0].host: Invalid value: \"10.0.0.1\": must be a DNS name, not an IP address"],
    );
}

#[test]
fn network_policies() {
    let check =
        |spec: Value, expect: &[&str]| assert_eq!(complaints(NETWORK_POLICY, json!({"spec": spec})), expect);
    check(json!({}), &[]);
    check(
        json!({"ingress": [{"from": [{}]}]}),
        &["spec.ingress[0].from[0]: Required value: must specify a peer"],
    );
    check(
        json!({"policyTypes": ["Both"]}),
        &["spec.policyTypes[0]: Unsupported value: \"Both\": supported values: \"Ingress\", \"Egress\""],
    );
    check(
        json!({"podSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}}),
        &[
            "spec.podSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        ],
    );
}
