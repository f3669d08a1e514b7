//! The revisions that one process knows of.

use krono_graph::CompiledGraph;
use krono_history::Digest;
use krono_planner::revisions;
use krono_schema::Validator;
use serde_json::Value;

use super::library::{Compiled, Library};
use crate::text::metadata;

/// The revisions of a definition that are kept.
pub(crate) type Revisions = revisions::Revisions<Content>;

/// The content of one revision.
#[derive(Debug)]
pub(crate) struct Content {
    spec: Value,
    graph: Compiled,
}

impl revisions::Content for Content {
    fn spec(&self) -> Value {
        self.spec.clone()
    }

    fn graph(&self) -> Result<&CompiledGraph, &str> {
        self.graph.as_ref().map(|it| &it.compiled).map_err(String::as_str)
    }

    fn validator(&self) -> Option<&Validator> {
        self.graph.as_ref().ok().map(|it| it.validator())
    }
}

/// From the objects that hold them.
pub(crate) fn read<'o>(
    library: &Library,
    definition: &Value,
    objects: impl IntoIterator<Item = &'o Value>,
    before: Option<&Revisions>,
) -> Revisions {
    let content = |object: &Value| Content {
        spec: object["spec"].clone(),
        graph: library.revision(metadata(definition, "name"), &object["spec"]),
    };
    Revisions::read(definition, objects, before, content)
}

/// The graph of some content.
pub(crate) fn graph(revisions: &Revisions, digest: Digest) -> Option<&Compiled> {
    revisions.content(digest).map(|it| &it.graph)
}
