//! Tables of defaults and rules.

use serde_json::json;

use super::{LIMIT_RANGE, NAMESPACE, RESOURCE_QUOTA};
use crate::builtin::testing::{changes, complaints, defaulted};

#[test]
fn defaults() {
    assert_eq!(
        defaulted(NAMESPACE, json!({"metadata": {"name": "n", "labels": {"a": "b"}}})),
        json!({"metadata": {"name": "n", "labels": {"a": "b", "kubernetes.io/metadata.name": "n"}}, "status": {"phase": "Active"}})
    );
    let limits = json!({"spec": {"limits": [{"type": "Container", "max": {"cpu": "1000m"}, "min": {"memory": "1Mi"}}]}});
    assert_eq!(
        defaulted(LIMIT_RANGE, limits),
        json!({"spec": {"limits": [{"type": "Container", "max": {"cpu": "1"}, "min": {"memory": "1Mi"},
            "default": {"cpu": "1"}, "defaultRequest": {"cpu": "1", "memory": "1Mi"}}]}})
    );
    assert_eq!(
        defaulted(RESOURCE_QUOTA, json!({"spec": {"hard": {"pods": 10}}})),
        json!({"spec": {"hard": {"pods": "10"}}, "status": {}})
    );
}

#[test]
fn quotas() {
    assert_eq!(
        complaints(RESOURCE_QUOTA, json!({"spec": {"hard": {"pods": "-1"}}})),
        ["spec.hard[pods]: Invalid value: \"-1\": must be greater than or equal to 0"]
    );
    assert_eq!(
        changes(RESOURCE_QUOTA, json!({"spec": {}}), json!({"spec": {"scopes": ["BestEffort"]}})),
        ["spec.scopes: Invalid value: [\"BestEffort\"]: field is immutable"]
    );
}
