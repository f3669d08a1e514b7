//! Scaling rules, which v1 keeps under the names of the server's own fields.

use serde_json::{Map, Value};

/// With names that begin with capitals.
pub(super) fn to_old(rules: &Value) -> Value {
    renamed(rules, char::to_ascii_uppercase)
}

/// With names that begin with small letters; fields without values are left out.
pub(super) fn to_new(rules: &Value) -> Value {
    renamed(rules, char::to_ascii_lowercase)
}

fn renamed(value: &Value, first: fn(&char) -> char) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            let fields = fields.map(|(name, value)| (begun(name, first), renamed(value, first)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(|item| renamed(item, first)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn begun(name: &str, first: fn(&char) -> char) -> String {
    let mut letters = name.chars();
    letters.next().map(|letter| first(&letter)).into_iter().chain(letters).collect()
}
