//! One of the two engines, as a program that times itself.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use serde::Deserialize;
use serde_json::Value;

use crate::bench_cel_go::Work;
use crate::{command, go};

pub(super) struct Side {
    program: PathBuf,
    folder: PathBuf,
    /// Given on every call.
    arguments: Vec<String>,
    /// Given to get the whole table.
    table_arguments: &'static [&'static str],
    /// Flags of the Go program have one dash.
    dash: &'static str,
}

/// What one run of a benchmark program found for one expression.
#[derive(Debug, Deserialize)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) eval_ns: f64,
    pub(super) compile_ns: f64,
    pub(super) allocations: f64,
}

#[derive(Deserialize)]
struct Table {
    expressions: Vec<Row>,
}

impl Row {
    pub(super) fn nanoseconds(&self, work: Work) -> f64 {
        match work {
            Work::Evaluate => self.eval_ns,
            Work::Compile => self.compile_ns,
        }
    }
}

impl Side {
    /// The benchmark `corpus` of krono-cel, built as `cargo bench` builds it.
    pub(super) fn krono(root: &Path) -> anyhow::Result<Self> {
        let build = ["bench", "-p", "krono-cel", "--bench", "corpus", "--no-run", "--message-format", "json"];
        let messages = command::output(&mut command::cargo(root, &build))?;
        let program = executable(&messages).context("cargo built no benchmark `corpus`")?;
        Ok(Self {
            program,
            folder: root.join("crates/cel"),
            arguments: vec!["--bench".to_owned()],
            table_arguments: &["--json"],
            dash: "--",
        })
    }

    pub(super) fn cel_go(root: &Path, corpus: &Path) -> anyhow::Result<Self> {
        let file = |name: &str| corpus.join(name).to_string_lossy().into_owned();
        Ok(Self {
            program: go::build(root, "bench")?,
            folder: root.to_path_buf(),
            arguments: vec![
                "-expressions".to_owned(),
                file("bench-expressions.json"),
                "-variables".to_owned(),
                file("bench-variables.json"),
            ],
            table_arguments: &["-samples", "3"],
            dash: "-",
        })
    }

    pub(super) fn measure(&self) -> anyhow::Result<Vec<Row>> {
        let text = command::output(self.command().args(self.table_arguments))?;
        let table: Table = serde_json::from_str(&text)
            .with_context(|| format!("{} printed no table", command::shown(&self.command())))?;
        Ok(table.expressions)
    }

    /// The arguments, program first, that do one piece of work `times` times and nothing else.
    pub(super) fn repetition(&self, name: &str, work: Work, times: u64) -> Command {
        let mut command = self.command();
        let flag = |name: &str| format!("{}{name}", self.dash);
        command.args([&flag("only"), name, &flag("mode"), work.mode(), "-n", &times.to_string()]);
        command
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.folder).args(&self.arguments);
        command
    }
}

/// The program in cargo's JSON messages, one to a line.
fn executable(messages: &str) -> Option<PathBuf> {
    let values = messages.lines().filter_map(|it| serde_json::from_str::<Value>(it).ok());
    let mut built = values.filter(|it| it["target"]["name"] == "corpus");
    built.find_map(|it| it["executable"].as_str().map(PathBuf::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_executable_is_found_among_other_messages() {
        let messages = concat!(
            r#"{"reason":"compiler-artifact","target":{"name":"krono_cel"},"executable":null}"#,
            "\n",
            r#"{"reason":"compiler-artifact","target":{"name":"corpus"},"executable":"a/corpus-1"}"#,
            "\n",
            r#"{"reason":"build-finished","success":true}"#,
        );
        assert_eq!(executable(messages), Some(PathBuf::from("a/corpus-1")));
        assert_eq!(executable("not JSON"), None);
    }

    #[test]
    fn a_table() {
        let text = r#"{"expressions":[{"name":"a","eval_ns":1.5,"compile_ns":2,"allocations":0,"more":1}]}"#;
        let table: Table = serde_json::from_str(text).unwrap();
        assert_eq!(table.expressions[0].name, "a");
        assert!((table.expressions[0].nanoseconds(Work::Compile) - 2.0).abs() < f64::EPSILON);
    }
}
