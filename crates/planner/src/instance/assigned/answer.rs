//! Requests that stand on an instance, and their answers.

use krono_history::input::{Pin, Request, Scope, Situation, Verdict, judge};
use krono_history::rollback::Force;
use krono_history::writer::Writer;
use krono_model::names;
use serde_json::{Value, json};

use super::super::{Action, text};
use super::Asked;

/// A request to roll an instance back, as it stands on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rollback {
    /// What was asked for.
    pub text: String,
    /// Whoever asked, where managed fields tell.
    pub writer: Option<Writer>,
    /// The tool that would put the spec back.
    pub keeper: Option<String>,
    /// The version of the instance that all this was read from.
    pub version: String,
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

/// What is said about a request stands beside it and goes with it.
const REQUEST: [&str; 4] = [
    names::INPUT_ROLLBACK_ANNOTATION,
    names::ROLLBACK_FORCE_ANNOTATION,
    names::ROLLBACK_MODE_ANNOTATION,
    names::ROLLBACK_SPEC_ONLY_ANNOTATION,
];

impl Asked<'_> {
    /// The answer to a request to roll back; nothing when there is none, or when a tool has put it back.
    pub(in super::super) fn answer(&self) -> Option<(Action, Notice)> {
        let rollback = self.assigned.rollback?;
        let annotations = &self.world.instance["metadata"]["annotations"];
        let note = |key: &str| annotations[key].as_str();
        let is = |key: &str| note(key) == Some("true");
        let kind = self.world.instance["kind"].as_str().unwrap_or_default().to_lowercase();
        let name = format!("{kind}/{}", text(self.world.instance, "name"));
        let request = Request {
            text: &rollback.text,
            writer: rollback.writer.clone(),
            force: if is(names::ROLLBACK_FORCE_ANNOTATION) { Force::Yes } else { Force::No },
            scope: if is(names::ROLLBACK_SPEC_ONLY_ANNOTATION) { Scope::SpecOnly } else { Scope::Whole },
        };
        let verdict = judge(
            &request,
            &Situation {
                name: &name,
                inputs: &self.inputs,
                highest: self.inputs.current().map(|it| it.number),
                definitions: self.assigned.kept,
                current: self.assigned.current,
                pin: note(names::RGD_REVISION),
                may_pin: self.assigned.may_pin,
                minimum: self.assigned.minimum,
                keeper: rollback.keeper.as_deref(),
                answered: note(names::ANSWERED_ROLLBACK_ANNOTATION),
            },
        );
        match verdict {
            Verdict::PutBack { .. } => None,
            Verdict::Refused(refusal) => {
                let notice = Notice {
                    reason: "RollbackRefused",
                    note: format!("not rolled back: {refusal}"),
                    is_warning: true,
                };
                Some((self.amend(rollback, json!({}), None), notice))
            }
            Verdict::Restore { number, spec, pin } => {
                let (pin, words) = pinned(pin);
                let notice = Notice {
                    reason: "RolledBack",
                    note: format!("rolling back to input revision {number}{words}"),
                    is_warning: false,
                };
                Some((self.amend(rollback, pin, Some(&spec)), notice))
            }
        }
    }

    /// One write that answers the request, so that nobody sees half of it.
    fn amend(&self, rollback: &Rollback, mut annotations: Value, spec: Option<&Value>) -> Action {
        for request in REQUEST {
            annotations[request] = Value::Null;
        }
        annotations[names::ANSWERED_ROLLBACK_ANNOTATION] = json!(rollback.text);
        let mut patch =
            json!({"metadata": {"resourceVersion": rollback.version, "annotations": annotations}});
        if let Some(spec) = spec {
            patch["spec"] = crate::replacing(spec, &self.world.instance["spec"]);
        }
        Action::Amend(patch)
    }
}

/// The change of the pin, and words for it.
fn pinned(pin: Pin) -> (Value, String) {
    match pin {
        Pin::Stays => (json!({}), String::new()),
        Pin::Goes => (json!({names::RGD_REVISION: null}), ", and unpinned".to_owned()),
        Pin::Set(number) => (
            json!({names::RGD_REVISION: number.to_string()}),
            format!(", pinned to revision {number} of the definition"),
        ),
    }
}
