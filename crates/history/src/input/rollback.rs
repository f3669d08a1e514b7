//! Requests to have an older input back, or to be held at it.

use serde_json::Value;

use super::{Input, Inputs};
use crate::answered::Answered;
use crate::number::NotANumber;
use crate::retention::Restorable;
use crate::revision::{Health, History};
use crate::rollback::Force;
use crate::writer::Writer;
use crate::{Digest, RevisionNumber};

/// A request to roll an instance back, as it stands on it or on a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// What was asked for.
    pub text: &'a str,
    /// Whoever asked, where managed fields tell.
    pub writer: Option<Writer>,
    /// Whether it is meant even though a tool would put the spec back.
    pub force: Force,
    /// How much is restored.
    pub scope: Scope,
    /// What the API server said when it was asked to write the spec back and did not want to.
    pub rejected: Option<&'a str>,
}

/// How much of an input is restored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The spec, and the revision of the definition.
    #[default]
    Whole,
    /// The spec alone.
    SpecOnly,
}

/// What a request is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// The instance as a command names it, such as `application/my-app`.
    pub name: &'a str,
    /// Where it is; empty where that is no namespace.
    pub namespace: &'a str,
    /// What its spec says, as the assigned revision sees it; while it is paused, no input may say so.
    pub spec: &'a Value,
    /// The content of the assigned revision.
    pub assigned: Digest,
    /// Its input revisions.
    pub inputs: &'a Inputs,
    /// The highest number ever issued, as far as anybody knows.
    pub highest: Option<RevisionNumber>,
    /// The revisions of the definition that are there.
    pub definitions: &'a History,
    /// The content that instances move to.
    pub current: Option<Digest>,
    /// Whether this one does so by itself, once it is neither pinned nor held.
    pub follows: bool,
    /// The text of the pin that the instance has.
    pub pin: Option<&'a str>,
    /// Whether it is held at an input, whatever its spec says; that ends with a rollback.
    pub is_held: bool,
    /// Whether the platform owner lets instances be pinned.
    pub may_pin: bool,
    /// The lowest number that the platform owner lets anybody run.
    pub minimum: Option<RevisionNumber>,
    /// The tool that would put the spec back.
    pub keeper: Option<&'a str>,
    /// The requests that were answered.
    pub answered: &'a Answered,
}

/// What comes of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The spec is written back, and the pin with it.
    Restore {
        /// The input revision.
        number: RevisionNumber,
        /// Its spec.
        spec: Value,
        /// What becomes of the pin.
        pin: Pin,
    },
    /// Nothing is changed but the request, which is answered.
    Refused(Refusal),
    /// A tool has put an answered request back; it is left alone until its text changes.
    PutBack {
        /// The tool.
        manager: String,
    },
}

/// What a rollback does to a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pin {
    /// It stays as it is, or there is none.
    Stays,
    /// It names this revision.
    Set(RevisionNumber),
    /// It goes: the revision is current, and the instance follows that.
    Goes,
}

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is no number.
    #[error(transparent)]
    NotANumber(#[from] NotANumber),
    /// That number was never issued.
    #[error("there is no input revision {target} of {name}{}", newest(*.highest))]
    Unknown {
        /// The instance.
        name: String,
        /// What was asked for.
        target: RevisionNumber,
        /// The highest that was ever issued.
        highest: Option<RevisionNumber>,
    },
    /// It was there once.
    #[error("input revision {target} of {name} is no longer kept{}", oldest(*.kept))]
    Pruned {
        /// The instance.
        name: String,
        /// What was asked for.
        target: RevisionNumber,
        /// The oldest that is kept.
        kept: Option<RevisionNumber>,
    },
    /// Its spec was dropped for want of room, or with the object that held it.
    #[error(
        "input revision {target} of {name} cannot be restored: there was no room for its spec, or its object was deleted; \
             set revisionManagement.inputRevisions: Objects to keep all of them"
    )]
    SpecDropped {
        /// The instance.
        name: String,
        /// What was asked for.
        target: RevisionNumber,
    },
    /// No revision of the definition has its content any longer.
    #[error(
        "input revision {target} of {name} cannot be restored: revision {definition} of its definition was pruned; \
             restore the spec alone with --spec-only"
    )]
    DefinitionPruned {
        /// The instance.
        name: String,
        /// What was asked for.
        target: RevisionNumber,
        /// The revision of the definition.
        definition: RevisionNumber,
    },
    /// The revision of the definition does not compile any longer.
    #[error(
        "input revision {target} of {name} cannot be restored: revision {definition} of its definition cannot be \
             served: {reason}"
    )]
    DefinitionUnusable {
        /// The instance.
        name: String,
        /// What was asked for.
        target: RevisionNumber,
        /// The revision of the definition.
        definition: RevisionNumber,
        /// Why.
        reason: String,
    },
    /// It is what the instance asks for.
    #[error("{name} asks for what input revision {target} says already; there is nothing to roll back")]
    SameContent {
        /// The instance.
        name: String,
        /// What was asked for.
        target: RevisionNumber,
    },
    /// The platform owner forbids pins, or this one.
    #[error(
        "input revision {target} of {name} needs a pin to revision {definition}, which the definition forbids; \
             restore the spec alone with --spec-only"
    )]
    PinForbidden {
        /// The instance.
        name: String,
        /// What was asked for.
        target: RevisionNumber,
        /// The revision of the definition.
        definition: RevisionNumber,
    },
    /// A tool would put the spec back.
    #[error(
        "{keeper} keeps the spec of {name} and would undo the rollback; hold the input instead: \
             krono rollback {name}{} --to-input-revision={target} --hold, or write the spec with --force",
        within(.namespace)
    )]
    Kept {
        /// The instance.
        name: String,
        /// Where it is; empty where that is no namespace.
        namespace: String,
        /// What was asked for.
        target: RevisionNumber,
        /// The tool.
        keeper: String,
    },
    /// The API server does not take the spec.
    #[error("the API server does not take the spec of input revision {target} for {name}: {words}")]
    Rejected {
        /// The instance.
        name: String,
        /// What was asked for.
        target: RevisionNumber,
        /// What it said.
        words: String,
    },
}

/// How a command is told where an object is.
fn within(namespace: &str) -> String {
    if namespace.is_empty() { String::new() } else { format!(" -n {namespace}") }
}

fn newest(highest: Option<RevisionNumber>) -> String {
    highest.map_or_else(|| "; none was issued yet".to_owned(), |it| format!("; the newest is {it}"))
}

fn oldest(kept: Option<RevisionNumber>) -> String {
    kept.map_or_else(|| "; none is kept".to_owned(), |it| format!("; the oldest that is kept is {it}"))
}

/// What comes of a request.
pub fn judge(request: &Request<'_>, situation: &Situation<'_>) -> Verdict {
    match situation.answered.put_back(request.text, request.writer.as_ref()) {
        Some(manager) => Verdict::PutBack { manager },
        None => checked(request, situation).unwrap_or_else(Verdict::Refused),
    }
}

fn checked(request: &Request<'_>, situation: &Situation<'_>) -> Result<Verdict, Refusal> {
    let target: RevisionNumber = request.text.parse()?;
    let name = || situation.name.to_owned();
    let input = situation.inputs.find(target).ok_or_else(|| missing(target, situation))?;
    let spec = input.unpacked().ok_or_else(|| Refusal::SpecDropped { name: name(), target })?;
    let pin = match request.scope {
        Scope::SpecOnly => Pin::Stays,
        Scope::Whole => pin(input, situation)?,
    };
    let is_same = match request.scope {
        Scope::Whole => Digest::of_input(situation.spec, situation.assigned) == input.digest,
        Scope::SpecOnly => *situation.spec == spec,
    };
    if !situation.is_held && is_same {
        return Err(Refusal::SameContent { name: name(), target });
    }
    if let (Some(keeper), Force::No) = (situation.keeper, request.force) {
        return Err(Refusal::Kept {
            name: name(),
            namespace: situation.namespace.to_owned(),
            target,
            keeper: keeper.to_owned(),
        });
    }
    if let Some(words) = request.rejected {
        return Err(Refusal::Rejected { name: name(), target, words: words.to_owned() });
    }
    Ok(Verdict::Restore { number: target, spec, pin })
}

/// The pin that makes an instance run what an input was for.
fn pin(input: &Input, situation: &Situation<'_>) -> Result<Pin, Refusal> {
    let (name, target) = (|| situation.name.to_owned(), input.number);
    if situation.follows && situation.current == Some(input.definition.digest) {
        return Ok(if situation.pin.is_some() { Pin::Goes } else { Pin::Stays });
    }
    let Some(revision) = situation.definitions.newest_with(input.definition.digest) else {
        return Err(Refusal::DefinitionPruned { name: name(), target, definition: input.definition.number });
    };
    if let Health::DoesNotCompile(reason) = &revision.health {
        let (definition, reason) = (revision.number, reason.clone());
        return Err(Refusal::DefinitionUnusable { name: name(), target, definition, reason });
    }
    if stays_by_itself(input, situation) {
        return Ok(Pin::Stays);
    }
    let is_low = situation.minimum.is_some_and(|it| revision.number < it);
    if !situation.may_pin || is_low {
        return Err(Refusal::PinForbidden { name: name(), target, definition: revision.number });
    }
    let is_pinned = situation.pin.is_some_and(|it| it == revision.number.to_string());
    Ok(if is_pinned { Pin::Stays } else { Pin::Set(revision.number) })
}

/// Whether an instance that follows nothing has the content of an input and keeps it; the end of a hold may leave it to an approval.
fn stays_by_itself(input: &Input, situation: &Situation<'_>) -> bool {
    let content = input.definition.digest;
    let is_there = !situation.follows && !situation.is_held && situation.assigned == content;
    let is_of_content = |pin: &str| {
        let number = pin.parse().ok();
        number.and_then(|it| situation.definitions.find(it)).is_some_and(|it| it.digest == content)
    };
    is_there && situation.pin.is_none_or(is_of_content)
}

fn missing(target: RevisionNumber, situation: &Situation<'_>) -> Refusal {
    let name = situation.name.to_owned();
    match situation.highest {
        Some(highest) if target <= highest => {
            Refusal::Pruned { name, target, kept: situation.inputs.iter().last().map(|it| it.number) }
        }
        highest => Refusal::Unknown { name, target, highest },
    }
}

/// Why an instance cannot be held at an input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HoldProblem {
    /// It is no number.
    #[error(transparent)]
    NotANumber(#[from] NotANumber),
    /// There is no such input revision.
    #[error("input revision {0} is not kept; hold one that is, or remove the annotation")]
    Unknown(RevisionNumber),
    /// Its spec was dropped for want of room, or with the object that held it.
    #[error(
        "there was no room for the spec of input revision {0}, or its object was deleted; hold another one, or remove the \
             annotation"
    )]
    SpecDropped(RevisionNumber),
    /// No revision of the definition has its content any longer.
    #[error(
        "revision {definition} of the definition, which input revision {number} was for, was pruned; hold another \
             one, or remove the annotation"
    )]
    DefinitionPruned {
        /// The input revision.
        number: RevisionNumber,
        /// The revision of the definition.
        definition: RevisionNumber,
    },
}

/// The input that an instance is held at, and its spec.
pub fn hold<'i>(
    text: &str,
    inputs: &'i Inputs,
    definitions: &History,
) -> Result<(&'i Input, Value), HoldProblem> {
    let input = held(text, inputs, definitions)?;
    let spec = input.unpacked().ok_or(HoldProblem::SpecDropped(input.number))?;
    Ok((input, spec))
}

/// The input that an instance is held at.
pub fn held<'i>(text: &str, inputs: &'i Inputs, definitions: &History) -> Result<&'i Input, HoldProblem> {
    let number: RevisionNumber = text.parse()?;
    let input = inputs.find(number).ok_or(HoldProblem::Unknown(number))?;
    match input.restorable(definitions) {
        Restorable::Yes => Ok(input),
        Restorable::SpecDropped => Err(HoldProblem::SpecDropped(number)),
        Restorable::DefinitionPruned => {
            Err(HoldProblem::DefinitionPruned { number, definition: input.definition.number })
        }
    }
}
