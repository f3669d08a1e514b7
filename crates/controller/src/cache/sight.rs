//! How much was seen of an object.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

/// How much was seen of an object; what is greater is news.
///
/// That is a newer version, or the same seen through a newer schema: while the schema of a kind changes, a server shows
/// fields to some that it still hides from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sight {
    pub(super) version: u64,
    /// How many values it has, managed fields aside.
    extent: usize,
}

impl Sight {
    pub(super) fn of(object: &Value) -> Self {
        let managed = object["metadata"].get("managedFields").map_or(0, extent);
        Self { version: version(object), extent: extent(object) - managed }
    }
}

/// How many values a value is made of.
fn extent(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(extent).sum::<usize>() + 1,
        Value::Object(fields) => fields.values().map(extent).sum::<usize>() + 1,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

/// The same for equal values.
pub(super) fn fingerprint(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

pub(super) fn version(object: &Value) -> u64 {
    object["metadata"]["resourceVersion"].as_str().map_or(0, number)
}

/// Versions of one kind are numbers that grow; 0 for those that are none.
pub(super) fn number(version: &str) -> u64 {
    version.parse().unwrap_or(0)
}
