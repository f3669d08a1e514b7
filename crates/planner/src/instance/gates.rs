//! When changes reach single resources, as a definition says now (V34).
//!
//! A policy is no content: an edit of it is no revision, and acts on instances of every revision at once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use krono_graph::{CompiledGraph, ResourceGates};
use krono_history::Digest;
use krono_propagation::gate;
use serde_json::{Value, json};

/// `propagateWhen` of the resources that a definition has.
#[derive(Clone, Debug, Default)]
pub struct PropagationGates {
    /// Those who have any, with nothing else about them.
    resources: Value,
    /// Whether an expression without a value lets changes through.
    is_open: bool,
    /// By the content of the graph that they are for.
    compiled: Arc<Mutex<BTreeMap<Digest, Arc<Compiled>>>>,
}

/// The expressions for one graph.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) gates: ResourceGates,
    /// Whether some make no sense.
    pub(crate) has_mistakes: bool,
}

impl PartialEq for PropagationGates {
    fn eq(&self, other: &Self) -> bool {
        self.resources == other.resources && self.is_open == other.is_open
    }
}

impl PropagationGates {
    /// As a definition says.
    pub fn of(definition: &Value) -> Self {
        let spec = &definition["spec"];
        let resources = spec["resources"].as_array().into_iter().flatten();
        let gated = resources.filter(|it| gate::is_said(&it["propagateWhen"]));
        let gated = gated.map(|it| json!({"id": it["id"], "propagateWhen": it["propagateWhen"]}));
        Self {
            resources: gated.collect(),
            is_open: spec["propagation"]["failurePolicy"] == "Open",
            compiled: Arc::default(),
        }
    }

    /// Whether nothing is held back.
    pub(crate) fn is_empty(&self) -> bool {
        self.resources.as_array().is_none_or(Vec::is_empty)
    }

    /// Whether changes of the resources with this id may be held back.
    pub(super) fn has(&self, id: &str) -> bool {
        self.resources.as_array().into_iter().flatten().any(|it| it["id"] == id)
    }

    /// Whether an expression without a value lets changes through.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// For the graph of some content.
    pub(crate) fn compiled(&self, graph: &CompiledGraph, content: Digest) -> Arc<Compiled> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let compile = || {
            let (gates, mistakes) =
                ResourceGates::compile(graph, &self.resources, gate::resource_functions());
            Arc::new(Compiled { gates, has_mistakes: !mistakes.is_empty() })
        };
        Arc::clone(compiled.entry(content).or_insert_with(compile))
    }
}
