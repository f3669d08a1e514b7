//! The published YAML.

use std::fs;
use std::path::Path;

use krono_model::crd;
use serde_json::Value;

#[test]
fn the_published_crds_are_those_of_the_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crds");
    let mut published: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    published.sort();
    let all = crd::all();
    assert_eq!(published, all.iter().map(|(file, _)| *file).collect::<Vec<_>>());
    for (file, crd) in all {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        let read: Value = serde_saphyr::from_str(&text).unwrap();
        assert!(read == crd, "{file} is stale; run `cargo run -p xtask -- crds`");
    }
}
