//! What comes once nothing is left to be done at once.

use std::collections::BTreeSet;

use krono_graph::{CompiledGraph, KindName, NodeState};
use krono_model::metadata::InstanceRef;
use krono_model::names;
use serde_json::Value;

use super::desired::{Desired, Place, decorated, desired};
use super::resources::{Visible, referred};
use super::{Action, Identity, Member, ObjectName, World, as_seen, deletion, text};

/// All that a graph wants for an instance, also where it has to wait, and what goes when all of that is there.
pub(crate) struct Outlook {
    pub(crate) wanted: Vec<Wanted>,
    pub(crate) removals: Vec<Action>,
}

/// A resource that should be, now or later.
pub(crate) struct Wanted {
    /// The id of its node.
    pub(crate) node: String,
    pub(crate) kind: KindName,
    /// Nothing while nobody knows it.
    pub(crate) name: Option<ObjectName>,
    pub(crate) object: Value,
    /// Whether it waits for others, so that it may hold values that are not known yet.
    pub(crate) is_draft: bool,
}

pub(crate) fn outlook(world: &World<'_>, graph: &CompiledGraph) -> Outlook {
    let instance = InstanceRef::from_object(world.instance);
    let id = instance.applyset_id();
    let visible = Visible { world, id: &id };
    let seen = as_seen(graph, world.instance);
    let evaluation = graph.evaluate(&seen, &visible);
    let desired = desired(world, graph, &evaluation, &instance, &id, None);
    let mut wanted: Vec<Wanted> = desired.into_iter().map(|it| wanted_now(graph, it)).collect();
    let mut vague: BTreeSet<&str> = BTreeSet::new();
    for (index, draft) in graph.drafts(&seen, &visible).into_iter().enumerate() {
        let node = &graph.nodes[index];
        if matches!(evaluation.nodes[index], NodeState::Failed(_)) {
            vague.insert(&node.id);
        }
        let Some(draft) = draft else { continue };
        if !draft.is_complete {
            vague.insert(&node.id);
        }
        for (position, object) in draft.objects.iter().enumerate() {
            let item = (!node.for_each.is_empty()).then_some((position, draft.objects.len()));
            let place = Place { wave: graph.order.waves[index], item };
            let object = decorated(object, node, place, &instance, world.policies);
            let kind = node.subject.kind().clone();
            let name = name_of(&kind, &object);
            wanted.push(Wanted { node: node.id.clone(), kind, name, object, is_draft: true });
        }
    }
    let kept = referred(graph, &evaluation);
    let removals = removals(world, &id, (&wanted, &kept), &vague);
    Outlook { wanted, removals }
}

fn wanted_now(graph: &CompiledGraph, desired: Desired<'_>) -> Wanted {
    Wanted {
        node: graph.nodes[desired.node].id.clone(),
        kind: desired.name.kind.clone(),
        name: Some(desired.name),
        object: desired.object,
        is_draft: false,
    }
}

fn name_of(kind: &KindName, object: &Value) -> Option<ObjectName> {
    let known = |field: &str| Some(text(object, field)).filter(|it| *it != krono_graph::UNKNOWN);
    let namespace = if kind.namespaced { known("namespace")? } else { "" };
    let name = known("name").filter(|it| !it.is_empty())?;
    Some(ObjectName { kind: kind.clone(), namespace: namespace.to_owned(), name: name.to_owned() })
}

/// What was made and is not wanted; nothing that was made for a node of which nobody knows what it wants.
fn removals(
    world: &World<'_>,
    id: &str,
    (wanted, referred): (&[Wanted], &BTreeSet<Identity>),
    vague: &BTreeSet<&str>,
) -> Vec<Action> {
    let wanted: BTreeSet<Identity> =
        wanted.iter().filter_map(|it| Some(it.name.as_ref()?.identity())).collect();
    let is_vague = |member: &Member<'_>| {
        let node = member.object["metadata"]["labels"][names::NODE_ID_LABEL].as_str();
        node.is_some_and(|it| vague.contains(it))
    };
    let members = deletion::members(world, id).into_iter();
    let surplus = members.filter(|it| !is_vague(it) && !wanted.contains(&deletion::name_of(it).identity()));
    surplus.filter_map(|it| deletion::removal(world, &it, id, referred)).collect()
}
