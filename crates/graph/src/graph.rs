//! Compiled definitions.

use std::collections::BTreeSet;

use krono_cel::Env;
use krono_schema::crd::{CustomResourceDefinition, InstanceSchema};

use crate::expression::Expression;
use crate::order::Order;
use crate::rgd::DeletionPolicy;
use crate::shape::Shape;

/// A definition whose every expression is checked and whose nodes are in order.
#[derive(Clone, Debug)]
pub struct CompiledGraph {
    /// The kind of the instances.
    pub instance: InstanceSchema,
    /// The definition that serves that kind.
    pub crd: CustomResourceDefinition,
    /// The nodes, in the author's order.
    pub nodes: Vec<Node>,
    /// In which order they come.
    pub order: Order,
    /// The status of instances.
    pub(crate) status: StatusShape,
    /// How many objects a collection may have.
    pub(crate) most_objects: usize,
}

/// One element of a graph: an object to make, a collection of them, or objects that others make.
#[derive(Clone, Debug)]
pub struct Node {
    /// The author's name for it.
    pub id: String,
    /// What it is about.
    pub subject: Subject,
    /// The nodes it needs, by position.
    pub dependencies: BTreeSet<usize>,
    /// All must hold, or the node and all that need it are left out.
    pub include_when: Vec<Expression>,
    /// All must hold before nodes that need this one go on.
    pub ready_when: Vec<Expression>,
    /// One object for each combination of their elements.
    pub for_each: Vec<Dimension>,
    /// What the author said about deletion.
    pub deletion: Option<DeletionPolicy>,
    /// For template, reference, dimensions and inclusion.
    pub(crate) env: Env,
    /// For readiness.
    pub(crate) ready_env: Env,
}

impl Node {
    /// Whether it stands for a list of objects.
    pub fn is_collection(&self) -> bool {
        !self.for_each.is_empty() || matches!(&self.subject, Subject::External(it) if it.selector.is_some())
    }
}

/// What a node is about.
#[derive(Clone, Debug)]
pub enum Subject {
    /// An object that krono makes.
    Template(Manifest),
    /// Objects that others make.
    External(Reference),
}

impl Subject {
    /// The kind of its objects.
    pub fn kind(&self) -> &KindName {
        match self {
            Self::Template(manifest) => &manifest.kind,
            Self::External(reference) => &reference.kind,
        }
    }
}

/// The name of a kind in one API version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KindName {
    /// Such as `apps/v1`.
    pub api_version: String,
    /// Such as `Deployment`.
    pub kind: String,
    /// Whether its objects live in namespaces.
    pub namespaced: bool,
}

impl KindName {
    /// Such as `apps`; empty for the core group.
    pub fn group(&self) -> &str {
        self.api_version.split_once('/').map_or("", |(group, _)| group)
    }
}

/// An object to make.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// Its kind.
    pub kind: KindName,
    /// All of it.
    pub(crate) shape: Shape,
}

/// Objects that others make.
#[derive(Clone, Debug)]
pub struct Reference {
    /// Their kind.
    pub kind: KindName,
    /// Where to look; the instance's namespace when absent.
    pub(crate) namespace: Option<Shape>,
    /// The name of a single object.
    pub(crate) name: Option<Shape>,
    /// Which objects of a list.
    pub(crate) selector: Option<Shape>,
}

/// One `forEach` entry.
#[derive(Clone, Debug)]
pub struct Dimension {
    /// The name of the element in expressions.
    pub iterator: String,
    /// The list.
    pub list: Expression,
}

/// The status of instances.
#[derive(Clone, Debug)]
pub(crate) struct StatusShape {
    pub(crate) fields: Vec<(String, Shape)>,
    /// The author's conditions, which take the place of krono's own.
    pub(crate) conditions: Vec<Expression>,
    pub(crate) env: Env,
}
