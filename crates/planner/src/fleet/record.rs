//! What is written down about a decision.

use std::collections::BTreeSet;

use krono_graph::CompiledGraph;
use krono_history::writer::keeper_of_spec;
use krono_history::{Digest, RevisionNumber};
use krono_model::metadata::Owner;
use krono_model::names;
use krono_propagation::assignment::{Because, Remark, Verdict};
use krono_propagation::fleet::Admission;
use serde_json::{Map, Value, json};

use super::{Facts, Schemas, turn};
use crate::instance::{
    ASSIGNMENT, Cluster, Keeping, Notice, Refused, Rollback, World, assignment_patch, next_input, of_krono,
};

const BECAUSE: &str = "because";
pub(super) const ADMISSION: &str = "admission";

/// The decision about one instance.
#[derive(Clone, Debug)]
pub struct Decision<'a> {
    /// The instance, as it was when this was decided.
    pub instance: &'a Value,
    /// The graph of the assigned revision, where it has one.
    pub(super) graph: Option<&'a CompiledGraph>,
    /// What the rules say.
    pub verdict: Verdict,
    /// How the instance comes to another content, where it had to wait for its turn.
    pub(super) admission: Option<Admission>,
    /// Whoever wrote the pin, where somebody looked.
    pub pinned_by: Option<String>,
    /// The content of the last pin that krono took away because somebody asked for that.
    pub(super) unpinned: Option<Digest>,
}

impl Decision<'_> {
    /// Whether the status of the instance says so already; equal contents are the same assignment.
    pub fn is_settled(&self) -> bool {
        self.is_told_by(self.instance)
    }

    /// Whether the status of the instance says so, as the server has it: one that does not know a field yet drops it.
    pub fn is_told_by(&self, instance: &Value) -> bool {
        let (known, wanted) = (of_krono(&instance["status"], ASSIGNMENT), self.record());
        let fields = ["digest", "because", "reason", "message"];
        self.verdict.because == Because::Ending || fields.iter().all(|it| known[it] == wanted[it])
    }

    /// Whether nothing is lost when it is written down with whatever comes next: the instance is new, follows its
    /// definition without waiting for a turn, and keeps its inputs itself.
    pub fn can_wait(&self, facts: &Facts) -> bool {
        let is_plain = self.verdict.because == Because::Following && self.verdict.remarks.is_empty();
        let is_new = self.instance["status"].is_null() && self.verdict.assignment.is_some();
        is_plain && is_new && !facts.is_gated && facts.keeping() == Keeping::Inline
    }

    /// A merge patch of the status that says so, for this very version of the instance.
    pub fn patch(&self) -> Value {
        assignment_patch(self.instance, self.graph, &self.record(), Map::new())
    }

    /// The same patch, with the issue of the input that it leads to; `cluster` shows the resources of the assigned
    /// revision.
    pub fn patch_with_input(
        &self,
        facts: &Facts,
        owner: Owner<'_>,
        cluster: &dyn Cluster,
        schemas: &dyn Schemas,
        now: &str,
    ) -> Value {
        let made = facts.made(&self.verdict).filter(|_| !Rollback::is_asked(self.instance));
        let input = self.graph.zip(made).map(|(graph, made)| {
            let world = World {
                instance: self.instance,
                graph: Ok(graph),
                owner,
                assigned: Some(&facts.assigned(made, &|_| false, None, schemas)),
                policies: &facts.policies,
                cluster,
                refused: &Refused::default(),
                resting: &BTreeSet::new(),
                now,
            };
            next_input(&world, graph)
        });
        assignment_patch(self.instance, self.graph, &self.record(), input.unwrap_or_default())
    }

    /// Whether somebody should look who wrote the pin.
    pub fn is_newly_pinned(&self) -> bool {
        self.verdict.because == Because::Pinned && self.known()[BECAUSE] != Because::Pinned.as_str()
    }

    /// What people should hear of when the patch is written; `written` is the instance as the server has it then.
    pub fn notices(&self, written: &Value) -> Vec<Notice> {
        let (before, now) = (self.known(), self.record());
        // What could not be had before was no pin and no hold.
        let was_vain = before["reason"].as_str().is_some_and(|it| VAIN.contains(&it));
        let known = if was_vain { "" } else { before[BECAUSE].as_str().unwrap_or_default() };
        let turn = (before.is_object() && now[BECAUSE] != known)
            .then(|| self.pin_removed(known, written).or_else(|| self.turn(known)))
            .flatten()
            .or_else(|| self.approved());
        let problem = now["message"].as_str().filter(|it| before["message"] != **it);
        let first = self.verdict.remarks.iter().find(|it| it.is_of_instance());
        let warning = first.zip(problem).map(|(first, words)| Notice {
            reason: first.reason(),
            note: words.to_owned(),
            is_warning: true,
        });
        turn.into_iter().chain(warning).collect()
    }

    /// An instance that waits for approval moves.
    fn approved(&self) -> Option<Notice> {
        let to = self.verdict.assignment.filter(|_| self.verdict.because == Because::Approved)?;
        let before = self.known();
        (before.is_object() && before["digest"] != to.digest.to_string()).then(|| Notice {
            reason: "Approved",
            note: format!("moves to revision {}, which was approved", to.number),
            is_warning: false,
        })
    }

    /// Somebody took away a pin that krono wrote, or a tool that keeps the instance one that somebody else did.
    fn pin_removed(&self, known: &str, written: &Value) -> Option<Notice> {
        let before = self.known();
        let is_gone = known == Because::Pinned.as_str()
            && written["metadata"]["annotations"].get(names::RGD_REVISION).is_none();
        let is_asked_for = self.unpinned.is_some_and(|it| before["digest"] == it.to_string());
        if !is_gone || is_asked_for {
            return None;
        }
        let how = if before["by"] == names::MANAGER_KRONO {
            "is gone, and nobody asked krono for that; to have it back".to_owned()
        } else {
            let keeper = keeper_of_spec(written)?;
            format!("is gone, and {keeper} keeps this instance; a pin that it leaves alone")
        };
        let (number, metadata) = (&before["revision"], &written["metadata"]);
        let name = metadata["name"].as_str().unwrap_or_default();
        let kind = written["kind"].as_str().unwrap_or_default().to_lowercase();
        let place = metadata["namespace"].as_str().map(|it| format!(" -n {it}")).unwrap_or_default();
        Some(Notice {
            reason: "PinRemoved",
            note: format!(
                "the pin to revision {number} {how}: krono pin {kind}/{name}{place} --rgd-revision={number}"
            ),
            is_warning: true,
        })
    }

    /// What is told when something else decides about an instance than before.
    fn turn(&self, before: &str) -> Option<Notice> {
        let verdict = &self.verdict;
        let at = verdict.assignment.map_or_else(String::new, |it| format!(" at revision {}", it.number));
        let (reason, note, is_warning) = match verdict.because {
            Because::Pinned | Because::InputHeld if verdict.remarks.iter().any(is_vain) => return None,
            Because::Pinned => ("Pinned", format!("pinned{at}{}", self.pinned_as()), false),
            Because::InputHeld => ("Held", format!("held{at}"), false),
            Because::Minimum => ("MinimumRevision", format!("moved to what is allowed{at}"), true),
            // A pin or a hold is not over because something else comes before it.
            Because::Ending | Because::Paused => return None,
            Because::Approved | Because::Manual | Because::Following | Because::AwaitingAdmission => {
                let (reason, note) = freed(before, verdict.because, &at)?;
                (reason, note, false)
            }
        };
        Some(Notice { reason, note, is_warning })
    }

    /// The number that a pin names, where the content goes by a newer one.
    fn pinned_as(&self) -> String {
        let pin = self.instance["metadata"]["annotations"][names::RGD_REVISION].as_str();
        let named: Option<RevisionNumber> = pin.and_then(|it| it.parse().ok());
        let is_other = |it: &RevisionNumber| self.verdict.assignment.is_some_and(|at| at.number != *it);
        let told = |it| format!(", which has the content of revision {it} that the pin names");
        named.filter(is_other).map(told).unwrap_or_default()
    }

    /// `status.assignment`.
    fn record(&self) -> Value {
        let mut record = record(&self.verdict);
        if self.verdict.because == Because::Pinned {
            let known = self.known()["by"].as_str();
            let by = self.pinned_by.as_deref().or(known.filter(|_| !self.is_newly_pinned()));
            record["by"] = json!(by);
        }
        if let Some(admission) = self.admission() {
            record[ADMISSION] = admission;
        }
        record
    }

    /// The admission to the content; that to another content is past.
    fn admission(&self) -> Option<Value> {
        let digest = self.verdict.assignment?.digest.to_string();
        let known = self.known();
        if known["digest"] == digest {
            return known.get(ADMISSION).cloned();
        }
        let is_turn = self.verdict.because == Because::Following;
        self.admission
            .filter(|_| is_turn)
            .map(|it| turn::written(&it, &self.instance["metadata"]["generation"]))
    }

    fn known(&self) -> &Value {
        of_krono(&self.instance["status"], ASSIGNMENT)
    }
}

/// `status.assignment`, as far as the verdict tells.
fn record(verdict: &Verdict) -> Value {
    // Nothing is written on an instance that waits for its turn.
    let because =
        if verdict.because == Because::AwaitingAdmission { Because::Following } else { verdict.because };
    let mut record = json!({BECAUSE: because.as_str()});
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

/// The reasons of wishes that cannot be had, so that the instance stays where it is.
const VAIN: [&str; 3] = ["PinInvalid", "PinPruned", "HoldInvalid"];

fn is_vain(remark: &Remark) -> bool {
    VAIN.contains(&remark.reason())
}

/// What an instance does that is no longer pinned or held.
fn freed(before: &str, because: Because, at: &str) -> Option<(&'static str, String)> {
    if before == Because::InputHeld.as_str() {
        return Some(("Released", "follows its own spec again".to_owned()));
    }
    let next = match because {
        Because::Manual => format!("no longer pinned; stays{at} until a newer one is approved"),
        Because::Approved => format!("no longer pinned; approved{at}"),
        Because::Following
        | Because::AwaitingAdmission
        | Because::Ending
        | Because::Paused
        | Because::Minimum
        | Because::InputHeld
        | Because::Pinned => "follows its definition again".to_owned(),
    };
    (before == Because::Pinned.as_str()).then_some(("Unpinned", next))
}
