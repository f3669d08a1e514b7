//! Reading JSON that may lack any part: what is absent reads as empty, as it does in Go.

use serde_json::{Map, Value};

/// A text, empty when absent.
pub(super) fn text<'v>(object: &'v Value, field: &str) -> &'v str {
    object[field].as_str().unwrap_or_default()
}

/// A whole number, when there is one.
pub(super) fn integer(object: &Value, field: &str) -> Option<i64> {
    object[field].as_i64()
}

/// Whether a field is true.
pub(super) fn is_true(object: &Value, field: &str) -> bool {
    object[field] == true
}

/// The elements of a list.
pub(super) fn list<'v>(object: &'v Value, field: &str) -> &'v [Value] {
    object[field].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The texts in a list.
pub(super) fn texts<'v>(object: &'v Value, field: &str) -> impl Iterator<Item = &'v str> {
    list(object, field).iter().filter_map(Value::as_str)
}

/// The entries of a map.
pub(super) fn entries<'v>(object: &'v Value, field: &str) -> impl Iterator<Item = (&'v str, &'v Value)> {
    object[field].as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), value))
}

/// Whether two values are the same where nothing, null and empty are the same.
pub(super) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => same_fields(left, right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        _ => left == right || (is_empty(left) && is_empty(right)),
    }
}

fn same_fields(left: &Map<String, Value>, right: &Map<String, Value>) -> bool {
    let missing = |fields: &Map<String, Value>, field: &str| fields.get(field).is_none_or(is_empty);
    let covered = left.iter().all(|(field, value)| match right.get(field) {
        Some(other) => same(value, other),
        None => is_empty(value),
    });
    covered && right.iter().all(|(field, value)| !missing(left, field) || is_empty(value))
}

/// Nothing, null, an empty text, list or map.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_and_empty_are_the_same() {
        let check = |left: Value, right: Value, expect: bool| {
            assert_eq!(same(&left, &right), expect, "{left} {right}");
        };
        check(json!({"a": 1, "b": []}), json!({"a": 1}), true);
        check(json!({"a": 1}), json!({"a": 1, "b": null, "c": {}}), true);
        check(json!({"a": 1}), json!({"a": 1, "b": 0}), false);
        check(json!({"a": {"b": ""}}), json!({"a": {}}), true);
        check(json!([1, 2]), json!([2, 1]), false);
        check(json!(null), json!({}), true);
        check(json!({"a": 1}), json!(null), false);
    }
}
