//! What people are told about a definition.

use krono_graph::{CompiledGraph, Diagnostic};
use krono_history::Digest;
use krono_history::issue::{Issue, Standing as Issuance};
use krono_model::condition::{Conditions, Status};
use krono_model::definition::{
    CONTROLLER_READY, DELETION_BLOCKED, DEPENDENTS, GRAPH_ACCEPTED, GRAPH_REVISIONS_RESOLVED, KIND_READY,
    NOTES, ROLLBACK_REFUSED, Reason, State,
};
use krono_model::wire::{Dependency, ResourceStatus};
use serde_json::{Map, Value, json};

use super::crd::{self, Standing};
use super::{
    Failure, Plan, Serving, Waiting, World, crd_name, metadata, propagation_status, revision_status,
};
use crate::refused;

/// How many things that are wrong are told at once.
const TOLD: usize = 20;

/// The definition makes no graph; whatever is served stays served.
pub(super) fn invalid(world: &World<'_>, issue: &Issue, diagnostics: &[Diagnostic]) -> Plan {
    let mut report = Report::new(world, Some(issue));
    report.set(GRAPH_ACCEPTED, Status::False, Reason::InvalidResourceGraph, &listed(diagnostics));
    if let Serving::Revision(_) = world.serving {
        report.set_resolved();
    }
    report.set_controller();
    Plan { status: report.finish(None), waiting: Some(Waiting::ValidGraph), ..Plan::default() }
}

pub(super) fn listed(diagnostics: &[Diagnostic]) -> String {
    let mut lines: Vec<String> = diagnostics.iter().take(TOLD).map(ToString::to_string).collect();
    match diagnostics.len().checked_sub(TOLD) {
        None | Some(0) => {}
        Some(more) => lines.push(format!("and {more} more; `krono validate` lists all")),
    }
    if lines.is_empty() { "the definition makes no graph".to_owned() } else { lines.join("\n") }
}

/// The CRD is not what it should be and nothing can be done about it now; whatever is served stays served.
pub(super) fn blocked(world: &World<'_>, issue: &Issue, graph: &CompiledGraph, standing: &Standing) -> Plan {
    let mut report = Report::accepted(world, issue);
    let name = crd_name(world.definition).unwrap_or_default();
    let (reason, message, waiting) = match standing {
        Standing::Foreign(words) | Standing::OfAnother(words) => {
            (Reason::Failed, words.clone(), Waiting::Ownership)
        }
        Standing::Breaking(words) => (Reason::Failed, words.clone(), Waiting::CompatibleChange),
        Standing::Refused(words) => {
            (Reason::Failed, format!("failed to apply CRD {name}: {words}"), Waiting::Failure)
        }
        Standing::Terminating => (
            awaiting(),
            format!("CRD {name} is being deleted; it is made again when it is gone"),
            Waiting::CrdGone,
        ),
        Standing::NotEstablished => {
            (awaiting(), format!("CRD {name} is not established yet"), Waiting::Established)
        }
        Standing::NotServed | Standing::Absent(_) | Standing::Different(_) | Standing::Good => {
            (awaiting(), format!("CRD {name} is established and not served yet"), Waiting::Served)
        }
    };
    let status = if reason == Reason::Failed { Status::False } else { Status::Unknown };
    report.set(KIND_READY, status, reason, &message);
    report.set_controller();
    Plan { status: report.finish(Some(graph)), waiting: Some(waiting), ..Plan::default() }
}

fn awaiting() -> Reason {
    Reason::AwaitingReconciliation
}

/// The kind is served.
pub(super) fn served(world: &World<'_>, issue: &Issue, graph: &CompiledGraph) -> Plan {
    let mut report = Report::accepted(world, issue);
    let kind = &graph.instance.kind;
    if crd::own(world).is_some() {
        let message = format!("kind {kind} has been accepted and ready");
        report.set(KIND_READY, Status::True, Reason::Ready, &message);
    } else {
        report.set(KIND_READY, Status::Unknown, awaiting(), "the kind is made for the first revision");
    }
    report.set_controller();
    let waiting = world.failure.map(|_| Waiting::Failure);
    Plan { status: report.finish(Some(graph)), waiting, ..Plan::default() }
}

/// The definition goes when something is done.
pub(super) fn deleting(world: &World<'_>, message: &str, waiting: Waiting) -> Plan {
    let report = Report::deleting(world, message);
    Plan { status: report.finish(world.compiled.ok()), waiting: Some(waiting), ..Plan::default() }
}

/// The definition stays until somebody says what becomes of its instances.
pub(super) fn deletion_blocked(world: &World<'_>, message: &str) -> Plan {
    let mut report = Report::deleting(world, message);
    report.conditions.note(DELETION_BLOCKED, "InstancesExist", message);
    let waiting = Some(Waiting::InstancesGone);
    Plan { status: report.finish(world.compiled.ok()), waiting, ..Plan::default() }
}

struct Report<'p, 'a> {
    world: &'p World<'a>,
    /// Nothing for a definition that issues nothing any longer.
    issue: Option<&'p Issue>,
    conditions: Conditions,
}

impl<'p, 'a> Report<'p, 'a> {
    fn new(world: &'p World<'a>, issue: Option<&'p Issue>) -> Self {
        let definition = world.definition;
        let generation = definition["metadata"]["generation"].as_i64().unwrap_or_default();
        let created = metadata(definition, "creationTimestamp");
        let published = definition["status"].get("conditions");
        let conditions = Conditions::read(published, DEPENDENTS, generation, created, world.now);
        Self { world, issue, conditions: conditions.with_notes(published, NOTES) }
    }

    /// Of a definition that makes a graph.
    fn accepted(world: &'p World<'a>, issue: &'p Issue) -> Self {
        let mut report = Self::new(world, Some(issue));
        report.set_resolved();
        report.set(GRAPH_ACCEPTED, Status::True, Reason::Valid, "resource graph and schema are valid");
        report
    }

    /// Of a definition that is on its way out.
    fn deleting(world: &'p World<'a>, message: &str) -> Self {
        let mut report = Self::new(world, None);
        report.conditions.mark_all_observed();
        report.set(CONTROLLER_READY, Status::Unknown, Reason::AwaitingReconciliation, message);
        if let Some(words) = refused::words(world.definition) {
            report.conditions.note(ROLLBACK_REFUSED, ROLLBACK_REFUSED, words);
        }
        report
    }

    /// Whether what should be served has a revision.
    fn set_resolved(&mut self) {
        let refused = match self.issue.map(|it| &it.report.standing) {
            Some(Issuance::Refused(refusal)) if self.world.compiled.is_ok() => Some(refusal.to_string()),
            _ => None,
        };
        match (self.world.failure, refused) {
            (Some(Failure::Revision(words)), _) => {
                self.set(GRAPH_REVISIONS_RESOLVED, Status::False, Reason::Failed, words);
            }
            (_, Some(words)) if !self.is_about_kind() => {
                self.set(GRAPH_REVISIONS_RESOLVED, Status::False, Reason::Failed, &words);
            }
            (_, _) => {
                let message = match self.issue.and_then(|it| it.report.current.as_ref()) {
                    Some(current) => format!("revision {} is current", current.number),
                    None => "the graph is compiled".to_owned(),
                };
                self.set(GRAPH_REVISIONS_RESOLVED, Status::True, Reason::Resolved, &message);
            }
        }
    }

    /// Whether an edit is refused for its CRD, which another condition tells.
    fn is_about_kind(&self) -> bool {
        use krono_history::issue::Refusal;
        let standing = self.issue.map(|it| &it.report.standing);
        matches!(standing, Some(Issuance::Refused(Refusal::Judgement(_))))
    }

    fn set(&mut self, condition_type: &str, status: Status, reason: Reason, message: &str) {
        self.conditions.set(condition_type, status, reason.as_str(), message);
    }

    fn set_controller(&mut self) {
        let (status, reason, message) = match (self.world.failure, self.world.serving) {
            (Some(Failure::Controller(words)), _) => (Status::False, Reason::FailedToStart, words),
            (_, Serving::Revision(digest)) if digest == self.spec() => {
                (Status::True, Reason::Running, "controller is running")
            }
            (_, Serving::Revision(_)) => {
                (Status::True, Reason::Running, "controller is running with an earlier graph")
            }
            (_, Serving::Graphless) => {
                (Status::Unknown, awaiting(), "instances can be deleted only: there is no graph for them")
            }
            (_, Serving::Nothing) => (Status::Unknown, awaiting(), "nobody looks after instances yet"),
        };
        self.set(CONTROLLER_READY, status, reason, message);
    }

    fn spec(&self) -> Digest {
        Digest::of_definition(&self.world.definition["spec"])
    }

    /// All of the status; nothing when it is published already.
    fn finish(mut self, graph: Option<&CompiledGraph>) -> Option<Value> {
        let is_active =
            [GRAPH_ACCEPTED, KIND_READY, CONTROLLER_READY].iter().all(|it| self.conditions.is_true(it));
        let state = if is_active { State::Active } else { State::Inactive };
        let published = &self.world.definition["status"];
        let mut status = published.as_object().cloned().unwrap_or_default();
        replace(&mut status, "topologicalOrder", graph.map(order).unwrap_or_default());
        replace(&mut status, "resources", graph.map(dependencies).unwrap_or_default());
        if let Some(issue) = self.issue {
            revision_status::note(self.world, issue, &mut self.conditions);
            propagation_status::note(self.world, &mut self.conditions);
            revision_status::tell(self.world, issue, &mut status);
            self.conditions.drop_note(DELETION_BLOCKED);
        }
        status.insert("conditions".to_owned(), self.conditions.into_values().into());
        status.insert("state".to_owned(), json!(state.as_str()));
        if let Some(generation) = self.world.definition["metadata"].get("generation") {
            status.insert("observedGeneration".to_owned(), generation.clone());
        }
        let status = Value::Object(status);
        (status != *published).then_some(status)
    }
}

fn replace(status: &mut Map<String, Value>, field: &str, entries: Vec<Value>) {
    if entries.is_empty() {
        status.remove(field);
    } else {
        status.insert(field.to_owned(), entries.into());
    }
}

fn order(graph: &CompiledGraph) -> Vec<Value> {
    graph.order.sequence.iter().map(|index| json!(graph.nodes[*index].id)).collect()
}

/// Of the nodes that need others, in order.
fn dependencies(graph: &CompiledGraph) -> Vec<Value> {
    let nodes = graph.order.sequence.iter().map(|index| &graph.nodes[*index]);
    let told = nodes.filter(|it| !it.dependencies.is_empty()).map(|node| {
        let needs = node.dependencies.iter().map(|it| Dependency { id: graph.nodes[*it].id.clone() });
        json!(ResourceStatus { id: node.id.clone(), dependencies: needs.collect() })
    });
    told.collect()
}
