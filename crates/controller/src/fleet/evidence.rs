//! What an instance tells about itself.

use std::sync::Arc;

use krono_history::input;
use krono_history::revision::Revision;
use krono_history::{Digest, RevisionNumber};
use krono_planner::instance::{World, highest_stamp, is_at};
use krono_propagation::assignment::Evidence;
use serde_json::Value;

use crate::graphs::Graph;
use crate::serving::Serving;

/// What the spec tells, without a look at resources.
pub(crate) struct Quick<'e> {
    pub(crate) serving: &'e Serving,
    pub(crate) instance: &'e Value,
}

impl Quick<'_> {
    fn graph(&self, revision: &Revision) -> Result<Arc<Graph>, String> {
        self.serving.graph_or_reason(revision.digest)
    }
}

impl Evidence for Quick<'_> {
    fn refusal(&self, revision: &Revision) -> Option<String> {
        let graph = self.graph(revision).ok()?;
        input::refusal(&graph.compiled.instance.spec, graph.validator(), &self.instance["spec"])
    }

    fn unusable(&self, revision: &Revision) -> Option<String> {
        self.graph(revision).err()
    }

    fn is_at(&self, _: Digest) -> bool {
        false
    }

    fn highest_stamp(&self) -> Option<RevisionNumber> {
        None
    }
}

/// What spec and resources tell.
pub(super) struct Thorough<'e> {
    pub(super) quick: Quick<'e>,
    pub(super) world: World<'e>,
}

impl Evidence for Thorough<'_> {
    fn refusal(&self, revision: &Revision) -> Option<String> {
        self.quick.refusal(revision)
    }

    fn unusable(&self, revision: &Revision) -> Option<String> {
        self.quick.unusable(revision)
    }

    fn is_at(&self, content: Digest) -> bool {
        let graph = self.quick.serving.graph_of(content);
        graph.is_some_and(|it| is_at(&self.world, &it.compiled))
    }

    fn highest_stamp(&self) -> Option<RevisionNumber> {
        highest_stamp(self.quick.instance, self.world.cluster)
    }
}
