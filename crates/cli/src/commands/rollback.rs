//! `krono rollback`.

mod definition;
mod instance;
mod preview;

use krono_history::answered::Answered;
use krono_model::names;
use serde_json::Value;

use self::preview::Preview;
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
            (_, Subject::Instance(_)) if arguments.force && arguments.hold => {
                Err(CommandError::usage("--force with --hold is for definitions")
                    .hint("an input is held whatever a tool keeps; leave --force out"))
            }
            (objects, Subject::Instance(it)) => instance::run(arguments, &objects, &it, output).await,
        }
    })
}

/// Whether to go on after what changes has been shown.
fn is_wanted(
    arguments: &RollbackArguments,
    preview: &Preview<'_>,
    output: &mut Output,
) -> Result<bool, CommandError> {
    if arguments.dry_run {
        preview.show(arguments.outcome, output)?;
        return Ok(false);
    }
    if arguments.yes {
        return Ok(true);
    }
    output.aside(&preview.text)?;
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

/// What became of a request to roll back.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    Granted,
    /// In the words of the controller.
    Refused(String),
    /// Somebody took it away before it was answered.
    Withdrawn,
}

impl Fate {
    /// As it is noted on the object in the write that answers the request; nothing while it stands.
    fn of(object: &Value, key: &str, request: &str) -> Option<Self> {
        let note = |key: &str| object["metadata"]["annotations"][key].as_str();
        if note(key).is_some() {
            return None;
        }
        if !Answered::of(object).is_last_of_people(request) {
            return Some(Self::Withdrawn);
        }
        // Behind the generation that they are about.
        let refusal = note(names::ROLLBACK_REFUSED_ANNOTATION).and_then(|it| it.split_once(' '));
        Some(refusal.map_or(Self::Granted, |(_, words)| Self::Refused(words.to_owned())))
    }
}

fn refused(words: &str) -> CommandError {
    CommandError::wrong(format!("not rolled back: {words}"))
}

fn withdrawn(key: &str) -> CommandError {
    CommandError::wrong(format!("not rolled back: somebody took {key} away before it was answered"))
        .hint("a tool that keeps the object in Git may strip annotations that it does not know")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_became_of_a_request_is_read_off_the_object() {
        let check = |annotations: Value, expected: Option<Fate>| {
            let object = json!({"metadata": {"annotations": annotations}});
            assert_eq!(Fate::of(&object, names::ROLLBACK_ANNOTATION, "2"), expected, "{object}");
        };
        let (request, answered, refused) = (
            names::ROLLBACK_ANNOTATION,
            names::ANSWERED_ROLLBACK_ANNOTATION,
            names::ROLLBACK_REFUSED_ANNOTATION,
        );
        check(json!({request: "2"}), None);
        check(json!({request: "2", answered: "2", refused: "3 why"}), None);
        check(json!({answered: "2"}), Some(Fate::Granted));
        check(
            json!({answered: "2", refused: "3 it has failed"}),
            Some(Fate::Refused("it has failed".to_owned())),
        );
        check(json!({answered: "1", refused: "3 it has failed"}), Some(Fate::Withdrawn));
        check(json!({answered: r#"[["argocd","1"],["","2"]]"#}), Some(Fate::Granted));
        check(json!({answered: r#"[["argocd","2"],["","1"]]"#}), Some(Fate::Withdrawn));
        check(json!({}), Some(Fate::Withdrawn));
    }
}
