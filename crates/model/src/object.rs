//! Reading objects that may hold anything.

use serde_json::Value;

/// A text under `metadata`; empty when there is none.
pub(crate) fn metadata<'o>(object: &'o Value, key: &str) -> &'o str {
    object["metadata"][key].as_str().unwrap_or_default()
}

pub(crate) fn label<'o>(object: &'o Value, key: &str) -> Option<&'o str> {
    object["metadata"]["labels"][key].as_str()
}

pub(crate) fn annotation<'o>(object: &'o Value, key: &str) -> Option<&'o str> {
    object["metadata"]["annotations"][key].as_str()
}

/// The API group and version; the group of the core is empty.
pub(crate) fn group_version(object: &Value) -> (&str, &str) {
    let api_version = object["apiVersion"].as_str().unwrap_or_default();
    api_version.rsplit_once('/').unwrap_or(("", api_version))
}
