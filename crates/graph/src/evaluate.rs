//! One graph for one instance: what should be, and how far it is.

mod draft;
mod place;
mod readiness;
mod resolve;
mod status;

use std::collections::BTreeMap;

use krono_cel::{Bindings, Env, EvalError, Val};
use serde_json::{Map, Value};

use crate::budget::Budget;
use crate::compile::INSTANCE;
use crate::graph::{CompiledGraph, KindName, Node};
use crate::shape::FillError;

pub use draft::{Draft, UNKNOWN};
pub(crate) use readiness::{Found, verdict};
pub use status::Authored;

/// What is known of the objects in the cluster.
pub trait Observed {
    /// The object of that kind and name; cluster-wide kinds have an empty namespace.
    fn object(&self, kind: &KindName, namespace: &str, name: &str) -> Option<&Value>;

    /// The same, of an object that the graph itself makes: one that cannot be built upon counts as absent.
    fn made(&self, kind: &KindName, namespace: &str, name: &str) -> Option<&Value> {
        self.object(kind, namespace, name)
    }

    /// The objects that a label selector selects, in one namespace or in all.
    fn selected(&self, kind: &KindName, namespace: Option<&str>, selector: &Value) -> Vec<&Value>;
}

/// What a graph says about one instance.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// By node, in the author's order.
    pub nodes: Vec<NodeState>,
    /// The author's status fields that have a value.
    pub status: Map<String, Value>,
    /// What is wrong with status fields, beside data that is not there yet.
    pub status_errors: Vec<FillError>,
}

/// How far a node is.
#[derive(Clone, Debug)]
pub enum NodeState {
    /// Left out by its own `includeWhen`, or because a node it needs is.
    Excluded {
        /// The node whose condition does not hold.
        by: usize,
    },
    /// Cannot be made before another node is ready.
    Waiting {
        /// That node.
        on: usize,
    },
    /// Cannot be made before data appears.
    Pending(FillError),
    /// Cannot be made.
    Failed(NodeError),
    /// Known in full.
    Resolved(Resolved),
}

/// A node that is known in full.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The objects it is about.
    pub target: Target,
    /// Whether nodes that need it may go on.
    pub readiness: Readiness,
}

/// The objects a node is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// Objects to make: one, or those of a collection in order.
    Objects(Vec<Value>),
    /// An object that somebody else makes.
    Named {
        /// Empty for cluster-wide kinds.
        namespace: String,
        /// Its name.
        name: String,
    },
    /// Objects that somebody else makes.
    Selected {
        /// One namespace, or all.
        namespace: Option<String>,
        /// A label selector; empty selects all.
        selector: Value,
    },
}

/// Whether nodes that need a node may go on.
#[derive(Clone, Debug)]
pub enum Readiness {
    /// They may.
    Ready,
    /// Some of its objects do not exist.
    Absent,
    /// A condition does not hold, or needs data that is not there yet.
    NotReady {
        /// The expression, without `${` and `}`.
        expression: String,
    },
    /// A condition cannot be evaluated.
    Failed {
        /// The expression, without `${` and `}`.
        expression: String,
        /// Why.
        error: EvalError,
    },
}

/// Why a node cannot be made.
#[derive(Clone, Debug, thiserror::Error)]
pub enum NodeError {
    /// A field has no value.
    #[error("{0}")]
    Fill(#[from] FillError),
    /// A condition cannot be evaluated.
    #[error("failed to evaluate {expression:?}: {error}")]
    Condition {
        /// The expression, without `${` and `}`.
        expression: String,
        /// Why.
        error: EvalError,
    },
    /// A condition says neither yes nor no.
    #[error("{expression:?} did not return bool")]
    NoVerdict {
        /// The expression, without `${` and `}`.
        expression: String,
    },
    /// The object has no name.
    #[error("metadata.name: expected text that is not empty")]
    Nameless,
    /// The object cannot have that name, or be in that namespace.
    #[error("metadata.{field}: {found:?}: {complaint}")]
    Unfit {
        /// The field.
        field: &'static str,
        /// What is there, or its beginning.
        found: String,
        /// What is wrong with it.
        complaint: String,
    },
    /// A field is a number, a list or a map.
    #[error("metadata.{field}: expected text")]
    NoText {
        /// The field.
        field: &'static str,
    },
    /// The object is in no namespace, though its kind lives in namespaces.
    #[error(
        "metadata.namespace: expected text that is not empty, for the instance is in no namespace itself"
    )]
    Placeless,
    /// A label selector selects nothing, whatever there is.
    #[error("{path}: {complaint}")]
    Selector {
        /// The field.
        path: String,
        /// What is wrong with it.
        complaint: String,
    },
    /// A dimension of a collection is no list.
    #[error("forEach {iterator:?} did not return a list")]
    NoList {
        /// The iterator.
        iterator: String,
    },
    /// A collection is too large.
    #[error("collection of {size} objects exceeds the maximum of {most}")]
    TooLarge {
        /// How many it would have.
        size: usize,
        /// How many it may have.
        most: usize,
    },
    /// Two objects would be one.
    #[error("identity collision: {namespace}/{name} is made twice")]
    Collision {
        /// Empty for cluster-wide kinds.
        namespace: String,
        /// The name.
        name: String,
    },
    /// The object would be the instance.
    #[error("identity collision: {namespace}/{name} is the instance itself")]
    Itself {
        /// Empty for cluster-wide kinds.
        namespace: String,
        /// The name.
        name: String,
    },
}

impl CompiledGraph {
    /// What should be for an instance, given what is; several levels at once where the data is there.
    pub fn evaluate(&self, instance: &Value, observed: &dyn Observed) -> Evaluation {
        let instance = without_status(instance);
        let mut pass = Pass::new(self, &instance, observed);
        pass.run();
        let (status, status_errors) = pass.status();
        // Every node stands in the order once.
        let nodes = pass.states.into_iter().flatten().collect();
        Evaluation { nodes, status, status_errors }
    }
}

fn without_status(instance: &Value) -> Value {
    let fields = instance.as_object().into_iter().flatten().filter(|(name, _)| *name != "status");
    Value::Object(fields.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// One walk over the nodes.
struct Pass<'a> {
    graph: &'a CompiledGraph,
    instance: &'a Value,
    observed: &'a dyn Observed,
    states: Vec<Option<NodeState>>,
    /// By node, what its name stands for in expressions: what was observed of it.
    values: Vec<Option<Val<'a>>>,
    /// Who makes which object: group and kind, whatever the API version, namespace and name.
    made: BTreeMap<[String; 4], usize>,
    budget: Budget,
}

impl<'a> Pass<'a> {
    fn new(graph: &'a CompiledGraph, instance: &'a Value, observed: &'a dyn Observed) -> Self {
        let count = graph.nodes.len();
        let (states, values) = (vec![None; count], vec![None; count]);
        let (made, budget) = (BTreeMap::new(), Budget::default());
        Self { graph, instance, observed, states, values, made, budget }
    }

    fn run(&mut self) {
        let graph = self.graph;
        for index in &graph.order.sequence {
            let state = self.node(*index);
            self.states[*index] = Some(state);
        }
    }

    fn node(&mut self, index: usize) -> NodeState {
        let graph = self.graph;
        let node = &graph.nodes[index];
        if let Some(by) = node.dependencies.iter().find_map(|it| self.excluded(*it)) {
            return NodeState::Excluded { by };
        }
        match self.included(node) {
            Ok(true) => {}
            Ok(false) => return NodeState::Excluded { by: index },
            Err(state) => return state,
        }
        if let Some(on) = node.dependencies.iter().copied().find(|it| !self.is_ready(*it)) {
            return NodeState::Waiting { on };
        }
        match self.resolve(index) {
            Ok(target) => {
                let readiness = self.observe(index, &target);
                NodeState::Resolved(Resolved { target, readiness })
            }
            Err(NodeError::Fill(missing)) if missing.error.is_missing_data() => NodeState::Pending(missing),
            Err(error) => NodeState::Failed(error),
        }
    }

    /// The node whose condition leaves this one out.
    fn excluded(&self, index: usize) -> Option<usize> {
        match &self.states[index] {
            Some(NodeState::Excluded { by }) => Some(*by),
            Some(
                NodeState::Waiting { .. }
                | NodeState::Pending(_)
                | NodeState::Failed(_)
                | NodeState::Resolved(_),
            )
            | None => None,
        }
    }

    fn is_ready(&self, index: usize) -> bool {
        matches!(&self.states[index], Some(NodeState::Resolved(it)) if matches!(it.readiness, Readiness::Ready))
    }

    fn included(&self, node: &'a Node) -> Result<bool, NodeState> {
        for condition in &node.include_when {
            let mut mentioned = condition.variables().iter().filter_map(|slot| slot.checked_sub(1));
            if let Some(on) = mentioned.find(|it| !self.is_ready(*it)) {
                return Err(NodeState::Waiting { on });
            }
            let bindings = self.bindings(&node.env);
            match readiness::verdict(condition, &bindings, &self.budget) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(error) => {
                    let mentions_resources = condition.variables().iter().any(|slot| *slot > 0);
                    return Err(undecided(error, mentions_resources));
                }
            }
        }
        Ok(true)
    }

    /// The instance and what was observed so far.
    fn bindings(&self, env: &'a Env) -> Bindings<'a> {
        let mut bindings = env.bindings().with(INSTANCE, self.instance);
        for (node, value) in self.graph.nodes.iter().zip(&self.values) {
            if let Some(value) = value {
                bindings.set_val(&node.id, value.clone());
            }
        }
        bindings
    }
}

/// Data that is missing in a resource may appear; in the instance it will not by itself.
fn undecided(undecided: NodeError, mentions_resources: bool) -> NodeState {
    if let NodeError::Condition { error, .. } = &undecided
        && error.is_missing_data()
        && mentions_resources
    {
        return NodeState::Pending(FillError { path: "includeWhen".to_owned(), error: error.clone() });
    }
    NodeState::Failed(undecided)
}
