//! What the resources of an instance tell about the revision that it was made with.

use std::collections::BTreeSet;

use krono_graph::{CompiledGraph, NodeState};
use krono_history::RevisionNumber;
use krono_history::number::highest_claim;
use krono_model::metadata::{InstanceRef, Owner};
use serde_json::Value;

use super::assigned::revision_of;
use super::desired::{Standing, desired};
use super::resources::Visible;
use super::{Cluster, DeletionPolicies, Refused, World, as_seen};

/// Whether there are resources of an instance, and none of them would be written under this graph.
pub(crate) fn is_at(
    instance: &Value,
    graph: &CompiledGraph,
    policies: &DeletionPolicies,
    cluster: &dyn Cluster,
) -> bool {
    let world = &World {
        instance,
        graph: Ok(graph),
        owner: Owner { definition_name: "", definition_uid: "" },
        assigned: None,
        policies,
        cluster,
        refused: &Refused::default(),
        resting: &BTreeSet::new(),
        now: "",
    };
    let of = InstanceRef::from_object(instance);
    let id = of.applyset_id();
    let evaluation = graph.evaluate(&as_seen(graph, instance), &Visible { world, id: &id });
    let desired = desired(world, graph, &evaluation, &of, &id, None);
    let is_known = |it: &NodeState| matches!(it, NodeState::Excluded { .. } | NodeState::Resolved(_));
    !desired.is_empty()
        && evaluation.nodes.iter().all(is_known)
        && desired.iter().all(|it| matches!(it.standing, Standing::Live))
}

/// The highest number of a revision on the resources of an instance.
pub(crate) fn highest_stamp(instance: &Value, cluster: &dyn Cluster) -> Option<RevisionNumber> {
    let members = cluster.members(&InstanceRef::from_object(instance).applyset_id());
    highest_claim(members.iter().filter_map(|it| revision_of(it.object)))
}
