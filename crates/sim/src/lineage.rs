//! Definitions as objects: their revisions, and which of them each instance runs.
//!
//! Beside the work on instances, every process looks at the definition and assigns its instances, as its own caches show them.

mod chronicle;
mod definition;
mod fleet;
mod library;
mod made;
mod play;
mod revisions;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use jiff::Timestamp;
use krono_graph::KindName;
use krono_history::issue::Named;
use krono_planner::definition::{Action, Plan};
use krono_planner::fleet::Facts;
use krono_planner::instance::ObjectName;

pub use chronicle::Chronicle;
pub use library::{Graph, Library};
pub use play::When;

use library::Compiled;
use revisions::Revisions;

/// The kind of definitions.
pub fn definition_kind() -> KindName {
    of_krono("ResourceGraphDefinition")
}

/// The kind of their revisions.
pub fn revision_kind() -> KindName {
    of_krono("ResourceGraphDefinitionRevision")
}

/// The kind of the definitions of kinds.
pub fn crd_kind() -> KindName {
    let (api_version, kind) = ("apiextensions.k8s.io/v1".to_owned(), "CustomResourceDefinition".to_owned());
    KindName { api_version, kind, namespaced: false }
}

fn of_krono(kind: &str) -> KindName {
    KindName { api_version: "kro.run/v1alpha1".to_owned(), kind: kind.to_owned(), namespaced: false }
}

/// The one definition that is looked after.
#[derive(Clone, Debug)]
pub struct Governance {
    /// The definition.
    pub definition: ObjectName,
    /// The kind of its instances.
    pub instances: KindName,
    /// What compiles its content.
    pub library: Arc<Library>,
    /// Changes plans before they are performed, to see whether the laws notice.
    pub sabotage: Option<Sabotage>,
}

/// Spoils a plan; sees all revisions there are.
pub type Sabotage = fn(&mut Plan, &[&serde_json::Value]);

/// What one process knows of the definition.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is set and read by itself")]
pub(crate) struct Mind {
    /// Whether this process looks after instances.
    pub(crate) leads: bool,
    /// The definition is to be looked at.
    pub(crate) due: bool,
    /// Trying again later may help.
    pub(crate) later: bool,
    /// Whether to look without caches.
    live: bool,
    pending: VecDeque<Action>,
    failed: Option<Failed>,
    /// When to look again though nothing changes.
    pub(crate) next_look: Option<Timestamp>,
    kept: Option<Arc<Revisions>>,
    serving: Option<Arc<Serving>>,
    pub(crate) fleet: Fleet,
}

/// What one process knows of the instances of the definition.
#[derive(Debug, Default)]
pub(crate) struct Fleet {
    pub(crate) due: bool,
    pub(crate) later: bool,
    is_stale: bool,
    facts: Option<Arc<Facts>>,
    asking: BTreeSet<ObjectName>,
}

/// What instances are made with.
#[derive(Debug)]
struct Serving {
    uid: String,
    current: Option<Named>,
    graph: Compiled,
    revisions: Arc<Revisions>,
}

/// What the server did not want.
#[derive(Clone, Debug)]
enum Failed {
    Crd(String),
    Revision(String),
    Rollback(String),
    Controller(String),
}

/// A piece of work.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// The definition.
    Definition,
    /// Assignments.
    Fleet,
    /// One instance.
    Instance(ObjectName),
}

impl Mind {
    pub(crate) fn is_busy(&self) -> bool {
        self.due || !self.pending.is_empty()
    }

    /// The definition was looked at: the fleet follows.
    fn ends(&mut self, later: bool) {
        (self.due, self.live, self.failed) = (false, false, None);
        self.pending.clear();
        self.later |= later;
        (self.fleet.is_stale, self.fleet.due) = (true, true);
    }

    fn stop_serving(&mut self) {
        (self.serving, self.kept, self.fleet) = (None, None, Fleet::default());
    }
}
