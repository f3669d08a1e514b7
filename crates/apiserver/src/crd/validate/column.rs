//! The printer columns of a definition.

use krono_schema::FieldError;
use serde_json::Value;

use super::spec::text;
use crate::write::metadata::{invalid, required};

const TYPES: [&str; 5] = ["boolean", "date", "integer", "number", "string"];
const FORMATS: [&str; 8] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

pub(super) fn check_all(columns: Option<&Value>, path: &str, errors: &mut Vec<FieldError>) {
    let columns = columns.and_then(Value::as_array).into_iter().flatten();
    for (index, column) in columns.enumerate() {
        check(column, &format!("{path}[{index}]"), errors);
    }
}

fn check(column: &Value, path: &str, errors: &mut Vec<FieldError>) {
    if text(column, "name").is_empty() {
        errors.push(required(&format!("{path}.name"), ""));
    }
    let (column_type, types) = (text(column, "type"), format!("must be one of {}", TYPES.join(",")));
    if column_type.is_empty() {
        errors.push(required(&format!("{path}.type"), &types));
    } else if !TYPES.contains(&column_type) {
        errors.push(invalid(&format!("{path}.type"), column_type, types));
    }
    let format = text(column, "format");
    if !format.is_empty() && !FORMATS.contains(&format) {
        let detail = format!("must be one of {}", FORMATS.join(","));
        errors.push(invalid(&format!("{path}.format"), format, detail));
    }
    let (at, json) = (format!("{path}.JSONPath"), text(column, "jsonPath"));
    if json.is_empty() {
        errors.push(required(&at, ""));
    } else {
        errors.extend(json_path(&at, json));
    }
}

/// What is wrong with a path that must be simple.
pub(super) fn json_path(path: &str, text: &str) -> Option<FieldError> {
    (!text.starts_with('.')).then(|| invalid(path, text, "must be a simple json path starting with ."))
}
