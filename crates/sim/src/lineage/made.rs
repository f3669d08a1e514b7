//! What an instance is made with, as one process knows it.

use std::sync::Arc;

use krono_graph::{NodeState, Target};
use krono_history::writer::{keeper_of_spec, writer_of_annotation};
use krono_model::metadata::Owner;
use krono_model::names;
use krono_planner::fleet::{self, Facts, Turn, World as Decided, decide};
use krono_planner::instance::{ObjectName, Plan, Rollback, World, assignment, plan};
use serde_json::Value;

use super::library::Compiled;
use super::{Governance, Serving};
use crate::controller::{Work, searched};
use crate::laws::Plain;
use crate::simulation::Simulation;
use crate::text::{is_terminating, metadata};

/// What an instance is made with.
pub(crate) struct Made {
    pub(crate) graph: Compiled,
    by: Option<Revised>,
    has_request: bool,
}

struct Revised {
    facts: Arc<Facts>,
    made: fleet::Made,
}

impl Made {
    fn plain(graph: Compiled) -> Self {
        Self { graph, by: None, has_request: false }
    }

    fn assigned(
        serving: &Serving,
        facts: Arc<Facts>,
        instance: &Value,
        now: jiff::Timestamp,
    ) -> Option<Self> {
        let world = Decided { facts: &facts, instance, schemas: &*serving.revisions, turn: Turn::Free, now };
        let decision = decide(&world, None);
        if !decision.is_settled() {
            return None;
        }
        let verdict = decision.verdict;
        let Some(made) = facts.made(&verdict) else {
            let words: Vec<String> = verdict.remarks.iter().map(ToString::to_string).collect();
            return Some(Self::plain(Err(words.join("; "))));
        };
        let number = made.definition.number;
        let pruned = || Err("no kept revision has this content".to_owned());
        let graph = serving.revisions.graph(made.definition.digest).cloned().unwrap_or_else(pruned);
        let graph = graph.map_err(|reason| format!("revision {number} cannot be served: {reason}"));
        let has_request = !instance["metadata"]["annotations"][names::INPUT_ROLLBACK_ANNOTATION].is_null();
        Some(Self { graph, by: Some(Revised { facts, made }), has_request })
    }
}

impl Simulation {
    /// Nothing while nobody serves the kind, and while the assignment has to be decided.
    pub(crate) fn made(&self, instance: &Value) -> Option<Made> {
        let mind = &self.controller.mind;
        let serving = mind.serving.as_deref()?;
        if serving.current.is_none() {
            return Some(Made::plain(serving.graph.clone()));
        }
        if is_terminating(instance) {
            let digest = assignment(instance).map(|(_, digest, _)| digest);
            let graph = digest.and_then(|it| serving.revisions.graph(it)).filter(|it| it.is_ok());
            return Some(Made::plain(graph.unwrap_or(&serving.graph).clone()));
        }
        let now = self.server.now().to_string().parse().unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        Made::assigned(serving, Arc::clone(mind.fleet.facts.as_ref()?), instance, now)
    }

    /// What the revision of an instance wants, object by object, as the process whose turn it is sees it.
    pub fn desired(&self, name: &ObjectName) -> Option<Vec<String>> {
        let instance = &self.controller.cached(name)?.object;
        let graph = self.made(instance)?.graph.ok()?;
        let none = Work::default();
        let view = self.controller.view(&none, searched(instance, Some(&graph.compiled)));
        let evaluation = graph.compiled.evaluate(instance, &Plain(&view));
        let objects = evaluation.nodes.iter().flat_map(|state| match state {
            NodeState::Resolved(resolved) => wanted(&resolved.target),
            NodeState::Excluded { .. }
            | NodeState::Waiting { .. }
            | NodeState::Pending(_)
            | NodeState::Failed(_) => vec![format!("{state:?}")],
        });
        Some(objects.collect())
    }

    /// What the planner says about an instance; nothing is planned while its assignment has to be decided.
    pub(crate) fn plan_assigned(&mut self, governance: &Governance, name: &ObjectName) -> Option<Plan> {
        let instance = self.controller.cached(name)?.object.clone();
        let Some(made) = self.made(&instance) else {
            let fleet = &mut self.controller.mind.fleet;
            fleet.asking.insert(name.clone());
            fleet.due = true;
            return Some(Plan::default());
        };
        let none = Work::default();
        let work = self.controller.work.get(name).unwrap_or(&none);
        let is_asked = made.has_request && work.refused.instance.is_none();
        let rollback = if is_asked { self.server.get(name).and_then(rollback) } else { None };
        let assigned = made.by.as_ref().map(|by| by.facts.assigned(by.made, &|_| false, rollback.as_ref()));
        let graph = made.graph.as_ref().map(|it| &it.compiled);
        let uid = self.controller.mind.serving.as_ref().map(|it| it.uid.as_str()).unwrap_or_default();
        Some(plan(&World {
            instance: &instance,
            graph: graph.map_err(String::as_str),
            owner: Owner { definition_name: &governance.definition.name, definition_uid: uid },
            assigned: assigned.as_ref(),
            cluster: &self.controller.view(work, searched(&instance, graph.ok())),
            refused: &work.refused,
            resting: &std::collections::BTreeSet::new(),
            now: &self.server.now().to_string(),
        }))
    }
}

fn wanted(target: &Target) -> Vec<String> {
    let Target::Objects(objects) = target else { return Vec::new() };
    objects.iter().map(ToString::to_string).collect()
}

fn rollback(live: &Value) -> Option<Rollback> {
    let text = live["metadata"]["annotations"][names::INPUT_ROLLBACK_ANNOTATION].as_str()?;
    Some(Rollback {
        text: text.to_owned(),
        writer: writer_of_annotation(live, names::INPUT_ROLLBACK_ANNOTATION),
        keeper: keeper_of_spec(live),
        version: metadata(live, "resourceVersion").to_owned(),
    })
}
