//! The public test data that stands beside the project.

use std::path::PathBuf;

use serde_json::Value;

/// A JSON file of the corpus, or nothing (and a line that says so) where the corpus is absent.
pub(crate) fn json(file: &str) -> Option<Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(file);
    let Ok(text) = std::fs::read_to_string(&path) else {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "the corpus file {file} is missing");
        println!("left out: the corpus file {file} is not beside the project");
        return None;
    };
    Some(serde_json::from_str(&text).unwrap())
}
