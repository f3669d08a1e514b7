//! `krono pin`, `unpin` and `approve`.

use jiff::Timestamp;
use krono_history::RevisionNumber;
use krono_history::hold::{Hold, Place};
use krono_history::writer::keeper_of_annotation;
use krono_model::names;
use krono_propagation::limits::{Allowance, Limits, Policy};
use krono_views::{RevisionRows, assigned_revision};
use serde_json::Value;

use super::cluster::annotate;
use super::cluster::objects::Objects;
use super::cluster::subject::{self, Definition, Instance, Subject};
use super::server::block_on;
use crate::arguments::outcome::ChangeArguments;
use crate::arguments::pin::{ApproveArguments, PinArguments, UnpinArguments};
use crate::arguments::target::{Bare, Grammar, PlaceArguments, Target, number};
use crate::command_error::CommandError;
use crate::output::Output;

pub(crate) fn pin(arguments: &PinArguments, output: &mut Output) -> Result<(), CommandError> {
    block_on(async {
        let wanted = arguments.rgd_revision.as_deref().map(number).transpose()?;
        let PinArguments { place, object, change, .. } = arguments;
        let (objects, instance, typed) = instance(place, object, *change, wanted.is_none()).await?;
        let number = wanted.or(typed).ok_or_else(|| {
            CommandError::usage("which revision? name it behind the instance, or with --rgd-revision")
                .hint(instance.definition.those_there())
        })?;
        instance.definition.find(number)?;
        instance.definition.check_pin(number)?;
        instance.definition.check_pin_lasts(number, Timestamp::now())?;
        warn_of_keeper(&instance.object, names::RGD_REVISION, output)?;
        warn_of_nobody(&instance, output)?;
        if instance.annotation(names::UNPINNED_ANNOTATION).is_some() {
            // What becomes of this pin is another story.
            let trace = [names::UNPINNED_ANNOTATION];
            annotate::remove(&objects, &instance.kind, &instance.object, &trace).await?;
        }
        let pinned = set(&objects, &instance, names::RGD_REVISION, number).await?;
        change.say(&format!("Instance pinned to RGD revision {number}"), output)?;
        change.say("Will not receive updates from newer RGD revisions", output)?;
        change.show(&pinned, output)
    })
}

pub(crate) fn approve(arguments: &ApproveArguments, output: &mut Output) -> Result<(), CommandError> {
    block_on(async {
        let wanted = arguments.rgd_revision.as_deref().map(number).transpose()?;
        let ApproveArguments { place, object, change, .. } = arguments;
        let (objects, instance, typed) = instance(place, object, *change, wanted.is_none()).await?;
        let current = || instance.definition.revisions.current().map(|it| it.number);
        let number = wanted.or(typed).or_else(current).ok_or_else(|| {
            CommandError::wrong(format!("rgd/{} has no revision to approve yet", instance.definition.name()))
        })?;
        instance.definition.find(number)?;
        if let Some(assigned) = instance.assigned().filter(|it| number < *it) {
            let message =
                format!("{} is at revision {assigned}, and an approval takes nobody back", instance.name());
            return Err(CommandError::wrong(message).hint("krono pin and krono rollback do"));
        }
        refuse_unless_manual(&instance)?;
        warn_of_hold(&instance.definition, number, output)?;
        warn_of_nobody(&instance, output)?;
        let approved = set(&objects, &instance, names::APPROVE_REVISION_ANNOTATION, number).await?;
        change.say(&approval(&instance, number), output)?;
        change.show(&approved, output)
    })
}

pub(crate) fn unpin(arguments: &UnpinArguments, output: &mut Output) -> Result<(), CommandError> {
    block_on(async {
        let (target, _) = Grammar { revisions: 0, bare: Bare::IsWrong }.read(&arguments.object)?;
        let change = arguments.change;
        let (objects, found) = read(&arguments.place, &target, change).await?;
        let changed = match found {
            Subject::Definition(it) => release(&objects, &it, change, output).await?,
            Subject::Instance(it) => free(&objects, &it, change, output).await?,
        };
        change.show(&changed, output)
    })
}

async fn instance(
    place: &PlaceArguments,
    words: &[String],
    change: ChangeArguments,
    takes_revision: bool,
) -> Result<(Objects, Instance, Option<RevisionNumber>), CommandError> {
    let grammar = Grammar { revisions: usize::from(takes_revision), bare: Bare::IsWrong };
    let (target, typed) = grammar.read(words)?;
    let (objects, found) = read(place, &target, change).await?;
    Ok((objects, found.into_instance()?, typed.first().copied()))
}

/// What somebody named, to be changed or only as though.
async fn read(
    place: &PlaceArguments,
    target: &Target,
    change: ChangeArguments,
) -> Result<(Objects, Subject), CommandError> {
    let (objects, found) = subject::read(place, target).await?;
    Ok((Objects { is_trial: change.dry_run, ..objects }, found))
}

async fn set(
    objects: &Objects,
    instance: &Instance,
    key: &str,
    number: RevisionNumber,
) -> Result<Value, CommandError> {
    let text = number.to_string();
    annotate::set(objects, &instance.kind, &instance.object, &[(key, &text)]).await
}

/// Ends the pin and the hold of an instance; gives the instance as it is then.
async fn free(
    objects: &Objects,
    instance: &Instance,
    change: ChangeArguments,
    output: &mut Output,
) -> Result<Value, CommandError> {
    let keys = [names::RGD_REVISION, names::HOLD_INPUT_ANNOTATION];
    let there: Vec<&str> = keys.into_iter().filter(|it| annotation(&instance.object, it).is_some()).collect();
    if there.is_empty() {
        change.outcome.say(&format!("{} is not pinned\n", instance.name()), output)?;
        return Ok(instance.object.clone());
    }
    for key in &there {
        warn_of_keeper(&instance.object, key, output)?;
    }
    let pin = instance.annotation(names::RGD_REVISION).map(|it| (names::UNPINNED_ANNOTATION, Some(it)));
    let changes: Vec<(&str, Option<&str>)> = there.iter().map(|it| (*it, None)).chain(pin).collect();
    let freed = annotate::change(objects, &instance.kind, &instance.object, &changes).await?;
    if let Some(input) = annotation(&instance.object, names::HOLD_INPUT_ANNOTATION) {
        let words = format!("Input revision {input} is no longer held, the spec of the instance is used");
        change.say(&words, output)?;
    }
    if there.contains(&names::RGD_REVISION) {
        let next = match instance.policy() {
            Some(Policy::Manual) => "newer RGD revisions wait for approval",
            Some(Policy::Paused) => "and is left alone while it is paused",
            Some(Policy::Auto) | None => "will use latest RGD revision",
        };
        change.say(&format!("Instance unpinned, {next}"), output)?;
    }
    Ok(freed)
}

/// Ends the hold of a definition; gives the definition as it is then.
async fn release(
    objects: &Objects,
    definition: &Definition,
    change: ChangeArguments,
    output: &mut Output,
) -> Result<Value, CommandError> {
    let key = names::ACTIVE_REVISION_ANNOTATION;
    let name = definition.name();
    let Some(held) = definition.annotation(key) else {
        let error = match &definition.revisions.hold {
            Hold::Released => {
                change.outcome.say(&format!("rgd/{name} is not held\n"), output)?;
                return Ok(definition.object.clone());
            }
            Hold::Held { number, by: Place::Mark { given_up, .. } } => {
                format!("rgd/{name} holds revision {number} since revision {given_up} was given up")
            }
            Hold::Held { .. } | Hold::Invalid(_) => {
                let field = &definition.object["spec"]["revisionManagement"]["activeRevision"];
                format!("rgd/{name} holds revision {field} by its own spec")
            }
        };
        return Err(CommandError::wrong(error).hint(definition.how_to_release()));
    };
    warn_of_keeper(&definition.object, key, output)?;
    let released = annotate::remove(objects, &definition.kind, &definition.object, &[key]).await?;
    let left = RevisionRows::new(&released, &definition.objects).hold;
    let but = if left == Hold::Released { "" } else { "but " };
    change.say(&format!("Revision {held} is no longer held, {but}{left}"), output)?;
    Ok(released)
}

/// An approval that nobody waits for would let the instance move at once when it waits for one some day.
fn refuse_unless_manual(instance: &Instance) -> Result<(), CommandError> {
    let key = names::UPDATE_POLICY_ANNOTATION;
    let hint = match instance.policy() {
        Some(Policy::Manual) => return Ok(()),
        Some(Policy::Paused) => format!("it is left alone while it is paused: {key} says so"),
        Some(Policy::Auto) => {
            "it moves by itself, when its turn comes; krono pin takes it to a revision, and krono why \
            tells what it waits for"
                .to_owned()
        }
        None => format!("its {key} is none that counts; krono why tells why"),
    };
    let message = format!("{} needs no approval: its {key} is not Manual", instance.name());
    Err(CommandError::wrong(message).hint(hint))
}

/// What comes of an approval: a hold of the instance goes before it, and so does a pin (V14).
fn approval(instance: &Instance, number: RevisionNumber) -> String {
    match stronger(instance, Timestamp::now()) {
        Some(what) => {
            let end = instance.typed();
            format!(
                "RGD revision {number} is approved, and {what} goes before that; `krono unpin {end}` ends it"
            )
        }
        None => format!("Instance may move to RGD revision {number}"),
    }
}

/// What of an instance goes before an approval, if anything does.
fn stronger(instance: &Instance, now: Timestamp) -> Option<String> {
    let definition = &instance.definition;
    let limits = Limits::read(&definition.object["spec"]["revisionManagement"]["instances"]).limits;
    let has_ended = |pin: &str| pin.parse().is_ok_and(|it| definition.check_pin_lasts(it, now).is_err());
    let hold = instance.annotation(names::HOLD_INPUT_ANNOTATION);
    let hold = hold.map(|it| format!("the hold at input revision {it}"));
    let pin = instance.annotation(names::RGD_REVISION).filter(|it| !has_ended(it));
    let pin = || pin.map(|it| format!("the pin to RGD revision {it}"));
    hold.or_else(pin).filter(|_| limits.pins == Allowance::Allowed)
}

/// What is newer than what is held has to wait.
fn warn_of_hold(
    definition: &Definition,
    number: RevisionNumber,
    output: &mut Output,
) -> Result<(), CommandError> {
    match definition.revisions.hold {
        Hold::Held { number: held, .. } if number > held => output.warn(&format!(
            "revision {held} is held, and the approval of revision {number} waits; {}",
            definition.how_to_release()
        )),
        Hold::Held { .. } | Hold::Released | Hold::Invalid(_) => Ok(()),
    }
}

fn warn_of_keeper(object: &Value, key: &str, output: &mut Output) -> Result<(), CommandError> {
    match keeper_of_annotation(object, key) {
        Some(tool) => output
            .warn(&format!("{tool} keeps the annotation {key} and may put it back; change it there too")),
        None => Ok(()),
    }
}

/// Whoever looks after an instance tells which revision it is assigned to; else nobody may read what is written here.
fn warn_of_nobody(instance: &Instance, output: &mut Output) -> Result<(), CommandError> {
    match assigned_revision(&instance.object) {
        Some(_) => Ok(()),
        None => output.warn(&format!(
            "{} has not been assigned to a revision; this acts once a controller that assigns revisions looks after it",
            instance.name()
        )),
    }
}

fn annotation<'o>(object: &'o Value, key: &str) -> Option<&'o str> {
    object["metadata"]["annotations"][key].as_str()
}
