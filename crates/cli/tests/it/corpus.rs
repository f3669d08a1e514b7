//! kro's own manifests, shared between projects and not part of this one.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::krono::left_out;

/// The corpus; none when it is not there, which is an error where `CI=true`.
pub(crate) fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/kro");
    if path.is_dir() {
        return Some(path);
    }
    left_out(&format!("the corpus is not at {}", path.display()));
    None
}

/// The files below `root` that hold a whole definition, and not only an assertion about one.
pub(crate) fn definitions(root: &Path) -> Vec<PathBuf> {
    let mut found = yaml_files(root);
    found.retain(|path| documents(path).iter().any(is_definition));
    found
}

fn is_definition(document: &Value) -> bool {
    document["kind"] == "ResourceGraphDefinition" && document["spec"]["schema"].is_object()
}

/// The documents of a file, read as leniently as `kubectl` reads them.
pub(crate) fn documents(path: &Path) -> Vec<Value> {
    let options = serde_saphyr::options! { duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins };
    serde_saphyr::from_multiple_with_options(&fs::read_to_string(path).unwrap(), options).unwrap()
}

fn yaml_files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![root.to_owned()];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(fs::read_dir(&path).unwrap().map(|it| it.unwrap().path()));
        } else if path.extension().is_some_and(|it| it == "yaml") {
            found.push(path);
        }
    }
    found.sort();
    found
}
