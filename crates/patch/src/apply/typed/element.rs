//! How an element of a list is told apart from the others.

use std::borrow::Cow;

use krono_schema::go_text;
use serde_json::Value;

use super::super::object_type::{Elements, Keys, ListShape};
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
    match &list.elements {
        Elements::Atomic => Err(Unidentified::Atomic),
        Elements::Set => by_value(item),
        Elements::Keyed(keys) => by_keys(keys, item),
    }
}

fn by_value(item: &Value) -> Result<PathElement<'_>, Unidentified> {
    match item {
        Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(PathElement::Value(Cow::Borrowed(item))),
        Value::Object(_) => Err(Unidentified::ObjectInSet),
        Value::Array(_) => Err(Unidentified::ListInSet),
        Value::Null => Err(Unidentified::NullInSet),
    }
}

/// A key that is absent and has no default does not take part: leaving it out makes a different element.
fn by_keys<'a>(keys: &'a Keys, item: &'a Value) -> Result<PathElement<'a>, Unidentified> {
    let fields = match item {
        Value::Object(fields) => fields,
        Value::Null => return Err(Unidentified::NullWithKeys),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(Unidentified::NotAnObject);
        }
    };
    let found = keys.sorted.iter().filter_map(|key| {
        let value = fields.get(&key.name).or(key.default.as_ref())?;
        Some(KeyField { name: Cow::Borrowed(key.name.as_str()), value: Cow::Borrowed(value) })
    });
    let found: Vec<_> = found.collect();
    if found.is_empty() {
        let names: Vec<_> = keys.declared.iter().map(|name| go_text::quote(name)).collect();
        return Err(Unidentified::NoKeys(names.join(" ")));
    }
    Ok(PathElement::Key(found.into()))
}

/// The elements of a list in order, with the step to each; elements that cannot be told apart are left out.
pub(super) fn elements<'a>(list: &'a ListShape, items: &'a [Value]) -> Vec<(PathElement<'a>, &'a Value)> {
    items.iter().filter_map(|item| Some((identify(list, item).ok()?, item))).collect()
}
