//! What of a definition is content: what its revisions are about.

use serde_json::{Map, Value, json};

use crate::canonical;

/// Fields of a resource that say how changes travel, and are no part of what changes.
const RESOURCE_POLICY: [&str; 2] = ["propagateWhen", "deletionPolicy"];
/// Lists of conditions that must all hold, in any order.
const CONDITIONS: [&str; 2] = ["readyWhen", "includeWhen"];

/// The content of a definition's spec, or of a revision's: `schema` and `resources` in the form that makes them comparable.
///
/// In fields that krono defines, null, absent and empty are one; what authors define is kept as it is written, but for explicit
/// nulls. Nothing is moved: resources stand in the order in which they were written.
pub fn definition(spec: &Value) -> Value {
    let mut content = Map::new();
    put(&mut content, "schema", &schema(&spec["schema"]));
    let resources: Vec<Value> = list(&spec["resources"]).iter().map(resource).collect();
    put(&mut content, "resources", &resources.into());
    Value::Object(content)
}

/// The same content with every list sorted whose order means nothing.
pub fn unordered(content: &Value) -> Value {
    let mut content = with_sorted_conditions(content);
    for resources in resources(&mut content) {
        let id = |it: &Value| it["id"].as_str().unwrap_or_default().to_owned();
        resources.sort_by_cached_key(|it| (id(it), canonical::text(it)));
    }
    content
}

/// The same content with the conditions of each resource sorted.
pub(crate) fn with_sorted_conditions(content: &Value) -> Value {
    let mut content = content.clone();
    for resource in resources(&mut content).flatten() {
        for field in CONDITIONS {
            if let Some(conditions) = resource.get_mut(field).and_then(Value::as_array_mut) {
                conditions.sort_by_cached_key(canonical::text);
            }
        }
    }
    content
}

fn resources(content: &mut Value) -> impl Iterator<Item = &mut Vec<Value>> {
    content.get_mut("resources").and_then(Value::as_array_mut).into_iter()
}

fn schema(schema: &Value) -> Value {
    let Some(fields) = schema.as_object() else { return schema.clone() };
    let mut content = Map::new();
    for (name, value) in fields {
        match name.as_str() {
            "metadata" => put(&mut content, name, &without_empty(value)),
            "additionalPrinterColumns" => put(&mut content, name, &list_or_itself(value, without_empty)),
            _ => put(&mut content, name, value),
        }
    }
    content.entry("group").or_insert_with(|| json!("kro.run"));
    content.entry("scope").or_insert_with(|| json!("Namespaced"));
    Value::Object(content)
}

fn resource(resource: &Value) -> Value {
    let Some(fields) = resource.as_object() else { return resource.clone() };
    let mut content = Map::new();
    for (name, value) in fields.iter().filter(|(name, _)| !RESOURCE_POLICY.contains(&name.as_str())) {
        match name.as_str() {
            "template" | "externalRef" if value.is_null() => {}
            "template" | "externalRef" => {
                content.insert(name.clone(), as_written(value));
            }
            _ => put(&mut content, name, value),
        }
    }
    Value::Object(content)
}

/// Puts a field of krono's there unless it holds nothing.
fn put(fields: &mut Map<String, Value>, name: &str, value: &Value) {
    let value = as_written(value);
    if !is_empty(&value) {
        fields.insert(name.to_owned(), value);
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// An author's value: only fields that are explicitly null go.
pub(crate) fn as_written(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let present = fields.iter().filter(|(_, it)| !it.is_null());
            Value::Object(present.map(|(name, it)| (name.clone(), as_written(it))).collect())
        }
        Value::Array(items) => items.iter().map(as_written).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// The fields of an object that krono defines, without those that hold nothing.
fn without_empty(value: &Value) -> Value {
    let Some(fields) = value.as_object() else { return value.clone() };
    let mut content = Map::new();
    for (name, value) in fields {
        put(&mut content, name, value);
    }
    Value::Object(content)
}

fn list_or_itself(value: &Value, each: fn(&Value) -> Value) -> Value {
    value.as_array().map_or_else(|| value.clone(), |items| items.iter().map(each).collect())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}
