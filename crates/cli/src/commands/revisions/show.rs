//! `krono revisions show`.

use krono_history::RevisionNumber;
use krono_views::{InputRow, described_input, described_revision};
use serde_json::Value;

use super::super::cluster::subject::{self, Definition, Instance, Subject};
use super::super::outcome::without_managed_fields;
use super::list::{input_name, revision_name};
use crate::arguments::revisions::{ShowArguments, ShowFormat};
use crate::arguments::target::{Bare, Grammar};
use crate::command_error::CommandError;
use crate::format::Format;
use crate::output::Output;

pub(super) async fn run(arguments: &ShowArguments, output: &mut Output) -> Result<(), CommandError> {
    let (target, revisions) = Grammar { revisions: 1, bare: Bare::IsDefinition }.read(&arguments.object)?;
    let (_, found) = subject::read_kept(&arguments.place, &target).await?;
    output.text(&match (&found, revisions.first()) {
        (Subject::Definition(it), number) => of_definition(it, number.copied(), arguments.output)?,
        (Subject::Instance(it), number) => of_instance(it, number.copied(), arguments.output)?,
    })
}

fn of_definition(
    definition: &Definition,
    number: Option<RevisionNumber>,
    format: ShowFormat,
) -> Result<String, CommandError> {
    let number =
        number.ok_or_else(|| which(&format!("rgd/{}", definition.name()), definition.those_there()))?;
    let row = definition.find(number)?;
    let object = definition.object_of(row).cloned().unwrap_or_default();
    Ok(match format {
        ShowFormat::Text => described_revision(definition.name(), row, &object),
        ShowFormat::Json => Format::Json.render(&without_managed_fields(object)),
        ShowFormat::Yaml => Format::Yaml.render(&without_managed_fields(object)),
        ShowFormat::Name => revision_name(&row.name),
    })
}

fn of_instance(
    instance: &Instance,
    number: Option<RevisionNumber>,
    format: ShowFormat,
) -> Result<String, CommandError> {
    let number = number.ok_or_else(|| which(&instance.name(), instance.those_there()))?;
    let row = instance.find(number)?;
    let value = || held(instance, row).map_or_else(|| row.to_json(), without_managed_fields);
    Ok(match format {
        ShowFormat::Text => described_input(&instance.name(), row),
        ShowFormat::Json => Format::Json.render(&value()),
        ShowFormat::Yaml => Format::Yaml.render(&value()),
        ShowFormat::Name => input_name(instance, row),
    })
}

fn which(name: &str, those_there: String) -> CommandError {
    CommandError::usage(format!("which revision? write `krono revisions show {name} REVISION`"))
        .hint(those_there)
}

/// The object of an input revision, where one holds it.
fn held(instance: &Instance, row: &InputRow) -> Option<Value> {
    let name = row.object.as_deref()?;
    instance.objects.iter().find(|it| it["metadata"]["name"] == name).cloned()
}
