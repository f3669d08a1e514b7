//! What a document looks like.

use serde_json::{Map, Value};

use super::text;

/// Keywords that only an OpenAPI schema has as top-level fields with such values.
const KEYWORDS: &[&str] = &["properties", "additionalProperties", "items", "$ref", "allOf", "anyOf", "oneOf"];
const TYPES: &[&str] = &["array", "boolean", "integer", "number", "object", "string"];

/// The forms in which schemas are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form<'v> {
    /// A whole `ResourceGraphDefinition`.
    Definition,
    /// The `schema` of one, alone: kind, apiVersion and spec.
    DefinitionSchema,
    Crd,
    /// Fields in kro's short notation under `spec`, with `types` beside them.
    SimpleWithTypes,
    /// Fields in kro's short notation.
    Simple,
    OpenApi,
    /// An object of some other kind.
    Other(&'v str),
    /// Not even a map.
    Scalar,
}

/// The form of a document.
pub(super) fn of(value: &Value) -> Form<'_> {
    let Some(fields) = value.as_object() else { return Form::Scalar };
    match (text(value, "/kind"), text(value, "/apiVersion")) {
        (Some("ResourceGraphDefinition"), _) => Form::Definition,
        (Some("CustomResourceDefinition"), _) => Form::Crd,
        (Some(_), Some(version)) if !version.contains('/') && value.pointer("/metadata/name").is_none() => {
            Form::DefinitionSchema
        }
        (Some(kind), Some(_)) if !kind.contains(['|', ' ']) => Form::Other(kind),
        _ if is_open_api(fields) => Form::OpenApi,
        _ if has_types(fields) => Form::SimpleWithTypes,
        _ => Form::Simple,
    }
}

fn has_types(fields: &Map<String, Value>) -> bool {
    fields.contains_key("types") && fields.keys().all(|it| it == "spec" || it == "types")
}

/// A SimpleSchema may have a field called `type`, but none that is itself a schema.
fn is_open_api(fields: &Map<String, Value>) -> bool {
    let typed = fields.get("type").and_then(Value::as_str).is_some_and(|it| TYPES.contains(&it));
    let keyword = |name: &&str| fields.get(*name).is_some_and(|it| !it.is_string() || *name == "$ref");
    let extension = fields.keys().any(|it| it.starts_with("x-kubernetes-"));
    (typed && (fields.len() == 1 || KEYWORDS.iter().any(keyword) || scalar_keywords(fields)))
        || fields.contains_key("$ref")
        || extension
}

/// Whether something beside the type is a keyword with a value that no field could have.
fn scalar_keywords(fields: &Map<String, Value>) -> bool {
    let others = || fields.iter().filter(|(name, _)| *name != "type");
    others().any(|(_, value)| value.is_number() || value.is_boolean() || value.is_array())
        || others().all(|(name, _)| {
            matches!(name.as_str(), "format" | "description" | "title" | "pattern" | "default")
        })
}
