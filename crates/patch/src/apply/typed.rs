//! Walks over values and their types.

pub(super) mod compare;
pub(super) mod element;
pub(super) mod merge;
pub(super) mod named_fields;
pub(super) mod reconcile;
pub(super) mod remove;
pub(super) mod to_set;
pub(super) mod validate;

use serde_json::{Map, Value};

/// The fields of an object; none for null and for anything else.
fn as_object(value: Option<&Value>) -> Option<&Map<String, Value>> {
    value.and_then(Value::as_object)
}

fn as_list(value: Option<&Value>) -> Option<&Vec<Value>> {
    value.and_then(Value::as_array)
}

/// Every name in either object, once, with both values.
fn zip<'v>(
    left: Option<&'v Map<String, Value>>,
    right: Option<&'v Map<String, Value>>,
) -> impl Iterator<Item = (&'v str, Option<&'v Value>, Option<&'v Value>)> {
    let in_left = left.into_iter().flatten();
    let in_right = right.into_iter().flatten();
    let both = in_left.map(move |(name, value)| {
        let other = right.and_then(|right| right.get(name));
        (name.as_str(), Some(value), other)
    });
    let only_right = in_right
        .filter(move |(name, _)| left.is_none_or(|left| !left.contains_key(*name)))
        .map(|(name, value)| (name.as_str(), None, Some(value)));
    both.chain(only_right)
}
