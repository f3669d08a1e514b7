//! `krono schema expand` and `krono schema check`.

mod check;
mod comparison;
mod expand;
mod surroundings;

use crate::arguments::schema::SchemaCommand;
use crate::command_error::CommandError;
use crate::output::Output;

pub(super) fn run(command: &SchemaCommand, output: &mut Output) -> Result<(), CommandError> {
    match command {
        SchemaCommand::Expand(arguments) => expand::run(arguments, output),
        SchemaCommand::Check(arguments) => check::run(arguments, output),
    }
}
