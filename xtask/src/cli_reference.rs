//! Writes the help of every command into `docs/cli.md`.

use std::fs;
use std::path::Path;

use anyhow::Context;

use crate::command;

pub(crate) const PATH: &str = "docs/cli.md";

/// What is above stays as it was written by hand.
const HEADING: &str = "## Commands\n";
const NOTE: &str = "<!-- Everything below is written by `cargo run -p xtask -- generated`. -->\n";

/// A test of `cli` fails when one is missing.
const COMMANDS: &[&[&str]] = &[
    &[],
    &["up"],
    &["down"],
    &["status"],
    &["backup"],
    &["restore"],
    &["controller"],
    &["tree"],
    &["revisions"],
    &["revisions", "list"],
    &["revisions", "show"],
    &["revisions", "diff"],
    &["revisions", "create"],
    &["history"],
    &["rollback"],
    &["pin"],
    &["unpin"],
    &["approve"],
    &["propagation"],
    &["propagation", "status"],
    &["propagation", "pause"],
    &["propagation", "resume"],
    &["propagation", "abort"],
    &["propagation", "retry"],
    &["propagation", "approve"],
    &["why"],
    &["workloads"],
    &["validate"],
    &["render"],
    &["graph"],
    &["plan"],
    &["simulate"],
    &["handback"],
    &["cel"],
    &["cel", "eval"],
    &["cel", "check"],
    &["schema"],
    &["schema", "expand"],
    &["schema", "check"],
    &["completions"],
];

pub(crate) fn run(root: &Path) -> anyhow::Result<()> {
    let path = root.join(PATH);
    let old = fs::read_to_string(&path).with_context(|| format!("cannot read {PATH}"))?;
    let pages = COMMANDS.iter().map(|it| Ok((title(it), help(root, it)?)));
    let pages = pages.collect::<anyhow::Result<Vec<_>>>()?;
    fs::write(&path, rewritten(&old, &pages)?).with_context(|| format!("cannot write {PATH}"))
}

fn title(command: &[&str]) -> String {
    [&["krono"], command].concat().join(" ")
}

fn help(root: &Path, words: &[&str]) -> anyhow::Result<String> {
    let mut cargo = command::cargo(root, &["run", "--quiet", "--package", "krono-cli", "--"]);
    command::output(cargo.args(words).arg("--help").env_remove("COLUMNS"))
}

fn rewritten(old: &str, pages: &[(String, String)]) -> anyhow::Result<String> {
    let end =
        old.find(HEADING).with_context(|| format!("{PATH} lost its heading `{}`", HEADING.trim_end()))?;
    let page =
        |(title, help): &(String, String)| format!("\n### `{title}`\n\n```text\n{}\n```\n", help.trim_end());
    Ok(format!("{}{HEADING}\n{NOTE}{}", &old[..end], pages.iter().map(page).collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_below_the_heading_changes() {
        let pages = [("krono x".to_owned(), "Usage: krono x\n".to_owned())];
        let once = rewritten("# By hand\n\n## Commands\n\nold\n", &pages).unwrap();
        let note = NOTE;
        assert_eq!(
            once,
            format!("# By hand\n\n## Commands\n\n{note}\n### `krono x`\n\n```text\nUsage: krono x\n```\n")
        );
        assert_eq!(rewritten(&once, &pages).unwrap(), once);
        assert!(rewritten("# No heading\n", &pages).is_err());
    }
}
