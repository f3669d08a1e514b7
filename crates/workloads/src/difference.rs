//! The merge patch from one value to another.

use serde_json::{Map, Value};

/// The merge patch that makes `new` of `old`; nothing when they are equal.
pub(crate) fn difference(old: &Value, new: &Value) -> Option<Value> {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => of_maps(old, new).map(Value::Object),
        (old, new) => (old != new).then(|| new.clone()),
    }
}

fn of_maps(old: &Map<String, Value>, new: &Map<String, Value>) -> Option<Map<String, Value>> {
    let mut patch = Map::new();
    for (name, value) in new {
        let change = match old.get(name) {
            Some(old) => difference(old, value),
            None => Some(value.clone()),
        };
        patch.extend(change.map(|it| (name.clone(), it)));
    }
    let gone = old.keys().filter(|name| !new.contains_key(*name));
    patch.extend(gone.map(|name| (name.clone(), Value::Null)));
    (!patch.is_empty()).then_some(patch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(old: &Value, new: &Value, expect: Option<&Value>) {
        assert_eq!(difference(old, new).as_ref(), expect, "{old} -> {new}");
    }

    #[test]
    fn only_what_differs() {
        check(&json!({"a": 1}), &json!({"a": 1}), None);
        check(&json!({"a": 1, "b": 2}), &json!({"a": 1, "b": 3}), Some(&json!({"b": 3})));
        check(&json!({"a": 1, "b": 2}), &json!({"b": 2}), Some(&json!({"a": null})));
        check(&json!({"a": {"b": 1, "c": 2}}), &json!({"a": {"b": 1}}), Some(&json!({"a": {"c": null}})));
        check(&json!({"a": [1, 2]}), &json!({"a": [1]}), Some(&json!({"a": [1]})));
        check(&json!({}), &json!({"a": {"b": null}}), Some(&json!({"a": {"b": null}})));
    }
}
