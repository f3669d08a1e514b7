//! `krono rollback`.

mod definition;
mod instance;

use serde_json::Value;

use super::cluster::events::newest_warning;
use super::cluster::objects::Objects;
use super::cluster::subject::{self, Subject};
use super::server::block_on;
use crate::arguments::rollback::RollbackArguments;
use crate::arguments::target::{Bare, Grammar};
use crate::command_error::CommandError;
use crate::output::Output;

pub(crate) fn run(arguments: &RollbackArguments, output: &mut Output) -> Result<(), CommandError> {
    block_on(async {
        let (target, _) = Grammar { revisions: 0, bare: Bare::IsWrong }.read(&arguments.object)?;
        match subject::read(&arguments.place, &target).await? {
            (objects, Subject::Definition(it)) => definition::run(arguments, &objects, &it, output).await,
            (objects, Subject::Instance(it)) => instance::run(arguments, &objects, &it, output).await,
        }
    })
}

/// Whether to go on after what changes has been shown.
fn is_wanted(
    arguments: &RollbackArguments,
    preview: &str,
    output: &mut Output,
) -> Result<bool, CommandError> {
    if arguments.dry_run {
        output.difference(preview)?;
        return Ok(false);
    }
    if arguments.yes {
        return Ok(true);
    }
    output.aside(preview)?;
    match output.ask("Roll back?")? {
        Some(true) => Ok(true),
        Some(false) => {
            output.note("nothing was changed")?;
            Ok(false)
        }
        None => Err(CommandError::usage("a rollback asks first, and nobody is there to answer")
            .hint("--yes goes on without asking; --dry-run shows what would change")),
    }
}

/// A refusal in the controller's words: those that are known already, or else those of its newest event.
async fn told_refusal(objects: &Objects, object: &Value, words: Option<String>) -> CommandError {
    let words = match words {
        Some(words) => Some(words),
        None => newest_warning(objects, object, "not rolled back").await,
    };
    CommandError::wrong(words.unwrap_or_else(|| "not rolled back: the controller has refused it".to_owned()))
}
