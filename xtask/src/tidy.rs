//! `xtask tidy`: house rules that a program can check.

mod layout;
mod size;
pub(crate) mod source;
mod words;

use std::fs;
use std::path::Path;

use anyhow::bail;

use crate::workspace;

pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    let files = workspace::files(root)?;
    let mut findings = layout::crate_findings(&workspace::packages(root)?);
    findings.extend(layout::decision_findings(root)?);
    for path in &files {
        let Ok(text) = String::from_utf8(fs::read(root.join(path))?) else { continue };
        findings.extend(file_findings(path, &text).map(|it| format!("{}:{it}", path.display())));
    }
    for finding in &findings {
        eprintln!("{finding}");
    }
    if !findings.is_empty() {
        bail!("{} tidy findings", findings.len());
    }
    println!("{} files are tidy", files.len());
    Ok(())
}

fn file_findings(path: &Path, text: &str) -> impl Iterator<Item = String> {
    let is_rust = path.extension().is_some_and(|it| it == "rs");
    let measured = is_rust && !source::is_test_path(path) && !source::is_generated(text);
    let sizes = if measured { size::findings(source::product_part(text)) } else { Vec::new() };
    let rust_words = if is_rust { words::unfinished(text) } else { Vec::new() };
    sizes.into_iter().chain(rust_words).chain(words::machine_paths(text))
}
