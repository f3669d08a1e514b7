//! Rolling back a definition.

use krono_history::answered::Answered;
use krono_history::diff::Diff;
use krono_history::hold::{self, Hold, Wish};
use krono_history::rollback::{Force, Refusal, Request, Situation, Verdict, judge};
use krono_history::writer::keeper_of_spec;
use krono_history::{Digest, RevisionNumber};
use krono_model::names;
use krono_planner::instance::assignment;
use krono_propagation::assignment::Because;
use krono_views::{RevisionRow, counted_instances, kind_of_instances};
use serde_json::Value;

use super::super::cluster::objects::Objects;
use super::super::cluster::subject::{self, Definition};
use super::super::cluster::wait::{Waited, until};
use super::super::cluster::{annotate, unanswered};
use super::preview::{self, Preview, lost, lost_text};
use super::{Fate, is_wanted, refused, withdrawn};
use crate::arguments::rollback::RollbackArguments;
use crate::arguments::target::number;
use crate::command_error::CommandError;
use crate::output::Output;

pub(super) async fn run(
    arguments: &RollbackArguments,
    objects: &Objects,
    definition: &Definition,
    output: &mut Output,
) -> Result<(), CommandError> {
    refuse_flags_of_instances(arguments, definition)?;
    let target = target(arguments, definition)?;
    if arguments.hold {
        check_hold(arguments, definition, target)?;
    } else {
        check(arguments, definition, target)?;
    }
    let row = definition.find(target)?;
    if !is_wanted(arguments, &preview(definition, row, arguments.hold), output)? {
        return Ok(());
    }
    if arguments.hold {
        hold(arguments, objects, definition, target, output).await?;
    } else {
        restore(arguments, objects, definition, target, output).await?;
    }
    arguments.outcome.show_again(objects, &definition.kind, &definition.object, output).await
}

fn refuse_flags_of_instances(
    arguments: &RollbackArguments,
    definition: &Definition,
) -> Result<(), CommandError> {
    if arguments.to_input_revision.is_none() && !arguments.spec_only {
        return Ok(());
    }
    let error = format!(
        "rgd/{} is a definition; --to-input-revision and --spec-only are for instances",
        definition.name()
    );
    Err(CommandError::usage(error).hint("definitions go back with --to-revision"))
}

fn target(arguments: &RollbackArguments, definition: &Definition) -> Result<RevisionNumber, CommandError> {
    let Some(text) = arguments.to_revision.as_deref() else {
        return Err(
            CommandError::usage("to which revision? write --to-revision=N").hint(definition.those_good())
        );
    };
    number(text)
}

/// The controller judges in the same way; whoever types should not have to wait for it.
fn check(
    arguments: &RollbackArguments,
    definition: &Definition,
    target: RevisionNumber,
) -> Result<(), CommandError> {
    let text = target.to_string();
    let force = if arguments.force { Force::Yes } else { Force::No };
    let issued =
        definition.object["status"]["lastIssuedRevision"].as_i64().and_then(RevisionNumber::from_wire);
    let keeper = keeper_of_spec(&definition.object);
    let situation = Situation {
        name: definition.name(),
        history: &definition.revisions.history,
        highest: issued.max(definition.revisions.history.highest()),
        spec: Digest::of_definition(&definition.object["spec"]),
        hold: &definition.revisions.hold,
        keeper: keeper.as_deref(),
        answered: Answered::NONE,
    };
    match judge(&Request { text: &text, writer: None, force, rejected: None }, &situation) {
        Verdict::Restore { .. } | Verdict::PutBack { .. } => Ok(()),
        Verdict::Refused(refusal) => Err(refused_at_once(&refusal, definition)),
    }
}

fn refused_at_once(refusal: &Refusal, definition: &Definition) -> CommandError {
    let error = CommandError::wrong(refusal.to_string());
    match refusal {
        Refusal::Unknown { .. } | Refusal::Pruned { .. } | Refusal::Failed { .. } => {
            error.hint(definition.those_good())
        }
        Refusal::Kept { name, target, keeper } => {
            CommandError::wrong(format!("{keeper} keeps the spec of {name} and would undo the rollback"))
                .hint(format!(
                    "hold the revision instead: krono rollback rgd/{name} --to-revision={target} --hold"
                ))
                .hint("--force writes the spec all the same")
        }
        Refusal::NotANumber(_)
        | Refusal::SameContent { .. }
        | Refusal::Ending { .. }
        | Refusal::Rejected { .. } => error,
    }
}

fn check_hold(
    arguments: &RollbackArguments,
    definition: &Definition,
    target: RevisionNumber,
) -> Result<(), CommandError> {
    let text = target.to_string();
    let instances = &definition.object["spec"]["revisionManagement"]["instances"];
    let minimum = instances["minimumRevision"].as_i64().and_then(RevisionNumber::from_wire);
    let wish = Wish { annotation: Some(&text), minimum, ..Wish::default() };
    match hold::hold(wish, &definition.revisions.history) {
        Hold::Invalid(problem) => Err(CommandError::wrong(problem.to_string()).hint(definition.those_good())),
        Hold::Held { .. } | Hold::Released if arguments.force => Ok(()),
        Hold::Held { .. } | Hold::Released => refuse_failed(definition, target),
    }
}

/// What was given up is not served again by mistake.
fn refuse_failed(definition: &Definition, target: RevisionNumber) -> Result<(), CommandError> {
    let (name, history) = (definition.name(), &definition.revisions.history);
    let content = history.find(target).map(|it| it.digest);
    let Some((_, reason)) = content.and_then(|it| history.given_up(it)) else { return Ok(()) };
    let error = CommandError::wrong(format!("revision {target} of {name} failed: {reason}"));
    let is_latest = history.latest().map(|it| it.digest) == content;
    let retry = || format!("have it tried again: krono propagation retry {name}");
    let error = error.hint(if is_latest { retry() } else { definition.those_good() });
    Err(error.hint("--force holds it all the same"))
}

/// What each instance loses, then what is different in the definition.
fn preview<'d>(definition: &'d Definition, row: &RevisionRow, hold: bool) -> Preview<'d> {
    let (old, from) = match definition.revisions.current().filter(|_| hold) {
        Some(served) => (definition.spec_of(served), Some(served.number)),
        None => (definition.object["spec"].clone(), number_of_spec(definition)),
    };
    let new = definition.spec_of(row);
    let (lost, diff) = (lost(&old, &new), Diff::of_definitions(&old, &new));
    let title = from.map_or("the definition".to_owned(), |it| format!("revision {it}"));
    Preview {
        object: &definition.object,
        text: lost_text("every", &lost) + &diff.to_text_between(&title, &format!("revision {}", row.number)),
        data: preview::data(from, row.number, &lost, Some(&diff)),
    }
}

/// What the definition says is the content of a revision, unless it is held, broken or waits to become one.
fn number_of_spec(definition: &Definition) -> Option<RevisionNumber> {
    let digest = Digest::of_definition(&definition.object["spec"]);
    definition.revisions.history.newest_with(digest).map(|it| it.number)
}

async fn restore(
    arguments: &RollbackArguments,
    objects: &Objects,
    definition: &Definition,
    target: RevisionNumber,
    output: &mut Output,
) -> Result<(), CommandError> {
    arguments.outcome.say(&format!("Rolling back to revision {target}...\n"), output)?;
    output.flush()?;
    let text = target.to_string();
    let mut wanted = vec![(names::ROLLBACK_ANNOTATION, text.as_str())];
    wanted.extend(arguments.force.then_some((names::ROLLBACK_FORCE_ANNOTATION, "true")));
    wanted.extend(arguments.mode.map(|it| (names::ROLLBACK_MODE_ANNOTATION, it.word())));
    forget_mode(arguments, objects, definition).await?;
    let asked = annotate::set(objects, &definition.kind, &definition.object, &wanted).await?;
    let Some(limit) = arguments.wait.limit() else { return Ok(()) };
    let before = definition.revisions.history.highest();
    match until(objects, &definition.kind, asked, limit, |it| answer(it, &text, before)).await? {
        Waited::Seen(Answer::Created(number)) => {
            let words = format!("Created revision {number} (content from revision {target})\n");
            arguments.outcome.say(&words, output)?;
            if is_served_at_once(objects, definition, output).await? {
                let moving = counted_instances(following(objects, definition).await?);
                arguments.outcome.say(&format!("{moving} will reconcile to new revision\n"), output)?;
            }
            Ok(())
        }
        Waited::Seen(Answer::Restored) => {
            let words =
                format!("The definition says again what revision {target} says; no other is needed\n");
            arguments.outcome.say(&words, output)?;
            is_served_at_once(objects, definition, output).await.map(drop)
        }
        Waited::Seen(Answer::Refused(words)) => Err(refused(&words)),
        Waited::Seen(Answer::Withdrawn) => Err(withdrawn(names::ROLLBACK_ANNOTATION)),
        Waited::TimedOut(last) => Err(unanswered(&last, names::ROLLBACK_ANNOTATION, limit)),
    }
}

/// How many instances go where the definition goes.
async fn following(objects: &Objects, definition: &Definition) -> Result<u64, CommandError> {
    let (group, kind) = kind_of_instances(&definition.object);
    let Some(kind) = objects.types.kind(group, kind) else { return Ok(0) };
    let words = [Because::Following, Because::AwaitingAdmission].map(Because::as_str);
    let instances = objects.list(&kind.resource, "").await?.items;
    let reasons = instances.iter().filter_map(assignment).map(|(_, _, because)| because);
    Ok(reasons.filter(|it| words.contains(it)).count() as u64)
}

/// Whether instances go where the definition goes; what holds them is told.
async fn is_served_at_once(
    objects: &Objects,
    definition: &Definition,
    output: &mut Output,
) -> Result<bool, CommandError> {
    let now = subject::definition(objects, definition.name()).await?;
    let release = now.how_to_release();
    let why_not = match &now.revisions.hold {
        Hold::Held { number: held, .. } => format!("revision {held} is held and served all the same"),
        Hold::Invalid(problem) => format!("nobody moves while the hold makes no sense: {problem}"),
        Hold::Released => return Ok(true),
    };
    output.note(&format!("{why_not}; {release}"))?;
    Ok(false)
}

/// What became of a request.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Created(RevisionNumber),
    /// To the content of the newest revision.
    Restored,
    Refused(String),
    Withdrawn,
}

/// The request goes in the write that restores the spec; a revision that is newer than the highest before is told of in the
/// status afterwards.
fn answer(definition: &Value, request: &str, before: Option<RevisionNumber>) -> Option<Answer> {
    match Fate::of(definition, names::ROLLBACK_ANNOTATION, request)? {
        Fate::Refused(words) => return Some(Answer::Refused(words)),
        Fate::Withdrawn => return Some(Answer::Withdrawn),
        Fate::Granted => {}
    }
    let (metadata, status) = (&definition["metadata"], &definition["status"]);
    let latest = status["latestRevision"].as_i64().and_then(RevisionNumber::from_wire);
    if let Some(number) = latest.filter(|it| Some(*it) > before) {
        return Some(Answer::Created(number));
    }
    let is_restoring = metadata["annotations"].get(names::RESTORING_ANNOTATION).is_some();
    let is_seen = status["observedGeneration"] == metadata["generation"];
    (!is_restoring && is_seen).then_some(Answer::Restored)
}

async fn hold(
    arguments: &RollbackArguments,
    objects: &Objects,
    definition: &Definition,
    target: RevisionNumber,
    output: &mut Output,
) -> Result<(), CommandError> {
    arguments.outcome.say(&format!("Holding revision {target}...\n"), output)?;
    output.flush()?;
    let text = target.to_string();
    let mut wanted = vec![(names::ACTIVE_REVISION_ANNOTATION, text.as_str())];
    wanted.extend(arguments.mode.map(|it| (names::ROLLBACK_MODE_ANNOTATION, it.word())));
    forget_mode(arguments, objects, definition).await?;
    let asked = annotate::set(objects, &definition.kind, &definition.object, &wanted).await?;
    let is_served = |it: &Value| (it["status"]["currentRevision"] == target.to_wire()).then_some(());
    if let Some(limit) = arguments.wait.limit() {
        match until(objects, &definition.kind, asked, limit, is_served).await? {
            Waited::Seen(()) => {
                let words = format!("Revision {target} is served whatever the definition says\n");
                arguments.outcome.say(&words, output)?;
            }
            Waited::TimedOut(last) => {
                return Err(unanswered(&last, names::ACTIVE_REVISION_ANNOTATION, limit));
            }
        }
    }
    arguments.outcome.say(&format!("Release it with: krono unpin rgd/{}\n", definition.name()), output)
}

/// The mode of an earlier rollback is not that of this one.
async fn forget_mode(
    arguments: &RollbackArguments,
    objects: &Objects,
    definition: &Definition,
) -> Result<(), CommandError> {
    let key = names::ROLLBACK_MODE_ANNOTATION;
    if arguments.mode.is_some() || definition.object["metadata"]["annotations"].get(key).is_none() {
        return Ok(());
    }
    annotate::remove(objects, &definition.kind, &definition.object, &[key]).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_answer_is_read_off_the_definition() {
        let check = |annotations: Value, latest: i64, seen: i64, expected: Option<Answer>| {
            let definition = json!({
                "metadata": {"annotations": annotations, "generation": 4},
                "status": {"latestRevision": latest, "observedGeneration": seen},
            });
            assert_eq!(answer(&definition, "2", RevisionNumber::new(3)), expected, "{definition}");
        };
        let (answered, restoring) = (names::ANSWERED_ROLLBACK_ANNOTATION, names::RESTORING_ANNOTATION);
        check(json!({names::ROLLBACK_ANNOTATION: "2", answered: "2"}), 3, 4, None);
        check(json!({answered: "2", restoring: "2"}), 3, 4, None);
        check(json!({answered: "2"}), 3, 3, None);
        check(json!({answered: "2"}), 3, 4, Some(Answer::Restored));
        let created = || Some(Answer::Created(RevisionNumber::new(4).expect("a number")));
        check(json!({answered: "2"}), 4, 4, created());
        check(json!({answered: "2", restoring: "2"}), 4, 4, created());
        let noted = json!({answered: "2", names::ROLLBACK_REFUSED_ANNOTATION: "3 revision 2 failed"});
        check(noted, 3, 4, Some(Answer::Refused("revision 2 failed".to_owned())));
        check(json!({}), 3, 4, Some(Answer::Withdrawn));
    }
}
