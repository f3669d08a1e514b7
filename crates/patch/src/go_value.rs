//! Values in messages, as Go's formatter prints the API server's representation of them.

use krono_schema::go_text;
use serde_json::{Map, Value};

/// As `%v` prints it.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => match number.as_f64() {
            Some(double) if number.is_f64() => go_text::double(double),
            _ => number.to_string(),
        },
        Value::String(value) => value.clone(),
        Value::Array(items) => plain_items(items),
        Value::Object(fields) => plain_fields(fields),
    }
}

/// As `%v` prints an object.
pub(crate) fn plain_fields(fields: &Map<String, Value>) -> String {
    let fields: Vec<_> = fields.iter().map(|(name, value)| format!("{name}:{}", plain(value))).collect();
    format!("map[{}]", fields.join(" "))
}

/// As `%v` prints a list.
pub(crate) fn plain_items(items: &[Value]) -> String {
    format!("[{}]", items.iter().map(plain).collect::<Vec<_>>().join(" "))
}

/// As `%#v` prints it.
pub(crate) fn syntax(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".to_owned(),
        Value::Bool(_) | Value::Number(_) => plain(value),
        Value::String(value) => go_text::quote(value),
        Value::Array(items) => {
            format!("[]interface {{}}{{{}}}", items.iter().map(syntax).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let field = |(name, value)| format!("{}:{}", go_text::quote(name), syntax(value));
            format!(
                "map[string]interface {{}}{{{}}}",
                fields
                    .iter()
                    .map(|(name, value)| field((name.as_str(), value)))
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        }
    }
}

/// The name of the value's Go type.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "%!s(<nil>)",
        Value::Bool(_) => "bool",
        Value::Number(number) if !number.is_f64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn text() {
        let value = json!({"a": [1, null, true], "b": "x y"});
        assert_eq!(plain(&value), "map[a:[1 <nil> true] b:x y]");
        assert_eq!(
            syntax(&value),
            r#"map[string]interface {}{"a":[]interface {}{1, interface {}(nil), true}, "b":"x y"}"#
        );
        assert_eq!(type_name(&value), "map[string]interface {}");
    }
}
