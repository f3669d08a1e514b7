//! What can be told of objects before all that they are made from is there.

use krono_cel::{Bindings, Val};
use serde_json::{Map, Value};

use super::readiness::{value_of, verdict};
use super::resolve::{bound, combinations, identity};
use super::{NodeState, Observed, Pass, Target, without_status};
use crate::compile::INSTANCE;
use crate::expression::Expression;
use crate::graph::{CompiledGraph, Manifest, Node, Subject};
use crate::shape::Shape;

/// Stands for a value that nobody knows before other objects exist or are ready.
pub const UNKNOWN: &str = "(known after apply)";

/// What can be told of a node that cannot be made yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// Its objects, with [`UNKNOWN`] in place of what nobody knows.
    pub objects: Vec<Value>,
    /// Whether these are all of its objects, each of them with a name.
    pub is_complete: bool,
}

impl CompiledGraph {
    /// By node in the author's order, what can be told of those that wait for others; nothing of those that are resolved,
    /// left out, failed or made by somebody else.
    ///
    /// What a node that waits says of one that is not ready is taken from the spec of that one, never from its status.
    pub fn drafts(&self, instance: &Value, observed: &dyn Observed) -> Vec<Option<Draft>> {
        let instance = without_status(instance);
        let mut pass = Pass::new(self, &instance, observed);
        pass.run();
        let mut drafts = Drafts { pass: &pass, known: vec![None; self.nodes.len()] };
        let mut told = vec![None; self.nodes.len()];
        for index in &self.order.sequence {
            told[*index] = drafts.of(*index);
        }
        told
    }
}

struct Drafts<'p, 'a> {
    pass: &'p Pass<'a>,
    /// By node that is not ready, the objects it will have, without what nobody knows.
    known: Vec<Option<Vec<Value>>>,
}

impl Drafts<'_, '_> {
    fn of(&mut self, index: usize) -> Option<Draft> {
        let node = &self.pass.graph.nodes[index];
        match self.pass.states[index].as_ref()? {
            NodeState::Resolved(resolved) if !self.pass.is_ready(index) => {
                self.known[index] = self.existing(node, &resolved.target);
                None
            }
            NodeState::Resolved(_) | NodeState::Excluded { .. } | NodeState::Failed(_) => None,
            NodeState::Waiting { .. } | NodeState::Pending(_) => {
                let Subject::Template(manifest) = &node.subject else { return None };
                let draft = self.draft(node, manifest)?;
                if draft.is_complete {
                    self.known[index] = Some(draft.objects.iter().map(without_unknown).collect());
                }
                Some(draft)
            }
        }
    }

    /// The objects of a node that is resolved and not ready, as far as they stay what they are.
    fn existing(&self, node: &Node, target: &Target) -> Option<Vec<Value>> {
        let Target::Objects(objects) = target else { return None };
        let kind = node.subject.kind();
        let steady = |object: &Value| {
            let (namespace, name) = identity(object, kind);
            without_status(self.pass.observed.made(kind, namespace, name).unwrap_or(object))
        };
        Some(objects.iter().map(steady).collect())
    }

    /// Nothing when the node will be left out.
    fn draft(&self, node: &Node, manifest: &Manifest) -> Option<Draft> {
        let bindings = self.bindings(node);
        let excluded = |it: &Expression| {
            self.is_certain(it) && matches!(verdict(it, &bindings, &self.pass.budget), Ok(false))
        };
        if node.include_when.iter().any(excluded) {
            return None;
        }
        let Some(combinations) = self.combinations(node, &bindings) else { return Some(Draft::default()) };
        let objects: Vec<Value> =
            combinations.into_iter().map(|it| self.object(manifest, &bound(node, &bindings, it))).collect();
        let is_named = |it: &Value| it["metadata"]["name"].as_str().is_some_and(|it| it != UNKNOWN);
        let is_complete = objects.iter().all(is_named);
        Some(Draft { objects, is_complete })
    }

    fn combinations<'b>(&'b self, node: &'b Node, bindings: &Bindings<'b>) -> Option<Vec<Vec<Val<'b>>>> {
        if !node.for_each.iter().all(|it| self.is_certain(&it.list)) {
            return None;
        }
        combinations(node, bindings, self.pass.graph.most_objects, &self.pass.budget).ok()
    }

    fn object<'b>(&self, manifest: &'b Manifest, bindings: &Bindings<'b>) -> Value {
        let mut object = self.fill(&manifest.shape, bindings).unwrap_or_default();
        let is_placed = object["metadata"]["namespace"].as_str().is_some_and(|it| !it.is_empty());
        if manifest.kind.namespaced
            && !is_placed
            && let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
        {
            metadata.insert("namespace".to_owned(), self.pass.instance_namespace().into());
        }
        object
    }

    /// The instance, nodes that are ready as they were observed, and the others as far as they are known.
    fn bindings<'b>(&'b self, node: &'b Node) -> Bindings<'b> {
        let mut bindings = node.env.bindings().with(INSTANCE, self.pass.instance);
        for (index, node) in self.pass.graph.nodes.iter().enumerate() {
            let value = match &self.known[index] {
                Some(objects) => value_of(node, objects.iter()),
                None if self.pass.is_ready(index) => self.pass.values[index].clone(),
                None => None,
            };
            if let Some(value) = value {
                bindings.set_val(&node.id, value);
            }
        }
        bindings
    }

    /// Whether a value of the expression stays what it is: what asks whether a field is there may be told otherwise later.
    fn is_certain(&self, expression: &Expression) -> bool {
        let mut mentioned = expression.variables().iter().filter_map(|slot| slot.checked_sub(1));
        let count = self.pass.graph.nodes.len();
        !expression.tests_presence() || mentioned.all(|it| it >= count || self.pass.is_ready(it))
    }

    /// The value with what is known filled in; nothing where `omit()` takes it away.
    fn fill<'b>(&self, shape: &'b Shape, bindings: &Bindings<'b>) -> Option<Value> {
        match shape {
            Shape::Literal(value) => Some(value.clone()),
            Shape::Object(fields) => {
                let filled = fields.iter();
                let filled = filled.filter_map(|(name, it)| Some((name.clone(), self.fill(it, bindings)?)));
                Some(Value::Object(filled.collect::<Map<_, _>>()))
            }
            Shape::List(elements) => {
                Some(Value::Array(elements.iter().filter_map(|it| self.fill(it, bindings)).collect()))
            }
            Shape::Expression(_) | Shape::Text(_) => self.leaf(shape, bindings),
        }
    }

    fn leaf<'b>(&self, shape: &'b Shape, bindings: &Bindings<'b>) -> Option<Value> {
        let mut is_certain = true;
        shape.for_each_expression(&mut |it| is_certain &= self.is_certain(it));
        match shape.fill(bindings, &self.pass.budget) {
            Ok(value) if is_certain => value,
            Ok(_) | Err(_) => Some(UNKNOWN.into()),
        }
    }
}

/// What a draft says, so that what is not known cannot be taken for a text.
fn without_unknown(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let known = fields.iter().filter(|(_, it)| *it != UNKNOWN);
            Value::Object(known.map(|(name, it)| (name.clone(), without_unknown(it))).collect())
        }
        Value::Array(items) => items.iter().filter(|it| *it != UNKNOWN).map(without_unknown).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}
