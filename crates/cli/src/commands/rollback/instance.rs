//! Rolling back an instance.

use krono_history::diff::Diff;
use krono_history::writer::keeper_of_spec;
use krono_history::{Digest, RevisionNumber};
use krono_model::names;
use krono_views::{InputRow, assigned_revision, krono_status};
use serde_json::Value;

use super::super::cluster::objects::Objects;
use super::super::cluster::subject::Instance;
use super::super::cluster::wait::{Waited, until};
use super::super::cluster::{annotate, unanswered};
use super::definition::lost;
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
    let Some(text) = arguments.to_input_revision.as_deref() else {
        return Err(CommandError::usage("to which input revision? write --to-input-revision=N")
            .hint(instance.those_there()));
    };
    instance.find(number(text)?)
}

fn check(arguments: &RollbackArguments, instance: &Instance, row: &InputRow) -> Result<(), CommandError> {
    let (name, number) = (instance.name(), row.number);
    if row.restorable == Some(false) {
        let error = format!(
            "input revision {number} of {name} cannot be restored: its content or its definition is not kept"
        );
        return Err(CommandError::wrong(error).hint(instance.those_there()));
    }
    if Some(number) == current(&instance.object) && !arguments.hold {
        return Err(CommandError::wrong(format!(
            "{name} is at input revision {number}; there is nothing to roll back"
        )));
    }
    if arguments.hold {
        return row.definition.map_or(Ok(()), |it| instance.definition.check_pin(it));
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

fn current(instance: &Value) -> Option<RevisionNumber> {
    krono_status(instance, "currentInputRevision").as_i64().and_then(RevisionNumber::from_wire)
}

/// What it loses by its definition's revision, then what is different in its spec.
fn preview(arguments: &RollbackArguments, instance: &Instance, row: &InputRow) -> String {
    let assigned = assigned_revision(&instance.object);
    let going = destination(arguments, instance, row);
    let moved = match (assigned, going.filter(|it| Some(*it) != assigned)) {
        (Some(from), Some(to)) => moved(instance, from, to),
        (_, _) => String::new(),
    };
    let from = current(&instance.object).unwrap_or(row.number);
    match &row.spec {
        Some(spec) => {
            let live = &instance.object["spec"];
            // What the spec says may be more than what the revision sees of it.
            let is_input = instance.find(from).is_ok_and(|it| it.spec.as_ref() == Some(live));
            let title = if is_input { format!("input revision {from}") } else { "the instance".to_owned() };
            let difference = Diff::of_specs(live, spec);
            moved + &difference.to_text_between(&title, &format!("input revision {}", row.number))
        }
        None => moved + "What it asked for then is not kept\n",
    }
}

fn moved(instance: &Instance, from: RevisionNumber, to: RevisionNumber) -> String {
    let definition = &instance.definition;
    let spec = |number| definition.revisions.find(number).map(|it| definition.spec_of(it));
    let lost = match (spec(from), spec(to)) {
        (Some(old), Some(new)) if Digest::of_definition(&old) == Digest::of_definition(&new) => {
            return String::new();
        }
        (Some(old), Some(new)) => lost(&old, &new),
        (_, _) => String::new(),
    };
    format!("Definition revision {from} -> {to}\n{lost}")
}

/// The revision of the definition that the instance ends at.
fn destination(arguments: &RollbackArguments, instance: &Instance, row: &InputRow) -> Option<RevisionNumber> {
    if arguments.spec_only { assigned_revision(&instance.object) } else { row.definition }
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
    output.text(&format!("{verb} input revision {text}...\n"))?;
    output.flush()?;
    let mut wanted = vec![(key, text.as_str())];
    wanted.extend(arguments.force.then_some((names::ROLLBACK_FORCE_ANNOTATION, "true")));
    wanted.extend(arguments.spec_only.then_some((names::ROLLBACK_SPEC_ONLY_ANNOTATION, "true")));
    wanted.extend(arguments.mode.map(|it| (names::ROLLBACK_MODE_ANNOTATION, it.word())));
    let asked = annotate::set(objects, &instance.kind, &instance.object, &wanted).await?;
    if let Some(limit) = arguments.wait.limit().filter(|_| !arguments.hold) {
        answered(objects, instance, asked, &text, limit).await?;
    }
    if let Some(number) = destination(arguments, instance, row) {
        output.text(&format!("Instance will reconcile to RGD revision {number}\n"))?;
    }
    if arguments.hold {
        output.text(&format!("Release it with: krono unpin {}\n", instance.typed()))?;
    }
    Ok(())
}

async fn answered(
    objects: &Objects,
    instance: &Instance,
    asked: Value,
    request: &str,
    limit: std::time::Duration,
) -> Result<(), CommandError> {
    let key = names::INPUT_ROLLBACK_ANNOTATION;
    match until(objects, &instance.kind, asked, limit, |it| Fate::of(it, key, request)).await? {
        Waited::Seen(Fate::Granted) => Ok(()),
        Waited::Seen(Fate::Refused(words)) => Err(refused(&words)),
        Waited::Seen(Fate::Withdrawn) => Err(withdrawn(key)),
        Waited::TimedOut(last) => Err(unanswered(&last, key, limit)),
    }
}
