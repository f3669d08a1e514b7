//! What an instance is made with, as one process knows it.

use std::sync::Arc;

use krono_graph::{KindName, NodeState, Target};
use krono_history::witness::Notes;
use krono_model::metadata::Owner;
use krono_planner::fleet::{Facts, Made as Decided, Revised, made};
use krono_planner::instance::{DeletionPolicies, ObjectName, Plan, Rollback, Room, World, plan};
use serde_json::Value;

use super::library::Compiled;
use super::{Governance, revisions};
use crate::controller::{Work, searched};
use crate::laws::Plain;
use crate::simulation::Simulation;

/// What an instance is made with.
pub(crate) struct Made {
    pub(crate) graph: Compiled,
    by: Option<(Arc<Facts>, Revised)>,
    has_request: bool,
}

impl Made {
    fn plain(graph: Compiled) -> Self {
        Self { graph, by: None, has_request: false }
    }
}

impl Simulation {
    /// Nothing while nobody serves the kind, and while the assignment has to be decided.
    pub(crate) fn made(&self, instance: &Value) -> Option<Made> {
        let mind = &self.controller.mind;
        let serving = mind.serving.as_deref()?;
        let (revisions, facts) = (&*serving.revisions, mind.fleet.facts.clone());
        let now = self.server.now().to_string().parse().unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let decided = made(instance, serving.current.as_ref(), facts.as_deref(), revisions, now)?;
        let pruned = || Err("no kept revision has this content".to_owned());
        let graph_of = |digest| revisions::graph(revisions, digest).cloned().unwrap_or_else(pruned);
        Some(match (decided, facts) {
            (Decided::Content(digest), _) => Made::plain(graph_of(digest)),
            (Decided::Nothing(words), _) => Made::plain(Err(words)),
            (Decided::Revision { by, problem }, Some(facts)) => {
                let graph = graph_of(by.definition.digest);
                let graph = graph.map_err(|reason| problem.unwrap_or(reason));
                Made { graph, by: Some((facts, by)), has_request: Rollback::is_asked(instance) }
            }
            (Decided::Current | Decided::Revision { .. }, _) => Made::plain(serving.graph.clone()),
        })
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
        let mut rollback = if is_asked {
            self.server.get(name).and_then(|it| Rollback::of(it, Notes::Doubted))
        } else {
            None
        };
        let plan = self.planned(governance, &instance, &made, work, rollback.as_ref())?;
        // The server keeps whatever it is told, so that there is nothing to be made room for.
        if let (Some(rollback), Some(content)) = (&mut rollback, plan.room) {
            rollback.room = Room::Settled(content);
            return self.planned(governance, &instance, &made, work, Some(rollback));
        }
        Some(plan)
    }

    fn planned(
        &self,
        governance: &Governance,
        instance: &Value,
        made: &Made,
        work: &Work,
        rollback: Option<&Rollback>,
    ) -> Option<Plan> {
        let is_defined = |_: &KindName| false;
        let facts = self.controller.mind.fleet.facts.as_ref();
        let serving = self.controller.mind.serving.as_deref()?;
        let schemas = &*serving.revisions;
        let assigned =
            made.by.as_ref().map(|(facts, by)| facts.assigned(*by, &is_defined, rollback, schemas));
        let graph = made.graph.as_ref().map(|it| &it.compiled);
        let uid = self.controller.mind.serving.as_ref().map(|it| it.uid.as_str()).unwrap_or_default();
        Some(plan(&World {
            instance,
            graph: graph.map_err(String::as_str),
            owner: Owner { definition_name: &governance.definition.name, definition_uid: uid },
            assigned: assigned.as_ref(),
            policies: facts.map_or(&DeletionPolicies::default(), |it| &it.policies),
            cluster: &self.controller.view(work, searched(instance, graph.ok())),
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
