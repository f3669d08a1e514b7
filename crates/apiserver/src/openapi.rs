//! `OpenAPI` v3: an index with hashes, and one document per group and version.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::builtin;
use crate::kind::Scope;
use crate::registry::Registry;
use crate::resource::Resource;

/// Documents by path, each made when it is first asked for and again when its kinds change.
#[derive(Debug, Default)]
pub(crate) struct Documents(Mutex<HashMap<String, (u64, Arc<Document>)>>);

/// One document.
#[derive(Debug)]
pub(crate) struct Document {
    /// The JSON.
    pub(crate) text: Bytes,
    /// The hash of the JSON.
    pub(crate) hash: String,
}

impl Documents {
    /// `/openapi/v3`.
    pub(crate) fn index(&self, registry: &Registry) -> Value {
        let mut paths = Map::new();
        for (group, versions) in registry.groups() {
            for version in versions {
                let path = path(&group, &version);
                let hash = &self.of(registry, &group, &version).hash;
                let address = format!("/openapi/v3/{path}?hash={hash}");
                paths.insert(path, json!({"serverRelativeURL": address}));
            }
        }
        json!({ "paths": paths })
    }

    /// The document behind `api/v1` or `apis/{group}/{version}`.
    pub(crate) fn find(&self, registry: &Registry, path: &str) -> Option<Arc<Document>> {
        let parts: Vec<&str> = path.split('/').collect();
        let (group, version) = match parts.as_slice() {
            ["api", version] => ("", *version),
            ["apis", group, version] => (*group, *version),
            _ => return None,
        };
        let served = registry.in_version(group, version).next().is_some();
        served.then(|| self.of(registry, group, version))
    }

    fn of(&self, registry: &Registry, group: &str, version: &str) -> Arc<Document> {
        let fingerprint =
            registry.in_version(group, version).fold(0, |all: u64, it| all.rotate_left(5) ^ it.fingerprint());
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let path = path(group, version);
        if let Some((_, document)) = known.get(&path).filter(|(made_for, _)| *made_for == fingerprint) {
            return Arc::clone(document);
        }
        let text = Bytes::from(document_of(registry, group, version).to_string());
        let document = Arc::new(Document { hash: crate::api::hash(&text), text });
        known.insert(path, (fingerprint, Arc::clone(&document)));
        document
    }
}

fn path(group: &str, version: &str) -> String {
    if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") }
}

fn document_of(registry: &Registry, group: &str, version: &str) -> Value {
    let definitions = builtin::definitions(group, version);
    let mut schemas: Map<String, Value> = definitions
        .into_iter()
        .map(|(name, schema)| (name, described_references(schema.to_value())))
        .collect();
    if registry.in_version(group, version).any(|resource| resource.is_custom()) {
        schemas.extend(metadata_schemas());
    }
    let mut paths = Map::new();
    for resource in registry.in_version(group, version) {
        let name = schema_name(resource, &schemas);
        let schema = schemas.entry(name.clone()).or_insert_with(|| custom_schema(resource));
        schema["x-kubernetes-group-version-kind"] = json!([group_version_kind(resource)]);
        let collection = collection_path(resource);
        paths.insert(collection.clone(), collection_operations(resource, &name));
        paths.insert(format!("{collection}/{{name}}"), object_operations(resource, &name));
    }
    json!({
        "openapi": "3.0.0", "info": {"title": "Kubernetes", "version": "v1.35.0"}, "paths": paths,
        "components": {"schemas": schemas},
    })
}

/// `io.k8s.api.apps.v1.Deployment` of built-in kinds; `dev.krono.v1.Widget` of others: the group backwards.
fn schema_name(resource: &Resource, schemas: &Map<String, Value>) -> String {
    let kind = &resource.kind;
    let end = format!(".{}.{}", kind.version, kind.kind);
    let built_in = schemas.keys().find(|name| !resource.is_custom() && name.ends_with(&end));
    let backwards = || format!("{}{end}", kind.group.split('.').rev().collect::<Vec<_>>().join("."));
    built_in.cloned().unwrap_or_else(backwards)
}

/// `OpenAPI` has no room for words beside a reference; the reference moves into an `allOf` of its own.
fn described_references(mut schema: Value) -> Value {
    match &mut schema {
        Value::Object(fields) => {
            let reference = if fields.len() > 1 { fields.remove("$ref") } else { None };
            for field in fields.values_mut() {
                *field = described_references(field.take());
            }
            if let Some(reference) = reference {
                fields.insert("allOf".to_owned(), json!([{ "$ref": reference }]));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = described_references(item.take())),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    schema
}

/// A group version with a small kind, whose definitions include those of the metadata of any object.
const SMALL: (&str, &str) = ("scheduling.k8s.io", "v1");

/// The definitions of metadata.
fn metadata_schemas() -> impl Iterator<Item = (String, Value)> {
    let definitions = builtin::definitions(SMALL.0, SMALL.1).into_iter();
    let of_metadata = definitions.filter(|(name, _)| name.contains(".pkg.apis.meta."));
    of_metadata.map(|(name, schema)| (name, described_references(schema.to_value())))
}

/// What every object has: `apiVersion`, `kind` and `metadata`.
fn common_fields() -> Map<String, Value> {
    let small =
        builtin::definitions(SMALL.0, SMALL.1).into_iter().find(|(name, _)| name.ends_with(".PriorityClass"));
    let mut schema = small.map(|(_, schema)| described_references(schema.to_value())).unwrap_or_default();
    let fields = schema.get_mut("properties").and_then(Value::as_object_mut).map(std::mem::take);
    let common = ["apiVersion", "kind", "metadata"];
    fields.unwrap_or_default().into_iter().filter(|(name, _)| common.contains(&name.as_str())).collect()
}

fn custom_schema(resource: &Resource) -> Value {
    let mut schema = resource.kind.schema.get().to_value();
    let fields = schema.as_object_mut().map(|fields| fields.entry("properties").or_insert_with(|| json!({})));
    if let Some(fields) = fields.and_then(Value::as_object_mut) {
        fields.extend(common_fields());
    }
    schema["type"] = "object".into();
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
