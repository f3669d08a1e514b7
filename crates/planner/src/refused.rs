//! Why the last request to roll back was refused, noted on the object until somebody edits it.

use krono_model::names;
use serde_json::{Value, json};

/// What is noted: words about this generation of an object.
pub(crate) fn noted(object: &Value, words: &str) -> Value {
    json!(format!("{} {words}", object["metadata"]["generation"]))
}

/// The words that are noted, unless they are about another generation.
pub(crate) fn words(object: &Value) -> Option<&str> {
    let metadata = &object["metadata"];
    let noted = metadata["annotations"][names::ROLLBACK_REFUSED_ANNOTATION].as_str()?;
    let (generation, words) = noted.split_once(' ')?;
    (generation.parse().ok() == metadata["generation"].as_i64()).then_some(words)
}
