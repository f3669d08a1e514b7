//! Objects that are kept for long and looked at now and then.

use std::sync::Arc;

use lz4_flex::block::{compress_prepend_size_with_dict, decompress_size_prepended_with_dict};
use serde::Deserialize;
use serde_json::{Value, json};

/// The longest text that others are compared with, in bytes: each comparison reads all of it.
const LONGEST_SAMPLE: usize = 16 << 10;

/// An object as text, told by how it differs from a text of the same kind.
///
/// Text takes an eighth of the memory of its tree, and the differences a third of the text.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    sample: Option<Arc<str>>,
    differences: Box<[u8]>,
}

/// What objects of one kind look like.
#[derive(Debug, Default)]
pub(crate) struct Sample(Option<Arc<str>>);

impl Sample {
    /// An object as this sample and the differences. Whatever is much longer becomes the sample of those that come next:
    /// objects grow when they get a status, and there are but a few samples on the way to the longest.
    pub(crate) fn pack(&mut self, object: &Value) -> Packed {
        let text = object.to_string();
        let packed = Packed::of(&text, self.0.clone());
        let known = self.0.as_ref().map_or(0, |it| it.len());
        if text.len() > known + known / 2 && text.len() <= LONGEST_SAMPLE {
            self.0 = Some(text.into());
        }
        packed
    }
}

impl Packed {
    /// An object that is like no other.
    pub(crate) fn new(object: &Value) -> Self {
        Self::of(&object.to_string(), None)
    }

    fn of(text: &str, sample: Option<Arc<str>>) -> Self {
        let like = sample.as_deref().unwrap_or_default();
        let differences = compress_prepend_size_with_dict(text.as_bytes(), like.as_bytes());
        Self { sample, differences: differences.into() }
    }

    fn text(&self) -> Vec<u8> {
        let like = self.sample.as_deref().unwrap_or_default();
        decompress_size_prepended_with_dict(&self.differences, like.as_bytes()).unwrap_or_default()
    }

    /// The object.
    pub(crate) fn unpack(&self) -> Value {
        serde_json::from_slice(&self.text()).unwrap_or_default()
    }

    /// Its labels alone, which is cheaper.
    pub(crate) fn labels(&self) -> Value {
        serde_json::from_slice::<Peek>(&self.text()).unwrap_or_default().metadata.labels
    }

    /// Its metadata and its status.
    pub(crate) fn without_spec(&self) -> Value {
        let WithoutSpec { metadata, status } = serde_json::from_slice(&self.text()).unwrap_or_default();
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
    fn objects_of_a_kind_differ_by_little() {
        let text = "what all of them say, ".repeat(20);
        let object =
            |name: &str| json!({"metadata": {"name": name, "labels": {"of": name}}, "data": {"a": text}});
        let mut sample = Sample::default();
        let packed = ["a", "b", "c"].map(|it| sample.pack(&object(it)));
        for (packed, name) in packed.iter().zip(["a", "b", "c"]) {
            assert_eq!(packed.unpack(), object(name));
        }
        assert!(packed[1].differences.len() < 60, "{:?}", packed[1]);
    }

    #[test]
    fn what_is_much_longer_is_what_others_are_compared_with() {
        let object = |length: usize| json!({"data": "x".repeat(length)});
        let mut sample = Sample::default();
        let check = |sample: &mut Sample, length: usize, becomes: usize| {
            assert_eq!(sample.pack(&object(length)).unpack(), object(length));
            let text = object(becomes).to_string();
            assert_eq!(sample.0.as_deref(), Some(text.as_str()), "{length}");
        };
        check(&mut sample, 100, 100);
        check(&mut sample, 110, 100);
        check(&mut sample, 1000, 1000);
        check(&mut sample, LONGEST_SAMPLE, 1000);
        check(&mut sample, 10, 1000);
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
