//! The sources of a pure crate name nothing of `std` that reaches the world.

use std::fs;
use std::path::Path;

use anyhow::Context;

use super::rules::FORBIDDEN_STD;
use crate::tidy::source::{is_test_path, product_part};
use crate::workspace::{self, Package};

pub(super) fn findings(root: &Path, package: &Package) -> anyhow::Result<Vec<String>> {
    let folder = package.manifest_path.parent().context("a manifest has a folder")?.join("src");
    let folder = folder.strip_prefix(root).context("a member lies in the workspace")?;
    let mut findings = Vec::new();
    for path in workspace::files(root)? {
        let is_source = path.starts_with(folder) && path.extension().is_some_and(|it| it == "rs");
        if is_source && !is_test_path(&path) {
            let text = fs::read_to_string(root.join(&path))?;
            let shown = path.display();
            findings.extend(reaches(&text).map(|(line, what)| format!("{shown}:{line}: uses {what}")));
        }
    }
    Ok(findings)
}

/// Line numbers and what they reach, outside of comments and of the tests at the foot.
fn reaches(text: &str) -> impl Iterator<Item = (usize, &'static str)> {
    let lines = product_part(text).lines().enumerate();
    let code = lines.filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.flat_map(|(index, line)| {
        let hits = FORBIDDEN_STD.iter().filter(move |(name, _)| line.contains(name));
        hits.map(move |(_, what)| (index + 1, *what))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn product_code_only() {
        let text = "use std::fmt;\n// std::fs is forbidden\nlet now = SystemTime::now();\n\
                    #[cfg(test)]\nmod tests {\n    use std::fs;\n}\n";
        assert_eq!(reaches(text).collect::<Vec<_>>(), [(3, "a clock")]);
    }
}
