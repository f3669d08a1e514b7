//! Specs of CRDs in the one form that makes them comparable.

use std::sync::Arc;

use krono_schema::crd::CustomResourceSpec;
use krono_schema::{AdditionalProperties, Schema};
use serde_json::{Number, Value};

/// The form in which two specs that mean the same are equal, whatever the API server did to one of them.
pub(super) fn plain(spec: &CustomResourceSpec) -> CustomResourceSpec {
    let mut plain_spec = spec.clone();
    for version in &mut plain_spec.versions {
        if let Some(schema) = version.schema.as_mut().and_then(|it| it.open_api_v3_schema.as_mut()) {
            *schema = plain_schema(schema);
        }
    }
    plain_spec
}

/// The API server drops texts that are empty and writes numbers its own way.
fn plain_schema(schema: &Schema) -> Schema {
    let text = |it: &Option<String>| it.clone().filter(|it| !it.is_empty());
    let child = |it: &Arc<Schema>| Arc::new(plain_schema(it));
    Schema {
        title: text(&schema.title),
        description: text(&schema.description),
        format: text(&schema.format),
        pattern: text(&schema.pattern),
        default: schema.default.as_ref().map(plain_value),
        enumeration: schema.enumeration.iter().map(plain_value).collect(),
        properties: schema.properties.iter().map(|(name, it)| (name.clone(), child(it))).collect(),
        items: schema.items.as_ref().map(child),
        additional_properties: schema.additional_properties.as_ref().map(|it| match it {
            AdditionalProperties::Schema(values) => AdditionalProperties::Schema(child(values)),
            AdditionalProperties::Allowed(allowed) => AdditionalProperties::Allowed(*allowed),
        }),
        ..schema.clone()
    }
}

fn plain_value(value: &Value) -> Value {
    match value {
        Value::Number(number) => Value::Number(plain_number(number)),
        Value::Array(items) => items.iter().map(plain_value).collect(),
        Value::Object(fields) => fields.iter().map(|(key, it)| (key.clone(), plain_value(it))).collect(),
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

/// `1.0` is written `1`.
fn plain_number(number: &Number) -> Number {
    let whole = number.as_f64().filter(|it| number.is_f64() && it.fract() == 0.0 && it.abs() < 9e15);
    whole.and_then(|it| format!("{it:.0}").parse::<i64>().ok()).map_or_else(|| number.clone(), Number::from)
}
