//! How rules are tried in tests.

use serde_json::Value;

use crate::kind::Rules;

/// The object with its defaults.
pub(super) fn defaulted(rules: Rules, mut object: Value) -> Value {
    (rules.default)(&mut object);
    let once = object.clone();
    (rules.default)(&mut object);
    assert_eq!(object, once, "defaults are filled in once");
    object
}

/// What is wrong with an object, defaults filled in.
pub(super) fn complaints(rules: Rules, object: Value) -> Vec<String> {
    let errors = (rules.validate)(&defaulted(rules, object), None);
    errors.iter().map(ToString::to_string).collect()
}

/// What is wrong with the change of one object into another.
pub(super) fn changes(rules: Rules, old: Value, new: Value) -> Vec<String> {
    let (old, new) = (defaulted(rules, old), defaulted(rules, new));
    (rules.validate)(&new, Some(&old)).iter().map(ToString::to_string).collect()
}

/// The object with one field, given as a JSON pointer, set.
pub(super) fn with(object: &Value, pointer: &str, value: Value) -> Value {
    let mut object = object.clone();
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    let parent = object.pointer_mut(parent).unwrap();
    match field.parse::<usize>() {
        Ok(index) => parent[index] = value,
        Err(_) => parent[field] = value,
    }
    object
}
