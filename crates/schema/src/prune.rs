//! Fields without a schema removed from a value.

use serde_json::{Map, Value};

use crate::metadata;
use crate::path::Path;
use crate::schema::Schema;

/// Removes fields that the schema does not know and returns their paths, sorted, such as `spec.foo[0].bar`.
///
/// With `fieldValidation: Strict` the API server refuses the object instead; [`unknown_field`] has its words.
pub fn prune(schema: &Schema, value: &mut Value) -> Vec<String> {
    let mut pruner = Pruner::default();
    pruner.prune(Some(schema), value, &Path::ROOT);
    pruner.finish()
}

/// The same for a whole Kubernetes object: `apiVersion`, `kind` and `metadata` stay even when the schema does not
/// mention them, and metadata keeps only what metadata has.
pub fn prune_object(schema: &Schema, value: &mut Value) -> Vec<String> {
    let object = Schema { embedded_resource: true, ..schema.clone() };
    prune(&object, value)
}

/// What the API server says about an unknown field.
pub fn unknown_field(path: &str) -> String {
    format!("unknown field \"{path}\"")
}

#[derive(Default)]
struct Pruner {
    removed: Vec<String>,
}

impl Pruner {
    fn finish(mut self) -> Vec<String> {
        self.removed.sort_unstable();
        self.removed
    }

    fn prune(&mut self, schema: Option<&Schema>, value: &mut Value, path: &Path<'_>) {
        match (schema, value) {
            (None, Value::Object(fields)) => self.remove_all(fields, path),
            (Some(schema), Value::Object(fields)) => self.prune_fields(schema, fields, path),
            (Some(schema), Value::Array(items)) if schema.preserves_unknown_fields() => {
                self.prune_kept_items(schema, items, path);
            }
            (schema, Value::Array(items)) => {
                let item_schema = schema.and_then(|schema| schema.items.as_deref());
                for (index, item) in items.iter_mut().enumerate() {
                    self.prune(item_schema, item, &path.index(index));
                }
            }
            (_, Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {}
        }
    }

    fn remove_all(&mut self, fields: &mut Map<String, Value>, path: &Path<'_>) {
        self.removed.extend(fields.keys().map(|name| path.field(name).to_string()));
        fields.clear();
    }

    /// Elements of a list that preserves unknown fields preserve theirs only where the items say so too.
    fn prune_kept_items(&mut self, schema: &Schema, items: &mut [Value], path: &Path<'_>) {
        let Some(item_schema) = &schema.items else { return };
        let kept = Schema { preserve_unknown_fields: Some(true), ..Schema::clone(item_schema) };
        for (index, item) in items.iter_mut().enumerate() {
            self.prune(Some(&kept), item, &path.index(index));
        }
    }

    fn prune_fields(&mut self, schema: &Schema, fields: &mut Map<String, Value>, path: &Path<'_>) {
        fields.retain(|name, value| {
            let at = path.field(name);
            if schema.embedded_resource && is_meta(name) {
                self.prune_meta(name, value, &at);
                return true;
            }
            if let Some(property) = schema.properties.get(name) {
                self.prune(Some(property), value, &at);
                return true;
            }
            if schema.additional_properties.is_some() {
                self.prune(schema.map_values().map(AsRef::as_ref), value, &at);
                return true;
            }
            if schema.preserves_unknown_fields() {
                return true;
            }
            if !(path.is_root() && is_meta(name)) {
                self.removed.push(at.to_string());
            }
            false
        });
    }

    fn prune_meta(&mut self, name: &str, value: &mut Value, path: &Path<'_>) {
        let Some(fields) = value.as_object_mut().filter(|_| name == "metadata") else { return };
        fields.retain(|name, _| {
            let known = metadata::FIELDS.iter().any(|(known, _)| known == name);
            if !known {
                self.removed.push(path.field(name).to_string());
            }
            known
        });
    }
}

fn is_meta(name: &str) -> bool {
    matches!(name, "apiVersion" | "kind" | "metadata")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn unknown_fields_go() {
        let check = |schema: Value, mut value: Value, kept: Value, removed: &[&str]| {
            let schema = Schema::from_value(&schema).unwrap();
            assert_eq!(prune_object(&schema, &mut value), removed);
            assert_eq!(value, kept);
        };
        check(
            json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
                "list": {"type": "array", "items": {"type": "object", "properties": {"a": {}}}},
                "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true,
                    "properties": {"known": {"type": "object"}}},
                "map": {"type": "object", "additionalProperties": {"type": "object"}},
            }}}}),
            json!({
                "apiVersion": "v1", "metadata": {"name": "n", "nonsense": 1}, "status": {},
                "spec": {
                    "list": [{"a": 1, "b": 2}, {"c": 3}],
                    "any": {"known": {"x": 1}, "other": {"x": 1}},
                    "map": {"k": {"x": 1}},
                },
            }),
            json!({
                "apiVersion": "v1", "metadata": {"name": "n"},
                "spec": {
                    "list": [{"a": 1}, {}],
                    "any": {"known": {}, "other": {"x": 1}},
                    "map": {"k": {}},
                },
            }),
            &[
                "metadata.nonsense",
                "spec.any.known.x",
                "spec.list[0].b",
                "spec.list[1].c",
                "spec.map.k.x",
                "status",
            ],
        );
        assert_eq!(unknown_field("spec.foo"), r#"unknown field "spec.foo""#);
    }
}
