//! Test data of kro, shared between projects and not part of this one.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The corpus; none when it is not there, which is an error where `CI=true`.
pub(crate) fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/kro");
    if path.is_dir() {
        return Some(path);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "the corpus is missing: {}", path.display());
    println!("LEFT OUT: the corpus is not at {}", path.display());
    None
}

/// Every document of every YAML file below `root`, with the file it is from.
pub(crate) fn documents(root: &Path) -> Vec<(PathBuf, Value)> {
    let mut found = Vec::new();
    let mut pending = vec![root.to_owned()];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            let text = fs::read_to_string(&path).unwrap();
            // One of kro's examples has a key twice; `kubectl` takes the last.
            let options =
                serde_saphyr::options! { duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins };
            let values: Vec<Value> = serde_saphyr::from_multiple_with_options(&text, options).unwrap();
            found.extend(values.into_iter().map(|value| (path.clone(), value)));
        }
    }
    found.sort_by(|left, right| left.0.cmp(&right.0));
    found
}

/// The `ResourceGraphDefinition`s below `root`, leaving out assertions about them.
pub(crate) fn definitions(root: &Path) -> Vec<(PathBuf, Value)> {
    let mut found = documents(root);
    found.retain(|(_, value)| {
        value["kind"] == "ResourceGraphDefinition" && value["spec"]["schema"].is_object()
    });
    found
}
