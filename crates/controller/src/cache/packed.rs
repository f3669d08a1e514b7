//! Objects that are kept for long and looked at now and then.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

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
        self.metadata().labels
    }

    /// Whether it is on its way out.
    pub(crate) fn is_terminating(&self) -> bool {
        self.metadata().deletion_timestamp.is_some()
    }

    fn metadata(&self) -> Metadata {
        serde_json::from_str::<Peek>(&self.0).unwrap_or_default().metadata
    }
}

#[derive(Default, Deserialize)]
struct Peek {
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Metadata {
    labels: Value,
    deletion_timestamp: Option<IgnoredAny>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_is_lost() {
        let object = json!({"metadata": {"name": "ä", "labels": {"a": "b"}}, "n": [1, -2.5, null, 18_446_744_073_709_551_615_u64]});
        let packed = Packed::new(&object);
        assert_eq!(packed.unpack(), object);
        assert_eq!((packed.labels(), packed.is_terminating()), (json!({"a": "b"}), false));
    }

    #[test]
    fn what_is_on_its_way_out_is_known() {
        let check = |metadata: Value, expected: bool| {
            assert_eq!(Packed::new(&json!({"metadata": metadata})).is_terminating(), expected, "{metadata}");
        };
        check(json!({"deletionTimestamp": "2030-01-01T00:00:00Z"}), true);
        check(json!({"deletionTimestamp": null}), false);
        check(json!({}), false);
    }
}
