//! Defaults put into a value.

use serde_json::{Map, Value};

use crate::schema::{Schema, SchemaType};

/// Fills in the defaults of fields that are absent, or null where null is not allowed.
///
/// A default that is an object gets the defaults of its own fields as well.
pub fn default(schema: &Schema, value: &mut Value) {
    match value {
        Value::Object(fields) => default_fields(schema, fields),
        Value::Array(items) => {
            let Some(item_schema) = &schema.items else { return };
            for item in items {
                replace_null(item_schema, item);
                default(item_schema, item);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn default_fields(schema: &Schema, fields: &mut Map<String, Value>) {
    for (name, property) in &schema.properties {
        let Some(default) = &property.default else { continue };
        let present = fields.get(name).is_some_and(|value| !value.is_null() || property.nullable);
        if !present {
            fields.insert(name.clone(), default.clone());
        }
    }
    for (name, value) in fields {
        if let Some(property) = schema.properties.get(name) {
            default(property, value);
        } else if let Some(values) = schema.map_values() {
            replace_null(values, value);
            default(values, value);
        }
    }
}

fn replace_null(schema: &Schema, value: &mut Value) {
    if let (true, false, Some(default)) = (value.is_null(), schema.nullable, &schema.default) {
        *value = default.clone();
    }
}

/// Removes fields that are null where null is not allowed and there is no default; the API server does so before
/// it fills in defaults.
pub fn drop_nulls(schema: &Schema, value: &mut Value) {
    match value {
        Value::Object(fields) => fields.retain(|name, value| {
            let Some(child) = schema.properties.get(name).or_else(|| schema.map_values()) else {
                return true;
            };
            let dropped = value.is_null() && !child.nullable && child.default.is_none();
            if !dropped {
                drop_nulls(child, value);
            }
            !dropped
        }),
        Value::Array(items) => {
            for item in items {
                let Some(item_schema) = &schema.items else { break };
                drop_nulls(item_schema, item);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Makes null an empty text in maps and lists of texts, as Go reads it there.
pub fn empty_null_texts(schema: &Schema, value: &mut Value) {
    let is_text = |schema: &Schema| schema.schema_type == Some(SchemaType::String) && schema.format.is_none();
    let empty = |schema: &Schema, value: &mut Value| {
        if value.is_null() && is_text(schema) {
            *value = Value::String(String::new());
        }
        empty_null_texts(schema, value);
    };
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if let Some(property) = schema.properties.get(name) {
                    empty_null_texts(property, value);
                } else if let Some(values) = schema.map_values() {
                    empty(values, value);
                }
            }
        }
        Value::Array(items) => {
            let Some(item_schema) = &schema.items else { return };
            for item in items {
                empty(item_schema, item);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(schema: &Value, mut value: Value, expect: &Value) {
        let schema = Schema::from_value(schema).unwrap();
        drop_nulls(&schema, &mut value);
        default(&schema, &mut value);
        assert_eq!(value, *expect);
    }

    #[test]
    fn defaults() {
        let port = json!({"type": "object", "default": {}, "properties": {"number": {"type": "integer", "default": 80}}});
        let schema = json!({"type": "object", "properties": {
            "port": port, "list": {"type": "array", "items": port}, "map": {"type": "object", "additionalProperties": port},
            "nullable": {"type": "string", "nullable": true, "default": "x"}, "plain": {"type": "string"},
        }});
        check(&schema, json!({}), &json!({"port": {"number": 80}, "nullable": "x"}));
        check(
            &schema,
            json!({"port": null, "nullable": null, "plain": null, "list": [{}, null], "map": {"a": null}}),
            &json!({
                "port": {"number": 80}, "nullable": null,
                "list": [{"number": 80}, {"number": 80}], "map": {"a": {"number": 80}},
            }),
        );
        check(&schema, json!({"port": {"number": 1}}), &json!({"port": {"number": 1}, "nullable": "x"}));
    }

    #[test]
    fn null_texts() {
        let texts = json!({"type": "object", "additionalProperties": {"type": "string"}});
        let schema = json!({"type": "object", "properties": {
            "map": texts, "list": {"type": "array", "items": {"type": "string"}}, "plain": {"type": "string"},
            "bytes": {"type": "object", "additionalProperties": {"type": "string", "format": "byte"}},
        }});
        let mut value = json!({"map": {"a": null}, "list": [null], "plain": null, "bytes": {"a": null}});
        empty_null_texts(&Schema::from_value(&schema).unwrap(), &mut value);
        assert_eq!(value, json!({"map": {"a": ""}, "list": [""], "plain": null, "bytes": {"a": null}}));
    }
}
