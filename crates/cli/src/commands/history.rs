//! `krono history`.

use krono_views::{Change, Entry, Past, RevisionRow, timeline, timeline_table};
use serde_json::Value;

use super::cluster::events;
use super::cluster::subject::{self, Instance, Subject};
use super::revisions::{input_name, revision_name};
use super::server::block_on;
use crate::arguments::revisions::{HistoryArguments, HistoryFormat};
use crate::arguments::target::{Bare, Grammar, Target};
use crate::command_error::CommandError;
use crate::format::Format;
use crate::output::Output;

pub(crate) fn run(arguments: &HistoryArguments, output: &mut Output) -> Result<(), CommandError> {
    let (target, _) = Grammar { revisions: 0, bare: Bare::IsDefinition }.read(&arguments.object)?;
    block_on(told(arguments, &target, output))
}

async fn told(
    arguments: &HistoryArguments,
    target: &Target,
    output: &mut Output,
) -> Result<(), CommandError> {
    let (objects, found) = subject::read_kept(&arguments.place, target).await?;
    if found.definition().is_gone {
        output.note(&found.definition().is_gone_in_words())?;
    }
    let (definition, instance) = match &found {
        Subject::Definition(it) => (it.as_ref(), None),
        Subject::Instance(it) => (&it.definition, Some(it)),
    };
    let told_of_instance = match instance {
        Some(it) => events::about(&objects, &it.object).await,
        None => Vec::new(),
    };
    let entries = timeline(&Past {
        revisions: &definition.revisions.rows,
        told_of_definition: &events::about(&objects, &definition.object).await,
        inputs: instance.map(|it| it.inputs.as_slice()).unwrap_or_default(),
        told_of_instance: &told_of_instance,
    });
    let value = || -> Value { entries.iter().map(Entry::to_json).collect() };
    output.text(&match arguments.output {
        HistoryFormat::Table => timeline_table(&entries).to_text(),
        HistoryFormat::Json => Format::Json.render(&value()),
        HistoryFormat::Yaml => Format::Yaml.render(&value()),
        HistoryFormat::Name => {
            let instance = instance.map(AsRef::as_ref);
            entries.iter().filter_map(|it| name(it, &definition.revisions.rows, instance)).collect()
        }
    })
}

/// The revision that a change made; nothing where it made none.
fn name(entry: &Entry, revisions: &[RevisionRow], instance: Option<&Instance>) -> Option<String> {
    match &entry.what {
        Change::Definition(number) => {
            revisions.iter().find(|it| it.number == *number).map(|it| revision_name(&it.name))
        }
        Change::Input(number, _) => {
            let row = instance?.inputs.iter().find(|it| it.number == *number);
            row.zip(instance).map(|(row, instance)| input_name(instance, row))
        }
        Change::Told { .. } => None,
    }
}
