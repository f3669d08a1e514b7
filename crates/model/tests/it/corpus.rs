//! Definitions of kro, shared between projects and not part of this one.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The definitions of the corpus with their files; none when it is not there, which is an error where `CI=true`.
pub(crate) fn definitions() -> Vec<(PathBuf, Value)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/kro");
    if !root.is_dir() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "the corpus is missing: {}", root.display());
        println!("LEFT OUT: the corpus is not at {}", root.display());
        return Vec::new();
    }
    let files = files(&root);
    let documents = files.into_iter().flat_map(|file| {
        let read = documents(&file);
        read.into_iter().map(move |it| (file.clone(), it))
    });
    documents.filter(|(_, it)| is_definition(it)).collect()
}

/// Assertions about definitions have no schema.
fn is_definition(document: &Value) -> bool {
    document["kind"] == "ResourceGraphDefinition" && document["spec"]["schema"].is_object()
}

fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![root.to_owned()];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// One of kro's examples has a key twice; `kubectl` takes the last.
fn documents(file: &Path) -> Vec<Value> {
    let options = serde_saphyr::options! { duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins };
    serde_saphyr::from_multiple_with_options(&fs::read_to_string(file).unwrap(), options).unwrap()
}
