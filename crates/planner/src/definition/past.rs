//! The revisions of a definition, and what is known of their use.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use krono_graph::CompiledGraph;
use krono_history::retention::{Freshness, Uses};
use krono_history::revision::History;
use krono_history::{Digest, RevisionNumber};
use serde_json::{Map, Value};

/// The graphs of revisions that are kept.
pub trait Graphs {
    /// The graph of some content, or why it makes none; nothing when no kept revision has it.
    fn graph_of(&self, digest: Digest) -> Option<Result<&CompiledGraph, &str>>;
}

/// The revisions of a definition, and what is known of their use.
#[derive(Clone, Copy)]
pub struct Past<'a> {
    /// The revisions that are there.
    pub history: &'a History,
    /// The objects that hold them.
    pub objects: &'a BTreeMap<RevisionNumber, &'a Value>,
    /// Those of them that somebody deleted: krono's finalizer holds them while they are needed.
    pub deleted: &'a BTreeSet<RevisionNumber>,
    /// Their graphs.
    pub graphs: &'a dyn Graphs,
    /// What instances need.
    pub uses: &'a Uses,
    /// The contents that instances stay at whatever becomes current: they are pinned, say, or wait for leave.
    pub staying: &'a BTreeSet<Digest>,
    /// The contents that instances are at which follow their definition.
    pub following: &'a BTreeSet<Digest>,
    /// The instances, when the definition is on its way out.
    pub instances: &'a [&'a Value],
    /// The highest number in the status of an instance.
    pub statuses: Option<RevisionNumber>,
    /// The highest number in a pin or on a resource.
    pub claims: Option<RevisionNumber>,
    /// How many instances are assigned to what; nothing when it is too early to tell that again.
    pub counts: Option<&'a Counts>,
    /// What an edit was compiled against; nothing when its content has a revision already.
    pub interface: Option<&'a Map<String, Value>>,
    /// What kro left and krono has not taken over yet, as revisions to be created, oldest first.
    pub left_by_kro: &'a [Value],
    /// Whether all of this, and the definition, was read just now.
    pub freshness: Freshness,
}

/// How many instances are assigned to what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// By content.
    pub assigned: BTreeMap<Digest, usize>,
    /// Those that follow what is current.
    pub following: usize,
}

/// No objects.
static NOTHING: BTreeMap<RevisionNumber, &Value> = BTreeMap::new();

impl<'a> Past<'a> {
    /// No objects, for those who change none.
    pub(crate) fn nothing() -> &'a BTreeMap<RevisionNumber, &'a Value> {
        &NOTHING
    }

    /// The graph of some content.
    pub(super) fn graph_of(&self, digest: Digest) -> Option<Result<&'a CompiledGraph, &'a str>> {
        self.graphs.graph_of(digest)
    }
}

impl fmt::Debug for Past<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Past").field("history", self.history).field("uses", self.uses).finish_non_exhaustive()
    }
}
