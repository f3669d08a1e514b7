//! What is written down about a decision.

use krono_graph::CompiledGraph;
use krono_propagation::assignment::{Because, Remark, Verdict};
use serde_json::{Value, json};

use crate::instance::{ASSIGNMENT, Notice, assignment_patch, of_krono};

/// The decision about one instance.
#[derive(Clone, Debug)]
pub struct Decision<'a> {
    pub(super) instance: &'a Value,
    /// The graph of the assigned revision, where it has one.
    pub(super) graph: Option<&'a CompiledGraph>,
    /// What the rules say.
    pub verdict: Verdict,
}

impl Decision<'_> {
    /// Whether the status of the instance says so already; equal contents are the same assignment.
    pub fn is_settled(&self) -> bool {
        let (known, wanted) = (self.known(), record(&self.verdict));
        let fields = ["digest", "because", "reason", "message"];
        self.verdict.because == Because::Ending || fields.iter().all(|it| known[it] == wanted[it])
    }

    /// A merge patch of the status that says so, for this very version of the instance.
    pub fn patch(&self) -> Value {
        assignment_patch(self.instance, self.graph, &record(&self.verdict))
    }

    /// What people should hear of when the patch is written.
    pub fn notices(&self) -> Vec<Notice> {
        let (before, now) = (self.known(), record(&self.verdict));
        let turn = (before["because"] != now["because"])
            .then(|| turn(before["because"].as_str().unwrap_or_default(), &self.verdict))
            .flatten();
        let problem = now["message"].as_str().filter(|it| before["message"] != **it);
        let first = self.verdict.remarks.iter().find(|it| it.is_of_instance());
        let warning = first.zip(problem).map(|(first, words)| Notice {
            reason: first.reason(),
            note: words.to_owned(),
            is_warning: true,
        });
        turn.into_iter().chain(warning).collect()
    }

    fn known(&self) -> &Value {
        of_krono(&self.instance["status"], ASSIGNMENT)
    }
}

/// `status.assignment`.
fn record(verdict: &Verdict) -> Value {
    let mut record = json!({"because": verdict.because.as_str()});
    if let Some(assignment) = verdict.assignment {
        record["revision"] = json!(assignment.number.to_wire());
        record["digest"] = json!(assignment.digest.to_string());
    }
    let told: Vec<&Remark> = verdict.remarks.iter().filter(|it| it.is_of_instance()).collect();
    if let Some(first) = told.first() {
        let words: Vec<String> = told.iter().map(ToString::to_string).collect();
        record["reason"] = json!(first.reason());
        record["message"] = json!(words.join("; "));
    }
    record
}

/// What is told when something else decides about an instance than before.
fn turn(before: &str, verdict: &Verdict) -> Option<Notice> {
    let at = verdict.assignment.map_or_else(String::new, |it| format!(" at revision {}", it.number));
    let (reason, note, is_warning) = match verdict.because {
        Because::Pinned => ("Pinned", format!("pinned{at}"), false),
        Because::InputHeld => ("Held", format!("held{at}"), false),
        Because::Minimum => ("MinimumRevision", format!("moved to what is allowed{at}"), true),
        Because::Ending
        | Because::Paused
        | Because::Approved
        | Because::Manual
        | Because::Following
        | Because::AwaitingAdmission => match before {
            _ if before == Because::Pinned.as_str() => {
                ("Unpinned", "follows its definition again".to_owned(), false)
            }
            _ if before == Because::InputHeld.as_str() => {
                ("Released", "follows its own spec again".to_owned(), false)
            }
            _ => return None,
        },
    };
    Some(Notice { reason, note, is_warning })
}
