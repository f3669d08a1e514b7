//! The schemas of a definition.

use krono_schema::{BadValue, ErrorKind, FieldError, Schema, structural};
use serde_json::Value;

use super::go_dump;
use super::spec::{Part, Spec, text};
use crate::write::metadata::{invalid, required};

pub(super) fn required_schemas(spec: &Spec<'_>, errors: &mut Vec<FieldError>) {
    let is_there = |validation: Option<&Value>| {
        validation.and_then(|it| it.get("openAPIV3Schema")).is_some_and(|it| !it.is_null())
    };
    if is_there(spec.shared(Part::Schema)) {
        return;
    }
    for index in (0..spec.versions.len()).filter(|index| !is_there(spec.own(*index, Part::Schema))) {
        errors.push(required(&format!("spec.versions[{index}].schema.openAPIV3Schema"), ""));
    }
}

/// Whether a schema, as JSON, has a default anywhere.
pub(super) fn has_defaults(schema: &Value) -> bool {
    Schema::from_value(schema).is_ok_and(|schema| any_default(&schema))
}

fn any_default(schema: &Schema) -> bool {
    schema.default.is_some() || schema.children().any(|child| any_default(child))
}

pub(super) fn check(validation: &Value, path: &str, has_status: bool, errors: &mut Vec<FieldError>) {
    let Some(schema) = validation.get("openAPIV3Schema").filter(|it| !it.is_null()) else { return };
    let root = format!("{path}.openAPIV3Schema");
    if has_status {
        errors.extend(root_problem(schema, &root));
    }
    match Schema::from_value(schema) {
        Ok(schema) => errors.extend(structural::check(&schema, &root)),
        Err(unreadable) => errors.extend(unreadable.errors.into_iter().map(|error| below(&root, error))),
    }
}

fn below(root: &str, error: FieldError) -> FieldError {
    let dot = if error.path.is_empty() { "" } else { "." };
    FieldError { path: format!("{root}{dot}{}", error.path), ..error }
}

/// The status is validated on its own, so that the root of a schema may say only what holds for the status, too.
fn root_problem(schema: &Value, root: &str) -> Option<FieldError> {
    for field in go_dump::set_fields(schema) {
        if field == "Type" {
            if text(schema, "type") != "object" {
                let detail = r#"only "object" is allowed as the type at the root of the schema if the status subresource is enabled"#;
                return Some(invalid(&format!("{root}.type"), text(schema, "type"), detail));
            }
        } else if !ALLOWED_AT_ROOT.contains(&field) {
            let detail = format!(
                "only [{}] fields are allowed at the root of the schema if the status subresource is enabled",
                ALLOWED_AT_ROOT.join(" ")
            );
            let (path, value) = (root.to_owned(), BadValue::Printed(go_dump::schema(schema)));
            return Some(FieldError { kind: ErrorKind::Invalid, path, value, detail });
        }
    }
    None
}

const ALLOWED_AT_ROOT: [&str; 22] = [
    "Description",
    "Type",
    "Format",
    "Title",
    "Maximum",
    "ExclusiveMaximum",
    "Minimum",
    "ExclusiveMinimum",
    "MaxLength",
    "MinLength",
    "Pattern",
    "MaxItems",
    "MinItems",
    "UniqueItems",
    "MultipleOf",
    "Required",
    "Items",
    "Properties",
    "ExternalDocs",
    "Example",
    "XPreserveUnknownFields",
    "XValidations",
];
