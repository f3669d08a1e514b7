//! A small definition, whose instances become one `ConfigMap` each.

use serde_json::{Value, json};

/// A definition of that name; instances hold this text, and their size may be at most so much.
pub(crate) fn definition(name: &str, text: &str, most: i64, policy: &Value) -> Value {
    json!({
        "apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphDefinition",
        "metadata": {"name": name},
        "spec": {
            "schema": {
                "apiVersion": "v1alpha1", "kind": "Parcel",
                "spec": {"size": format!("integer | default=1 maximum={most}")},
            },
            "resources": [{"id": "map", "template": {
                "apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": "${schema.metadata.name}"}, "data": {"text": text},
            }}],
            "revisionManagement": policy,
        },
    })
}

pub(crate) fn instance(name: &str, size: i64, annotations: &Value) -> Value {
    json!({
        "apiVersion": "kro.run/v1alpha1", "kind": "Parcel",
        "metadata": {"name": name, "namespace": "default", "annotations": annotations},
        "spec": {"size": size},
    })
}
