//! Requests that stand on an instance, and their answers.

use std::collections::BTreeSet;

use krono_history::answered::Answered;
use krono_history::input::{Pin, Refusal, Request, Scope, Situation, Verdict, judge};
use krono_history::issue::Notice as OfLineage;
use krono_history::rollback::Force;
use krono_history::witness::Notes;
use krono_history::writer::{Writer, author_of_request, is_forced, keeper_of_spec, writer_of_request};
use krono_history::{Digest, RevisionNumber, excerpt};
use krono_model::definition::{ROLLBACK_IGNORED, ROLLBACK_REFUSED};
use krono_model::names;
use krono_model::wire::Author;
use krono_propagation::limits::Policy;
use serde_json::{Value, json};

use super::super::{Action, text};
use super::Asked;
use crate::refused;

/// A request to roll an instance back, as it stands on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rollback {
    /// What was asked for; nothing where only a definition would understand the request.
    pub text: Option<String>,
    /// The text of a request that only definitions understand.
    pub of_definition: Option<String>,
    /// Whoever asked, where managed fields tell.
    pub writer: Option<Writer>,
    /// The same, for people.
    pub by: Option<Author>,
    /// Whether it is meant even though a tool would put the spec back.
    pub force: Force,
    /// The tool that would put the spec back.
    pub keeper: Option<String>,
    /// The version of the instance that all this was read from.
    pub version: String,
    /// Whether the kind has been made to take what the request leads to.
    pub room: Room,
}

/// Whether the CRD of a kind serves the revision that a request leads to, which may know fields that no other does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Room {
    /// Nobody has asked the definition for it.
    #[default]
    Unasked,
    /// The definition is asked to serve this content, and has not looked yet.
    Awaited(Digest),
    /// The definition has done for this content what it can.
    Settled(Digest),
}

impl Rollback {
    /// The request that stands on an instance, which has its managed fields: caches do not know who wrote what.
    pub fn of(live: &Value, notes: Notes) -> Option<Self> {
        let note = |key: &str| live["metadata"]["annotations"][key].as_str().map(str::to_owned);
        let key = REQUESTS.into_iter().find(|it| note(it).is_some())?;
        Some(Self {
            text: note(names::INPUT_ROLLBACK_ANNOTATION),
            of_definition: note(names::ROLLBACK_ANNOTATION),
            writer: writer_of_request(live, key),
            by: author_of_request(live, key, notes),
            force: if is_forced(live, key) { Force::Yes } else { Force::No },
            keeper: keeper_of_spec(live),
            version: text(live, "resourceVersion").to_owned(),
            room: Room::Unasked,
        })
    }

    /// Whether there is one, with or without managed fields.
    pub fn is_asked(instance: &Value) -> bool {
        REQUESTS.iter().any(|it| !instance["metadata"]["annotations"][it].is_null())
    }
}

/// Something that people should hear of once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// In one word.
    pub reason: &'static str,
    /// In a sentence.
    pub note: String,
    /// Whether something is not as somebody wished.
    pub is_warning: bool,
}

impl Notice {
    /// Something is not as somebody wished.
    pub(in super::super) fn warning(reason: &'static str, note: String) -> Self {
        Self { reason, note, is_warning: true }
    }
}

/// Requests to roll back, the one that is meant for instances first.
const REQUESTS: [&str; 2] = [names::INPUT_ROLLBACK_ANNOTATION, names::ROLLBACK_ANNOTATION];

/// What is said about a request stands beside it and goes with it.
const BESIDE: [&str; 3] =
    [names::ROLLBACK_FORCE_ANNOTATION, names::ROLLBACK_MODE_ANNOTATION, names::ROLLBACK_SPEC_ONLY_ANNOTATION];

/// What comes of a request.
pub(in super::super) enum Answer {
    /// It is answered by this.
    Given(Action, Notice),
    /// It stands, and nothing comes of it: it was answered before, or cannot be answered now.
    Withheld(Notice),
    /// It stands until the definition has made room for this content: the API server would drop or refuse some of the spec.
    Awaits(Digest),
}

impl Asked<'_> {
    /// The answer to a request to roll back; nothing when there is none.
    pub(in super::super) fn answer(&self) -> Option<Answer> {
        let rollback = self.assigned.rollback?;
        if let Some(words) = &self.world.refused.answer {
            return Some(unanswered(words));
        }
        match (&rollback.text, &rollback.of_definition) {
            (Some(text), None) => Some(self.judged(rollback, text)),
            (Some(text), Some(_)) => Some(self.misplaced(rollback, text, &two_requests())),
            (None, Some(text)) => Some(self.misplaced(rollback, text, &request_of_definition())),
            (None, None) => None,
        }
    }

    /// A request that is refused whatever it asks for.
    fn misplaced(&self, rollback: &Rollback, request: &str, words: &str) -> Answer {
        match Answered::of(self.world.instance).put_back(request, rollback.writer.as_ref()) {
            Some(manager) => put_back(request, &manager),
            None => self.refused(rollback, request, words),
        }
    }

    fn refused(&self, rollback: &Rollback, request: &str, words: &str) -> Answer {
        let noted = refused::noted(self.world.instance, words);
        let noted = json!({names::ROLLBACK_REFUSED_ANNOTATION: noted});
        let action = Action::Amend(answered(self.world.instance, rollback, request, noted));
        let note = format!("not rolled back: {words}");
        Answer::Given(action, Notice::warning(ROLLBACK_REFUSED, note))
    }

    fn judged(&self, rollback: &Rollback, asked: &str) -> Answer {
        let annotations = &self.world.instance["metadata"]["annotations"];
        let note = |key: &str| annotations[key].as_str();
        let is = |key: &str| note(key) == Some("true");
        let kind = self.world.instance["kind"].as_str().unwrap_or_default().to_lowercase();
        let name = format!("{kind}/{}", text(self.world.instance, "name"));
        let request = Request {
            text: asked,
            writer: rollback.writer.clone(),
            force: rollback.force,
            scope: if is(names::ROLLBACK_SPEC_ONLY_ANNOTATION) { Scope::SpecOnly } else { Scope::Whole },
            rejected: self.world.refused.rollback.as_deref(),
        };
        let verdict = judge(
            &request,
            &Situation {
                name: &name,
                namespace: text(self.world.instance, "namespace"),
                spec: &self.instance["spec"],
                assigned: self.content(),
                inputs: &self.inputs,
                highest: self.inputs.current().map(|it| it.number),
                definitions: self.assigned.kept,
                current: self.assigned.current,
                follows: follows(note(names::UPDATE_POLICY_ANNOTATION), self.assigned.policies),
                pin: note(names::RGD_REVISION),
                is_held: self.assigned.may_pin && note(names::HOLD_INPUT_ANNOTATION).is_some(),
                may_pin: self.assigned.may_pin,
                minimum: self.assigned.minimum,
                keeper: rollback.keeper.as_deref(),
                answered: &Answered::of(self.world.instance),
            },
        );
        let destination = self.destination(&request);
        match (verdict, destination) {
            (Verdict::PutBack { manager }, _) => put_back(asked, &manager),
            (Verdict::Refused(Refusal::Rejected { .. }), Some(content))
                if rollback.room != Room::Settled(content) =>
            {
                Answer::Awaits(content)
            }
            (Verdict::Restore { .. }, Some(content)) if rollback.room == Room::Awaited(content) => {
                Answer::Awaits(content)
            }
            (Verdict::Refused(refusal), _) => {
                let words = format!("{refusal}{}", self.attempt(&refusal, destination));
                self.refused(rollback, asked, &words)
            }
            (Verdict::Restore { number, spec, pin }, _) => {
                self.restored(rollback, asked, (number, &spec, pin))
            }
        }
    }

    /// The content that a request leads to, where that is not what is current and served anyway.
    fn destination(&self, request: &Request<'_>) -> Option<Digest> {
        let number = request.text.parse().ok().filter(|_| request.scope == Scope::Whole)?;
        let content = self.inputs.find(number)?.definition.digest;
        (self.assigned.current != Some(content)).then_some(content)
    }

    /// What was tried before a spec was refused for good.
    fn attempt(&self, refusal: &Refusal, destination: Option<Digest>) -> String {
        let revision = destination.and_then(|it| self.assigned.kept.newest_with(it));
        match (refusal, revision) {
            (Refusal::Rejected { .. }, Some(revision)) => format!(
                "; the definition was asked to serve revision {} beside the current one: if its CRD does not, its \
                 conditions or {} tell why",
                revision.number,
                names::ALLOW_DATA_LOSS_ANNOTATION
            ),
            (_, _) => String::new(),
        }
    }

    fn restored(
        &self,
        rollback: &Rollback,
        asked: &str,
        (number, spec, pin): (RevisionNumber, &Value, Pin),
    ) -> Answer {
        let note = |key: &str| self.world.instance["metadata"]["annotations"][key].as_str();
        let (mut changed, words) = pinned(pin, note(names::RGD_REVISION));
        changed[names::ROLLBACK_REFUSED_ANNOTATION] = Value::Null;
        // A hold would go on hiding the spec.
        changed[names::HOLD_INPUT_ANNOTATION] = Value::Null;
        let held = note(names::HOLD_INPUT_ANNOTATION);
        let released = held.map(|it| format!(", and no longer held at {}", excerpt(it))).unwrap_or_default();
        let notice = Notice {
            reason: "RolledBack",
            note: format!("rolling back to input revision {number}{words}{released}"),
            is_warning: false,
        };
        let mut patch = answered(self.world.instance, rollback, asked, changed);
        patch["spec"] = crate::replacing(spec, &self.world.instance["spec"]);
        Answer::Given(Action::Restore(patch), notice)
    }
}

/// Whether an instance with this policy moves by itself; one that is forbidden counts as none, and one that cannot be read keeps
/// the instance where it is.
fn follows(policy: Option<&str>, allowed: Option<&BTreeSet<Policy>>) -> bool {
    let Some(policy) = policy.map(Policy::read) else { return true };
    policy.is_some_and(|it| it == Policy::Auto || allowed.is_some_and(|allowed| !allowed.contains(&it)))
}

/// One write that answers the request, so that nobody sees half of it.
fn answered(instance: &Value, rollback: &Rollback, request: &str, mut annotations: Value) -> Value {
    for key in REQUESTS.into_iter().chain(BESIDE) {
        annotations[key] = Value::Null;
    }
    let known = Answered::of(instance).with(request, rollback.writer.as_ref());
    annotations[names::ANSWERED_ROLLBACK_ANNOTATION] = json!(known.to_string());
    json!({"metadata": {"resourceVersion": rollback.version, "annotations": annotations}})
}

fn unanswered(words: &str) -> Answer {
    let note = format!("the request to roll back cannot be answered: {words}");
    Answer::Withheld(Notice::warning("RollbackUnanswered", note))
}

fn put_back(request: &str, manager: &str) -> Answer {
    let (request, manager) = (request.to_owned(), manager.to_owned());
    let note = OfLineage::RequestPutBack { request, manager }.to_string();
    Answer::Withheld(Notice::warning(ROLLBACK_IGNORED, note))
}

fn two_requests() -> String {
    let [one, other] = REQUESTS;
    format!("{other} and {one} ask for different things; write one of them")
}

fn request_of_definition() -> String {
    let [own, other] = REQUESTS;
    format!("{other} is for definitions; an instance goes back with {own}")
}

/// The change of the pin, and words for it.
fn pinned(pin: Pin, before: Option<&str>) -> (Value, String) {
    match pin {
        Pin::Stays => (json!({}), String::new()),
        Pin::Goes => (
            json!({names::RGD_REVISION: null, names::UNPINNED_ANNOTATION: before}),
            ", and unpinned".to_owned(),
        ),
        Pin::Set(number) => (
            json!({names::RGD_REVISION: number.to_string(), names::UNPINNED_ANNOTATION: null}),
            format!(", pinned to revision {number} of the definition"),
        ),
    }
}
