//! Where the resources of an instance are to be looked for.

use std::collections::BTreeSet;

use krono_graph::{CompiledGraph, Evaluation, KindName, NodeState, Subject};
use krono_model::applyset::{GroupKind, Inventory, is_namespace};

use super::desired::Desired;

/// The group and kind of a kind.
pub(super) fn group_kind(kind: &KindName) -> GroupKind {
    GroupKind { group: kind.group().to_owned(), kind: kind.kind.clone() }
}

/// Where resources are, given those that are wanted.
pub(super) fn of(desired: &[Desired<'_>], home: &str) -> Inventory {
    let group_kinds = desired.iter().map(|it| group_kind(&it.name.kind)).collect();
    Inventory { group_kinds, namespaces: namespaces(desired, home) }
}

/// Where resources may come to be: also those of nodes whose turn has not come.
pub(super) fn foreseen(
    graph: &CompiledGraph,
    evaluation: &Evaluation,
    desired: &[Desired<'_>],
    home: &str,
) -> Inventory {
    let mut inventory = of(desired, home);
    for (node, state) in graph.nodes.iter().zip(&evaluation.nodes) {
        if let (Subject::Template(manifest), NodeState::Waiting { .. } | NodeState::Pending(_)) =
            (&node.subject, state)
        {
            inventory.group_kinds.insert(group_kind(&manifest.kind));
        }
    }
    inventory
}

/// What cannot be a namespace has nothing in it, and would make the inventory unreadable.
fn namespaces(desired: &[Desired<'_>], home: &str) -> BTreeSet<String> {
    let namespaces = desired.iter().map(|it| it.name.namespace.as_str());
    namespaces.filter(|it| is_namespace(it) && *it != home).map(str::to_owned).collect()
}
