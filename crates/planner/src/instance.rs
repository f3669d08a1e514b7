//! One instance: what to do next so that the cluster becomes what its graph says.

mod assigned;
mod deletion;
mod desired;
mod evidence;
mod gates;
mod held_back;
mod inventory;
mod management;
mod outlook;
mod policies;
mod report;
mod resources;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use krono_graph::{CompiledGraph, KindName};
use krono_history::input::seen_through;
use krono_model::applyset::GroupKind;
use krono_model::metadata::{InstanceRef, Owner, is_suspended};
use krono_model::names;
use serde_json::{Map, Value};

use crate::digest::Digest;

use assigned::Asked;
pub(crate) use assigned::{
    ASSIGNMENT, ERROR_SINCE, INPUT_HISTORY, PROPAGATION, assignment_patch, known, observed_content,
    observed_since, of_krono,
};
pub use assigned::{
    Assigned, Keeping, Notice, Rollback, Room, Stamping, assignment, input_kind, may_have_objects,
};
pub(crate) use evidence::{fit, highest_stamp};
pub use gates::PropagationGates;
pub use management::is_managed;
pub(crate) use outlook::{Wanted, outlook};
pub use policies::DeletionPolicies;

/// All that a plan for one instance is made from.
pub struct World<'a> {
    /// The instance as it is.
    pub instance: &'a Value,
    /// The graph it is made from, or why there is none.
    pub graph: Result<&'a CompiledGraph, &'a str>,
    /// The definition of that graph.
    pub owner: Owner<'a>,
    /// The revision that the graph is of, and what it needs; nothing where the definition has no revisions.
    pub assigned: Option<&'a Assigned<'a>>,
    /// What becomes of resources, as the definition says whatever the revision.
    pub policies: &'a DeletionPolicies,
    /// The objects in the cluster.
    pub cluster: &'a dyn Cluster,
    /// What the API server refused since the world was last observed.
    pub refused: &'a Refused,
    /// Resources that others change again and again: for now, they are left as others want them.
    pub resting: &'a BTreeSet<ObjectName>,
    /// The time, as Kubernetes writes it.
    pub now: &'a str,
}

/// The objects in the cluster, as far as they concern one instance.
pub trait Cluster {
    /// The object of that kind and name; cluster-wide kinds have an empty namespace.
    fn seen(&self, kind: &KindName, namespace: &str, name: &str) -> Option<Seen<'_>>;

    /// The objects that a label selector selects, in one namespace or in all.
    fn selected(&self, kind: &KindName, namespace: Option<&str>, selector: &Value) -> Vec<&Value>;

    /// Every object that was made for an instance, by the id of its `ApplySet`; once for each API version that is looked at.
    fn members(&self, applyset: &str) -> Vec<Member<'_>>;
}

/// An object in the cluster.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The object, without managed fields.
    pub object: &'a Value,
    /// The digest of what krono applied of it, as it is now; nothing if krono never did.
    pub live: Option<Digest>,
    /// What the last apply by this process made of what it wanted.
    pub applied: Option<Applied>,
}

/// What an apply made of what was wanted: the API server may have spelled values differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Applied {
    /// What was wanted.
    pub desired: Digest,
    /// What the API server made of it.
    pub live: Digest,
}

impl Seen<'_> {
    /// Whether applying an object with this digest would change nothing.
    pub fn is_at(&self, desired: Digest) -> bool {
        self.live.is_some_and(|live| live == desired || self.applied == Some(Applied { desired, live }))
    }
}

/// An object that was made for an instance.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// Its kind.
    pub kind: &'a KindName,
    /// The object, without managed fields.
    pub object: &'a Value,
}

/// The name of one object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectName {
    /// Its kind.
    pub kind: KindName,
    /// Empty for cluster-wide kinds.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

/// One object, whatever API version it is seen in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// Its kind.
    pub kind: GroupKind,
    /// Empty for cluster-wide kinds.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl ObjectName {
    /// The object that is named, as opposed to one of its API versions.
    pub fn identity(&self) -> Identity {
        let Self { kind, namespace, name } = self;
        Identity { kind: inventory::group_kind(kind), namespace: namespace.clone(), name: name.clone() }
    }
}

/// What the API server refused, with its words.
#[derive(Clone, Debug, Default)]
pub struct Refused {
    /// Changes of the instance itself.
    pub instance: Option<String>,
    /// Changes of resources.
    pub resources: BTreeMap<ObjectName, String>,
    /// The spec that a rollback would have written, for good: the request for it is refused.
    pub rollback: Option<String>,
    /// The answer to a request, which stands meanwhile; nothing else has to wait for it.
    pub answer: Option<String>,
    /// Whether some of it is for good: the server does not want it, rather than being unable to do it now.
    pub is_lasting: bool,
    /// Since when something is refused, as far as this process knows; that may be over, and not be told yet.
    pub since: Option<Timestamp>,
}

/// What a change is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The instance itself.
    Instance,
    /// The spec of the instance, for which somebody has asked.
    Rollback,
    /// The answer to a request that stands on the instance.
    Answer,
    /// A resource.
    Resource(ObjectName),
}

impl Refused {
    /// Takes note of a change that the API server refused, for good or for now.
    pub fn add(&mut self, of: Subject, words: String, is_lasting: bool) {
        match of {
            Subject::Rollback if is_lasting => self.rollback = Some(words),
            Subject::Rollback | Subject::Answer => self.answer = Some(words),
            Subject::Instance => {
                self.instance = Some(words);
                self.is_lasting |= is_lasting;
            }
            Subject::Resource(name) => {
                self.resources.insert(name, words);
                self.is_lasting |= is_lasting;
            }
        }
    }

    /// What a plan with actions has answered is over.
    pub fn end_answered(&mut self) {
        self.rollback = None;
    }

    /// Whether the last change of the instance itself was refused, whatever it was for.
    pub fn is_of_instance(&self) -> bool {
        [&self.instance, &self.rollback, &self.answer].into_iter().any(Option::is_some)
    }

    /// Whether something is refused that the resources have to wait for.
    pub fn hinders(&self) -> bool {
        self.instance.is_some() || !self.resources.is_empty()
    }
}

/// One change of the cluster; the changes of one plan do not depend on each other.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Server-side apply of finalizer, labels and inventory to the instance.
    Manage(Value),
    /// Server-side apply of the inventory to the instance.
    Record(Value),
    /// The same, of an inventory that no longer has some kinds: nobody looks for resources of theirs after it, so
    /// the API server itself must have none. What was made without an answer may not be in a cache yet.
    Shrink {
        /// What to apply.
        object: Value,
        /// The kinds.
        kinds: Vec<GroupKind>,
    },
    /// Server-side apply of a resource.
    Apply {
        /// Which.
        name: ObjectName,
        /// All of it.
        object: Value,
        /// Its digest.
        digest: Digest,
        /// Whether fields may be taken from others: not from an object nobody has seen yet.
        force: bool,
        /// Whether this very object was applied before and others changed it since.
        again: bool,
    },
    /// Deletion of a resource, if it is still the one that was seen.
    Delete {
        /// Which.
        name: ObjectName,
        /// The one that was seen.
        uid: String,
    },
    /// The end of krono's claim on a resource that stays.
    Release {
        /// Which.
        name: ObjectName,
        /// A merge patch that names the version seen.
        patch: Value,
    },
    /// The end of a mark on a resource that nobody had a claim on for a while and that is wanted again.
    Unmark {
        /// Which.
        name: ObjectName,
        /// A merge patch that names the version seen.
        patch: Value,
    },
    /// The end of an instance: a merge patch that names the version seen.
    RemoveFinalizer(Value),
    /// Issue of an input revision, before any resource is written for it: a merge patch of the status that names the
    /// version seen.
    Begin(Value),
    /// The spec of an older input, and with it the answer to the request for it: a merge patch that names the version
    /// seen. All of it or nothing: the API server must not drop what it does not know.
    Restore(Value),
    /// The answer to a request that stands on the instance, which changes nothing else: a merge patch that names the
    /// version seen.
    Amend(Value),
    /// Something about an input revision that is an object of its own.
    Input(InputAction),
}

impl Action {
    /// Whether it issues an input: all of the spec must be known before, not only what a watch has shown of it (V15).
    pub fn issues_input(&self) -> bool {
        matches!(self, Self::Begin(_) | Self::Input(InputAction::Create { .. }))
    }
}

/// Something to do about an input revision that is an object of its own.
#[derive(Clone, Debug, PartialEq)]
pub enum InputAction {
    /// It is made.
    Create {
        /// The object.
        name: ObjectName,
        /// All of it.
        object: Value,
    },
    /// It was left without owner, and gets one: a merge patch.
    Adopt {
        /// The object.
        name: ObjectName,
        /// The patch, which names the version seen.
        patch: Value,
    },
    /// What has become of it: a merge patch of its status.
    Tell {
        /// The object.
        name: ObjectName,
        /// The patch, which names the version seen.
        patch: Value,
    },
    /// It is kept no longer.
    Prune {
        /// The object.
        name: ObjectName,
        /// The object that was seen.
        uid: String,
    },
}

/// What to do next.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// To be done at once, and then planned again; nothing when all is done that can be done now.
    pub actions: Vec<Action>,
    /// The status to publish; nothing when it is published already.
    pub status: Option<Value>,
    /// Until when the status can wait for more to tell; nothing when it cannot.
    pub status_can_wait_until: Option<Timestamp>,
    /// Objects of others that the instance depends on.
    pub interests: Vec<Interest>,
    /// Resources that differ and are left alone for now.
    pub resting: Vec<ObjectName>,
    /// Whether something went wrong that may go right when tried again.
    pub retry: bool,
    /// What people should hear of once the actions are done; without any, once for as long as it is so.
    pub notices: Vec<Notice>,
    /// Content that the CRD has to serve before a request can be answered; the definition is to be asked for it.
    pub room: Option<krono_history::Digest>,
}

/// Objects that an instance depends on but does not own.
#[derive(Clone, Debug, PartialEq)]
pub enum Interest {
    /// One object.
    Named(ObjectName),
    /// Those that a label selector selects.
    Selected {
        /// Their kind.
        kind: KindName,
        /// One namespace, or all.
        namespace: Option<String>,
        /// The selector.
        selector: Value,
    },
}

/// What to do next for an instance.
pub fn plan(world: &World<'_>) -> Plan {
    if is_terminating(world.instance) {
        return deletion::plan(world);
    }
    match world.graph {
        Ok(graph) => resources::plan(world, graph),
        Err(reason) => report::unresolved(world, reason),
    }
}

/// What to tell of an instance while nobody knows what there is in the cluster.
pub fn unseen(world: &World<'_>, why: &str) -> Plan {
    if is_terminating(world.instance) {
        return report::blocked(world, &format!("deletion blocked: {why}"));
    }
    report::unseen(world, why)
}

/// What the status does not tell yet of the input that an instance asks for.
pub(crate) fn next_input(world: &World<'_>, graph: &CompiledGraph) -> Map<String, Value> {
    let id = InstanceRef::from_object(world.instance).applyset_id();
    let asked = world.assigned.map(|it| Asked::of(world, graph, it, &id));
    asked.and_then(|it| it.next(graph)).unwrap_or_default()
}

/// The annotation that makes krono leave the instance alone, if there is one.
fn suspended_by(world: &World<'_>, asked: Option<&Asked<'_>>) -> Option<&'static str> {
    let is_paused = world.assigned.is_some_and(|it| it.is_paused);
    match () {
        () if is_suspended(world.instance) => Some(names::RECONCILE_ANNOTATION),
        () if is_paused => Some(names::UPDATE_POLICY_ANNOTATION),
        () if asked.is_some_and(Asked::is_lost) => Some(names::HOLD_INPUT_ANNOTATION),
        () => None,
    }
}

/// An instance as its revision's own schema sees it, whatever the API server knew of the kind when it showed it.
fn as_seen(graph: &CompiledGraph, instance: &Value) -> Value {
    let mut seen = instance.clone();
    seen["spec"] = seen_through(&graph.instance.spec, &instance["spec"]).spec;
    seen
}

fn text<'v>(object: &'v Value, field: &str) -> &'v str {
    object["metadata"][field].as_str().unwrap_or_default()
}

fn is_terminating(object: &Value) -> bool {
    !object["metadata"]["deletionTimestamp"].is_null()
}
