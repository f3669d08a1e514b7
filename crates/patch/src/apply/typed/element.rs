//! How an element of a list is told apart from the others.

use std::borrow::Cow;
use std::sync::Arc;

use krono_schema::go_text;
use serde_json::{Map, Value};

use super::super::object_type::{Elements, Keys, ListKey, ListShape};
use super::super::order::same;
use super::super::path::{KeyField, PathElement};

/// Why an element cannot be told apart.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in super::super) enum Unidentified {
    #[error("invalid indexing of non-associative list")]
    Atomic,
    #[error("associative list with keys may not have a null element")]
    NullWithKeys,
    #[error("associative list with keys may not have non-map elements")]
    NotAnObject,
    #[error(
        "associative list with keys has an element that omits all key fields [{0}] (and doesn't have default \
         values for any key fields)"
    )]
    NoKeys(String),
    #[error("associative list without keys has an element that's a map type")]
    ObjectInSet,
    #[error("not supported: associative list with lists as elements")]
    ListInSet,
    #[error("associative list without keys has an element that's an explicit null")]
    NullInSet,
}

/// The step from a list to this element of it.
pub(in super::super) fn identify<'a>(
    list: &'a ListShape,
    item: &'a Value,
) -> Result<PathElement<'a>, Unidentified> {
    check_identity(list, item)?;
    Ok(match (&list.elements, item) {
        (Elements::Keyed(keys), Value::Object(fields)) => PathElement::Key(key_fields(keys, fields)),
        (Elements::Atomic | Elements::Set | Elements::Keyed(_), _) => PathElement::Value(Cow::Borrowed(item)),
    })
}

/// Whether an element can be told apart from others.
pub(super) fn check_identity(list: &ListShape, item: &Value) -> Result<(), Unidentified> {
    match (&list.elements, item) {
        (Elements::Atomic, _) => Err(Unidentified::Atomic),
        (Elements::Set, Value::Bool(_) | Value::Number(_) | Value::String(_)) => Ok(()),
        (Elements::Set, Value::Object(_)) => Err(Unidentified::ObjectInSet),
        (Elements::Set, Value::Array(_)) => Err(Unidentified::ListInSet),
        (Elements::Set, Value::Null) => Err(Unidentified::NullInSet),
        (Elements::Keyed(_), Value::Null) => Err(Unidentified::NullWithKeys),
        (Elements::Keyed(keys), Value::Object(fields)) => {
            let found = keys.sorted.iter().any(|key| key_value(key, fields).is_some());
            if found { Ok(()) } else { Err(Unidentified::no_keys(keys)) }
        }
        (Elements::Keyed(_), Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            Err(Unidentified::NotAnObject)
        }
    }
}

/// Whether two elements, which can be told apart from others, are the same.
pub(super) fn same_identity(list: &ListShape, left: &Value, right: &Value) -> bool {
    match (&list.elements, left, right) {
        (Elements::Keyed(keys), Value::Object(left), Value::Object(right)) => {
            keys.sorted.iter().all(|key| match (key_value(key, left), key_value(key, right)) {
                (Some(left), Some(right)) => same(left, right),
                (left, right) => left.is_none() && right.is_none(),
            })
        }
        (Elements::Atomic | Elements::Set | Elements::Keyed(_), _, _) => same(left, right),
    }
}

impl Unidentified {
    fn no_keys(keys: &Keys) -> Self {
        let names: Vec<_> = keys.declared.iter().map(|name| go_text::quote(name)).collect();
        Self::NoKeys(names.join(" "))
    }
}

fn key_fields<'a>(keys: &'a Keys, fields: &'a Map<String, Value>) -> Arc<[KeyField<'a>]> {
    let field = |key: &'a ListKey| {
        let value = Cow::Borrowed(key_value(key, fields)?);
        Some(KeyField { name: Cow::Borrowed(key.name.as_str()), value })
    };
    match keys.sorted.as_slice() {
        // Most lists have one key; an array needs no vector on the way.
        [only] => field(only).map_or_else(|| Arc::new([]) as Arc<[_]>, |field| Arc::new([field])),
        several => several.iter().filter_map(field).collect(),
    }
}

/// A key that is absent and has no default does not take part: leaving it out makes a different element.
fn key_value<'a>(key: &'a ListKey, fields: &'a Map<String, Value>) -> Option<&'a Value> {
    fields.get(&key.name).or(key.default.as_ref())
}

/// The elements of a list in order, with the step to each; elements that cannot be told apart are left out.
pub(super) fn elements<'a>(list: &'a ListShape, items: &'a [Value]) -> Vec<(PathElement<'a>, &'a Value)> {
    items.iter().filter_map(|item| Some((identify(list, item).ok()?, item))).collect()
}
