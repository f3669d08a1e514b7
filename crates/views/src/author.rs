//! Who made a change.

use serde_json::Value;

/// The user where somebody told, else the field manager.
pub(crate) fn of(spec: &Value) -> Option<String> {
    let author = &spec["author"];
    author["user"].as_str().or_else(|| author["manager"].as_str()).map(str::to_owned)
}
