//! `krono revisions`.

mod create;
mod diff;
mod list;
mod show;

pub(super) use list::{input_name, revision_name};

use super::server::block_on;
use crate::arguments::revisions::RevisionsCommand;
use crate::command_error::CommandError;
use crate::output::Output;

/// What an edit is called that is no revision yet.
const PENDING: &str = "pending";

pub(crate) fn run(command: &RevisionsCommand, output: &mut Output) -> Result<(), CommandError> {
    match command {
        RevisionsCommand::List(arguments) => block_on(list::run(arguments, output)),
        RevisionsCommand::Show(arguments) => block_on(show::run(arguments, output)),
        RevisionsCommand::Diff(arguments) => block_on(diff::run(arguments, output)),
        RevisionsCommand::Create(arguments) => block_on(create::run(arguments, output)),
    }
}
