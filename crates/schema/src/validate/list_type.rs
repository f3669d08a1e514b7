//! Lists of type set and map: no element twice.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::error::FieldError;
use crate::path::Path;
use crate::schema::{ListType, Schema};

/// Adds an error for each element that repeats an earlier one, in all lists of the value.
pub(super) fn check(schema: &Schema, value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    match value {
        Value::Array(items) => {
            match schema.list_type {
                Some(ListType::Set) => check_set(items, path, errors),
                Some(ListType::Map) => check_map(&schema.list_map_keys, items, path, errors),
                Some(ListType::Atomic) | None => {}
            }
            for (index, item) in items.iter().enumerate() {
                let Some(item_schema) = &schema.items else { break };
                check(item_schema, item, &path.index(index), errors);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                if let Some(values) = schema.map_values() {
                    check(values, value, &path.key(name), errors);
                }
                if let Some(property) = schema.properties.get(name) {
                    check(property, value, &path.field(name), errors);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn check_set(items: &[Value], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for index in first_repetitions(items.iter().map(ToString::to_string)) {
        errors.push(FieldError::duplicate(&path.index(index), items[index].clone()));
    }
}

fn check_map(keys: &[String], items: &[Value], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if let Some(index) = items.iter().position(|item| !item.is_object() && !item.is_null()) {
        let detail = "must be an object for an array of list-type map";
        return errors.push(FieldError::invalid(&path.index(index), items[index].clone(), detail));
    }
    let identities = items.iter().map(|item| Value::Object(identity(keys, item)).to_string());
    for index in first_repetitions(identities) {
        errors.push(FieldError::duplicate(&path.index(index), identity(keys, &items[index])));
    }
}

/// The key fields of an element, as far as it has them.
fn identity(keys: &[String], item: &Value) -> Map<String, Value> {
    keys.iter().filter_map(|key| Some((key.clone(), item.get(key)?.clone()))).collect()
}

/// The places where something appears for the second time.
fn first_repetitions(identities: impl Iterator<Item = String>) -> Vec<usize> {
    let mut times: HashMap<String, usize> = HashMap::new();
    let second = identities.enumerate().filter_map(|(index, identity)| {
        let times = times.entry(identity).or_default();
        *times += 1;
        (*times == 2).then_some(index)
    });
    second.collect()
}
