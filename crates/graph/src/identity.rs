//! Which objects a node makes, as far as that can be told without an instance.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::expression::Expression;
use crate::graph::{CompiledGraph, Dimension, Manifest, Node, Subject};
use crate::shape::{Shape, TextPart};

/// What decides which objects a node makes: their kind and names, how many there are, and whether there are any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Group and kind; in which version they are written makes no other objects of them.
    kind: (String, String),
    name: String,
    namespace: String,
    /// The iterators of a collection and their lists.
    dimensions: Vec<(String, String)>,
    /// All that must hold, for the node itself or for one that it needs.
    conditions: BTreeSet<String>,
}

impl Identity {
    /// Whether whoever makes these objects also makes those; where that depends on values, it does not.
    pub fn includes(&self, those: &Self) -> bool {
        let of = |it: &Self| (it.kind.clone(), it.name.clone(), it.namespace.clone(), it.dimensions.clone());
        of(self) == of(those) && self.conditions.is_subset(&those.conditions)
    }
}

impl Identity {
    /// Whether it is one object, which every instance has.
    pub(crate) fn is_certain(&self) -> bool {
        self.conditions.is_empty() && self.dimensions.is_empty()
    }
}

impl CompiledGraph {
    /// Which objects the node of an id makes; nothing when it makes none.
    pub fn identity(&self, id: &str) -> Option<Identity> {
        self.identity_of(self.nodes.iter().find(|it| it.id == id)?)
    }

    /// Which objects a node makes; nothing when it makes none.
    pub(crate) fn identity_of(&self, node: &Node) -> Option<Identity> {
        let Subject::Template(Manifest { kind, shape }) = &node.subject else { return None };
        let dimension = |it: &Dimension| (it.iterator.clone(), it.list.source().to_owned());
        Some(Identity {
            kind: (kind.group().to_owned(), kind.kind.clone()),
            name: written(shape, &["metadata", "name"]),
            namespace: written(shape, &["metadata", "namespace"]),
            dimensions: node.for_each.iter().map(dimension).collect(),
            conditions: self.conditions_of(node),
        })
    }

    fn conditions_of(&self, node: &Node) -> BTreeSet<String> {
        let mut needed: BTreeSet<usize> = node.dependencies.clone();
        let mut ahead: Vec<usize> = needed.iter().copied().collect();
        while let Some(next) = ahead.pop() {
            ahead.extend(self.nodes[next].dependencies.iter().filter(|it| needed.insert(**it)));
        }
        let all = needed.iter().map(|it| &self.nodes[*it]).chain([node]);
        all.flat_map(|it| &it.include_when).map(|it| it.source().to_owned()).collect()
    }
}

/// What the author wrote at a place in nested maps; empty where there is nothing.
fn written(shape: &Shape, path: &[&str]) -> String {
    match (shape, path.split_first()) {
        (Shape::Literal(value), _) => {
            let found = path.iter().try_fold(value, |value, field| value.get(field));
            found.map_or_else(String::new, text)
        }
        (Shape::Object(fields), Some((first, rest))) => {
            let field = fields.iter().find(|(name, _)| name == first);
            field.map_or_else(String::new, |(_, it)| written(it, rest))
        }
        (Shape::Expression(expression), _) => quoted(expression),
        (Shape::Text(parts), _) => parts.iter().map(part).collect(),
        (Shape::Object(_) | Shape::List(_), _) => String::new(),
    }
}

fn part(part: &TextPart) -> String {
    match part {
        TextPart::Literal(text) => text.clone(),
        TextPart::Expression(expression) => quoted(expression),
    }
}

fn quoted(expression: &Expression) -> String {
    format!("${{{}}}", expression.source())
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
