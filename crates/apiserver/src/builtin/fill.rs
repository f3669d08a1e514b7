//! Filling in what was left out.

use krono_cel::library::kubernetes::Quantity;
use serde_json::{Map, Value};

/// Gives an absent field a value.
pub(super) fn absent(object: &mut Value, field: &str, value: impl Into<Value>) {
    fill(object, field, value, Value::is_null);
}

/// Gives a field a value when it is absent or empty.
pub(super) fn empty(object: &mut Value, field: &str, value: impl Into<Value>) {
    fill(object, field, value, super::read::is_empty);
}

/// Gives a field a value when it is absent or zero.
pub(super) fn zero(object: &mut Value, field: &str, value: impl Into<Value>) {
    fill(object, field, value, |it| it.is_null() || it.as_i64() == Some(0));
}

fn fill(object: &mut Value, field: &str, value: impl Into<Value>, missing: impl Fn(&Value) -> bool) {
    let Some(fields) = object.as_object_mut() else { return };
    if fields.get(field).is_none_or(missing) {
        fields.insert(field.to_owned(), value.into());
    }
}

/// Changes a field that is an object.
pub(super) fn within(object: &mut Value, field: &str, change: impl FnOnce(&mut Value)) {
    if let Some(child) = object.get_mut(field).filter(|child| child.is_object()) {
        change(child);
    }
}

/// Changes a field that is an object, which is made when absent.
pub(super) fn inside(object: &mut Value, field: &str, change: impl FnOnce(&mut Value)) {
    absent(object, field, Map::new());
    within(object, field, change);
}

/// Changes each element of a list.
pub(super) fn each(object: &mut Value, field: &str, change: impl FnMut(&mut Value)) {
    let items = object.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten();
    items.for_each(change);
}

/// Copies entries of one map that another does not have, which is made when absent.
pub(super) fn entries(object: &mut Value, from: &str, to: &str) {
    let Some(source) = object[from].as_object().filter(|source| !source.is_empty()).cloned() else { return };
    inside(object, to, |target| {
        for (key, value) in source {
            absent(target, &key, value);
        }
    });
}

/// Writes every quantity of a map in its canonical form.
pub(super) fn quantities(object: &mut Value, field: &str) {
    let values = object.get_mut(field).and_then(Value::as_object_mut).into_iter().flatten();
    values.for_each(|(_, value)| canonical(value));
}

/// Writes a quantity in its canonical form: `0.5` is `500m`, `1024Mi` is `1Gi`.
pub(super) fn quantity(object: &mut Value, field: &str) {
    if let Some(value) = object.get_mut(field) {
        canonical(value);
    }
}

fn canonical(value: &mut Value) {
    let parsed = match &*value {
        Value::String(text) => Quantity::parse(text),
        Value::Number(number) => Quantity::parse(&number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return,
    };
    if let Ok(quantity) = parsed {
        *value = quantity.to_string().into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_missing_is_filled() {
        let mut object = json!({"text": "", "number": 0, "null": null, "set": "x"});
        absent(&mut object, "text", "a");
        empty(&mut object, "text", "b");
        zero(&mut object, "number", 3);
        absent(&mut object, "null", 1);
        empty(&mut object, "set", "y");
        inside(&mut object, "made", |made| absent(made, "a", true));
        within(&mut object, "unmade", |it| absent(it, "a", true));
        assert_eq!(object, json!({"text": "b", "number": 3, "null": 1, "set": "x", "made": {"a": true}}));
    }

    #[test]
    fn quantities_are_canonical() {
        let mut object = json!({"limits": {"cpu": 0.5, "memory": "1024Mi", "storage": 1000, "bad": "x"}});
        quantities(&mut object, "limits");
        assert_eq!(object["limits"], json!({"cpu": "500m", "memory": "1Gi", "storage": "1k", "bad": "x"}));
    }

    #[test]
    fn nothing_happens_to_what_is_no_object() {
        let mut text = json!("text");
        absent(&mut text, "a", 1);
        inside(&mut text, "a", |_| unreachable!());
        each(&mut text, "a", |_| unreachable!());
        entries(&mut text, "a", "b");
        quantities(&mut text, "a");
        assert_eq!(text, "text");
    }
}
