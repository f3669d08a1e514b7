//! Tables of defaults and rules.

use serde_json::{Value, json};

use super::SERVICE;
use crate::builtin::testing::{changes, complaints, defaulted, with};

fn service(spec: &Value) -> Value {
    json!({"metadata": {"name": "s"}, "spec": spec})
}

/// A Service as it is when its addresses are given.
fn addressed(mut service: Value) -> Value {
    let address = service["spec"]["clusterIP"].clone();
    if address.is_string() {
        service["spec"]["clusterIPs"] = json!([address]);
    }
    service
}

#[test]
fn defaults() {
    let check = |spec: Value, expect: Value| assert_eq!(defaulted(SERVICE, service(&spec))["spec"], expect);
    check(
        json!({"ports": [{"port": 80}, {"port": 81, "targetPort": "http"}], "selector": {"a": "b"}}),
        json!({
            "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80},
                {"port": 81, "protocol": "TCP", "targetPort": "http"}],
            "selector": {"a": "b"}, "type": "ClusterIP", "sessionAffinity": "None", "internalTrafficPolicy": "Cluster",
        }),
    );
    check(
        json!({"type": "LoadBalancer", "sessionAffinity": "ClientIP"}),
        json!({
            "type": "LoadBalancer", "sessionAffinity": "ClientIP", "allocateLoadBalancerNodePorts": true,
            "sessionAffinityConfig": {"clientIP": {"timeoutSeconds": 10800}}, "internalTrafficPolicy": "Cluster",
            "externalTrafficPolicy": "Cluster",
        }),
    );
    check(
        json!({"clusterIP": "None", "selector": {"a": "b"}}),
        json!({
            "clusterIP": "None", "selector": {"a": "b"}, "type": "ClusterIP", "sessionAffinity": "None",
            "internalTrafficPolicy": "Cluster",
        }),
    );
    check(
        json!({"type": "ExternalName", "externalName": "example.com"}),
        json!({"type": "ExternalName", "externalName": "example.com", "sessionAffinity": "None"}),
    );
    assert_eq!(defaulted(SERVICE, service(&json!({})))["status"], json!({"loadBalancer": {}}));
}

#[test]
fn rules() {
    let check =
        |spec: Value, expect: &[&str]| assert_eq!(complaints(SERVICE, addressed(service(&spec))), expect);
    check(json!({"ports": [{"port": 80}]}), &[]);
    check(json!({"clusterIP": "None"}), &[]);
    check(json!({}), &["spec.ports: Required value"]);
    check(
        json!({"ports": [{"port": 80}, {"port": 80, "name": "B"}]}),
        &[
            "spec.ports[0].name: Required value",
            "spec.ports[1].name: Invalid value: \"B\": a lowercase RFC 1123 label must consist of lower case alphanumeric \
             characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', \
             regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
            "spec.ports[1]: Duplicate value: {\"port\":80,\"protocol\":\"TCP\"}",
        ],
    );
    check(
        json!({"ports": [{"port": 80, "nodePort": 30000}]}),
        &["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
    );
    check(json!({"type": "ExternalName"}), &["spec.externalName: Required value"]);
    check(
        json!({"type": "Other", "ports": [{"port": 80}]}),
        &["spec.type: Unsupported value: \"Other\": supported values: \"ClusterIP\", \"ExternalName\", \
           \"LoadBalancer\", \"NodePort\""],
    );
    check(
        json!({"clusterIP": "x", "ports": [{"port": 80}]}),
        &[
            "spec.clusterIPs[0]: Invalid value: \"x\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
        ],
    );
}

#[test]
fn addresses_stay() {
    let old = service(&json!({"clusterIP": "10.0.0.5", "ports": [{"port": 80}]}));
    let check = |pointer: &str, value: Value, expect: &[&str]| {
        let new = addressed(with(&old, pointer, value));
        assert_eq!(changes(SERVICE, addressed(old.clone()), new), expect);
    };
    check("/spec/type", json!("NodePort"), &[]);
    check(
        "/spec/clusterIP",
        json!("10.0.0.6"),
        &["spec.clusterIPs[0]: Invalid value: [\"10.0.0.6\"]: may not change once set"],
    );
    check(
        "/spec/clusterIP",
        Value::Null,
        &["spec.clusterIPs[0]: Invalid value: null: primary clusterIP can not be unset"],
    );
}
