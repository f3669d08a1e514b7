//! `krono revisions list`.

use krono_history::Digest;
use krono_views::{InputRow, Table, input_table, wide_input_table};
use serde_json::{Value, json};

use super::super::cluster::objects::Objects;
use super::super::cluster::subject::{self, Definition, Instance, Subject, changed};
use super::PENDING;
use crate::arguments::revisions::{ListArguments, ListFormat};
use crate::arguments::target::{Bare, Grammar, Target};
use crate::command_error::CommandError;
use crate::format::Format;
use crate::output::Output;

pub(super) async fn run(arguments: &ListArguments, output: &mut Output) -> Result<(), CommandError> {
    let (target, _) = Grammar { revisions: 0, bare: Bare::IsDefinition }.read(&arguments.object)?;
    let (objects, found) = subject::read_kept(&arguments.place, &target).await?;
    tell_unreadable(&found, output)?;
    output.text(&rendered(&found, arguments.output))?;
    if arguments.watch { watch(&objects, &target, found, arguments.output, output).await } else { Ok(()) }
}

/// Prints each row again that changes, without end.
async fn watch(
    objects: &Objects,
    target: &Target,
    mut found: Subject,
    format: ListFormat,
    output: &mut Output,
) -> Result<(), CommandError> {
    loop {
        output.flush()?;
        changed(objects, &found).await?;
        let before = lines(&found, format);
        found = subject::subject(objects, target).await?;
        let new = lines(&found, format).into_iter().filter(|it| !before.contains(it));
        output.text(&new.collect::<String>())?;
    }
}

fn tell_unreadable(subject: &Subject, output: &mut Output) -> Result<(), CommandError> {
    let definition = subject.definition();
    if definition.is_gone {
        output.note(&definition.is_gone_in_words())?;
    }
    definition.revisions.unreadable.iter().try_for_each(|it| output.warn(&it.to_string()))
}

fn rendered(subject: &Subject, format: ListFormat) -> String {
    match format {
        ListFormat::Table | ListFormat::Wide => told_table(subject, &table(subject, format)),
        ListFormat::Json => Format::Json.render(&value(subject)),
        ListFormat::Yaml => Format::Yaml.render(&value(subject)),
        ListFormat::Name => names_of(subject).concat(),
    }
}

/// A heading above nothing tells nobody anything.
fn told_table(subject: &Subject, table: &Table) -> String {
    match subject {
        _ if !table.rows.is_empty() => table.to_text(),
        Subject::Definition(it) => format!("rgd/{} has no revision yet\n", it.name()),
        Subject::Instance(it) => format!("{} has no input revision yet\n", it.name()),
    }
}

fn table(subject: &Subject, format: ListFormat) -> Table {
    match (subject, format) {
        (Subject::Definition(it), ListFormat::Wide) => with_pending(it.revisions.wide_table(), it),
        (Subject::Definition(it), _) => with_pending(it.revisions.table(), it),
        (Subject::Instance(it), ListFormat::Wide) => wide_input_table(&it.inputs),
        (Subject::Instance(it), _) => input_table(&it.inputs),
    }
}

/// An edit that is no revision stands below all that are.
fn with_pending(mut table: Table, definition: &Definition) -> Table {
    if let Some(status) = definition.pending() {
        let mut cells = vec![PENDING.to_owned(), String::new(), "-".to_owned(), status.to_owned()];
        cells.resize(table.heading.len(), String::new());
        table.rows.push(cells);
    }
    table
}

/// What `--watch` prints again when it changes.
fn lines(subject: &Subject, format: ListFormat) -> Vec<String> {
    match format {
        ListFormat::Table | ListFormat::Wide => {
            let table = table(subject, format);
            table.rows.iter().map(|row| table.rows_to_text([row])).collect()
        }
        ListFormat::Json => vec![Format::Json.render(&value(subject))],
        ListFormat::Yaml => vec![format!("---\n{}", Format::Yaml.render(&value(subject)))],
        ListFormat::Name => names_of(subject),
    }
}

fn value(subject: &Subject) -> Value {
    match subject {
        Subject::Definition(it) => {
            let mut value = json!({"definition": it.name(), "revisions": it.revisions.to_json()});
            if let Some(status) = it.pending() {
                let digest = Digest::of_definition(&it.object["spec"]).to_string();
                value[PENDING] = json!({"status": status, "digest": digest});
            }
            value
        }
        Subject::Instance(it) => {
            let inputs: Vec<Value> = it.inputs.iter().map(InputRow::to_json).collect();
            json!({"instance": it.name(), "definition": it.definition.name(), "inputRevisions": inputs})
        }
    }
}

fn names_of(subject: &Subject) -> Vec<String> {
    match subject {
        Subject::Definition(it) => it.revisions.rows.iter().map(|row| revision_name(&row.name)).collect(),
        Subject::Instance(it) => it.inputs.iter().map(|row| input_name(it, row)).collect(),
    }
}

pub(crate) fn revision_name(name: &str) -> String {
    format!("resourcegraphdefinitionrevision.kro.run/{name}\n")
}

/// The object that holds it; what stands in a status has no name, and goes by what `krono revisions show` takes.
pub(crate) fn input_name(instance: &Instance, row: &InputRow) -> String {
    match &row.object {
        Some(name) => format!("resourcegraphinputrevision.kro.run/{name}\n"),
        None => format!("{} {}\n", instance.name(), row.number),
    }
}
