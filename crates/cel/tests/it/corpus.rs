//! Where the shared test data is.

use std::path::Path;

/// A file of the shared corpus; `None`, said aloud, where there is no corpus. Under `CI=true` its absence is a failure.
pub(crate) fn read(name: &str) -> Option<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus").join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) => {
            let ci = std::env::var("CI").is_ok_and(|it| it == "true");
            assert!(!ci, "the corpus file {name} is missing: {error}");
            println!("LEFT OUT: the corpus file {name} is missing");
            None
        }
    }
}
