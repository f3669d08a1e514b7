//! `krono why`.

use krono_views::{why_definition, why_gone, why_instance, why_left};
use serde_json::json;

use super::cluster::subject::{self, Subject};
use super::server::block_on;
use crate::arguments::pin::WhyArguments;
use crate::arguments::propagation::StatusFormat;
use crate::arguments::target::{Bare, Grammar};
use crate::command_error::CommandError;
use crate::format::Format;
use crate::output::Output;

pub(crate) fn run(arguments: &WhyArguments, output: &mut Output) -> Result<(), CommandError> {
    let (target, _) = Grammar { revisions: 0, bare: Bare::IsDefinition }.read(&arguments.object)?;
    let (_, found) = block_on(subject::read_kept(&arguments.place, &target))?;
    let (name, sentence) = match &found {
        Subject::Definition(it) if it.is_gone => {
            (format!("rgd/{}", it.name()), why_gone(it.name(), &it.revisions))
        }
        Subject::Instance(it) if it.definition.is_gone => {
            (it.name(), why_left(&it.object, it.definition.name()))
        }
        Subject::Definition(it) => (format!("rgd/{}", it.name()), why_definition(&it.object, &it.revisions)),
        Subject::Instance(it) => {
            (it.name(), why_instance(&it.object, &it.definition.object, &it.definition.revisions))
        }
    };
    let value = || json!({"object": name, "why": sentence});
    output.text(&match arguments.output {
        StatusFormat::Text => format!("{sentence}\n"),
        StatusFormat::Json => Format::Json.render(&value()),
        StatusFormat::Yaml => Format::Yaml.render(&value()),
    })
}
