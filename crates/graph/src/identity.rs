//! Which objects a node makes, as far as that can be told without an instance.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::expression::Expression;
use crate::graph::{CompiledGraph, Dimension, Manifest, Node, Subject};
use crate::sources::{Written, sources, written};

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
    /// What all these read of other nodes, and of what the instance leaves to its schema.
    sources: BTreeMap<String, Value>,
}

impl Identity {
    /// Whether whoever makes these objects also makes those; where that depends on values, it does not.
    pub fn includes(&self, those: &Self) -> bool {
        let of = |it: &Self| (it.kind.clone(), it.name.clone(), it.namespace.clone(), it.dimensions.clone());
        let mut sources = self.sources.iter();
        of(self) == of(those)
            && self.conditions.is_subset(&those.conditions)
            && sources.all(|(place, written)| those.sources.get(place) == Some(written))
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
        let field = |name: &str| written(shape, &["metadata", name]).unwrap_or_default();
        let (name, namespace) = (field("name"), field("namespace"));
        let conditions = self.conditions_of(node);
        let dimension = |it: &Dimension| (it.iterator.clone(), it.list.source().to_owned());
        let lists = node.for_each.iter().map(|it| &it.list);
        let deciding = [&name, &namespace].into_iter().flat_map(|it| it.expressions.iter().copied());
        let deciding = deciding.chain(lists).chain(conditions.iter().copied());
        Some(Identity {
            kind: (kind.group().to_owned(), kind.kind.clone()),
            sources: sources(self, deciding),
            name: text(&name),
            namespace: text(&namespace),
            dimensions: node.for_each.iter().map(dimension).collect(),
            conditions: conditions.iter().map(|it| it.source().to_owned()).collect(),
        })
    }

    fn conditions_of<'g>(&'g self, node: &'g Node) -> Vec<&'g Expression> {
        let mut needed: BTreeSet<usize> = node.dependencies.clone();
        let mut ahead: Vec<usize> = needed.iter().copied().collect();
        while let Some(next) = ahead.pop() {
            ahead.extend(self.nodes[next].dependencies.iter().filter(|it| needed.insert(**it)));
        }
        let all = needed.iter().map(|it| &self.nodes[*it]).chain([node]);
        all.flat_map(|it| &it.include_when).collect()
    }
}

/// Empty where there is nothing.
fn text(written: &Written<'_>) -> String {
    let text = &written.text;
    text.as_str().map_or_else(|| if text.is_null() { String::new() } else { text.to_string() }, str::to_owned)
}
