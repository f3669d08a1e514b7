//! What an edit of a definition would do to the instances there are, told before it is done.
//!
//! The plans are those of the controller: they are carried out on an imagined copy of the observed world until nothing
//! is left to do.

mod compare;
mod course;
mod imagined;
mod merge;
mod prospect;
mod rehearsal;
mod verdict;

use krono_graph::{CompiledGraph, KindName};
use krono_model::metadata::{Owner, is_suspended};
use krono_schema::crd::Version;
use serde_json::Value;

use crate::instance::{DeletionPolicies, ObjectName};
use rehearsal::Script;

pub use course::{Course, Stay};
pub use imagined::Objects;
pub use merge::content as shown;
pub use prospect::{Prospect, Standing};
pub use verdict::{KindEffect, crd_made_by};

/// What the API server makes of what is applied.
pub trait Server {
    /// The object after an apply by krono, with its managed fields; or why it is refused.
    fn applied(&self, kind: &KindName, live: Option<&Value>, object: &Value) -> Result<Value, String>;
}

/// An edit of a definition.
#[derive(Clone, Copy)]
pub struct Edit<'a> {
    /// The graph that instances are made from now; nothing when there is none.
    pub old: Option<&'a CompiledGraph>,
    /// The graph they would be made from.
    pub new: &'a CompiledGraph,
    /// The definition.
    pub owner: Owner<'a>,
    /// What becomes of resources that are no longer wanted, before the edit and after it.
    pub policies: [&'a DeletionPolicies; 2],
}

/// The world that an edit would meet.
#[derive(Clone, Copy)]
pub struct Premise<'a> {
    /// The objects that were observed.
    pub objects: &'a Objects,
    /// Whether resources that were not observed count as made by the old graph.
    pub assume_made: bool,
    /// What becomes of what is applied.
    pub server: &'a dyn Server,
    /// The time, as Kubernetes writes it.
    pub now: &'a str,
}

/// What an edit would do to one instance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forecast {
    /// Changes of resources, those that take something away first.
    pub changes: Vec<Change>,
    /// How many resources are about to change whatever the edit, because they drifted or because a change is under way.
    pub regardless: usize,
    /// What would keep the instance from being as it should, and does not now.
    pub failure: Option<String>,
    /// Fields that the new schema refuses, and why.
    pub objections: Vec<String>,
    /// Whether its user wants it left alone, so that nothing is done or foretold before that ends.
    pub is_suspended: bool,
}

/// One change of a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The kind of the resource.
    pub kind: KindName,
    /// Its name; nothing while nobody knows it.
    pub name: Option<ObjectName>,
    /// The node it is for; empty when none is.
    pub node: String,
    /// What happens.
    pub effect: Effect,
    /// The resource as it is, without what the API server keeps for itself.
    pub before: Option<Value>,
    /// The resource as it would be, [`krono_graph::UNKNOWN`] in place of what nobody knows.
    pub after: Option<Value>,
    /// Whether it comes only when what it is made from is there and ready.
    pub is_awaiting: bool,
    /// What krono would apply.
    pub applied: Option<Value>,
}

/// What happens to a resource; the worst first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It is deleted.
    Delete,
    /// The API server refuses the change: it takes a deletion to make it.
    Refused(String),
    /// It stays and is nobody's any longer.
    Release,
    /// It is changed.
    Update,
    /// It is made.
    Create,
}

impl Effect {
    /// Whether something is lost by it, or has to be.
    pub fn is_destructive(&self) -> bool {
        match self {
            Self::Delete | Self::Refused(_) => true,
            Self::Release | Self::Update | Self::Create => false,
        }
    }
}

impl Forecast {
    /// Whether the edit does nothing to the instance.
    pub fn is_unchanged(&self) -> bool {
        self.changes.is_empty() && self.failure.is_none() && self.objections.is_empty()
    }

    /// Whether something would be lost.
    pub fn is_destructive(&self) -> bool {
        self.changes.iter().any(|it| it.effect.is_destructive())
    }
}

/// What an edit would do to an instance.
pub fn forecast(edit: &Edit<'_>, instance: &Value, premise: &Premise<'_>) -> Forecast {
    if is_suspended(instance) || !instance["metadata"]["deletionTimestamp"].is_null() {
        return Forecast { is_suspended: is_suspended(instance), ..Forecast::default() };
    }
    let [before, after] = edit.policies;
    let script = |graph, policies| Script { graph, owner: edit.owner, policies };
    let old = edit.old.map(|graph| rehearsal::play(script(graph, before), instance, premise, None));
    let (admitted, objections) = admitted(edit.new, instance);
    let start = old.as_ref().filter(|_| premise.assume_made).map(|it| &it.world);
    let new = rehearsal::play(script(edit.new, after), &admitted, premise, start);
    let (changes, regardless) = compare::changes(old.as_ref(), &new, premise);
    let known = old.as_ref().and_then(|it| it.failure.as_ref());
    Forecast {
        changes,
        regardless,
        failure: new.failure.filter(|it| Some(it) != known),
        objections,
        is_suspended: false,
    }
}

/// The instance as the API server would show it under the schema of a graph, and what is wrong with it there.
fn admitted(graph: &CompiledGraph, instance: &Value) -> (Value, Vec<String>) {
    let mut admitted = instance.clone();
    let Some(schema) = graph.crd.spec.versions.iter().find_map(Version::schema) else {
        return (admitted, Vec::new());
    };
    krono_schema::prune_object(schema, &mut admitted);
    krono_schema::default(schema, &mut admitted);
    let status = admitted.as_object_mut().and_then(|it| it.remove("status"));
    let errors = krono_schema::Validator::new(schema).validate(&admitted);
    if let Some(status) = status {
        admitted["status"] = status;
    }
    (admitted, errors.iter().map(|it| format!("{}: {}", it.path, it.body())).collect())
}
