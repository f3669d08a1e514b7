//! `krono why`.

use krono_views::{why_definition, why_instance};

use super::cluster::subject::{self, Subject};
use super::server::block_on;
use crate::arguments::pin::WhyArguments;
use crate::arguments::target::{Bare, Grammar};
use crate::command_error::CommandError;
use crate::output::Output;

pub(crate) fn run(arguments: &WhyArguments, output: &mut Output) -> Result<(), CommandError> {
    let (target, _) = Grammar { revisions: 0, bare: Bare::IsDefinition }.read(&arguments.object)?;
    let (_, found) = block_on(subject::read(&arguments.place, &target))?;
    let sentence = match &found {
        Subject::Definition(it) => why_definition(&it.object, &it.revisions),
        Subject::Instance(it) => why_instance(&it.object, &it.definition.object, &it.definition.revisions),
    };
    output.text(&format!("{sentence}\n"))
}
