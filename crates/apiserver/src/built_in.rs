//! The kinds that are part of the server.

use std::sync::Arc;

use krono_schema::Schema;
use serde_json::{Value, json};

use crate::kind::{Kind, LazySchema, Rules, Scope};

/// All built-in kinds.
pub(crate) fn kinds() -> Vec<Kind> {
    let texts = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let data = json!({"data": texts, "binaryData": texts, "immutable": {"type": "boolean"}});
    let secret = json!({"data": texts, "stringData": texts, "immutable": {"type": "boolean"}, "type": {"type": "string"}});
    let any = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let namespace = json!({"spec": any, "status": any});
    vec![
        kind("", "ConfigMap", "configmaps", Scope::Namespaced, data),
        Kind {
            has_status: true,
            short_names: vec!["ns".into()],
            ..kind("", "Namespace", "namespaces", Scope::Cluster, namespace)
        },
        kind("", "Secret", "secrets", Scope::Namespaced, secret),
        Kind {
            has_status: true,
            short_names: vec!["crd".into(), "crds".into()],
            categories: vec!["api-extensions".into()],
            ..kind(
                "apiextensions.k8s.io",
                "CustomResourceDefinition",
                "customresourcedefinitions",
                Scope::Cluster,
                json!({"spec": any, "status": any}),
            )
        },
    ]
}

fn kind(group: &str, name: &str, plural: &str, scope: Scope, properties: Value) -> Kind {
    let schema = json!({"type": "object", "properties": properties});
    Kind {
        group: group.into(),
        version: "v1".into(),
        kind: name.into(),
        list_kind: format!("{name}List").into(),
        plural: plural.into(),
        singular: Arc::from(name.to_lowercase()),
        short_names: Vec::new(),
        categories: Vec::new(),
        scope,
        has_status: false,
        scale: None,
        columns: Vec::new(),
        selectable: Vec::new(),
        rules: Rules::NONE,
        schema: LazySchema::new(move || Schema::from_value(&schema).unwrap_or_default()),
    }
}
