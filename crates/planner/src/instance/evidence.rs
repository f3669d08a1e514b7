//! What the resources of an instance tell about the revision that it was made with.

use std::collections::BTreeSet;

use krono_graph::{CompiledGraph, NodeState, Target};
use krono_history::RevisionNumber;
use krono_history::number::highest_claim;
use krono_model::metadata::{InstanceRef, Owner};
use serde_json::Value;

use super::assigned::revision_of;
use super::desired::{Desired, Standing, desired};
use super::resources::{Visible, orphans};
use super::{Cluster, DeletionPolicies, ObjectName, Refused, World, as_seen};

/// How many values the resources of an instance have that this graph wants; nothing where it has none, or where some would
/// become others, be made or be deleted.
///
/// krono's own labels and annotations do not count, nor who wrote what: a restored backup has other UIDs and no managers.
pub(crate) fn fit(
    instance: &Value,
    graph: &CompiledGraph,
    policies: &DeletionPolicies,
    cluster: &dyn Cluster,
) -> Option<usize> {
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
    let is_whole = !desired.is_empty() && evaluation.nodes.iter().all(is_known);
    if !is_whole || !orphans(world, &id, &desired).is_empty() {
        return None;
    }
    let wanted = evaluation.nodes.iter().filter_map(objects).flatten();
    desired.iter().zip(wanted).map(|(it, wanted)| held(it, wanted, cluster)).sum()
}

/// The objects that a node wants, without anything of krono's.
fn objects(node: &NodeState) -> Option<&Vec<Value>> {
    let NodeState::Resolved(resolved) = node else { return None };
    match &resolved.target {
        Target::Objects(objects) => Some(objects),
        Target::Named { .. } | Target::Selected { .. } => None,
    }
}

/// How many values a resource has that are wanted of it; nothing where it is not there, or some are others.
fn held(desired: &Desired<'_>, wanted: &Value, cluster: &dyn Cluster) -> Option<usize> {
    let ObjectName { kind, namespace, name } = &desired.name;
    let is_there = match desired.standing {
        Standing::Live => return Some(count(wanted)),
        Standing::Marked(_) | Standing::Contested => true,
        Standing::Different { exists, .. } => exists,
        Standing::Terminating | Standing::Foreign(_) | Standing::Refused(_) => false,
    };
    let live = cluster.seen(kind, namespace, name).filter(|_| is_there)?.object;
    // Which kind it is, it is found by.
    let mut content =
        wanted.as_object()?.iter().filter(|(field, _)| !["apiVersion", "kind"].contains(&field.as_str()));
    content.all(|(field, wanted)| contains(&live[field.as_str()], wanted)).then(|| count(wanted))
}

/// Whether a value has all of another; an API server may have added to it.
fn contains(live: &Value, wanted: &Value) -> bool {
    match (live, wanted) {
        (Value::Object(live), Value::Object(wanted)) => {
            wanted.iter().all(|(name, wanted)| contains(live.get(name).unwrap_or(&Value::Null), wanted))
        }
        (Value::Array(live), Value::Array(wanted)) => {
            live.len() == wanted.len() && live.iter().zip(wanted).all(|(live, wanted)| contains(live, wanted))
        }
        (_, Value::Null) => true,
        // 1 and 1.0 are one number.
        (Value::Number(live), Value::Number(wanted)) => live == wanted || live.as_f64() == wanted.as_f64(),
        // What is empty may not be stored.
        (Value::Null, Value::Object(wanted)) => wanted.values().all(|it| contains(&Value::Null, it)),
        (Value::Null, Value::Array(wanted)) => wanted.is_empty(),
        (live, wanted) => live == wanted,
    }
}

/// How many values a value is made of.
fn count(value: &Value) -> usize {
    match value {
        Value::Object(fields) => fields.values().map(count).sum(),
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Null => 0,
        Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

/// The highest number of a revision on the resources of an instance.
pub(crate) fn highest_stamp(instance: &Value, cluster: &dyn Cluster) -> Option<RevisionNumber> {
    let members = cluster.members(&InstanceRef::from_object(instance).applyset_id());
    highest_claim(members.iter().filter_map(|it| revision_of(it.object)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn v14_a_server_may_add_to_what_is_wanted_and_change_none_of_it() {
        let check = |live: Value, wanted: Value, expected: bool| {
            assert_eq!(contains(&live, &wanted), expected, "{live} {wanted}");
        };
        check(json!({"a": 1, "b": {"c": 2}}), json!({"a": 1.0, "b": {}}), true);
        check(json!({"a": 1}), json!({"a": 1, "b": {"c": {}}, "d": null, "e": []}), true);
        check(json!({"a": 1}), json!({"a": null}), true);
        check(json!({"a": 1}), json!({"a": 2}), false);
        check(json!({"a": 1}), json!({"b": {"c": 1}}), false);
        check(json!([{"port": 80, "protocol": "TCP"}]), json!([{"port": 80}]), true);
        check(json!([{"port": 80}, {"port": 81}]), json!([{"port": 80}]), false);
        check(json!("x"), json!(["x"]), false);
    }

    #[test]
    fn what_a_value_is_made_of_is_counted() {
        assert_eq!(count(&json!({"a": {"b": 1, "c": null, "d": {}}, "e": ["x", true, []]})), 3);
    }
}
