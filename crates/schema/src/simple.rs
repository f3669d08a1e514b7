//! `SimpleSchema`: kro's short notation for schemas.

mod apply;
mod build;
mod custom;
mod error;
mod marker;
#[cfg(test)]
mod tests;
mod type_name;

use serde_json::Value;

use crate::schema::Schema;

pub use error::{Problem, SimpleSchemaError, SimpleSchemaErrors};
pub use marker::MarkerKind;
pub use type_name::MAX_TYPE_NESTING;

/// The schema of an object whose fields are written in `SimpleSchema`.
///
/// `fields` maps names to a type with markers (`"integer | default=1"`) or to a nested map; `types` holds the
/// custom types the fields may name. Either may be null when there is none. Every problem is reported, each with
/// the place it was found at, under `root` (say `spec`) or under `types`.
///
/// ```
/// use serde_json::{Value, json};
/// let fields = json!({"replicas": "integer | default=1", "ports": "[]Port | minItems=1"});
/// let types = json!({"Port": "integer | minimum=1 maximum=65535"});
/// let schema = krono_schema::simple::expand("spec", &fields, &types)?;
/// assert_eq!(schema.to_value(), json!({
///     "type": "object",
///     "default": {},
///     "properties": {
///         "replicas": {"type": "integer", "default": 1},
///         "ports": {
///             "type": "array", "minItems": 1,
///             "items": {"type": "integer", "minimum": 1, "maximum": 65535},
///         },
///     },
/// }));
/// # Ok::<(), krono_schema::simple::SimpleSchemaErrors>(())
/// ```
pub fn expand(root: &str, fields: &Value, types: &Value) -> Result<Schema, SimpleSchemaErrors> {
    let mut builder = build::Builder::default();
    builder.load_types(types);
    let schema = builder.root(root, fields);
    builder.finish(schema)
}

/// Where a part of an expanded schema was written: the field, and the rest of the path within the field's schema.
///
/// ```
/// let (field, rest) = krono_schema::simple::written("properties[spec].items.properties[port].default");
/// assert_eq!((field.as_str(), rest), ("spec.port", "default"));
/// ```
pub fn written(path: &str) -> (String, &str) {
    let mut fields = Vec::new();
    let mut rest = path.trim_start_matches('.');
    loop {
        let inner = ["items.", "additionalProperties."].into_iter().find_map(|it| rest.strip_prefix(it));
        rest = inner.unwrap_or(rest);
        let Some((field, behind)) = rest.strip_prefix("properties[").and_then(|it| it.split_once(']')) else {
            return (fields.join("."), rest);
        };
        fields.push(field);
        rest = behind.trim_start_matches('.');
    }
}
