//! Objects that are kept for long and looked at now and then.

use serde::Deserialize;
use serde_json::{Value, json};

/// An object as text, which takes an eighth of the memory of its tree.
#[derive(Clone, Debug)]
pub(crate) struct Packed(Box<str>);

impl Packed {
    pub(crate) fn new(object: &Value) -> Self {
        Self(object.to_string().into())
    }

    /// The object.
    pub(crate) fn unpack(&self) -> Value {
        serde_json::from_str(&self.0).unwrap_or_default()
    }

    /// Its labels alone, which is cheaper.
    pub(crate) fn labels(&self) -> Value {
        serde_json::from_str::<Peek>(&self.0).unwrap_or_default().metadata.labels
    }

    /// Its metadata and its status.
    pub(crate) fn without_spec(&self) -> Value {
        let WithoutSpec { metadata, status } = serde_json::from_str(&self.0).unwrap_or_default();
        json!({"metadata": metadata, "status": status})
    }
}

#[derive(Default, Deserialize)]
struct Peek {
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    labels: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WithoutSpec {
    metadata: Value,
    status: Value,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        let object = json!({"metadata": {"name": "ä", "labels": {"a": "b"}}, "n": [1, -2.5, null, 18_446_744_073_709_551_615_u64]});
        let packed = Packed::new(&object);
        assert_eq!(packed.unpack(), object);
        assert_eq!(packed.labels(), json!({"a": "b"}));
    }

    #[test]
    fn parts_are_told_alone() {
        let check = |object: Value, expected: Value| {
            assert_eq!(Packed::new(&object).without_spec(), expected, "{object}");
        };
        let metadata = json!({"name": "a", "deletionTimestamp": "2030-01-01T00:00:00Z"});
        check(
            json!({"metadata": metadata, "spec": {"a": 1}, "status": {"state": "ACTIVE"}}),
            json!({"metadata": metadata, "status": {"state": "ACTIVE"}}),
        );
        check(json!({"metadata": {"name": "a"}}), json!({"metadata": {"name": "a"}, "status": null}));
    }
}
