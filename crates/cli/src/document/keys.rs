//! Plain keys that the reader of `kubectl` takes for booleans: `on: x` becomes `"true": x` in the cluster.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use serde_saphyr::{DuplicateKeyPolicy, Spanned};

use super::syntax::{self, Place};

/// A plain key, and what it is read as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BooleanKey {
    pub(crate) place: Place,
    pub(crate) written: String,
    pub(crate) read: &'static str,
}

/// Gives such keys of documents the names that they would have in a cluster, and tells which there are. Changes the values.
pub(super) fn rename(text: &str, values: &mut [Value]) -> Vec<BooleanKey> {
    let mut found = Vec::new();
    if !values.iter().any(has_suspect) {
        return found;
    }
    let options = syntax::options(DuplicateKeyPolicy::LastWins);
    let keys: Vec<Keys> = serde_saphyr::from_multiple_with_options(text, options).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    for (value, keys) in values.iter_mut().zip(&keys) {
        rename_in(value, keys, &lines, &mut found);
    }
    found.sort_by_key(|it| it.place);
    found
}

fn rename_in(value: &mut Value, keys: &Keys, lines: &[&str], found: &mut Vec<BooleanKey>) {
    match (value, keys) {
        (Value::Object(fields), Keys::Map(entries)) => {
            for (key, inner) in entries {
                if let Some(field) = fields.get_mut(&key.value) {
                    rename_in(field, inner, lines, found);
                }
                rename_key(fields, key, lines, found);
            }
        }
        (Value::Array(items), Keys::List(elements)) => {
            items.iter_mut().zip(elements).for_each(|(it, keys)| rename_in(it, keys, lines, found));
        }
        (_, Keys::Map(_) | Keys::List(_) | Keys::Scalar) => {}
    }
}

fn rename_key(
    fields: &mut Map<String, Value>,
    key: &Spanned<String>,
    lines: &[&str],
    found: &mut Vec<BooleanKey>,
) {
    let place = Place { line: key.defined.line(), column: key.defined.column() };
    let Some(read) = boolean(&key.value).filter(|_| is_plain(place, lines)) else { return };
    if let Some(value) = fields.remove(&key.value) {
        fields.insert(read.to_owned(), value);
        found.push(BooleanKey { place, written: key.value.clone(), read });
    }
}

/// Whether no quote stands at a place.
fn is_plain(place: Place, lines: &[&str]) -> bool {
    let position = |it: u64| usize::try_from(it).ok()?.checked_sub(1);
    let character = || lines.get(position(place.line)?)?.chars().nth(position(place.column)?);
    character().is_some_and(|it| it != '"' && it != '\'')
}

fn has_suspect(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.iter().any(|(key, it)| boolean(key).is_some() || has_suspect(it)),
        Value::Array(items) => items.iter().any(has_suspect),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// What a plain word is read as, where that is another word.
fn boolean(word: &str) -> Option<&'static str> {
    let is = |words: [&str; 4]| words.iter().any(|it| word.eq_ignore_ascii_case(it));
    let read = match word {
        _ if is(["y", "yes", "on", "true"]) => "true",
        _ if is(["n", "no", "off", "false"]) => "false",
        _ => return None,
    };
    (read != word).then_some(read)
}

/// A document reduced to its keys.
#[derive(Debug)]
enum Keys {
    Map(Vec<(Spanned<String>, Keys)>),
    List(Vec<Keys>),
    Scalar,
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KeysVisitor)
    }
}

struct KeysVisitor;

impl<'de> Visitor<'de> for KeysVisitor {
    type Value = Keys;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Keys::Map(entries))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Keys, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = list.next_element()? {
            elements.push(element);
        }
        Ok(Keys::List(elements))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Keys, E> {
        Ok(Keys::Scalar)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Keys, E> {
        Ok(Keys::Scalar)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Keys, E> {
        Ok(Keys::Scalar)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Keys, E> {
        Ok(Keys::Scalar)
    }

    fn visit_str<E>(self, _: &str) -> Result<Keys, E> {
        Ok(Keys::Scalar)
    }

    fn visit_unit<E>(self) -> Result<Keys, E> {
        Ok(Keys::Scalar)
    }

    fn visit_none<E>(self) -> Result<Keys, E> {
        Ok(Keys::Scalar)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Keys, D::Error> {
        Keys::deserialize(deserializer)
    }
}
