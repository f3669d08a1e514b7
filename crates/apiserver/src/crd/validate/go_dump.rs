//! Parts of a definition as the real server prints them when they are wrong: as the fields of its own types.

use krono_schema::go_text;
use serde_json::Value;

use super::spec::{Part, Spec, flag, text};

/// How a field of a schema is printed.
#[derive(Clone, Copy)]
enum Shape {
    Text,
    Flag,
    /// Anything, or `null`.
    Any,
    Schema,
    Schemas,
    SchemaMap,
    Items,
    SchemaOrFlag,
    Docs,
    Rules,
}

const FIELDS: [(&str, &str, Shape); 44] = [
    ("ID", "id", Shape::Text),
    ("Schema", "$schema", Shape::Text),
    ("Ref", "$ref", Shape::Any),
    ("Description", "description", Shape::Text),
    ("Type", "type", Shape::Text),
    ("Nullable", "nullable", Shape::Flag),
    ("Format", "format", Shape::Text),
    ("Title", "title", Shape::Text),
    ("Default", "default", Shape::Any),
    ("Maximum", "maximum", Shape::Any),
    ("ExclusiveMaximum", "exclusiveMaximum", Shape::Flag),
    ("Minimum", "minimum", Shape::Any),
    ("ExclusiveMinimum", "exclusiveMinimum", Shape::Flag),
    ("MaxLength", "maxLength", Shape::Any),
    ("MinLength", "minLength", Shape::Any),
    ("Pattern", "pattern", Shape::Text),
    ("MaxItems", "maxItems", Shape::Any),
    ("MinItems", "minItems", Shape::Any),
    ("UniqueItems", "uniqueItems", Shape::Flag),
    ("MultipleOf", "multipleOf", Shape::Any),
    ("Enum", "enum", Shape::Any),
    ("MaxProperties", "maxProperties", Shape::Any),
    ("MinProperties", "minProperties", Shape::Any),
    ("Required", "required", Shape::Any),
    ("Items", "items", Shape::Items),
    ("AllOf", "allOf", Shape::Schemas),
    ("OneOf", "oneOf", Shape::Schemas),
    ("AnyOf", "anyOf", Shape::Schemas),
    ("Not", "not", Shape::Schema),
    ("Properties", "properties", Shape::SchemaMap),
    ("AdditionalProperties", "additionalProperties", Shape::SchemaOrFlag),
    ("PatternProperties", "patternProperties", Shape::SchemaMap),
    ("Dependencies", "dependencies", Shape::Any),
    ("AdditionalItems", "additionalItems", Shape::SchemaOrFlag),
    ("Definitions", "definitions", Shape::SchemaMap),
    ("ExternalDocs", "externalDocs", Shape::Docs),
    ("Example", "example", Shape::Any),
    ("XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", Shape::Any),
    ("XEmbeddedResource", "x-kubernetes-embedded-resource", Shape::Flag),
    ("XIntOrString", "x-kubernetes-int-or-string", Shape::Flag),
    ("XListMapKeys", "x-kubernetes-list-map-keys", Shape::Any),
    ("XListType", "x-kubernetes-list-type", Shape::Any),
    ("XMapType", "x-kubernetes-map-type", Shape::Any),
    ("XValidations", "x-kubernetes-validations", Shape::Rules),
];

/// The names of the fields that a schema sets, in the order of the real server's type.
pub(super) fn set_fields(schema: &Value) -> impl Iterator<Item = &'static str> {
    let is_set = |value: &Value| !matches!(value, Value::Null | Value::Bool(false)) && value != "";
    let set = FIELDS.into_iter().filter(move |(_, name, shape)| match shape {
        // A pointer to false is not nothing.
        Shape::Any | Shape::SchemaOrFlag => schema.get(*name).is_some_and(|it| !it.is_null()),
        Shape::Text
        | Shape::Flag
        | Shape::Schema
        | Shape::Schemas
        | Shape::SchemaMap
        | Shape::Items
        | Shape::Docs
        | Shape::Rules => schema.get(*name).is_some_and(is_set),
    });
    set.map(|(go, _, _)| go).collect::<Vec<_>>().into_iter()
}

/// A schema.
pub(super) fn schema(schema: &Value) -> String {
    let field = |(go, name, shape): &(&str, &str, Shape)| {
        format!("{go:?}:{}", shape.print(schema.get(*name).unwrap_or(&Value::Null)))
    };
    format!("{{{}}}", FIELDS.iter().map(field).collect::<Vec<_>>().join(","))
}

impl Shape {
    fn print(self, value: &Value) -> String {
        let absent = matches!(value, Value::Null);
        match self {
            Self::Text => go_text::json(&value.as_str().unwrap_or_default().into()),
            Self::Flag => value.as_bool().unwrap_or(false).to_string(),
            _ if absent => "null".to_owned(),
            Self::Any => go_text::json(value),
            Self::Schema => schema(value),
            Self::Schemas => list(value, schema),
            Self::SchemaMap => {
                let entries = value.as_object().into_iter().flatten();
                let entries = entries.map(|(name, it)| format!("{}:{}", quoted(name), schema(it)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
            }
            Self::Items if value.is_array() => {
                format!(r#"{{"Schema":null,"JSONSchemas":{}}}"#, list(value, schema))
            }
            Self::Items => format!(r#"{{"Schema":{},"JSONSchemas":null}}"#, schema(value)),
            Self::SchemaOrFlag => match value.as_bool() {
                Some(allows) => format!(r#"{{"Allows":{allows},"Schema":null}}"#),
                None => format!(r#"{{"Allows":true,"Schema":{}}}"#, schema(value)),
            },
            Self::Docs => {
                let (description, url) = (text(value, "description"), text(value, "url"));
                format!(r#"{{"Description":{},"URL":{}}}"#, quoted(description), quoted(url))
            }
            Self::Rules => list(value, rule),
        }
    }
}

fn rule(rule: &Value) -> String {
    let any = |name: &str| go_text::json(rule.get(name).unwrap_or(&Value::Null));
    format!(
        r#"{{"Rule":{},"Message":{},"MessageExpression":{},"Reason":{},"FieldPath":{},"OptionalOldSelf":{}}}"#,
        quoted(text(rule, "rule")),
        quoted(text(rule, "message")),
        quoted(text(rule, "messageExpression")),
        any("reason"),
        quoted(text(rule, "fieldPath")),
        any("optionalOldSelf"),
    )
}

/// The versions of a spec, without what they share.
pub(super) fn versions(spec: &Spec<'_>) -> String {
    if spec.get("versions").is_null() {
        return "null".to_owned();
    }
    let printed = spec.versions.iter().enumerate().map(|(index, it)| version(spec, index, it));
    format!("[{}]", printed.collect::<Vec<_>>().join(","))
}

fn version(spec: &Spec<'_>, index: usize, version: &Value) -> String {
    let own =
        |part: Part, print: fn(&Value) -> String| spec.own(index, part).map_or("null".to_owned(), print);
    let warning = version.get("deprecationWarning").unwrap_or(&Value::Null);
    format!(
        r#"{{"Name":{},"Served":{},"Storage":{},"Deprecated":{},"DeprecationWarning":{},"Schema":{},"Subresources":{},"AdditionalPrinterColumns":{},"SelectableFields":{}}}"#,
        quoted(text(version, "name")),
        flag(version, "served"),
        flag(version, "storage"),
        flag(version, "deprecated"),
        go_text::json(warning),
        own(Part::Schema, validation),
        own(Part::Subresources, subresources),
        own(Part::Columns, |it| list(it, column)),
        own(Part::Selectable, |it| list(it, |it| format!(
            r#"{{"JSONPath":{}}}"#,
            quoted(text(it, "jsonPath"))
        ))),
    )
}

fn validation(validation: &Value) -> String {
    let root = validation.get("openAPIV3Schema").unwrap_or(&Value::Null);
    format!(r#"{{"OpenAPIV3Schema":{}}}"#, Shape::Schema.print(root))
}

fn subresources(subresources: &Value) -> String {
    let status = subresources.get("status").filter(|it| !it.is_null()).map_or("null", |_| "{}");
    let scale = subresources.get("scale").filter(|it| !it.is_null()).map(|scale| {
        format!(
            r#"{{"SpecReplicasPath":{},"StatusReplicasPath":{},"LabelSelectorPath":{}}}"#,
            quoted(text(scale, "specReplicasPath")),
            quoted(text(scale, "statusReplicasPath")),
            go_text::json(scale.get("labelSelectorPath").unwrap_or(&Value::Null)),
        )
    });
    format!(r#"{{"Status":{status},"Scale":{}}}"#, scale.unwrap_or_else(|| "null".to_owned()))
}

fn column(column: &Value) -> String {
    format!(
        r#"{{"Name":{},"Type":{},"Format":{},"Description":{},"Priority":{},"JSONPath":{}}}"#,
        quoted(text(column, "name")),
        quoted(text(column, "type")),
        quoted(text(column, "format")),
        quoted(text(column, "description")),
        column.get("priority").and_then(Value::as_i64).unwrap_or(0),
        quoted(text(column, "jsonPath")),
    )
}

fn list(value: &Value, print: impl Fn(&Value) -> String) -> String {
    let items = value.as_array().into_iter().flatten();
    format!("[{}]", items.map(print).collect::<Vec<_>>().join(","))
}

fn quoted(text: &str) -> String {
    go_text::json(&text.into())
}
