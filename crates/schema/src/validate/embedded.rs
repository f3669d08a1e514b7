//! Kubernetes objects inside a value.

use serde_json::{Map, Value};

use crate::error::FieldError;
use crate::metadata;
use crate::path::Path;
use crate::schema::Schema;

/// Adds what is wrong with type and metadata of embedded objects.
pub(super) fn check(schema: &Schema, value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let Some(item_schema) = &schema.items else { break };
                check(item_schema, item, &path.index(index), errors);
            }
        }
        Value::Object(fields) => {
            if schema.embedded_resource {
                check_object(fields, path, errors);
            }
            for (name, value) in fields {
                if let Some(property) = schema.properties.get(name) {
                    check(property, value, &path.field(name), errors);
                } else if let Some(values) = schema.map_values() {
                    check(values, value, &path.key(name), errors);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn check_object(fields: &Map<String, Value>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for name in ["apiVersion", "kind"] {
        let at = path.field(name);
        match fields.get(name) {
            None => errors.push(FieldError::required(&at, "")),
            Some(Value::String(text)) => errors.extend(
                text_complaint(name, text)
                    .map(|complaint| FieldError::invalid(&at, text.as_str(), complaint)),
            ),
            Some(other) => errors.push(FieldError::invalid(&at, other.clone(), "must be a string")),
        }
    }
    if let Some(metadata) = fields.get("metadata") {
        metadata::check(metadata, &path.field("metadata"), errors);
    }
}

fn text_complaint(name: &str, text: &str) -> Option<String> {
    match name {
        _ if text.is_empty() => Some("must not be empty".to_owned()),
        "apiVersion" if text.matches('/').count() > 1 => {
            Some(format!("unexpected GroupVersion string: {text}"))
        }
        "kind" => metadata::dns1035_label_complaint(&text.to_lowercase())
            .map(|complaint| format!("may have mixed case, but should otherwise match: {complaint}")),
        _ => None,
    }
}
