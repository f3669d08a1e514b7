//! Plain keys that the reader of `kubectl` takes for booleans: `on: x` becomes `"true": x` in the cluster.

use serde_json::{Map, Value};
use serde_saphyr::Spanned;

use super::syntax::Place;
use super::tree::{self, Tree};

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
    let lines: Vec<&str> = text.lines().collect();
    for (value, tree) in values.iter_mut().zip(&tree::read(text)) {
        rename_in(value, &tree.value, &lines, &mut found);
    }
    found.sort_by_key(|it| it.place);
    found
}

fn rename_in(value: &mut Value, tree: &Tree, lines: &[&str], found: &mut Vec<BooleanKey>) {
    match (value, tree) {
        (Value::Object(fields), Tree::Map(entries)) => {
            for (key, inner) in entries {
                if let Some(field) = fields.get_mut(&key.value) {
                    rename_in(field, &inner.value, lines, found);
                }
                rename_key(fields, key, lines, found);
            }
        }
        (Value::Array(items), Tree::List(elements)) => {
            items.iter_mut().zip(elements).for_each(|(it, tree)| rename_in(it, &tree.value, lines, found));
        }
        (_, Tree::Map(_) | Tree::List(_) | Tree::Scalar) => {}
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
