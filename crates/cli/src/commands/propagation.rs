//! `krono propagation …`.

mod status;
mod steer;

use super::cluster::objects::Objects;
use super::cluster::subject::{self, Definition};
use super::server::block_on;
use crate::arguments::propagation::PropagationCommand;
use crate::arguments::target::{Bare, Grammar, PlaceArguments};
use crate::command_error::CommandError;
use crate::output::Output;

pub(crate) fn run(command: &PropagationCommand, output: &mut Output) -> Result<(), CommandError> {
    block_on(async {
        match command {
            PropagationCommand::Status(arguments) => status::run(arguments, output).await,
            PropagationCommand::Pause(arguments) => steer::pause(&arguments.definition, output).await,
            PropagationCommand::Resume(arguments) => steer::resume(&arguments.definition, output).await,
            PropagationCommand::Abort(arguments) => steer::abort(&arguments.definition, output).await,
            PropagationCommand::Retry(arguments) => steer::retry(&arguments.definition, output).await,
            PropagationCommand::Approve(arguments) => steer::approve(arguments, output).await,
        }
    })
}

/// The definition that somebody named.
async fn definition(place: &PlaceArguments, words: &[String]) -> Result<(Objects, Definition), CommandError> {
    let (target, _) = Grammar { revisions: 0, bare: Bare::IsDefinition }.read(words)?;
    let (objects, found) = subject::read(place, &target).await?;
    Ok((objects, found.into_definition()?))
}
