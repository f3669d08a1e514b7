//! The revisions that one process knows of.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use krono_graph::CompiledGraph;
use krono_history::revision::{History, Presence, Revision, issued_at, known_definition_revision};
use krono_history::{Digest, RevisionNumber, input};
use krono_model::names;
use krono_planner::definition::Graphs;
use krono_planner::fleet::Schemas;
use serde_json::Value;

use super::library::{Compiled, Library};
use crate::text::metadata;

/// The revisions of a definition that are kept.
#[derive(Debug, Default)]
pub(crate) struct Revisions {
    kept: BTreeMap<RevisionNumber, Content>,
    pub(crate) objects: BTreeMap<RevisionNumber, Value>,
    pub(crate) deleted: BTreeSet<RevisionNumber>,
    pub(crate) history: History,
}

#[derive(Clone, Debug)]
struct Content {
    digest: Digest,
    uid: String,
    graph: Compiled,
}

impl Revisions {
    /// From the objects that hold them.
    pub(crate) fn read<'o>(
        library: &Library,
        definition: &Value,
        objects: impl IntoIterator<Item = &'o Value>,
        before: Option<&Self>,
    ) -> Self {
        let mut read = Self::default();
        let mut history = Vec::new();
        for object in objects {
            let known = before.and_then(|it| it.known(metadata(object, "uid")));
            let content = known.unwrap_or_else(|| Content {
                digest: Digest::of_definition(&object["spec"]),
                uid: metadata(object, "uid").to_owned(),
                graph: library.revision(metadata(definition, "name"), &object["spec"]),
            });
            history.extend(read.take(definition, object, content));
        }
        read.history = History::new(history);
        read
    }

    fn known(&self, uid: &str) -> Option<Content> {
        self.kept.values().find(|it| it.uid == uid).cloned()
    }

    fn take(&mut self, definition: &Value, object: &Value, content: Content) -> Option<Revision> {
        let revision = known_definition_revision(object, metadata(definition, "uid"), content.digest)?;
        let finalizers = object["metadata"]["finalizers"].as_array();
        let is_held = finalizers.is_some_and(|all| all.iter().any(|it| it == names::FINALIZER));
        if revision.presence == Presence::Terminating {
            if !is_held {
                return Some(revision);
            }
            self.deleted.insert(revision.number);
        }
        self.kept.insert(revision.number, content);
        self.objects.insert(revision.number, object.clone());
        Some(Revision { presence: Presence::Live, ..revision })
    }

    /// Numbers and contents, oldest first.
    pub(crate) fn kept(&self) -> impl Iterator<Item = (RevisionNumber, Digest)> {
        self.kept.iter().map(|(number, content)| (*number, content.digest))
    }

    /// When each was issued.
    pub(crate) fn issued_at(&self) -> BTreeMap<RevisionNumber, Timestamp> {
        self.objects.iter().filter_map(|(number, object)| Some((*number, issued_at(object)?))).collect()
    }

    /// The graph of some content.
    pub(crate) fn graph(&self, digest: Digest) -> Option<&Compiled> {
        Some(&self.kept.values().rfind(|it| it.digest == digest)?.graph)
    }
}

impl Graphs for Revisions {
    fn graph_of(&self, digest: Digest) -> Option<Result<&CompiledGraph, &str>> {
        Some(self.graph(digest)?.as_ref().map(|it| &it.compiled).map_err(String::as_str))
    }
}

impl Schemas for Revisions {
    fn refusal(&self, content: Digest, spec: &Value) -> Option<String> {
        let graph = self.graph(content)?.as_ref().ok()?;
        input::refusal(&graph.compiled.instance.spec, graph.validator(), spec)
    }
}
