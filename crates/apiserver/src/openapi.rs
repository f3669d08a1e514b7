//! `OpenAPI` v3: an index with hashes, and one document per group and version.

use serde_json::{Map, Value, json};

use crate::kind::Scope;
use crate::registry::Registry;
use crate::resource::Resource;

/// `/openapi/v3`.
pub(crate) fn index(registry: &Registry) -> Value {
    let mut paths = Map::new();
    for (group, versions) in registry.groups() {
        for version in versions {
            let path = path(&group, &version);
            let text = document_of(registry, &group, &version).to_string();
            let hash = crate::api::hash(text.as_bytes());
            let address = format!("/openapi/v3/{path}?hash={hash}");
            paths.insert(path, json!({"serverRelativeURL": address}));
        }
    }
    json!({ "paths": paths })
}

/// The document behind `api/v1` or `apis/{group}/{version}`.
pub(crate) fn document(registry: &Registry, path: &str) -> Option<Value> {
    let parts: Vec<&str> = path.split('/').collect();
    let (group, version) = match parts.as_slice() {
        ["api", version] => ("", *version),
        ["apis", group, version] => (*group, *version),
        _ => return None,
    };
    let served = registry.in_version(group, version).next().is_some();
    served.then(|| document_of(registry, group, version))
}

fn path(group: &str, version: &str) -> String {
    if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") }
}

fn document_of(registry: &Registry, group: &str, version: &str) -> Value {
    let (mut paths, mut schemas) = (Map::new(), Map::new());
    for resource in registry.in_version(group, version) {
        let name = schema_name(resource);
        let collection = collection_path(resource);
        paths.insert(collection.clone(), collection_operations(resource, &name));
        paths.insert(format!("{collection}/{{name}}"), object_operations(resource, &name));
        schemas.insert(name, schema(resource));
    }
    json!({
        "openapi": "3.0.0", "info": {"title": "Kubernetes", "version": "v1.35.0"}, "paths": paths,
        "components": {"schemas": schemas},
    })
}

/// `io.k8s.api.apps.v1.Deployment` and `dev.krono.v1.Widget`: the group backwards, version, kind.
fn schema_name(resource: &Resource) -> String {
    let kind = &resource.kind;
    let group = match &*kind.group {
        "" => "io.k8s.api.core".to_owned(),
        group if !resource.is_custom() && !group.contains('.') => format!("io.k8s.api.{group}"),
        group if !resource.is_custom() => {
            format!("io.k8s.api.{}", group.split('.').next().unwrap_or_default())
        }
        group => group.split('.').rev().collect::<Vec<_>>().join("."),
    };
    format!("{group}.{}.{}", kind.version, kind.kind)
}

fn schema(resource: &Resource) -> Value {
    let mut schema = resource.kind.schema.get().to_value();
    let fields = schema.as_object_mut().map(|fields| fields.entry("properties").or_insert_with(|| json!({})));
    if let Some(fields) = fields.and_then(Value::as_object_mut) {
        for name in ["apiVersion", "kind"] {
            fields.entry(name).or_insert_with(|| json!({"type": "string"}));
        }
        fields.entry("metadata").or_insert_with(|| json!({"type": "object"}));
    }
    schema["type"] = "object".into();
    schema["x-kubernetes-group-version-kind"] = json!([group_version_kind(resource)]);
    schema
}

fn group_version_kind(resource: &Resource) -> Value {
    let kind = &resource.kind;
    json!({"group": &*kind.group, "version": &*kind.version, "kind": &*kind.kind})
}

fn collection_path(resource: &Resource) -> String {
    let root = path(&resource.kind.group, &resource.kind.version);
    match resource.kind.scope {
        Scope::Namespaced => format!("/{root}/namespaces/{{namespace}}/{}", resource.kind.plural),
        Scope::Cluster => format!("/{root}/{}", resource.kind.plural),
    }
}

fn operation(resource: &Resource, name: &str, action: &str, options: &[&str]) -> Value {
    let parameter =
        |name: &&str| json!({"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": true}});
    let parameters: Vec<Value> = options.iter().map(parameter).collect();
    json!({
        "tags": [resource.api_version()],
        "parameters": parameters,
        "responses": {"200": {"description": "OK", "content": {"application/json": {
            "schema": {"$ref": format!("#/components/schemas/{name}")},
        }}}},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": group_version_kind(resource),
    })
}

const WRITE_OPTIONS: [&str; 3] = ["dryRun", "fieldManager", "fieldValidation"];

fn collection_operations(resource: &Resource, name: &str) -> Value {
    json!({
        "get": operation(resource, name, "list", &["labelSelector", "fieldSelector", "limit", "continue", "watch"]),
        "post": operation(resource, name, "post", &WRITE_OPTIONS),
    })
}

fn object_operations(resource: &Resource, name: &str) -> Value {
    json!({
        "get": operation(resource, name, "get", &[]),
        "put": operation(resource, name, "put", &WRITE_OPTIONS),
        "patch": operation(resource, name, "patch", &["dryRun", "fieldManager", "fieldValidation", "force"]),
        "delete": operation(resource, name, "delete", &["dryRun", "gracePeriodSeconds", "propagationPolicy"]),
    })
}
