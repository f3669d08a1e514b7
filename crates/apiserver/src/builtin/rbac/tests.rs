//! Tables of defaults and rules.

use serde_json::{Value, json};

use super::{CLUSTER_ROLE, CLUSTER_ROLE_BINDING, ROLE, ROLE_BINDING};
use crate::builtin::testing::{changes, complaints, defaulted, with};

fn binding() -> Value {
    json!({"roleRef": {"kind": "ClusterRole", "name": "view"}, "subjects": [{"kind": "User", "name": "u"}]})
}

#[test]
fn defaults() {
    let group = "rbac.authorization.k8s.io";
    assert_eq!(
        defaulted(ROLE_BINDING, binding()),
        json!({"roleRef": {"kind": "ClusterRole", "name": "view", "apiGroup": group},
            "subjects": [{"kind": "User", "name": "u", "apiGroup": group}]})
    );
    assert_eq!(defaulted(ROLE, json!({})), json!({"rules": null}));
}

#[test]
fn roles() {
    let check = |rule: Value, expect: &[&str]| assert_eq!(complaints(ROLE, json!({"rules": [rule]})), expect);
    check(json!({"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}), &[]);
    check(
        json!({}),
        &[
            "rules[0].verbs: Required value: verbs must contain at least one value",
            "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
            "rules[0].resources: Required value: resource rules must supply at least one resource",
        ],
    );
    let urls = json!({"verbs": ["get"], "nonResourceURLs": ["/healthz"]});
    check(
        urls.clone(),
        &[
            "rules[0].nonResourceURLs: Invalid value: [\"/healthz\"]: namespaced rules cannot apply to non-resource URLs",
        ],
    );
    assert_eq!(complaints(CLUSTER_ROLE, json!({"rules": [urls]})), [""; 0]);
}

#[test]
fn bindings() {
    assert_eq!(complaints(ROLE_BINDING, binding()), [""; 0]);
    assert_eq!(
        complaints(CLUSTER_ROLE_BINDING, with(&binding(), "/roleRef/kind", json!("Role"))),
        ["roleRef.kind: Unsupported value: \"Role\": supported values: \"ClusterRole\""]
    );
    let account = json!([{"kind": "ServiceAccount", "name": "a"}]);
    assert_eq!(
        complaints(CLUSTER_ROLE_BINDING, with(&binding(), "/subjects", account)),
        ["subjects[0].namespace: Required value"]
    );
    assert_eq!(
        changes(ROLE_BINDING, binding(), with(&binding(), "/roleRef/name", json!("edit"))),
        ["roleRef: Invalid value: {\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\",\
          \"name\":\"edit\"}: cannot change roleRef"]
    );
}
