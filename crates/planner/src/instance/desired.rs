//! The resources a graph wants, beside those that are.

use krono_graph::{CompiledGraph, DeletionPolicy, Evaluation, KindName, Node, NodeState, Target};
use krono_model::metadata::{InstanceRef, resource_labels};
use krono_model::names;
use serde_json::{Map, Value, json};

use super::assigned::Stamps;
use super::{Cluster, DeletionPolicies, ObjectName, Seen, World, is_terminating, text};
use crate::digest::Digest;

/// A resource that should be.
pub(super) struct Desired<'a> {
    /// The node it is for, by position.
    pub(super) node: usize,
    pub(super) name: ObjectName,
    pub(super) object: Value,
    pub(super) digest: Digest,
    pub(super) standing: Standing<'a>,
    /// Why it is not what it should become, but what it was: its change has to wait.
    pub(super) waits: Option<String>,
}

/// How a resource that should be stands in the cluster.
pub(super) enum Standing<'a> {
    /// As it should.
    Live,
    /// As it should, but for the mark of the time when it belonged to nobody; a patch takes it off.
    Marked(Value),
    /// Absent, or not as it should be.
    Different { exists: bool, again: bool },
    /// As others want it, who change it again and again; its time will come.
    Contested,
    /// Being deleted; another can be made when it is gone.
    Terminating,
    /// Made for somebody else.
    Foreign(&'a str),
    /// The API server does not want it.
    Refused(&'a str),
}

impl Standing<'_> {
    /// Whether nothing is to be done about it now.
    pub(super) fn is_settled(&self) -> bool {
        matches!(self, Self::Live | Self::Contested)
    }
}

/// The resources that an evaluation wants.
pub(super) fn desired<'a>(
    world: &World<'a>,
    graph: &CompiledGraph,
    evaluation: &Evaluation,
    instance: &InstanceRef,
    applyset: &str,
    stamps: Option<&Stamps<'_>>,
) -> Vec<Desired<'a>> {
    let mut desired = Vec::new();
    for (index, (node, state)) in graph.nodes.iter().zip(&evaluation.nodes).enumerate() {
        let NodeState::Resolved(resolved) = state else { continue };
        let Target::Objects(objects) = &resolved.target else { continue };
        for (item, object) in objects.iter().enumerate() {
            let item = (!node.for_each.is_empty()).then_some((item, objects.len()));
            let kind = node.subject.kind();
            let place = Place { wave: graph.order.waves[index], item };
            let mut object = decorated(object, node, place, instance, world.policies);
            if let Some(stamps) = stamps {
                stamps.put(&mut object, kind, instance, &node.id);
            }
            let mut standing = stand(world, index, kind, object, applyset);
            if stamps.is_some_and(|it| it.are_missing(world.cluster, &standing)) {
                standing.standing = Standing::Different { exists: true, again: false };
            }
            desired.push(standing);
        }
    }
    desired
}

fn stand<'a>(
    world: &World<'a>,
    node: usize,
    kind: &KindName,
    mut object: Value,
    applyset: &str,
) -> Desired<'a> {
    let namespace = if kind.namespaced { text(&object, "namespace") } else { "" };
    let name = ObjectName {
        kind: kind.clone(),
        namespace: namespace.to_owned(),
        name: text(&object, "name").to_owned(),
    };
    let digest = Digest::of_desired(&object);
    // What was applied before is unknown to a new process, which learns it by applying: that should change nothing.
    if let Some(seen) = seen(world.cluster, &name).filter(|it| it.applied.is_none()) {
        leave_size(&mut object, seen.object);
    }
    let standing = match (world.refused.resources.get(&name), seen(world.cluster, &name)) {
        (Some(words), _) => Standing::Refused(words),
        (None, Some(seen)) => standing(seen, digest, applyset, world.resting.contains(&name)),
        (None, None) => Standing::Different { exists: false, again: false },
    };
    Desired { node, name, object, digest, standing, waits: None }
}

/// The size of a collection rides along with other changes, and this may be none.
fn leave_size(object: &mut Value, live: &Value) {
    let of = |object: &Value| object["metadata"]["labels"].get(names::COLLECTION_SIZE_LABEL).cloned();
    if let (Some(_), Some(size)) = (of(object), of(live)) {
        object["metadata"]["labels"][names::COLLECTION_SIZE_LABEL] = size;
    }
}

fn seen<'a>(cluster: &'a dyn Cluster, name: &ObjectName) -> Option<Seen<'a>> {
    cluster.seen(&name.kind, &name.namespace, &name.name)
}

fn standing<'a>(seen: Seen<'a>, digest: Digest, applyset: &str, rests: bool) -> Standing<'a> {
    let again = seen.applied.is_some_and(|it| it.desired == digest);
    match part_of(seen.object) {
        Some(other) if other != applyset => Standing::Foreign(other),
        Some(_) | None if is_terminating(seen.object) => Standing::Terminating,
        Some(_) | None if seen.is_at(digest) => unmark(seen.object).map_or(Standing::Live, Standing::Marked),
        Some(_) | None if rests && again => Standing::Contested,
        Some(_) | None => Standing::Different { exists: true, again },
    }
}

/// A merge patch that takes off the mark of a retained object; nothing when it has none.
fn unmark(object: &Value) -> Option<Value> {
    let metadata = &object["metadata"];
    metadata["annotations"].get(names::RETAINED_FROM_ANNOTATION)?;
    Some(json!({"metadata": {
        "resourceVersion": metadata["resourceVersion"],
        "annotations": {names::RETAINED_FROM_ANNOTATION: null},
    }}))
}

/// The `ApplySet` an object was made for.
pub(super) fn part_of(object: &Value) -> Option<&str> {
    object["metadata"]["labels"][names::APPLYSET_PART_OF_LABEL].as_str()
}

/// Where an object stands among the others of its instance.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) wave: usize,
    /// Which of how many, in a collection.
    pub(super) item: Option<(usize, usize)>,
}

/// An object with krono's labels and annotations.
pub(super) fn decorated(
    object: &Value,
    node: &Node,
    place: Place,
    instance: &InstanceRef,
    policies: &DeletionPolicies,
) -> Value {
    let mut object = object.clone();
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return object };
    let labels = map(metadata, "labels");
    for (name, value) in resource_labels(instance, &node.id, place.item) {
        labels.insert(name, value.into());
    }
    let annotations = map(metadata, "annotations");
    annotations.insert(names::APPLY_ORDER_ANNOTATION.to_owned(), place.wave.to_string().into());
    if let Some(policy) = policies.of_node(node) {
        annotations.insert(names::DELETION_POLICY_ANNOTATION.to_owned(), word(policy).into());
    }
    object
}

pub(super) fn map<'m>(metadata: &'m mut Map<String, Value>, field: &str) -> &'m mut Map<String, Value> {
    let entry = metadata.entry(field).or_insert(Value::Null);
    if !entry.is_object() {
        *entry = Value::Object(Map::new());
    }
    match entry {
        Value::Object(map) => map,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            unreachable!("it was made an object above")
        }
    }
}

fn word(policy: DeletionPolicy) -> &'static str {
    match policy {
        DeletionPolicy::Delete => "Delete",
        DeletionPolicy::Retain => "Retain",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_collection_stays_where_there_is_one() {
        let check = |desired: Value, live: Value, expect: Value| {
            let mut object = json!({"metadata": {"labels": desired}});
            leave_size(&mut object, &json!({"metadata": {"labels": live}}));
            assert_eq!(object["metadata"]["labels"], expect);
        };
        let size = |size: &str| json!({"kro.run/collection-size": size});
        check(size("1"), size("4"), size("4"));
        check(size("1"), json!({}), size("1"));
        check(json!({}), size("4"), json!({}));
    }
}
