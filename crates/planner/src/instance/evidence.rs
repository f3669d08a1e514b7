//! What the resources of an instance tell about the revision that it was made with.

use krono_graph::{CompiledGraph, NodeState};
use krono_history::RevisionNumber;
use krono_history::number::highest_claim;
use krono_model::metadata::InstanceRef;
use serde_json::Value;

use super::assigned::revision_of;
use super::desired::{Standing, desired};
use super::resources::Visible;
use super::{Cluster, World, as_seen};

/// Whether there are resources of an instance, and none of them would be written under this graph.
pub fn is_at(world: &World<'_>, graph: &CompiledGraph) -> bool {
    let instance = InstanceRef::from_object(world.instance);
    let id = instance.applyset_id();
    let evaluation = graph.evaluate(&as_seen(graph, world.instance), &Visible { world, id: &id });
    let desired = desired(world, graph, &evaluation, &instance, &id, None);
    let is_known = |it: &NodeState| matches!(it, NodeState::Excluded { .. } | NodeState::Resolved(_));
    !desired.is_empty()
        && evaluation.nodes.iter().all(is_known)
        && desired.iter().all(|it| matches!(it.standing, Standing::Live))
}

/// The highest number of a revision on the resources of an instance.
pub fn highest_stamp(instance: &Value, cluster: &dyn Cluster) -> Option<RevisionNumber> {
    let members = cluster.members(&InstanceRef::from_object(instance).applyset_id());
    highest_claim(members.iter().filter_map(|it| revision_of(it.object)))
}
