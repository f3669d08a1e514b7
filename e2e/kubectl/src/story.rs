//! Stories: kubectl commands in the order a person would type them.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};

/// A file of commands.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Story {
    /// The name of the file without its ending.
    pub(crate) name: String,
    /// What happens, in order.
    pub(crate) steps: Vec<Step>,
}

/// One thing that happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A file is written into the story's folder.
    File { path: String, text: String },
    /// A shell command.
    Command { line: usize, kind: CommandKind, text: String },
}

/// What is expected of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandKind {
    /// `$`: exit code and output are the same on both servers.
    Compare,
    /// `?`: the exit code is the same; how far things have come when one looks is not.
    ExitCode,
    /// `~`: repeated until it succeeds.
    Until,
}

impl Story {
    /// Reads every story in a folder whose name contains `wanted`.
    pub(crate) fn read_all(folder: &Path, wanted: &str) -> anyhow::Result<Vec<Self>> {
        let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
        let mut paths = entries.map(|entry| entry.map(|it| it.path())).collect::<Result<Vec<_>, _>>()?;
        paths.sort();
        let mut stories = Vec::new();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|it| it == "txt")) {
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            if name.contains(wanted) {
                let text =
                    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
                stories.push(Self::parse(&name, &text)?);
            }
        }
        Ok(stories)
    }

    fn parse(name: &str, text: &str) -> anyhow::Result<Self> {
        let mut steps = Vec::new();
        for (index, line) in text.lines().enumerate() {
            if let Some(content) = line.strip_prefix("    ") {
                let Some(Step::File { text, .. }) = steps.last_mut() else {
                    bail!(
                        "{name}.txt:{}: an indented line belongs to a file; begin one with `file NAME`",
                        index + 1
                    )
                };
                text.push_str(content);
                text.push('\n');
            } else {
                steps.extend(step(line, index + 1).with_context(|| format!("{name}.txt:{}", index + 1))?);
            }
        }
        Ok(Self { name: name.to_owned(), steps })
    }
}

fn step(line: &str, number: usize) -> anyhow::Result<Option<Step>> {
    let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
    let kind = match mark {
        "" | "#" => return Ok(None),
        "file" => return Ok(Some(Step::File { path: rest.to_owned(), text: String::new() })),
        "$" => CommandKind::Compare,
        "?" => CommandKind::ExitCode,
        "~" => CommandKind::Until,
        _ => bail!("a line begins with `$`, `?`, `~`, `file`, `#` or four spaces"),
    };
    Ok(Some(Step::Command { line: number, kind, text: rest.to_owned() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stories() {
        let story =
            Story::parse("s", "# words\nfile a.yaml\n    kind: A\n      b: c\n\n$ kubectl get x\n~ true\n")
                .unwrap();
        let file = Step::File { path: "a.yaml".to_owned(), text: "kind: A\n  b: c\n".to_owned() };
        let command = |line, kind, text: &str| Step::Command { line, kind, text: text.to_owned() };
        let expect =
            [file, command(6, CommandKind::Compare, "kubectl get x"), command(7, CommandKind::Until, "true")];
        assert_eq!(story.steps, expect);
    }

    #[test]
    fn wrong_lines() {
        let check = |text: &str, expect: &str| {
            let error = format!("{:#}", Story::parse("s", text).unwrap_err());
            assert!(error.contains(expect), "{error}");
        };
        check("    orphan", "s.txt:1: an indented line belongs to a file");
        check("$ true\n! what", "s.txt:2: a line begins with");
    }
}
