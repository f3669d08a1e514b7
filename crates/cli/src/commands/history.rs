//! `krono history`.

use krono_views::{Entry, Past, timeline, timeline_table};
use serde_json::Value;

use super::cluster::events;
use super::cluster::subject::{self, Subject};
use super::server::block_on;
use crate::arguments::revisions::{HistoryArguments, HistoryFormat};
use crate::arguments::target::{Bare, Grammar, Target};
use crate::command_error::CommandError;
use crate::format::Format;
use crate::output::Output;

pub(crate) fn run(arguments: &HistoryArguments, output: &mut Output) -> Result<(), CommandError> {
    let (target, _) = Grammar { revisions: 0, bare: Bare::IsDefinition }.read(&arguments.object)?;
    output.text(&rendered(&block_on(entries(arguments, &target))?, arguments.output))
}

async fn entries(arguments: &HistoryArguments, target: &Target) -> Result<Vec<Entry>, CommandError> {
    let (objects, found) = subject::read(&arguments.place, target).await?;
    let (definition, instance) = match &found {
        Subject::Definition(it) => (it.as_ref(), None),
        Subject::Instance(it) => (&it.definition, Some(it)),
    };
    let told_of_instance = match instance {
        Some(it) => events::about(&objects, &it.object).await,
        None => Vec::new(),
    };
    Ok(timeline(&Past {
        revisions: &definition.revisions.rows,
        told_of_definition: &events::about(&objects, &definition.object).await,
        inputs: instance.map(|it| it.inputs.as_slice()).unwrap_or_default(),
        told_of_instance: &told_of_instance,
    }))
}

fn rendered(entries: &[Entry], format: HistoryFormat) -> String {
    let value = || -> Value { entries.iter().map(Entry::to_json).collect() };
    match format {
        HistoryFormat::Table => timeline_table(entries).to_text(),
        HistoryFormat::Json => Format::Json.render(&value()),
        HistoryFormat::Yaml => Format::Yaml.render(&value()),
    }
}
