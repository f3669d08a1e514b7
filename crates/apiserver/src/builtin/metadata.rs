//! Labels and annotations inside objects: those of templates and selectors.
//!
//! The metadata of objects themselves is the same for all kinds, so that it is checked elsewhere.

use serde_json::Value;

use super::findings::Findings;
use super::names;
use super::place::Place;
use super::read;

/// Keys and values of all annotations together may have this many bytes.
const ANNOTATIONS_LIMIT: usize = 256 * 1024;

/// Checks keys and values of labels, or of a selector that is a map of labels.
pub(super) fn labels(labels: &Value, at: Place<'_>, findings: &mut Findings) {
    for (key, value) in labels.as_object().into_iter().flatten() {
        findings.complaints(at, key, names::qualified(key));
        let value = value.as_str().unwrap_or_default();
        findings.complaints(at, value, names::label_value(value));
    }
}

/// Checks keys and the size of annotations.
pub(super) fn annotations(metadata: &Value, at: Place<'_>, findings: &mut Findings) {
    let at = at.field("annotations");
    let mut size = 0;
    for (key, value) in read::entries(metadata, "annotations") {
        findings.complaints(at, key, names::qualified(&key.to_lowercase()));
        size += key.len() + value.as_str().map_or(0, str::len);
    }
    if size > ANNOTATIONS_LIMIT {
        findings.too_long(at, ANNOTATIONS_LIMIT);
    }
}
