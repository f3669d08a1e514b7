//! A short way to write structural schemas.

use serde_json::{Map, Value, json};

/// A value of one type.
pub(super) fn of(value_type: &str, description: &str) -> Value {
    json!({"type": value_type, "description": description})
}

pub(super) fn text(description: &str) -> Value {
    of("string", description)
}

/// A moment, as RFC 3339 has it.
pub(super) fn time(description: &str) -> Value {
    with(text(description), [("format", json!("date-time"))])
}

pub(super) fn one_of(values: &[&str], description: &str) -> Value {
    json!({"type": "string", "enum": values, "description": description})
}

/// A whole number that is not below `minimum`.
pub(super) fn count(minimum: u32, description: &str) -> Value {
    json!({"type": "integer", "format": "int64", "minimum": minimum, "description": description})
}

/// A number, or a part of the whole such as `25%`.
pub(super) fn count_or_percentage(description: &str) -> Value {
    json!({
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "pattern": "^([0-9]+|[0-9]{1,2}%|100%)$",
        "x-kubernetes-int-or-string": true,
        "description": description,
    })
}

pub(super) fn list(items: Value, description: &str) -> Value {
    with(of("array", description), [("items", items)])
}

pub(super) fn texts(description: &str) -> Value {
    list(json!({"type": "string"}), description)
}

pub(super) fn text_map(description: &str) -> Value {
    json!({"type": "object", "additionalProperties": {"type": "string"}, "description": description})
}

/// An object whose content is the author's.
pub(super) fn free(description: &str) -> Value {
    json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true, "description": description})
}

pub(super) fn object<const N: usize>(
    description: &str,
    required: &[&str],
    fields: [(&str, Value); N],
) -> Value {
    let fields: Map<String, Value> = fields.into_iter().map(|(name, it)| (name.to_owned(), it)).collect();
    let mut schema = json!({"type": "object", "properties": fields, "description": description});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

/// The schema with a rule on top; the message is all that a user sees of it.
pub(super) fn ruled(mut schema: Value, rule: &str, message: &str) -> Value {
    schema["x-kubernetes-validations"] = json!([{"rule": rule, "message": message}]);
    schema
}

pub(super) fn immutable(schema: Value, message: &str) -> Value {
    ruled(schema, "self == oldSelf", message)
}

pub(super) fn with<const N: usize>(mut schema: Value, keywords: [(&str, Value); N]) -> Value {
    for (keyword, value) in keywords {
        schema[keyword] = value;
    }
    schema
}
