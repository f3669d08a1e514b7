//! Bodies read into JSON, with the places of fields that are given twice.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::status::Status;

/// Largest body we read, in bytes; the real server's limit for JSON.
pub(crate) const MAX_BODY: usize = 3 * 1024 * 1024;
/// Most duplicate fields that are told.
const MAX_DUPLICATES: usize = 50;

/// A body, decoded.
#[derive(Debug, PartialEq)]
pub(crate) struct Input {
    /// What it says; of a field given twice the last one counts.
    pub(crate) value: Value,
    /// Fields given more than once, such as `spec.a`.
    pub(crate) duplicates: Vec<String>,
}

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON.
    Json,
    /// YAML, of which JSON is a part.
    Yaml,
    /// Protobuf in the envelope of Kubernetes.
    Protobuf,
}

impl Format {
    /// The format a `Content-Type` names; JSON when there is none.
    pub(crate) fn of(content_type: Option<&str>) -> Option<Self> {
        let essence = content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        match essence {
            "" | "application/json" | "*/*" => Some(Self::Json),
            "application/yaml" => Some(Self::Yaml),
            "application/vnd.kubernetes.protobuf" => Some(Self::Protobuf),
            _ => None,
        }
    }
}

impl Input {
    /// Reads a body of JSON.
    pub(crate) fn json(body: &[u8]) -> Result<Self, Status> {
        let mut reader = Reader { duplicates: Vec::new(), path: Vec::new() };
        let mut json = serde_json::Deserializer::from_slice(body);
        let value = reader.deserialize_any_value(&mut json).and_then(|value| json.end().map(|()| value));
        let value = value.map_err(|error| undecodable(&error))?;
        Ok(Self { value, duplicates: reader.duplicates })
    }

    /// Reads a body of YAML, or of JSON, which most clients send as such.
    pub(crate) fn yaml(body: &[u8]) -> Result<Self, Status> {
        if body.first() == Some(&b'{') {
            return Self::json(body);
        }
        let text = std::str::from_utf8(body).map_err(|error| undecodable(&error))?;
        let value = serde_saphyr::from_str(text).map_err(|error| undecodable(&error))?;
        Ok(Self { value, duplicates: Vec::new() })
    }
}

fn undecodable(error: &impl fmt::Display) -> Status {
    Status::bad_request(format!("the object provided is unrecognized: {error}"))
}

struct Reader {
    duplicates: Vec<String>,
    path: Vec<String>,
}

impl Reader {
    fn deserialize_any_value<'de, D: Deserializer<'de>>(
        &mut self,
        deserializer: D,
    ) -> Result<Value, D::Error> {
        Node { reader: self }.deserialize(deserializer)
    }

    fn note_duplicate(&mut self, name: &str) {
        let mut path = String::new();
        for part in self.path.iter().map(String::as_str).chain([name]) {
            if !path.is_empty() && !part.starts_with('[') {
                path.push('.');
            }
            path.push_str(part);
        }
        if self.duplicates.len() < MAX_DUPLICATES && !self.duplicates.contains(&path) {
            self.duplicates.push(path);
        }
    }
}

struct Node<'a> {
    reader: &'a mut Reader,
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            self.reader.path.push(format!("[{}]", list.len()));
            let item = items.next_element_seed(Node { reader: self.reader });
            self.reader.path.pop();
            match item? {
                Some(item) => list.push(item),
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(name) = entries.next_key::<String>()? {
            if fields.contains_key(&name) {
                self.reader.note_duplicate(&name);
            }
            self.reader.path.push(name);
            let value = entries.next_value_seed(Node { reader: self.reader });
            let name = self.reader.path.pop().unwrap_or_default();
            fields.insert(name, value?);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn duplicates_are_noted() {
        let input =
            Input::json(br#"{"a":1,"a":2,"b":[{"c":1},{"c":1,"c":2}],"d":{"e":{},"e":null}}"#).unwrap();
        assert_eq!(input.value, json!({"a": 2, "b": [{"c": 1}, {"c": 2}], "d": {"e": null}}));
        assert_eq!(input.duplicates, ["a", "b[1].c", "d.e"]);
    }

    #[test]
    fn nonsense_is_refused() {
        let deep = "[".repeat(100_000);
        for body in ["", "{", "{}{}", "{\"a\":}", deep.as_str()] {
            assert_eq!(Input::json(body.as_bytes()).unwrap_err().code, 400);
        }
        assert_eq!(Input::yaml(b"a: [1").unwrap_err().code, 400);
        assert_eq!(Input::yaml(b"\xff").unwrap_err().code, 400);
    }

    #[test]
    fn yaml_is_read() {
        let input = Input::yaml(b"kind: A\nspec:\n  n: 1\n").unwrap();
        assert_eq!(input.value, json!({"kind": "A", "spec": {"n": 1}}));
    }

    #[test]
    fn formats() {
        let check = |text: &str, expect| assert_eq!(Format::of(Some(text)), expect, "{text}");
        check("application/json", Some(Format::Json));
        check("application/json; charset=utf-8", Some(Format::Json));
        check("application/yaml", Some(Format::Yaml));
        check("application/vnd.kubernetes.protobuf", Some(Format::Protobuf));
        check("text/plain", None);
        assert_eq!(Format::of(None), Some(Format::Json));
    }
}
