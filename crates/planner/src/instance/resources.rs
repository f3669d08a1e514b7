//! An instance that lives: resources to make, to change and to remove.

use std::collections::BTreeSet;

use krono_graph::{CompiledGraph, Evaluation, KindName, NodeState, Observed, Target};
use krono_model::applyset::Inventory;
use krono_model::instance::STATUS_INVALID;
use krono_model::metadata::InstanceRef;
use serde_json::Value;

use super::assigned::{Answer, Asked, Progress as Travelled};
use super::desired::{Desired, Standing, desired, part_of};
use super::held_back::Holding;
use super::management::{manage, record, shrink};
use super::report::Report;
use super::{
    Action, Identity, Interest, Member, Notice, ObjectName, Plan, World, as_seen, deletion, inventory,
    is_terminating, suspended_by, words,
};

/// What to do next for an instance that has a graph.
pub(super) fn plan(world: &World<'_>, graph: &CompiledGraph) -> Plan {
    let instance = InstanceRef::from_object(world.instance);
    let id = instance.applyset_id();
    let visible = Visible { world, id: &id };
    let asked = world.assigned.map(|it| Asked::of(world, graph, it, &id));
    let evaluation = match &asked {
        Some(asked) => graph.evaluate(&asked.instance, &visible),
        None => graph.evaluate(&as_seen(graph, world.instance), &visible),
    };
    let stamps = asked.as_ref().and_then(Asked::stamps);
    let mut desired = desired(world, graph, &evaluation, &instance, &id, stamps.as_ref());
    if let Some(asked) = &asked {
        let (evaluation, instance, visible) = (&evaluation, &instance, &visible);
        Holding { world, graph, evaluation, asked, instance, visible }.hold_back(&mut desired);
    }
    let known = match Inventory::read(world.instance) {
        Ok(known) => known.unwrap_or_default(),
        Err(invalid) => return super::report::unmanaged(world, &invalid.to_string()),
    };
    let interests = interests(graph, &evaluation, &desired);
    let asked = asked.as_ref();
    let (remark, room) = match asked.and_then(Asked::answer) {
        Some(Answer::Given(answer, notice)) => {
            return Plan { actions: vec![answer], interests, notices: vec![notice], ..Plan::default() };
        }
        Some(Answer::Withheld(notice)) => (Some(notice), None),
        Some(Answer::Awaits(content)) => (None, Some(content)),
        None => (None, None),
    };
    let report = Report {
        world,
        graph,
        evaluation: &evaluation,
        desired: &desired,
        observed: &visible,
        id: &id,
        asked,
    };
    let nodes = report.nodes();
    let mut travelled = report.travelled(&nodes);
    let (status, invalid) = report.status(&nodes, &mut travelled);
    let pass =
        Pass { world, graph, evaluation: &evaluation, desired: &desired, id: &id, known, asked, travelled };
    let actions = if suspended_by(world, asked).is_some() {
        manage(world, &id, &pass.known).into_iter().collect()
    } else {
        pass.actions(&instance.namespace)
    };
    let contested = desired.iter().filter(|it| matches!(it.standing, Standing::Contested));
    let resting = contested.map(|it| it.name.clone()).collect();
    let faults = asked.into_iter().flat_map(Asked::news_of_faults);
    let told = remark.into_iter().chain(faults).chain(invalid.map(|it| Notice::warning(STATUS_INVALID, it)));
    let notices = told.filter(|_| actions.is_empty()).collect();
    let status_can_wait_until =
        status.as_ref().and_then(|it| words::can_wait_until(&world.instance["status"], it));
    let retry = report.wants_retry();
    Plan { actions, status, status_can_wait_until, interests, resting, retry, notices, room }
}

struct Pass<'p, 'a> {
    world: &'p World<'a>,
    graph: &'p CompiledGraph,
    evaluation: &'p Evaluation,
    desired: &'p [Desired<'a>],
    id: &'p str,
    known: Inventory,
    asked: Option<&'p Asked<'p>>,
    travelled: Travelled,
}

impl Pass<'_, '_> {
    /// The instance is made ready first; then resources are made, then removed; then the inventory shrinks (30).
    fn actions(&self, home: &str) -> Vec<Action> {
        if self.world.refused.instance.is_some() {
            return Vec::new();
        }
        let foreseen =
            inventory::foreseen(self.graph, self.evaluation, self.desired, home).union(&self.known);
        let managed = manage(self.world, self.id, &foreseen);
        if let Some(action) = managed.or_else(|| record(self.world, self.id, &foreseen)) {
            return vec![action];
        }
        let begin = self.asked.map(|it| it.begin(self.graph)).unwrap_or_default();
        if !begin.is_empty() {
            return begin;
        }
        let actions = self.applies();
        if !actions.is_empty() {
            return actions;
        }
        let told = self.asked.map(|it| it.tend(&self.travelled)).unwrap_or_default();
        if !told.is_empty() || !self.is_settled() {
            return told;
        }
        let orphans = orphans(self.world, self.id, self.desired);
        if orphans.is_empty() {
            let rest = inventory::of(self.desired, home);
            return shrink(self.world, self.id, &self.known, &rest).into_iter().collect();
        }
        if self.world.assigned.is_some_and(|it| it.leaves_surplus) {
            return Vec::new();
        }
        let (wave, referred) = (deletion::highest_wave(orphans), referred(self.graph, self.evaluation));
        wave.iter().filter_map(|it| deletion::removal(self.world, it, self.id, &referred)).collect()
    }

    /// The resources whose time has come: nothing that they depend on is about to change.
    fn applies(&self) -> Vec<Action> {
        let mut unsettled = vec![false; self.graph.nodes.len()];
        for desired in self.desired {
            unsettled[desired.node] |= !desired.standing.is_settled();
        }
        let mut held = vec![false; self.graph.nodes.len()];
        for node in &self.graph.order.sequence {
            held[*node] = self.graph.nodes[*node].dependencies.iter().any(|it| held[*it] || unsettled[*it]);
        }
        let free = self.desired.iter().filter(|it| !held[it.node]);
        free.filter_map(|it| match &it.standing {
            Standing::Marked(patch) => Some(Action::Unmark { name: it.name.clone(), patch: patch.clone() }),
            Standing::Different { exists, again } => Some(Action::Apply {
                name: it.name.clone(),
                object: it.object.clone(),
                digest: it.digest,
                force: *exists,
                again: *again,
            }),
            Standing::Live
            | Standing::Contested
            | Standing::Terminating
            | Standing::Foreign(_)
            | Standing::Refused(_) => None,
        })
        .collect()
    }

    /// Whether all that is wanted is known and there, so that what is not wanted may go (22, 30).
    fn is_settled(&self) -> bool {
        let known = |state: &NodeState| matches!(state, NodeState::Excluded { .. } | NodeState::Resolved(_));
        self.world.refused.resources.is_empty()
            && self.evaluation.nodes.iter().all(known)
            && self.desired.iter().all(|it| it.standing.is_settled())
    }
}

/// The members of an `ApplySet` that are not wanted.
pub(super) fn orphans<'a>(world: &World<'a>, id: &str, desired: &[Desired<'_>]) -> Vec<Member<'a>> {
    let wanted: BTreeSet<Identity> = desired.iter().map(|it| it.name.identity()).collect();
    let mut members = deletion::members(world, id);
    members.retain(|it| !wanted.contains(&deletion::name_of(it).identity()));
    members
}

/// What expressions may see; nothing is built upon what is about to go (32) or was made for somebody else (29).
pub(super) struct Visible<'p, 'a> {
    pub(super) world: &'p World<'a>,
    pub(super) id: &'p str,
}

impl Observed for Visible<'_, '_> {
    fn object(&self, kind: &KindName, namespace: &str, name: &str) -> Option<&Value> {
        Some(self.world.cluster.seen(kind, namespace, name)?.object)
    }

    fn made(&self, kind: &KindName, namespace: &str, name: &str) -> Option<&Value> {
        let is_foreign = |object: &Value| part_of(object).is_some_and(|it| it != self.id);
        self.object(kind, namespace, name).filter(|it| !is_terminating(it) && !is_foreign(it))
    }

    fn selected(&self, kind: &KindName, namespace: Option<&str>, selector: &Value) -> Vec<&Value> {
        self.world.cluster.selected(kind, namespace, selector)
    }
}

/// The objects that a graph refers to by name and does not make.
pub(super) fn referred(graph: &CompiledGraph, evaluation: &Evaluation) -> BTreeSet<Identity> {
    let named = interests(graph, evaluation, &[]).into_iter().filter_map(|it| match it {
        Interest::Named(name) => Some(name.identity()),
        Interest::Selected { .. } => None,
    });
    named.collect()
}

/// The objects of others that the nodes of a graph look at, or wait to have.
fn interests(graph: &CompiledGraph, evaluation: &Evaluation, desired: &[Desired<'_>]) -> Vec<Interest> {
    let interest = |(node, state): (&krono_graph::Node, &NodeState)| {
        let NodeState::Resolved(resolved) = state else { return None };
        let kind = node.subject.kind().clone();
        match &resolved.target {
            Target::Objects(_) => None,
            Target::Named { namespace, name } => {
                Some(Interest::Named(ObjectName { kind, namespace: namespace.clone(), name: name.clone() }))
            }
            Target::Selected { namespace, selector } => {
                Some(Interest::Selected { kind, namespace: namespace.clone(), selector: selector.clone() })
            }
        }
    };
    let awaited = desired.iter().filter(|it| matches!(it.standing, Standing::Foreign(_)));
    let awaited = awaited.map(|it| Interest::Named(it.name.clone()));
    graph.nodes.iter().zip(&evaluation.nodes).filter_map(interest).chain(awaited).collect()
}
