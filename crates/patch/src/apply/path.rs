//! A step from a value to a part of it.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use krono_schema::go_text;
use serde_json::Value;

use super::order;

/// A step from an object or a list to one of its parts.
#[derive(Clone, Debug)]
pub enum PathElement<'a> {
    /// A field of an object or a key of a map.
    Field(Cow<'a, str>),
    /// The element of a list that has these key fields, sorted by name.
    Key(Arc<[KeyField<'a>]>),
    /// The element of a set.
    Value(Cow<'a, Value>),
    /// The element of a list at this position.
    Index(i64),
}

/// One of the fields that identify an element of a list.
#[derive(Clone, Debug)]
pub struct KeyField<'a> {
    /// The name of the field.
    pub name: Cow<'a, str>,
    /// Its value.
    pub value: Cow<'a, Value>,
}

impl<'a> PathElement<'a> {
    /// The field of this name.
    pub fn field(name: impl Into<Cow<'a, str>>) -> Self {
        Self::Field(name.into())
    }

    /// The element with these key fields, in any order.
    pub fn key<N: Into<Cow<'a, str>>>(fields: impl IntoIterator<Item = (N, Value)>) -> Self {
        let fields = fields.into_iter();
        let mut fields: Vec<_> =
            fields.map(|(name, value)| KeyField { name: name.into(), value: Cow::Owned(value) }).collect();
        fields.sort_by(|left, right| left.name.cmp(&right.name));
        Self::Key(fields.into())
    }

    /// The same step, borrowing nothing.
    pub fn into_owned(self) -> PathElement<'static> {
        match self {
            Self::Field(name) => PathElement::Field(Cow::Owned(name.into_owned())),
            Self::Key(fields) => PathElement::Key(fields.iter().map(KeyField::to_owned).collect()),
            Self::Value(value) => PathElement::Value(Cow::Owned(value.into_owned())),
            Self::Index(index) => PathElement::Index(index),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Field(_) => 0,
            Self::Key(_) => 1,
            Self::Value(_) => 2,
            Self::Index(_) => 3,
        }
    }
}

impl KeyField<'_> {
    fn to_owned(&self) -> KeyField<'static> {
        let name = Cow::Owned(self.name.clone().into_owned());
        KeyField { name, value: Cow::Owned(self.value.clone().into_owned()) }
    }
}

/// Fields come before keys, keys before values, values before indices.
impl Ord for PathElement<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Field(left), Self::Field(right)) => left.cmp(right),
            (Self::Key(left), Self::Key(right)) => left.cmp(right),
            (Self::Value(left), Self::Value(right)) => order::compare(left, right),
            (Self::Index(left), Self::Index(right)) => left.cmp(right),
            (left, right) => left.rank().cmp(&right.rank()),
        }
    }
}

impl PartialOrd for PathElement<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for PathElement<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for PathElement<'_> {}

impl Ord for KeyField<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name.cmp(&other.name).then_with(|| order::compare(&self.value, &other.value))
    }
}

impl PartialOrd for KeyField<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for KeyField<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for KeyField<'_> {}

/// As in the API server's messages: `.spec`, `[name="a"]`, `[="a"]`, `[0]`.
impl fmt::Display for PathElement<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(out, ".{name}"),
            Self::Key(fields) => {
                let text: Vec<_> =
                    fields.iter().map(|field| format!("{}={}", field.name, text(&field.value))).collect();
                write!(out, "[{}]", text.join(","))
            }
            Self::Value(value) => write!(out, "[={}]", text(value)),
            Self::Index(index) => write!(out, "[{index}]"),
        }
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => match number.as_f64() {
            Some(double) if number.is_f64() => go_text::double(double),
            _ => number.to_string(),
        },
        Value::String(value) => go_text::quote(value),
        Value::Array(items) => format!("[{}]", items.iter().map(text).collect::<Vec<_>>().join(",")),
        Value::Object(fields) => {
            let fields: Vec<_> =
                fields.iter().map(|(name, value)| format!("{name}={}", text(value))).collect();
            fields.concat()
        }
    }
}

/// The text of a whole path.
pub(super) fn path_text(path: &[PathElement<'_>]) -> String {
    path.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn text_of_paths() {
        let path = [
            PathElement::field("spec"),
            PathElement::key([("port", json!(80)), ("name", json!("a\"b"))]),
            PathElement::Value(Cow::Owned(json!(1_000_000.0))),
            PathElement::Index(3),
        ];
        assert_eq!(path_text(&path), r#".spec[name="a\"b",port=80][=1e+06][3]"#);
    }

    #[test]
    fn order_of_elements() {
        let ascending = [
            PathElement::field("a"),
            PathElement::field("b"),
            PathElement::key([("a", json!(1))]),
            PathElement::key([("a", json!(1)), ("b", json!(1))]),
            PathElement::key([("a", json!(2))]),
            PathElement::Value(Cow::Owned(json!(1))),
            PathElement::Value(Cow::Owned(json!("a"))),
            PathElement::Index(-1),
            PathElement::Index(2),
        ];
        assert!(ascending.is_sorted_by(|left, right| left < right));
        assert_eq!(
            PathElement::key([("b", json!(1)), ("a", json!(2.0))]),
            PathElement::key([("a", json!(2)), ("b", json!(1))])
        );
    }
}
