//! Asking whether a change may be made now.

use std::fmt::{self, Display};

use krono_cel::{Bindings, Key, Map, Text, Type, Val};
use serde_json::Value;

use super::{INDEX, NodeGates, ResourceGates};
use crate::budget::Budget;
use crate::compile::{ELEMENT, INSTANCE};
use crate::evaluate::{Evaluation, Found, NodeError, Observed, verdict};
use crate::graph::{CompiledGraph, Node};

/// What is known of an object beside what it says, for functions to find.
#[derive(Clone, Debug)]
pub struct Known {
    /// Under which name functions look for it.
    pub name: &'static str,
    /// What they find.
    pub value: Val<'static>,
}

/// Why a change may not be made now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    /// The place of the expression among those of its resource.
    pub at: usize,
    /// The expression, without `${` and `}`.
    pub source: String,
    /// Why it has no value; nothing when it is not true.
    pub error: Option<String>,
}

/// The gates of a graph, asked about one instance.
#[derive(Debug)]
pub struct Asking<'a> {
    graph: &'a CompiledGraph,
    gates: &'a ResourceGates,
    instance: &'a Value,
    /// By node, its objects with their places.
    items: Vec<Vec<Item<'a>>>,
    budget: Budget,
}

#[derive(Clone, Debug)]
struct Item<'a> {
    object: &'a Value,
    value: Val<'a>,
}

static DYN: Type = Type::Dyn;

impl ResourceGates {
    /// Asks about an instance and what was observed for it; `known` tells of a node's object, given whether it is ready.
    pub fn ask<'a>(
        &'a self,
        graph: &'a CompiledGraph,
        instance: &'a Value,
        evaluation: &Evaluation,
        observed: &'a dyn Observed,
        known: &dyn Fn(usize, &Value, bool) -> Known,
    ) -> Asking<'a> {
        let found = graph.found(evaluation, instance, observed).into_iter().zip(&graph.nodes).enumerate();
        let items = found.map(|(node, (found, of))| {
            found.into_iter().map(|it| item(of, &it, known(node, it.object, it.is_ready))).collect()
        });
        Asking { graph, gates: self, instance, items: items.collect(), budget: Budget::default() }
    }
}

impl Asking<'_> {
    /// Why an object of a node may not be changed now; nothing when it may, or when it is not there.
    pub fn closed(&self, node: usize, namespace: &str, name: &str) -> Option<Closed> {
        let gates = self.gates.of(node)?;
        let item = self.items.get(node)?.iter().find(|it| it.is(namespace, name))?;
        let mut bindings = self.bindings(gates);
        bindings.set_val(ELEMENT, item.value.clone());
        gates.all.iter().enumerate().find_map(|(at, gate)| {
            let error = match &gate.compiled {
                Err(words) => Some(words.clone()),
                Ok(expression) => match verdict(expression, &bindings, &self.budget) {
                    Ok(true) => return None,
                    Ok(false) => None,
                    Err(NodeError::Condition { error, .. }) => Some(error.message().to_owned()),
                    Err(other) => Some(other.to_string()),
                },
            };
            Some(Closed { at, source: gate.source.clone(), error })
        })
    }

    fn bindings<'b>(&'b self, gates: &'b NodeGates) -> Bindings<'b> {
        let mut bindings = gates.env.bindings().with(INSTANCE, self.instance);
        for (node, items) in self.graph.nodes.iter().zip(&self.items) {
            if node.is_collection() {
                bindings.set_val(&node.id, Val::list(items.iter().map(|it| it.value.clone()).collect()));
            } else if let Some(only) = items.first() {
                bindings.set_val(&node.id, only.value.clone());
            }
        }
        bindings
    }
}

impl Item<'_> {
    fn is(&self, namespace: &str, name: &str) -> bool {
        let text = |field: &str| self.object["metadata"][field].as_str().unwrap_or_default();
        text("name") == name && (namespace.is_empty() || text("namespace") == namespace)
    }
}

impl Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error {
            None => write!(f, "propagateWhen[{}] is not true: {}", self.at, self.source),
            Some(error) => write!(f, "propagateWhen[{}] has no value: {}: {error}", self.at, self.source),
        }
    }
}

/// An object with its place and with what functions look for.
fn item<'a>(node: &'a Node, found: &Found<'a>, known: Known) -> Item<'a> {
    let ty = object_type(node);
    let entry = |name: &'a str, value: Val<'a>| (Key::String(Text::Lent(name)), value);
    let fields = found.object.as_object().into_iter().flatten();
    let fields = fields.map(|(name, value)| entry(name, Val::from_json(value, field_type(ty, name))));
    let index = Val::Int(i64::try_from(found.index).unwrap_or(i64::MAX));
    let entries = fields.chain([entry(INDEX, index), entry(known.name, known.value)]).collect();
    Item { object: found.object, value: Val::map(Map::last_wins(entries)) }
}

fn object_type(node: &Node) -> &Type {
    let slot = node.env.slot(&node.id);
    let ty = slot.and_then(|slot| node.env.variables().get(slot)).map_or(&DYN, |it| &it.ty);
    if let Type::List(list) = ty { &list.element } else { ty }
}

fn field_type<'t>(object: &'t Type, name: &str) -> &'t Type {
    if let Type::Object(object) = object { object.fields.get(name).unwrap_or(&DYN) } else { &DYN }
}
