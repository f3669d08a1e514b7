//! `krono history`.

use krono_views::{Entry, timeline, timeline_table};
use serde_json::Value;

use super::cluster::subject::{self, Subject};
use super::server::block_on;
use crate::arguments::revisions::{HistoryArguments, HistoryFormat};
use crate::arguments::target::{Bare, Grammar};
use crate::command_error::CommandError;
use crate::format::Format;
use crate::output::Output;

pub(crate) fn run(arguments: &HistoryArguments, output: &mut Output) -> Result<(), CommandError> {
    let (target, _) = Grammar { revisions: 0, bare: Bare::IsDefinition }.read(&arguments.object)?;
    let (_, found) = block_on(subject::read(&arguments.place, &target))?;
    let entries = match &found {
        Subject::Definition(it) => timeline(&it.revisions.rows, &[]),
        Subject::Instance(it) => timeline(&it.definition.revisions.rows, &it.inputs),
    };
    output.text(&rendered(&entries, arguments.output))
}

fn rendered(entries: &[Entry], format: HistoryFormat) -> String {
    let value = || -> Value { entries.iter().map(Entry::to_json).collect() };
    match format {
        HistoryFormat::Table => timeline_table(entries).to_text(),
        HistoryFormat::Json => Format::Json.render(&value()),
        HistoryFormat::Yaml => Format::Yaml.render(&value()),
    }
}
