//! Rolling back an instance.

use std::time::Duration;

use krono_history::diff::Diff;
use krono_history::input::seen_by;
use krono_history::writer::keeper_of_spec;
use krono_history::{Digest, RevisionNumber};
use krono_model::names;
use krono_planner::instance::assignment;
use krono_propagation::assignment::Because;
use krono_views::{InputRow, krono_status};
use serde_json::{Value, json};

use super::super::cluster::objects::Objects;
use super::super::cluster::subject::Instance;
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
    instance: &Instance,
    output: &mut Output,
) -> Result<(), CommandError> {
    let row = target(arguments, instance)?;
    check(arguments, instance, row)?;
    if !is_wanted(arguments, &preview(arguments, instance, row), output)? {
        return Ok(());
    }
    ask(arguments, objects, instance, row, output).await
}

fn target<'i>(arguments: &RollbackArguments, instance: &'i Instance) -> Result<&'i InputRow, CommandError> {
    let name = instance.name();
    if arguments.to_revision.is_some() {
        let error = format!("{name} is an instance; --to-revision is for definitions");
        return Err(CommandError::usage(error).hint(
            "--to-input-revision=N restores what it asked for; `krono pin` chooses its definition's revision",
        ));
    }
    if arguments.mode.is_some() {
        return Err(CommandError::usage(format!("{name} is an instance; --mode is for definitions"))
            .hint("an instance goes back at once"));
    }
    let Some(text) = arguments.to_input_revision.as_deref() else {
        return Err(CommandError::usage("to which input revision? write --to-input-revision=N")
            .hint(instance.those_there()));
    };
    instance.find(number(text)?)
}

fn check(arguments: &RollbackArguments, instance: &Instance, row: &InputRow) -> Result<(), CommandError> {
    check_kept(arguments, instance, row)?;
    let (name, number) = (instance.name(), row.number);
    let is_there = Some(number) == current(&instance.object) && !is_edited(instance, row);
    if is_there && !arguments.hold && held(instance).is_none() {
        return Err(CommandError::wrong(format!(
            "{name} is at input revision {number}; there is nothing to roll back"
        )));
    }
    if arguments.hold {
        return instance.definition_of(row).map_or(Ok(()), |it| instance.definition.check_pin(it));
    }
    match keeper_of_spec(&instance.object) {
        Some(keeper) if !arguments.force => {
            Err(CommandError::wrong(format!("{keeper} keeps the spec of {name} and would undo the rollback"))
                .hint(format!(
                    "hold the input instead: krono rollback {} --to-input-revision={number} --hold",
                    instance.typed()
                ))
                .hint("--force writes the spec all the same"))
        }
        Some(_) | None => Ok(()),
    }
}

/// An error where the spec is lost, or the revision of the definition that is wanted with it.
fn check_kept(
    arguments: &RollbackArguments,
    instance: &Instance,
    row: &InputRow,
) -> Result<(), CommandError> {
    let lost = |what: &str| {
        let (name, number) = (instance.name(), row.number);
        CommandError::wrong(format!(
            "input revision {number} of {name} cannot be restored: {what} is not kept"
        ))
    };
    if row.spec.is_none() && row.restorable == Some(false) {
        return Err(lost("its spec").hint(instance.those_there()));
    }
    match row.definition.filter(|_| !arguments.spec_only && instance.definition_of(row).is_none()) {
        Some(definition) => Err(lost(&format!("revision {definition} of its definition"))
            .hint("--spec-only restores the spec alone")),
        None => Ok(()),
    }
}

/// Whether the spec says something else than the newest input, which is issued when a pause ends.
fn is_edited(instance: &Instance, newest: &InputRow) -> bool {
    let definition = &instance.definition;
    let assigned = instance.assigned().and_then(|it| definition.revisions.find(it));
    let seen = assigned.and_then(|it| seen_by(&definition.spec_of(it), &instance.object["spec"]));
    matches!((seen, &newest.spec), (Some(seen), Some(spec)) if seen.spec != *spec)
}

/// The input that the instance is held at.
fn held(instance: &Instance) -> Option<&str> {
    instance.annotation(names::HOLD_INPUT_ANNOTATION)
}

fn current(instance: &Value) -> Option<RevisionNumber> {
    krono_status(instance, "currentInputRevision").as_i64().and_then(RevisionNumber::from_wire)
}

/// What it loses by its definition's revision, then what is different in its spec.
fn preview<'i>(arguments: &RollbackArguments, instance: &'i Instance, row: &InputRow) -> Preview<'i> {
    let assigned = instance.assigned();
    let going = destination(arguments, instance, row);
    let moved = match (assigned, going.filter(|it| Some(*it) != assigned)) {
        (Some(from), Some(to)) => moved(instance, from, to),
        (_, _) => None,
    };
    let live = &instance.object["spec"];
    let from = current(&instance.object).unwrap_or(row.number);
    // What the spec says may be more than what the revision sees of it.
    let from = Some(from).filter(|it| instance.find(*it).is_ok_and(|it| it.spec.as_ref() == Some(live)));
    let diff = row.spec.as_ref().map(|spec| Diff::of_specs(live, spec));
    let title = from.map_or("the instance".to_owned(), |it| format!("input revision {it}"));
    let difference = diff.as_ref().map_or("What it asked for then is not kept\n".to_owned(), |it| {
        it.to_text_between(&title, &format!("input revision {}", row.number))
    });
    let lost = moved.as_ref().map(|it| it.lost.as_slice()).unwrap_or_default();
    let mut data = preview::data(from, row.number, lost, diff.as_ref());
    if let Some(Moved { from, to, .. }) = &moved {
        data["rgdRevision"] = json!({"from": from.get(), "to": to.get()});
    }
    Preview {
        object: &instance.object,
        text: moved.as_ref().map(Moved::text).unwrap_or_default() + &difference,
        data,
    }
}

/// The way to another revision of the definition.
struct Moved {
    from: RevisionNumber,
    to: RevisionNumber,
    /// What the instance loses on it.
    lost: Vec<String>,
}

impl Moved {
    fn text(&self) -> String {
        format!("Definition revision {} -> {}\n{}", self.from, self.to, lost_text("this", &self.lost))
    }
}

/// Nothing where the content is the same.
fn moved(instance: &Instance, from: RevisionNumber, to: RevisionNumber) -> Option<Moved> {
    let definition = &instance.definition;
    let spec = |number| definition.revisions.find(number).map(|it| definition.spec_of(it));
    let lost = match (spec(from), spec(to)) {
        (Some(old), Some(new)) if Digest::of_definition(&old) == Digest::of_definition(&new) => return None,
        (Some(old), Some(new)) => lost(&old, &new),
        (_, _) => Vec::new(),
    };
    Some(Moved { from, to, lost })
}

/// The revision of the definition that the instance ends at; nothing where the end of a hold leaves that to others.
fn destination(arguments: &RollbackArguments, instance: &Instance, row: &InputRow) -> Option<RevisionNumber> {
    match () {
        () if !arguments.spec_only => instance.definition_of(row),
        () if held(instance).is_none() => instance.assigned(),
        () => None,
    }
}

async fn ask(
    arguments: &RollbackArguments,
    objects: &Objects,
    instance: &Instance,
    row: &InputRow,
    output: &mut Output,
) -> Result<(), CommandError> {
    let text = row.number.to_string();
    let key = if arguments.hold { names::HOLD_INPUT_ANNOTATION } else { names::INPUT_ROLLBACK_ANNOTATION };
    let verb = if arguments.hold { "Holding" } else { "Rolling back to" };
    let outcome = arguments.outcome;
    outcome.say(&format!("{verb} input revision {text}...\n"), output)?;
    output.flush()?;
    let mut wanted = vec![(key, text.as_str())];
    wanted.extend(arguments.force.then_some((names::ROLLBACK_FORCE_ANNOTATION, "true")));
    wanted.extend(arguments.spec_only.then_some((names::ROLLBACK_SPEC_ONLY_ANNOTATION, "true")));
    let asked = annotate::set(objects, &instance.kind, &instance.object, &wanted).await?;
    match arguments.wait.limit() {
        Some(limit) if arguments.hold => in_force(objects, instance, row, asked, limit).await?,
        Some(limit) => answered(objects, instance, asked, &text, limit).await?,
        None => {}
    }
    if let Some(number) = destination(arguments, instance, row) {
        outcome.say(&format!("Instance will reconcile to RGD revision {number}\n"), output)?;
    }
    match held(instance) {
        _ if arguments.hold => {
            outcome.say(&format!("Release it with: krono unpin {}\n", instance.typed()), output)?;
        }
        Some(before) => outcome.say(&format!("Input revision {before} is no longer held\n"), output)?,
        None => {}
    }
    outcome.show_again(objects, &instance.kind, &instance.object, output).await
}

/// Waits until a hold is in force.
async fn in_force(
    objects: &Objects,
    instance: &Instance,
    row: &InputRow,
    asked: Value,
    limit: Duration,
) -> Result<(), CommandError> {
    let content = row.content.or_else(|| {
        let number = instance.definition_of(row)?;
        Some(instance.definition.revisions.history.find(number)?.digest)
    });
    let before = krono_status(&instance.object, "assignment");
    let vain = |words: &str| {
        let error = format!("input revision {} of {} is not in force: {words}", row.number, instance.name());
        CommandError::wrong(error).hint(format!("`krono unpin {}` takes the hold away", instance.typed()))
    };
    match until(objects, &instance.kind, asked, limit, |it| standing(it, before, content)).await? {
        Waited::Seen(Standing::InForce) => Ok(()),
        Waited::Seen(Standing::Vain(words)) => Err(vain(&words)),
        Waited::TimedOut(last) => match krono_status(&last, "assignment")["message"].as_str() {
            Some(words) => Err(vain(words)),
            None => Err(unanswered(&last, names::HOLD_INPUT_ANNOTATION, limit)),
        },
    }
}

/// How a hold stands.
#[derive(Debug, PartialEq, Eq)]
enum Standing {
    InForce,
    /// In the words of the controller.
    Vain(String),
}

/// As the status of the instance tells; nothing while that is what it was `before`.
fn standing(instance: &Value, before: &Value, wanted: Option<Digest>) -> Option<Standing> {
    let record = krono_status(instance, "assignment");
    let is_there = assignment(instance).is_some_and(|(_, content, because)| {
        because == Because::InputHeld.as_str() && wanted.is_none_or(|it| it == content)
    });
    let is_paused = record["because"] == Because::Paused.as_str();
    match record["message"].as_str() {
        _ if is_there && record["reason"] != "HoldInvalid" => Some(Standing::InForce),
        _ if is_paused => Some(Standing::Vain("it is paused, and held when that ends".to_owned())),
        Some(words) if record != before => Some(Standing::Vain(words.to_owned())),
        Some(_) | None => None,
    }
}

async fn answered(
    objects: &Objects,
    instance: &Instance,
    asked: Value,
    request: &str,
    limit: Duration,
) -> Result<(), CommandError> {
    let key = names::INPUT_ROLLBACK_ANNOTATION;
    match until(objects, &instance.kind, asked, limit, |it| Fate::of(it, key, request)).await? {
        Waited::Seen(Fate::Granted) => Ok(()),
        Waited::Seen(Fate::Refused(words)) => Err(refused(&words)),
        Waited::Seen(Fate::Withdrawn) => Err(withdrawn(key)),
        Waited::TimedOut(last) => Err(unanswered(&last, key, limit)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v22_how_a_hold_stands_is_read_off_the_instance() {
        let content = |letter: &str| Digest::of_content("test", &json!(letter));
        let told = |because: &str, letter: &str, reason: Option<&str>| {
            let message = reason.map(|it| format!("because of {it}"));
            json!({
                "revision": 1, "digest": content(letter).to_string(), "because": because,
                "reason": reason, "message": message,
            })
        };
        let before = told("Following", "b", Some("PinForbidden"));
        let check = |assignment: &Value, expected: Option<Standing>| {
            let instance = json!({"status": {"assignment": assignment}});
            assert_eq!(standing(&instance, &before, Some(content("a"))), expected, "{assignment}");
        };
        check(&before, None);
        check(&told("Following", "b", None), None);
        check(&told("InputHeld", "b", None), None);
        check(&told("InputHeld", "a", None), Some(Standing::InForce));
        check(&told("InputHeld", "a", Some("OrderInvalid")), Some(Standing::InForce));
        let vain = |words: &str| Some(Standing::Vain(words.to_owned()));
        check(&told("InputHeld", "a", Some("HoldInvalid")), vain("because of HoldInvalid"));
        check(
            &told("MinimumRevision", "b", Some("BelowMinimumRevision")),
            vain("because of BelowMinimumRevision"),
        );
        check(&told("Paused", "b", None), vain("it is paused, and held when that ends"));
    }
}
