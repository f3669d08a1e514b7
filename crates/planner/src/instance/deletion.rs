//! Resources that are no longer wanted, and the end of an instance.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use krono_model::applyset::Inventory;
use krono_model::metadata::InstanceRef;
use krono_model::names;
use serde_json::{Value, json};

use super::management::remove_finalizer;
use super::{Action, Member, ObjectName, Plan, World, is_terminating, report, text};

/// What to do next for an instance that is being deleted: no graph and no expression has a say in it.
pub(super) fn plan(world: &World<'_>) -> Plan {
    if let Err(invalid) = Inventory::read(world.instance) {
        return report::blocked(world, &format!("deletion blocked: {invalid}"));
    }
    let id = InstanceRef::from_object(world.instance).applyset_id();
    let members = members(world, &id);
    if members.is_empty() {
        let finalizer =
            if world.refused.instance.is_some() { None } else { remove_finalizer(world.instance) };
        return report::deleting(world, finalizer.into_iter().collect());
    }
    let wave = highest_wave(members);
    let actions = wave.iter().filter_map(|member| removal(world, member, &id)).collect();
    report::deleting(world, actions)
}

/// The members of an `ApplySet`, each once: a graph that mentions a kind in two API versions sees its objects in both.
pub(super) fn members<'a>(world: &World<'a>, id: &str) -> Vec<Member<'a>> {
    let mut known = BTreeSet::new();
    let mut members = world.cluster.members(id);
    members.retain(|it| known.insert(name_of(it).identity()));
    members
}

/// What ends a resource; nothing when it is ending already, or when the API server refused just that.
pub(super) fn removal(world: &World<'_>, member: &Member<'_>, id: &str) -> Option<Action> {
    let name = name_of(member);
    if world.refused.resources.contains_key(&name) {
        return None;
    }
    if world.policies.keep(member) {
        return Some(Action::Release { name, patch: release(member.object, id) });
    }
    let uid = text(member.object, "uid").to_owned();
    (!is_terminating(member.object)).then_some(Action::Delete { name, uid })
}

/// The members that go first: those nothing else depends on.
pub(super) fn highest_wave(mut members: Vec<Member<'_>>) -> Vec<Member<'_>> {
    members.sort_by_key(|it| Reverse(wave(it.object)));
    let highest = members.first().map(|it| wave(it.object));
    let count = members.iter().take_while(|it| Some(wave(it.object)) == highest).count();
    members.truncate(count);
    members
}

/// From 1; 0 for resources that do not say, which go last.
fn wave(object: &Value) -> usize {
    let text = object["metadata"]["annotations"][names::APPLY_ORDER_ANNOTATION].as_str();
    text.and_then(|it| it.parse().ok()).unwrap_or(0)
}

pub(super) fn name_of(member: &Member<'_>) -> ObjectName {
    let namespace = if member.kind.namespaced { text(member.object, "namespace") } else { "" };
    ObjectName {
        kind: member.kind.clone(),
        namespace: namespace.to_owned(),
        name: text(member.object, "name").to_owned(),
    }
}

/// A patch that takes krono's labels and annotations off, so that nobody takes the object for an instance's.
fn release(object: &Value, id: &str) -> Value {
    let metadata = &object["metadata"];
    let is_ours = |name: &str| {
        name.starts_with(names::PREFIX)
            || name.starts_with(names::INTERNAL_PREFIX)
            || name == names::APPLYSET_PART_OF_LABEL
            || name == names::MANAGED_BY_LABEL
    };
    let without = |field: &str| -> Value {
        let keys = metadata[field].as_object().into_iter().flatten().map(|(key, _)| key);
        keys.filter(|key| is_ours(key)).map(|key| (key.clone(), Value::Null)).collect()
    };
    let mut annotations = without("annotations");
    annotations[names::RETAINED_FROM_ANNOTATION] = id.into();
    json!({"metadata": {
        "resourceVersion": metadata["resourceVersion"],
        "labels": without("labels"),
        "annotations": annotations,
    }})
}
