//! The parts of every Kubernetes object.

use serde_json::{Map, Value};

use super::order::same;

pub(super) fn text<'v>(object: &'v Value, field: &str) -> &'v str {
    object.get(field).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn metadata_text<'v>(object: &'v Value, field: &str) -> &'v str {
    object.get("metadata").map(|metadata| text(metadata, field)).unwrap_or_default()
}

pub(super) fn managed_fields(object: &Value) -> Option<&Value> {
    object.get("metadata")?.get("managedFields")
}

pub(super) fn take_managed_fields(object: &mut Value) -> Option<Value> {
    object.get_mut("metadata")?.as_object_mut()?.remove("managedFields")
}

/// Writes the managed fields into an object, or takes them out.
pub(super) fn set_managed_fields(object: &mut Value, entries: Option<Value>) {
    let Value::Object(fields) = object else { return };
    let Some(entries) = entries else {
        if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
            metadata.remove("managedFields");
        }
        return;
    };
    let metadata = fields.entry("metadata").or_insert(Value::Null);
    if !metadata.is_object() {
        *metadata = Value::Object(Map::new());
    }
    if let Value::Object(metadata) = metadata {
        metadata.insert("managedFields".to_owned(), entries);
    }
}

/// The annotation of this name, when it is there and not empty.
pub(super) fn annotation<'v>(object: &'v Value, name: &str) -> Option<&'v str> {
    let annotations = object.get("metadata")?.get("annotations")?;
    annotations.get(name)?.as_str().filter(|text| !text.is_empty())
}

/// Whether two objects are the same; who manages them is not looked at.
pub(super) fn same_but_managed_fields(left: &Value, right: &Value) -> bool {
    without_managed_fields(left, right, same)
}

/// Whether two objects are the same and written in the same way; who manages them is not looked at.
pub(super) fn equal_but_managed_fields(left: &Value, right: &Value) -> bool {
    without_managed_fields(left, right, |left, right| left == right)
}

type Equality = fn(&Value, &Value) -> bool;

fn without_managed_fields(left: &Value, right: &Value, equal: Equality) -> bool {
    let (Value::Object(left), Value::Object(right)) = (left, right) else { return equal(left, right) };
    same_but(left, right, "metadata", equal, |left, right| match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            same_but(left, right, "managedFields", equal, |_, _| true)
        }
        (left, right) => equal(left, right),
    })
}

/// Whether two objects are the same when one field is compared in a way of its own.
fn same_but(
    left: &Map<String, Value>,
    right: &Map<String, Value>,
    special: &str,
    equal: Equality,
    equal_special: impl Fn(&Value, &Value) -> bool,
) -> bool {
    let rest = |fields: &Map<String, Value>| fields.len() - usize::from(fields.contains_key(special));
    let absent = &Value::Object(Map::new());
    let specials = (left.get(special).unwrap_or(absent), right.get(special).unwrap_or(absent));
    rest(left) == rest(right)
        && equal_special(specials.0, specials.1)
        && left
            .iter()
            .all(|(name, value)| name == special || right.get(name).is_some_and(|it| equal(it, value)))
}

/// A group, version and kind as the API server prints them.
pub(super) fn kind_text(api_version: &str, kind: &str) -> String {
    let separator = if api_version.contains('/') { "" } else { "/" };
    format!("{separator}{api_version}, Kind={kind}")
}

/// An object as the API server names it in messages.
pub(super) fn name_text(object: &Value) -> String {
    let kind = kind_text(text(object, "apiVersion"), text(object, "kind"));
    format!("{}/{}; {kind}", metadata_text(object, "namespace"), metadata_text(object, "name"))
}
