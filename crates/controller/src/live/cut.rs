//! Values that are nested more deeply than anybody can read.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// How many maps and lists may lie in each other: the parser reads 128, of which a list of objects takes some.
const MOST_LEVELS: usize = 120;

/// Reads a value; what lies too deep in it is left out, and its place is empty.
pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Level(0).deserialize(deserializer)
}

/// Whether something of a value was left out.
pub(crate) fn is_cut(value: &Value) -> bool {
    is_deeper(value, MOST_LEVELS)
}

fn is_deeper(value: &Value, most: usize) -> bool {
    let Some(less) = most.checked_sub(1) else { return value.is_array() || value.is_object() };
    match value {
        Value::Array(items) => items.iter().any(|it| is_deeper(it, less)),
        Value::Object(fields) => fields.values().any(|it| is_deeper(it, less)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// So many maps and lists around a value.
#[derive(Clone, Copy)]
struct Level(usize);

impl Level {
    fn is_last(self) -> bool {
        self.0 == MOST_LEVELS
    }

    fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl<'de> DeserializeSeed<'de> for Level {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        if self.is_last() {
            while all.next_element::<IgnoredAny>()?.is_some() {}
        }
        while let Some(item) = all.next_element_seed(self.next())? {
            items.push(item);
        }
        Ok(items.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut all: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        if self.is_last() {
            while all.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        }
        while let Some(name) = all.next_key()? {
            fields.insert(name, all.next_value_seed(self.next())?);
        }
        Ok(fields.into())
    }
}

#[cfg(test)]
mod tests {
    use kube::api::ObjectList;
    use serde_json::json;

    use crate::live::Live;

    use super::*;

    /// An object with so many maps in each other below its root.
    fn object(name: &str, levels: usize) -> String {
        let (open, close) = ("{\"a\":".repeat(levels), "}".repeat(levels));
        format!("{{\"metadata\":{{\"name\":\"{name}\"}},\"spec\":{open}[1]{close}}}")
    }

    fn read_all(objects: &[String]) -> Vec<Live> {
        let list = format!("{{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[{}]}}", objects.join(","));
        serde_json::from_str::<ObjectList<Live>>(&list).expect("a list").items
    }

    #[test]
    fn what_is_nested_too_deeply_does_not_hide_others() {
        for levels in [MOST_LEVELS, 1_000, 200_000] {
            let read = read_all(&[object("deep", levels), object("plain", 3)]);
            let [deep, plain] = &read[..] else { panic!("{read:?}") };
            assert!(is_cut(&deep.value), "{levels}");
            assert_eq!(deep.value["metadata"], json!({"name": "deep"}));
            assert!(!is_cut(&plain.value));
            assert_eq!(plain.value["spec"], json!({"a": {"a": {"a": [1]}}}));
        }
    }

    #[test]
    fn what_can_be_read_is_read_as_it_is() {
        let text = object("a", MOST_LEVELS - 2);
        let read = read_all(std::slice::from_ref(&text));
        assert_eq!(serde_json::to_string(&read[0].value).ok(), Some(text));
        assert!(!is_cut(&read[0].value));
        let all = r#"{"metadata":{},"values":[null,true,-1,18446744073709551615,0.5,"\u00e4",[],{}]}"#;
        let read = &read_all(&[all.to_owned()])[0].value;
        assert_eq!(Some(read), serde_json::from_str(all).ok().as_ref());
    }
}
