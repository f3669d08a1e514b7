//! The fields of a definition that field selectors may name.

use std::collections::BTreeSet;

use krono_schema::{BadValue, ErrorKind, FieldError, Schema, SchemaType, structural};
use serde_json::Value;

use super::spec::text;
use crate::write::metadata::{invalid, required};

/// Most fields of one version.
const MAX_FIELDS: usize = 8;

/// Checks fields that all versions share; they need a schema that all versions share.
pub(super) fn check_shared(fields: &Value, validation: Option<&Value>, errors: &mut Vec<FieldError>) {
    let path = "spec.selectableFields";
    if validation.is_none() {
        let detail = "may only be set when validations.schema is included";
        return errors.push(invalid(path, "", detail));
    }
    check(fields, validation, path, errors);
}

/// Checks the fields of one version; they need a schema of the version's own.
pub(super) fn check_own(
    fields: &Value,
    validation: Option<&Value>,
    path: &str,
    errors: &mut Vec<FieldError>,
) {
    let path = format!("{path}.selectableFields");
    if validation.and_then(|it| it.get("openAPIV3Schema")).is_none() {
        let detail = "may only be set when `version.schema.openAPIV3Schema` is not included";
        return errors.push(invalid(&path, "", detail));
    }
    check(fields, validation, &path, errors);
}

fn check(fields: &Value, validation: Option<&Value>, path: &str, errors: &mut Vec<FieldError>) {
    let schema = validation.and_then(|it| it.get("openAPIV3Schema"));
    // What is wrong with the schema is said elsewhere.
    let Some(Ok(schema)) = schema.map(Schema::from_value) else { return };
    let mut seen = BTreeSet::new();
    for (index, field) in fields.as_array().into_iter().flatten().enumerate() {
        let at = format!("{path}[{index}].jsonPath");
        errors.extend(problems(text(field, "jsonPath"), &schema, &at, &mut seen));
    }
    if seen.len() > MAX_FIELDS {
        let (path, value) = (path.to_owned(), BadValue::Value(seen.len().into()));
        let detail = format!("must have at most {MAX_FIELDS} items");
        errors.push(FieldError { kind: ErrorKind::TooMany, path, value, detail });
    }
}

fn problems(json_path: &str, schema: &Schema, at: &str, seen: &mut BTreeSet<String>) -> Vec<FieldError> {
    if json_path.is_empty() {
        return vec![required(at, "")];
    }
    let (name, found) = match structural::field(schema, json_path) {
        Ok(found) => found,
        Err(why) => return vec![invalid(at, json_path, format!("is an invalid path: {why}"))],
    };
    let mut errors = Vec::new();
    if name == "metadata" || name.starts_with("metadata.") {
        errors.push(invalid(at, json_path, "must not point to fields in metadata"));
    }
    let is_plain =
        matches!(found.schema_type, Some(SchemaType::String | SchemaType::Boolean | SchemaType::Integer));
    if !is_plain {
        let detail = "must point to a field of type string, boolean or integer. Enum string fields and strings with \
                      formats are allowed.";
        errors.push(invalid(at, json_path, detail));
    }
    if !seen.insert(name) {
        let value = BadValue::Value(json_path.into());
        errors.push(FieldError {
            kind: ErrorKind::Duplicate,
            path: at.to_owned(),
            value,
            detail: String::new(),
        });
    }
    errors
}
