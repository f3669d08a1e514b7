//! The maker of parts.

use serde_json::{Value, json};

use crate::kinds::HOLD;

/// What the maker of parts does to one of them.
#[derive(Clone, Debug, PartialEq)]
pub enum Making {
    /// Takes hold of it, by a merge patch.
    Hold(Value),
    /// Lets go of it, by a merge patch.
    Release(Value),
    /// Says that it is ready, in this status.
    Report(Value),
}

/// What the maker of parts does to a part next, if anything.
pub fn making(part: &Value) -> Option<Making> {
    let finalizers = part["metadata"]["finalizers"].as_array();
    let is_held = finalizers.is_some_and(|it| it.iter().any(|it| it == HOLD));
    if !part["metadata"]["deletionTimestamp"].is_null() {
        return is_held.then(|| Making::Release(json!({"metadata": {"finalizers": null}})));
    }
    let echo = part["spec"]["values"]["own"].as_str()?;
    if !is_held {
        return Some(Making::Hold(json!({"metadata": {"finalizers": [HOLD]}})));
    }
    let status = json!({"ready": true, "echo": echo});
    (part["status"] != status).then_some(Making::Report(status))
}
