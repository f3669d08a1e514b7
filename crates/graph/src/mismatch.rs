//! Values of the wrong type: what to say, and what to do.

use krono_cel::{Incompatible, Type};
use krono_schema::SchemaType;
use serde_json::Value;

use crate::expression::unwrapped;

/// What is wrong with an expression of the wrong type.
pub(crate) fn message(incompatible: &Incompatible) -> String {
    let text = incompatible.to_string();
    // The reason says more only where it is about a part of the value.
    if !incompatible.path.is_empty() {
        return text;
    }
    text.split_once(": type kind mismatch").map_or(text.clone(), |(message, _)| message.to_owned())
}

/// How an expression gets the type that is wanted.
pub(crate) fn conversion(incompatible: &Incompatible, source: &str) -> String {
    let source = source.trim();
    match (unwrapped(&incompatible.output), &incompatible.expected) {
        (
            Type::Int | Type::Uint | Type::Double | Type::Bool | Type::Timestamp | Type::Duration,
            Type::String,
        ) => {
            format!("write ${{string({source})}}")
        }
        (Type::Bytes, Type::String) => {
            format!("write ${{string({source})}} for text, or ${{base64.encode({source})}}")
        }
        (Type::String | Type::Double, Type::Int) => format!("write ${{int({source})}}"),
        (Type::String | Type::Int, Type::Double) => format!("write ${{double({source})}}"),
        (Type::String, Type::Bool) => format!("compare it, as in ${{{source} == \"yes\"}}"),
        (Type::String, Type::Bytes) => {
            "a Secret takes text under stringData; data is for bytes in base64".to_owned()
        }
        (Type::List(list), Type::String) if list.element == Type::String => {
            format!("write ${{{source}.join(\",\")}}, or take one element, ${{{source}[0]}}")
        }
        (Type::List(_) | Type::Map(_), Type::String) => format!("write ${{json.marshal({source})}}"),
        (element, Type::List(list)) if element.assignable_to(&list.element).is_ok() => {
            format!("write ${{[{source}]}}")
        }
        (Type::List(list), expected) if list.element.assignable_to(expected).is_ok() => {
            format!("take one element, as in ${{{source}[0]}}")
        }
        _ => "refer to a value of that type".to_owned(),
    }
}

/// What is wrong with a value of the wrong type.
pub(crate) fn of_literal(found: &Value, expected: Option<SchemaType>) -> String {
    let expected = expected.map_or("integer or string", SchemaType::name);
    format!("expected a value of type {expected}, found {}", json_type(found))
}

/// What to write in place of a value of the wrong type.
pub(crate) fn correction(found: &Value, expected: Option<SchemaType>) -> String {
    match (found, expected) {
        (Value::String(text), _) if text.contains("${") => {
            "an expression keeps its type only when it stands alone, as in `${…}`".to_owned()
        }
        (Value::String(text), Some(expected)) if is_quoted(text, expected) => {
            format!("remove the quotes: {text}")
        }
        (Value::Number(_) | Value::Bool(_), Some(SchemaType::String)) => {
            format!("write it in quotes: \"{found}\"")
        }
        (_, Some(SchemaType::Array)) => "write a list, each element behind `- `".to_owned(),
        (_, Some(SchemaType::Object)) => "write a map of fields, `name: value`".to_owned(),
        (Value::Array(_), _) => "write one value, without `- `".to_owned(),
        (_, Some(SchemaType::Integer)) => "write a whole number, such as 3".to_owned(),
        (_, Some(SchemaType::Number)) => "write a number, such as 0.5".to_owned(),
        (_, Some(SchemaType::Boolean)) => "write true or false".to_owned(),
        (_, Some(SchemaType::String)) => "write text".to_owned(),
        (_, None) => "write a whole number or text".to_owned(),
    }
}

/// Whether a text would be of the type if it had no quotes.
fn is_quoted(text: &str, expected: SchemaType) -> bool {
    match expected {
        SchemaType::Integer => text.parse::<i64>().is_ok(),
        SchemaType::Number => text.parse::<f64>().is_ok(),
        SchemaType::Boolean => text == "true" || text == "false",
        SchemaType::String | SchemaType::Object | SchemaType::Array => false,
    }
}

fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
