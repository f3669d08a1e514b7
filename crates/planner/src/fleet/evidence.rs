//! What an instance tells about itself.

use krono_history::input::Inputs;
use krono_history::revision::Revision;
use krono_history::{Digest, RevisionNumber};
use krono_propagation::assignment;

use super::World;
use crate::instance::{Cluster, Keeping, fit, highest_stamp};

/// What its spec and its resources tell.
pub(super) struct Evidence<'e> {
    pub(super) world: &'e World<'e>,
    pub(super) cluster: Option<&'e dyn Cluster>,
    /// Its inputs, as far as they are known.
    pub(super) inputs: &'e Inputs,
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

    fn fit(&self, content: Digest) -> Option<usize> {
        let graph = self.world.schemas.graph_of(content)?.ok()?;
        fit(self.world.instance, graph, &self.world.facts.policies, self.cluster?)
    }

    fn recorded(&self) -> Option<Digest> {
        // What a status tells of inputs, it tells of the assignment too; only objects outlive it.
        self.cluster.filter(|_| self.world.facts.keeping() != Keeping::Inline)?;
        self.inputs.current().map(|it| it.definition.digest)
    }

    fn highest_stamp(&self) -> Option<RevisionNumber> {
        highest_stamp(self.world.instance, self.cluster?)
    }
}
