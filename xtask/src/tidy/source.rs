//! Telling the product's lines from tests and generated text.

use std::path::Path;

/// Whether the whole file is test or benchmark code.
pub(crate) fn is_test_path(path: &Path) -> bool {
    let in_folder = path.components().any(|it| matches!(it.as_os_str().to_str(), Some("tests" | "benches")));
    let stem = path.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
    in_folder || stem == "tests" || stem.ends_with("_tests")
}

/// Whether the head of the file says that a program wrote it.
pub(crate) fn is_generated(text: &str) -> bool {
    text.lines().take(5).any(|it| it.contains("@generated"))
}

/// The text before the test module at the foot of the file.
pub(crate) fn product_part(text: &str) -> &str {
    let mut offset = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let opens_tests =
            lines.peek().is_some_and(|it| it.starts_with("mod ") && it.trim_end().ends_with('{'));
        if line.trim_end() == "#[cfg(test)]" && opens_tests {
            return &text[..offset];
        }
        offset += line.len();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_foot_is_cut_off() {
        assert_eq!(product_part("fn a() {}\n#[cfg(test)]\nmod tests {\n}\n"), "fn a() {}\n");
        let beside = "#[cfg(test)]\nmod tests;\nfn a() {}\n";
        assert_eq!(product_part(beside), beside);
    }

    #[test]
    fn test_paths() {
        for path in ["crates/cel/tests/it/main.rs", "crates/cel/src/parser/tests.rs", "a/benches/b.rs"] {
            assert!(is_test_path(Path::new(path)), "{path}");
        }
        assert!(!is_test_path(Path::new("crates/cel/src/tester.rs")));
    }
}
