//! What an instance tells about itself.

use krono_history::revision::Revision;
use krono_history::{Digest, RevisionNumber};
use krono_propagation::assignment;

use super::World;
use crate::instance::{Cluster, highest_stamp, is_at};

/// What its spec and its resources tell.
pub(super) struct Evidence<'e> {
    pub(super) world: &'e World<'e>,
    pub(super) cluster: Option<&'e dyn Cluster>,
}

impl assignment::Evidence for Evidence<'_> {
    fn refusal(&self, revision: &Revision) -> Option<String> {
        self.world.schemas.refusal(revision.digest, &self.world.instance["spec"])
    }

    fn unusable(&self, revision: &Revision) -> Option<String> {
        match self.world.schemas.graph_of(revision.digest) {
            None => Some("no kept revision has this content".to_owned()),
            Some(graph) => graph.err().map(str::to_owned),
        }
    }

    fn is_at(&self, content: Digest) -> bool {
        let graph = self.world.schemas.graph_of(content).and_then(Result::ok);
        let policies = &self.world.facts.policies;
        let is_at = |(cluster, graph)| is_at(self.world.instance, graph, policies, cluster);
        self.cluster.zip(graph).is_some_and(is_at)
    }

    fn highest_stamp(&self) -> Option<RevisionNumber> {
        highest_stamp(self.world.instance, self.cluster?)
    }
}
