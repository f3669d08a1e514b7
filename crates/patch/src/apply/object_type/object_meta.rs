//! The schema of `metadata`, which the definition of a custom resource does not repeat.

use std::sync::LazyLock;

use krono_schema::Schema;
use serde_json::json;

/// The schema of `ObjectMeta`, as far as merging is concerned.
pub(super) static OBJECT_META: LazyLock<Schema> = LazyLock::new(|| {
    let string = || json!({"type": "string"});
    let time = || json!({"type": "string", "format": "date-time"});
    let strings = || json!({"type": "object", "additionalProperties": {"type": "string"}});
    let owner = json!({
        "type": "object",
        "x-kubernetes-map-type": "atomic",
        "properties": {
            "apiVersion": string(), "kind": string(), "name": string(), "uid": string(),
            "controller": {"type": "boolean"}, "blockOwnerDeletion": {"type": "boolean"},
        },
    });
    let schema = json!({
        "type": "object",
        "properties": {
            "annotations": strings(),
            "creationTimestamp": time(),
            "deletionGracePeriodSeconds": {"type": "integer"},
            "deletionTimestamp": time(),
            "finalizers": {"type": "array", "x-kubernetes-list-type": "set", "items": string()},
            "generateName": string(),
            "generation": {"type": "integer"},
            "labels": strings(),
            "managedFields": {"type": "array", "items": {"type": "object"}},
            "name": string(),
            "namespace": string(),
            "ownerReferences": {
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["uid"],
                "items": owner,
            },
            "resourceVersion": string(),
            "selfLink": string(),
            "uid": string(),
        },
    });
    Schema::from_value(&schema).unwrap_or_default()
});
