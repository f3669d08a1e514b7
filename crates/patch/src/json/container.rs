//! An object or a list inside of a document, and what a reference token means in it.

use krono_schema::go_text;
use serde_json::{Map, Value};

/// An object or a list.
pub(super) enum Container<'d> {
    Object(&'d mut Map<String, Value>),
    List(&'d mut Vec<Value>),
}

/// Why a token names nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum Missing {
    #[error("Unable to remove nonexistent key: {0}: missing value")]
    Key(String),
    #[error("Unable to access invalid index: {0}: invalid index referenced")]
    Index(i64),
    #[error("strconv.Atoi: parsing {key}: {why}", key = go_text::quote(key))]
    NotAnIndex { key: String, why: &'static str },
    #[error("value was not a proper array index: '{key}': strconv.Atoi: parsing {quoted}: {why}",
        quoted = go_text::quote(key))]
    NotAPlace { key: String, why: &'static str },
}

impl<'d> Container<'d> {
    pub(super) fn new(value: &'d mut Value) -> Option<Self> {
        match value {
            Value::Object(fields) => Some(Self::Object(fields)),
            Value::Array(items) => Some(Self::List(items)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        }
    }

    /// The object or list that `key` names.
    pub(super) fn into_child(self, key: &str) -> Option<Self> {
        let child = match self {
            Self::Object(fields) => fields.get_mut(key),
            Self::List(items) => {
                let position = position(key, items.len()).ok()?;
                items.get_mut(position)
            }
        };
        Self::new(child?)
    }

    /// The value that `key` names; null for an absent field.
    pub(super) fn into_value(self, key: &str) -> Result<&'d Value, Missing> {
        match self {
            Self::Object(fields) => Ok(fields.get(key).unwrap_or(&Value::Null)),
            Self::List(items) => {
                let position = position(key, items.len())?;
                Ok(&items[position])
            }
        }
    }

    pub(super) fn add(&mut self, key: &str, value: Value) -> Result<(), Missing> {
        match self {
            Self::Object(fields) => {
                fields.insert(key.to_owned(), value);
            }
            Self::List(items) if key == "-" => items.push(value),
            Self::List(items) => {
                let position = position(key, items.len() + 1).map_err(|missing| match missing {
                    Missing::NotAnIndex { key, why } => Missing::NotAPlace { key, why },
                    other @ (Missing::Key(_) | Missing::Index(_) | Missing::NotAPlace { .. }) => other,
                })?;
                items.insert(position, value);
            }
        }
        Ok(())
    }

    /// Puts `value` in the place of what `key` names; an absent field is added.
    pub(super) fn set(&mut self, key: &str, value: Value) -> Result<(), Missing> {
        match self {
            Self::Object(fields) => {
                fields.insert(key.to_owned(), value);
            }
            Self::List(items) => {
                let position = position(key, items.len())?;
                items[position] = value;
            }
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, key: &str) -> Result<Value, Missing> {
        match self {
            Self::Object(fields) => fields.remove(key).ok_or_else(|| Missing::Key(key.to_owned())),
            Self::List(items) => {
                let position = position(key, items.len())?;
                Ok(items.remove(position))
            }
        }
    }
}

/// The place in a list of this length; negative indices count from its end.
fn position(key: &str, length: usize) -> Result<usize, Missing> {
    let index = index(key)?;
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let from_start = if index < 0 { index + length } else { index };
    match usize::try_from(from_start) {
        Ok(position) if from_start < length => Ok(position),
        Ok(_) | Err(_) => Err(Missing::Index(index)),
    }
}

/// A decimal number with an optional sign.
fn index(key: &str) -> Result<i64, Missing> {
    let digits = key.strip_prefix(['+', '-']).unwrap_or(key);
    if digits.is_empty() || !digits.bytes().all(|it| it.is_ascii_digit()) {
        return Err(Missing::NotAnIndex { key: key.to_owned(), why: "invalid syntax" });
    }
    key.parse().map_err(|_| Missing::NotAnIndex { key: key.to_owned(), why: "value out of range" })
}
