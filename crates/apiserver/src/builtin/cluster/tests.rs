//! Tables of defaults and rules.

use serde_json::{Value, json};

use super::{ADMISSION_POLICY, DEFINITION, ENDPOINT_SLICE, ENDPOINTS, LEASE, PRIORITY_CLASS, WEBHOOKS};
use crate::builtin::testing::{changes, complaints, defaulted};
use crate::kind::Rules;

#[test]
fn defaults() {
    let check = |rules: Rules, object: Value, expect: Value| assert_eq!(defaulted(rules, object), expect);
    check(
        DEFINITION,
        json!({"spec": {"names": {"kind": "Widget", "plural": "widgets"},
            "versions": [{"name": "v1beta1"}, {"name": "v1", "storage": true}]}}),
        json!({"spec": {"names": {"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"},
            "versions": [{"name": "v1beta1"}, {"name": "v1", "storage": true}], "conversion": {"strategy": "None"}},
            "status": {"storedVersions": ["v1"]}}),
    );
    check(
        WEBHOOKS,
        json!({"kind": "MutatingWebhookConfiguration", "webhooks": [
            {"name": "w", "clientConfig": {"service": {"name": "s"}}, "rules": [{}]}]}),
        json!({"kind": "MutatingWebhookConfiguration", "webhooks": [
            {"name": "w", "clientConfig": {"service": {"name": "s", "port": 443}}, "rules": [{"scope": "*"}],
                "failurePolicy": "Fail", "matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {},
                "timeoutSeconds": 10, "reinvocationPolicy": "Never"}]}),
    );
    check(
        ADMISSION_POLICY,
        json!({"kind": "ValidatingAdmissionPolicy", "spec": {"matchConstraints": {}}}),
        json!({"kind": "ValidatingAdmissionPolicy", "spec": {"failurePolicy": "Fail", "matchConstraints":
            {"matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}}}}),
    );
    check(
        ENDPOINTS,
        json!({"subsets": [{"ports": [{"port": 80}]}]}),
        json!({"subsets": [{"ports": [{"port": 80, "protocol": "TCP"}]}]}),
    );
    check(
        ENDPOINT_SLICE,
        json!({"addressType": "IPv4", "ports": [{"port": 80}]}),
        json!({"addressType": "IPv4", "ports": [{"port": 80, "name": "", "protocol": "TCP"}]}),
    );
    check(
        PRIORITY_CLASS,
        json!({"value": 5}),
        json!({"value": 5, "preemptionPolicy": "PreemptLowerPriority"}),
    );
}

#[test]
fn rules() {
    assert_eq!(
        complaints(LEASE, json!({"spec": {"leaseDurationSeconds": 0, "leaseTransitions": -1}})),
        [
            "spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
            "spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0",
        ]
    );
    assert_eq!(
        complaints(PRIORITY_CLASS, json!({"value": 2_000_000_000})),
        ["value: Forbidden: maximum allowed value of a user defined priority is 1000000000"]
    );
    assert_eq!(
        changes(PRIORITY_CLASS, json!({"value": 1}), json!({"value": 2})),
        ["value: Forbidden: may not be changed in an update."]
    );
    assert_eq!(complaints(ENDPOINT_SLICE, json!({})), ["addressType: Required value"]);
}
