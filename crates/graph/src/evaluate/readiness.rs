//! What was observed of a node, and whether that is enough.

#![expect(clippy::wildcard_enum_match_arm, reason = "every other value is itself")]

use krono_cel::{Bindings, EvalError, Type, Val};
use serde_json::Value;

use super::resolve::identity;
use super::{Evaluation, NodeError, NodeState, Observed, Pass, Readiness, Target};
use crate::budget::Budget;
use crate::compile::ELEMENT;
use crate::expression::Expression;
use crate::graph::{CompiledGraph, Node, Subject};

/// An object that was observed of a node.
pub(crate) struct Found<'a> {
    pub(crate) object: &'a Value,
    /// Its place among the objects of its node, whether the others are there or not.
    pub(crate) index: usize,
    pub(crate) is_ready: bool,
}

impl CompiledGraph {
    /// By node, what was observed; `evaluation` is that of the same instance and the same observed objects.
    pub(crate) fn found<'a>(
        &'a self,
        evaluation: &Evaluation,
        instance: &'a Value,
        observed: &'a dyn Observed,
    ) -> Vec<Vec<Found<'a>>> {
        let mut pass = Pass::new(self, instance, observed);
        pass.recall(evaluation);
        let nodes = evaluation.nodes.iter().enumerate().take(self.nodes.len());
        nodes
            .map(|(index, state)| match state {
                NodeState::Resolved(resolved) => pass.found(index, &resolved.target),
                _ => Vec::new(),
            })
            .collect()
    }
}

impl<'a> Pass<'a> {
    /// Looks the objects of a node up, lets its name stand for them, and tells whether they are ready.
    pub(super) fn observe(&mut self, index: usize, target: &Target) -> Readiness {
        let graph = self.graph;
        let node = &graph.nodes[index];
        let found = self.find(node, target);
        let wanted = match target {
            Target::Objects(objects) => objects.len(),
            Target::Named { .. } => 1,
            Target::Selected { .. } => 0,
        };
        self.bind(index, &found);
        if found.len() < wanted { Readiness::Absent } else { self.readiness(index, &found) }
    }

    /// Lets the name of a node stand for these objects.
    pub(super) fn bind(&mut self, index: usize, found: &[&'a Value]) {
        let graph = self.graph;
        self.values[index] = value_of(&graph.nodes[index], found.iter().copied());
    }

    pub(super) fn find(&self, node: &'a Node, target: &Target) -> Vec<&'a Value> {
        let kind = node.subject.kind();
        match target {
            Target::Objects(objects) => {
                let find = |object: &Value| {
                    let (namespace, name) = identity(object, kind);
                    self.observed.made(kind, namespace, name)
                };
                objects.iter().filter_map(find).collect()
            }
            Target::Named { namespace, name } => {
                self.observed.object(kind, namespace, name).into_iter().collect()
            }
            Target::Selected { namespace, selector } => {
                self.observed.selected(kind, namespace.as_deref(), selector)
            }
        }
    }

    fn found(&self, index: usize, target: &Target) -> Vec<Found<'a>> {
        let node = &self.graph.nodes[index];
        let one = |(place, object): (usize, &'a Value)| {
            let is_ready = matches!(self.readiness(index, &[object]), Readiness::Ready);
            Found { object, index: place, is_ready }
        };
        let Target::Objects(objects) = target else {
            return self.find(node, target).into_iter().enumerate().map(one).collect();
        };
        let kind = node.subject.kind();
        let find = |(place, wanted): (usize, &Value)| {
            let (namespace, name) = identity(wanted, kind);
            self.observed.made(kind, namespace, name).map(|it| one((place, it)))
        };
        objects.iter().enumerate().filter_map(find).collect()
    }

    /// What is asked of a selection as a whole is asked once, also of an empty one; all else of each object.
    fn readiness(&self, index: usize, found: &[&'a Value]) -> Readiness {
        let node = &self.graph.nodes[index];
        let name = if node.is_collection() { ELEMENT } else { &node.id };
        let (of_whole, of_each): (Vec<_>, Vec<_>) =
            node.ready_when.iter().partition(|it| is_about_whole(it, node));
        let mut bindings = node.ready_env.bindings();
        self.bind_whole(index, &mut bindings);
        if let Some(unmet) = unmet(&of_whole, &bindings, &self.budget) {
            return unmet;
        }
        let of_object = |object: &&'a Value| {
            bindings.set(name, object);
            unmet(&of_each, &bindings, &self.budget)
        };
        found.iter().find_map(of_object).unwrap_or(Readiness::Ready)
    }

    /// A selection may also be looked at as a whole.
    fn bind_whole(&self, index: usize, bindings: &mut Bindings<'a>) {
        let (node, whole) = (&self.graph.nodes[index], self.values[index].clone());
        if let (Subject::External(_), true, Some(whole)) = (&node.subject, node.is_collection(), whole) {
            bindings.set_val(&node.id, whole);
        }
    }
}

/// Whether a condition is about all objects of a selection, and about none of them alone.
fn is_about_whole(condition: &Expression, node: &Node) -> bool {
    let mentions =
        |name: &str| node.ready_env.slot(name).is_some_and(|it| condition.variables().contains(&it));
    matches!(node.subject, Subject::External(_))
        && node.is_collection()
        && mentions(&node.id)
        && !mentions(ELEMENT)
}

/// The first condition that does not hold; nothing when all do.
fn unmet<'a>(conditions: &[&'a Expression], bindings: &Bindings<'a>, budget: &Budget) -> Option<Readiness> {
    conditions.iter().find_map(|condition| {
        let expression = condition.source().to_owned();
        match verdict(condition, bindings, budget) {
            Ok(true) => None,
            Ok(false) => Some(Readiness::NotReady { expression }),
            Err(NodeError::Condition { error, .. }) if error.is_missing_data() => {
                Some(Readiness::NotReady { expression })
            }
            Err(NodeError::Condition { error, .. }) => Some(Readiness::Failed { expression, error }),
            Err(_) => {
                let error = EvalError::invalid("did not return bool");
                Some(Readiness::Failed { expression, error })
            }
        }
    })
}

/// What the name of a node stands for, given its objects.
pub(super) fn value_of<'a>(node: &'a Node, mut objects: impl Iterator<Item = &'a Value>) -> Option<Val<'a>> {
    let ty = variable_type(node);
    if !node.is_collection() {
        return objects.next().map(|it| Val::from_json(it, ty));
    }
    let element = if let Type::List(list) = ty { &list.element } else { ty };
    Some(Val::list(objects.map(|it| Val::from_json(it, element)).collect()))
}

/// The type of a node's name in templates.
fn variable_type(node: &Node) -> &Type {
    let slot = node.env.slot(&node.id);
    slot.and_then(|slot| node.env.variables().get(slot)).map_or(&Type::Dyn, |it| &it.ty)
}

/// What a condition says; an optional without a value says no.
pub(crate) fn verdict<'a>(
    condition: &'a Expression,
    bindings: &Bindings<'a>,
    budget: &Budget,
) -> Result<bool, NodeError> {
    let expression = || condition.source().to_owned();
    let value = condition.evaluate(bindings, budget);
    let value = value.map_err(|error| NodeError::Condition { expression: expression(), error })?;
    let value = match &value {
        Val::Optional(None) => return Ok(false),
        Val::Optional(Some(inner)) => inner,
        other => other,
    };
    if let Val::Bool(verdict) = value {
        Ok(*verdict)
    } else {
        Err(NodeError::NoVerdict { expression: expression() })
    }
}
