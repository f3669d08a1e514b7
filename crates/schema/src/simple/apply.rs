//! What each marker does to the schema of its field.

use krono_cel::library;
use serde_json::Value;

use super::error::Problem;
use super::marker::{Marker, MarkerKind};
use crate::schema::{ListType, Schema, SchemaType, ValidationRule};

/// What the markers of a field ask of the object the field is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Demands {
    pub(super) required: bool,
}

/// Applies the markers in order.
pub(super) fn apply(schema: &mut Schema, markers: &[Marker]) -> (Demands, Vec<Problem>) {
    let mut demands = Demands::default();
    let mut problems: Vec<Problem> =
        markers.iter().filter_map(|marker| apply_one(schema, &mut demands, marker).err()).collect();
    if !schema.list_map_keys.is_empty() && schema.list_type != Some(ListType::Map) {
        problems.push(Problem::KeyWithoutMap);
    }
    (demands, problems)
}

fn apply_one(schema: &mut Schema, demands: &mut Demands, marker: &Marker) -> Result<(), Problem> {
    match marker.kind {
        MarkerKind::Required => demands.required |= boolean(marker)?,
        MarkerKind::Default => schema.default = Some(default(schema.schema_type, marker)?),
        MarkerKind::Description => {
            schema.description = Some(marker.value.clone()).filter(|it| !it.is_empty());
        }
        MarkerKind::Minimum => schema.minimum = Some(double(marker)?),
        MarkerKind::Maximum => schema.maximum = Some(double(marker)?),
        MarkerKind::Validation => schema.validations.push(rule(marker)?),
        MarkerKind::Immutable => schema.validations.extend(immutability(marker)?),
        MarkerKind::Enum => schema.enumeration = enumeration(schema.schema_type, marker)?,
        MarkerKind::Pattern => schema.pattern = Some(regular_expression(schema, marker)?),
        MarkerKind::MinLength => schema.min_length = Some(length(schema, marker)?),
        MarkerKind::MaxLength => schema.max_length = Some(length(schema, marker)?),
        MarkerKind::MinItems => schema.min_items = Some(count(schema, marker)?),
        MarkerKind::MaxItems => schema.max_items = Some(count(schema, marker)?),
        MarkerKind::UniqueItems => unique_items(schema, marker)?,
        MarkerKind::ListType => list_type(schema, marker)?,
        MarkerKind::ListMapKey => list_map_key(schema, marker)?,
    }
    Ok(())
}

fn default(schema_type: Option<SchemaType>, marker: &Marker) -> Result<Value, Problem> {
    match schema_type {
        Some(SchemaType::String) => Ok(Value::from(text(&marker.value))),
        Some(SchemaType::Integer) => integer(marker, &marker.value).map(Value::from),
        Some(SchemaType::Number) => number(marker),
        Some(SchemaType::Boolean) => boolean(marker).map(Value::from),
        Some(SchemaType::Array) => json(marker, Value::is_array, "a JSON list such as [1, 2]"),
        Some(SchemaType::Object) => json(marker, Value::is_object, "a JSON object such as {\"a\": 1}"),
        None => json(marker, |_| true, "JSON"),
    }
}

/// kro puts quotes around the text and calls that JSON, so `\n` is a new line; what is not JSON then is meant literally.
fn text(value: &str) -> String {
    serde_json::from_str(&format!("\"{value}\"")).unwrap_or_else(|_| value.to_owned())
}

fn json(marker: &Marker, fits: impl Fn(&Value) -> bool, expected: &'static str) -> Result<Value, Problem> {
    let parsed = serde_json::from_str(&marker.value).ok().filter(fits);
    parsed.ok_or_else(|| wrong(marker, expected))
}

/// A whole number stays whole: `default=1` of a float is `1`, not `1.0`.
fn number(marker: &Marker) -> Result<Value, Problem> {
    match marker.value.parse::<i64>() {
        Ok(whole) => Ok(Value::from(whole)),
        Err(_) => double(marker).map(Value::from),
    }
}

fn double(marker: &Marker) -> Result<f64, Problem> {
    let parsed = marker.value.parse::<f64>().ok().filter(|value| value.is_finite());
    parsed.ok_or_else(|| wrong(marker, "a number"))
}

fn integer(marker: &Marker, text: &str) -> Result<i64, Problem> {
    text.parse().map_err(|_| wrong(marker, "a whole number of 64 bits"))
}

fn boolean(marker: &Marker) -> Result<bool, Problem> {
    match marker.value.as_str() {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err(wrong(marker, "true or false")),
    }
}

fn rule(marker: &Marker) -> Result<ValidationRule, Problem> {
    if marker.value.trim().is_empty() {
        return Err(wrong(marker, "a CEL expression such as \"self > 0\""));
    }
    Ok(named_rule(&marker.value, "validation failed"))
}

fn immutability(marker: &Marker) -> Result<Option<ValidationRule>, Problem> {
    Ok(boolean(marker)?.then(|| named_rule("self == oldSelf", "field is immutable")))
}

fn named_rule(rule: &str, message: &str) -> ValidationRule {
    ValidationRule { rule: rule.to_owned(), message: Some(message.to_owned()), ..ValidationRule::default() }
}

fn enumeration(schema_type: Option<SchemaType>, marker: &Marker) -> Result<Vec<Value>, Problem> {
    let read = |text: &str| match schema_type {
        Some(SchemaType::Integer) => integer(marker, text).map(Value::from),
        _ => Ok(Value::from(text)),
    };
    if !matches!(schema_type, Some(SchemaType::String | SchemaType::Integer)) {
        return Err(wrong_type(marker, "strings and integers", schema_type));
    }
    let values = marker.value.split(',').map(str::trim);
    if values.clone().any(str::is_empty) {
        return Err(wrong(marker, "a list without empty values, such as \"a,b\""));
    }
    values.map(read).collect()
}

fn regular_expression(schema: &Schema, marker: &Marker) -> Result<String, Problem> {
    only_on(SchemaType::String, schema, marker)?;
    if marker.value.is_empty() {
        return Err(wrong(marker, "a regular expression"));
    }
    match library::Pattern::new(&marker.value) {
        Ok(_) => Ok(marker.value.clone()),
        Err(error) => Err(Problem::Pattern { value: marker.value.clone(), complaint: error.to_string() }),
    }
}

fn length(schema: &Schema, marker: &Marker) -> Result<i64, Problem> {
    only_on(SchemaType::String, schema, marker)?;
    integer(marker, &marker.value)
}

fn count(schema: &Schema, marker: &Marker) -> Result<i64, Problem> {
    only_on(SchemaType::Array, schema, marker)?;
    integer(marker, &marker.value)
}

fn unique_items(schema: &mut Schema, marker: &Marker) -> Result<(), Problem> {
    only_on(SchemaType::Array, schema, marker)?;
    if boolean(marker)? { set_list_type(schema, marker, ListType::Set) } else { Ok(()) }
}

fn list_type(schema: &mut Schema, marker: &Marker) -> Result<(), Problem> {
    only_on(SchemaType::Array, schema, marker)?;
    let wanted = ListType::ALL.into_iter().find(|choice| choice.name() == marker.value);
    set_list_type(schema, marker, wanted.ok_or_else(|| wrong(marker, "atomic, set or map"))?)
}

fn set_list_type(schema: &mut Schema, marker: &Marker, wanted: ListType) -> Result<(), Problem> {
    match schema.list_type.replace(wanted) {
        Some(earlier) if earlier != wanted => {
            schema.list_type = Some(earlier);
            let (wanted, earlier) = (wanted.name(), earlier.name());
            Err(Problem::ListTypeConflict { marker: marker.kind, wanted, earlier })
        }
        _ => Ok(()),
    }
}

fn list_map_key(schema: &mut Schema, marker: &Marker) -> Result<(), Problem> {
    only_on(SchemaType::Array, schema, marker)?;
    if schema.list_map_keys.contains(&marker.value) {
        return Err(Problem::DuplicateKey { key: marker.value.clone() });
    }
    schema.list_map_keys.push(marker.value.clone());
    Ok(())
}

fn only_on(wanted: SchemaType, schema: &Schema, marker: &Marker) -> Result<(), Problem> {
    let applies = if wanted == SchemaType::Array { "lists" } else { "strings" };
    if schema.schema_type == Some(wanted) {
        Ok(())
    } else {
        Err(wrong_type(marker, applies, schema.schema_type))
    }
}

fn wrong_type(marker: &Marker, applies: &'static str, schema_type: Option<SchemaType>) -> Problem {
    let found = match schema_type {
        Some(SchemaType::Array) => "a list",
        Some(SchemaType::Boolean) => "a boolean",
        Some(SchemaType::Integer) => "an integer",
        Some(SchemaType::Number) => "a float",
        Some(SchemaType::Object) => "an object",
        Some(SchemaType::String) => "a string",
        None => "of unknown type",
    };
    Problem::WrongType { marker: marker.kind, applies, found }
}

fn wrong(marker: &Marker, expected: &'static str) -> Problem {
    Problem::Value { marker: marker.kind, value: marker.value.clone(), expected }
}
