//! Field sets as they stand in `managedFields`: the `FieldsV1` format.

use std::borrow::Cow;

use krono_schema::go_text;
use serde_json::{Map, Value};

use super::field_set::FieldSet;
use super::path::{KeyField, PathElement};
use crate::depth::{MAX_DEPTH, TooDeep};

/// Why a value is not a field set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FieldsV1Error {
    /// A level is not an object.
    #[error("expected an object of fields, found {found}")]
    NotAnObject {
        /// The value.
        found: String,
    },
    /// A key is shorter than its prefix.
    #[error("key must be 2 characters long: {key}")]
    TooShort {
        /// The key.
        key: String,
    },
    /// The second character of a key is not a colon.
    #[error("missing colon: {key}")]
    MissingColon {
        /// The key.
        key: String,
    },
    /// What follows the prefix cannot be read.
    #[error("cannot read path element {key}: {reason}")]
    Unreadable {
        /// The key.
        key: String,
        /// Why not.
        reason: String,
    },
    /// The set is nested too deeply.
    #[error(transparent)]
    TooDeep(#[from] TooDeep),
}

impl<'a> FieldSet<'a> {
    /// Reads a set; path elements of unknown kinds are dropped.
    pub fn from_fields_v1(value: &'a Value) -> Result<Self, FieldsV1Error> {
        Ok(read(value, 0)?.0)
    }

    /// The set in the format of `managedFields`.
    pub fn to_fields_v1(&self) -> Value {
        Value::Object(write(self, false))
    }
}

/// The set below, and whether the element itself belongs to the set.
fn read(value: &Value, depth: usize) -> Result<(FieldSet<'_>, bool), FieldsV1Error> {
    let mut set = FieldSet::new();
    let fields = match value {
        Value::Null => return Ok((set, true)),
        Value::Object(fields) => fields,
        other @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            return Err(FieldsV1Error::NotAnObject { found: other.to_string() });
        }
    };
    if depth == MAX_DEPTH {
        return Err(TooDeep.into());
    }
    let mut member = false;
    for (key, value) in fields {
        if key == "." {
            member = true;
        } else if let Some(element) = read_element(key)? {
            let (below, inner) = read(value, depth + 1)?;
            set.add(element, inner, below);
        }
    }
    member |= set.is_empty();
    Ok((set, member))
}

fn read_element(key: &str) -> Result<Option<PathElement<'_>>, FieldsV1Error> {
    let unreadable =
        |reason: &dyn ToString| FieldsV1Error::Unreadable { key: key.to_owned(), reason: reason.to_string() };
    let (&[kind, colon], _) =
        key.as_bytes().split_first_chunk().ok_or_else(|| FieldsV1Error::TooShort { key: key.to_owned() })?;
    if colon != b':' {
        return Err(FieldsV1Error::MissingColon { key: key.to_owned() });
    }
    let content = &key[2..];
    match kind {
        b'f' => Ok(Some(PathElement::field(content))),
        b'k' => {
            let fields: Map<String, Value> = serde_json::from_str(content).map_err(|it| unreadable(&it))?;
            Ok(Some(PathElement::key(fields)))
        }
        b'v' => {
            let value = serde_json::from_str(content).map_err(|it| unreadable(&it))?;
            Ok(Some(PathElement::Value(Cow::Owned(value))))
        }
        b'i' => content.parse().map(|index| Some(PathElement::Index(index))).map_err(|it| unreadable(&it)),
        _ => Ok(None),
    }
}

fn write(set: &FieldSet<'_>, with_self: bool) -> Map<String, Value> {
    let itself = (with_self && !set.is_empty()).then(|| (".".to_owned(), Value::Object(Map::new())));
    let parts = set
        .nodes()
        .iter()
        .map(|node| (write_element(&node.element), Value::Object(write(&node.below, node.member))));
    itself.into_iter().chain(parts).collect()
}

fn write_element(element: &PathElement<'_>) -> String {
    match element {
        PathElement::Field(name) => ["f:", name].concat(),
        PathElement::Key(fields) => write_keys(fields),
        PathElement::Value(value) => ["v:", &go_text::json(value)].concat(),
        PathElement::Index(index) => format!("i:{index}"),
    }
}

fn write_keys(fields: &[KeyField<'_>]) -> String {
    let mut text = "k:{".to_owned();
    for (position, field) in fields.iter().enumerate() {
        if position > 0 {
            text.push(',');
        }
        text.push_str(&Value::from(field.name.as_ref()).to_string());
        text.push(':');
        text.push_str(&go_text::json(&field.value));
    }
    text.push('}');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(fields: &Value, expect: &[&str]) {
        let set = FieldSet::from_fields_v1(fields).unwrap();
        let paths: Vec<_> = set.paths().iter().map(|path| super::super::path::path_text(path)).collect();
        assert_eq!(paths, expect);
        assert_eq!(set.to_fields_v1(), *fields);
    }

    #[test]
    fn sets_are_read_and_written() {
        check(&json!({}), &[]);
        check(&json!({"f:a": {}}), &[".a"]);
        check(&json!({"f:a": {"f:b": {}}}), &[".a.b"]);
        check(&json!({"f:a": {".": {}, "f:b": {}}}), &[".a", ".a.b"]);
        check(
            &json!({"f:ports": {"k:{\"containerPort\":80,\"protocol\":\"TCP\"}": {".": {}, "f:name": {}}}}),
            &[".ports[containerPort=80,protocol=\"TCP\"]", ".ports[containerPort=80,protocol=\"TCP\"].name"],
        );
        check(
            &json!({"f:s": {"v:\"a\\u003cb\"": {}, "v:1": {}, "v:true": {}, "i:3": {}}}),
            &[".s[=1]", ".s[=\"a<b\"]", ".s[=true]", ".s[3]"],
        );
        check(&json!({"f:": {}, "f:a:b": {}}), &[".", ".a:b"]);
    }

    #[test]
    fn sloppy_sets_are_read() {
        let read = |fields: Value| FieldSet::from_fields_v1(&fields).unwrap().to_fields_v1();
        assert_eq!(read(json!({"f:a": {".": {}}, "x:future": {"f:b": {}}})), json!({"f:a": {}}));
        assert_eq!(read(json!({"f:a": null, "f:b": {"x:y": {}}})), json!({"f:a": {}, "f:b": {}}));
        assert_eq!(read(json!({"k:{\"b\": 2, \"a\": 1}": {}})), json!({"k:{\"a\":1,\"b\":2}": {}}));
    }

    #[test]
    fn wrong_sets_are_refused() {
        let refuse = |fields: Value, expect: &str| {
            assert_eq!(FieldSet::from_fields_v1(&fields).unwrap_err().to_string(), expect);
        };
        refuse(json!([]), "expected an object of fields, found []");
        refuse(json!({"f:a": 1}), "expected an object of fields, found 1");
        refuse(json!({"a": {}}), "key must be 2 characters long: a");
        refuse(json!({"abc": {}}), "missing colon: abc");
        refuse(json!({"i:x": {}}), "cannot read path element i:x: invalid digit found in string");
        refuse(
            json!({"v:": {}}),
            "cannot read path element v:: EOF while parsing a value at line 1 column 0",
        );
        refuse(
            json!({"k:[]": {}}),
            "cannot read path element k:[]: invalid type: sequence, expected a map at line 1 column 0",
        );
        let deep = (0..300).fold(json!({}), |inner, _| json!({ "f:a": inner }));
        refuse(deep, "nested more than 256 levels deep");
    }
}
