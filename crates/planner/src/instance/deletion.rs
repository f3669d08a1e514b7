//! Resources that are no longer wanted, and the end of an instance.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use krono_model::applyset::Inventory;
use krono_model::metadata::{InstanceRef, RESOURCE_LABELS, is_of_definition};
use krono_model::names;
use serde_json::{Value, json};

use super::management::remove_finalizer;
use super::{Action, Identity, Member, ObjectName, Plan, World, is_terminating, report, text};
use crate::digest::is_owner_stamped;

/// What to do next for an instance that is being deleted: no graph and no expression has a say in it.
pub(super) fn plan(world: &World<'_>) -> Plan {
    if let Err(invalid) = Inventory::read(world.instance) {
        return report::blocked(world, &format!("deletion blocked: {invalid}"));
    }
    let id = InstanceRef::from_object(world.instance).applyset_id();
    let members = with_home_last(world, members(world, &id));
    if members.is_empty() {
        let finalizer =
            if world.refused.instance.is_some() { None } else { remove_finalizer(world.instance) };
        return report::deleting(world, finalizer.into_iter().collect());
    }
    let wave = highest_wave(members);
    let actions = wave.iter().filter_map(|member| removal(world, member, &id, &BTreeSet::new())).collect();
    report::deleting(world, actions)
}

/// With the namespace that the instance is in goes all else in it, so that it has to wait for the rest.
fn with_home_last<'a>(world: &World<'_>, members: Vec<Member<'a>>) -> Vec<Member<'a>> {
    let (home, others): (Vec<_>, Vec<_>) = members.into_iter().partition(|it| is_home(world, it));
    if others.is_empty() { home } else { others }
}

fn is_home(world: &World<'_>, member: &Member<'_>) -> bool {
    let is_namespace = member.kind.kind == "Namespace" && member.kind.group().is_empty();
    is_namespace && text(member.object, "name") == text(world.instance, "namespace")
}

/// The members of an `ApplySet`, each once: a graph that mentions a kind in two API versions sees its objects in both.
pub(super) fn members<'a>(world: &World<'a>, id: &str) -> Vec<Member<'a>> {
    let mut known = BTreeSet::new();
    let mut members = world.cluster.members(id);
    members.retain(|it| known.insert(name_of(it).identity()));
    members
}

/// What ends a resource; nothing when it is ending already, or when the API server refused just that. What the instance
/// goes on referring to is let go.
pub(super) fn removal(
    world: &World<'_>,
    member: &Member<'_>,
    id: &str,
    referred: &BTreeSet<Identity>,
) -> Option<Action> {
    let name = name_of(member);
    if world.refused.resources.contains_key(&name) {
        return None;
    }
    if referred.contains(&name.identity()) || world.policies.keep(member) || cannot_be_awaited(world, member)
    {
        return Some(Action::Release { name, patch: release(member.object, id) });
    }
    let uid = text(member.object, "uid").to_owned();
    (!is_terminating(member.object)).then_some(Action::Delete { name, uid })
}

/// An instance that was made a resource of its own would wait for itself, and so would one in a namespace that is ending.
fn cannot_be_awaited(world: &World<'_>, member: &Member<'_>) -> bool {
    let uid = text(member.object, "uid");
    let is_itself = !uid.is_empty() && uid == text(world.instance, "uid");
    is_itself || (is_home(world, member) && is_terminating(member.object))
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

/// A patch that takes off what makes an object an instance's, so that nobody takes it for one. What is itself an instance
/// keeps what its own user and its own definition say on it.
fn release(object: &Value, id: &str) -> Value {
    let metadata = &object["metadata"];
    let without = |field: &str, is_ours: &dyn Fn(&str) -> bool| -> Value {
        let keys = metadata[field].as_object().into_iter().flatten().map(|(key, _)| key);
        keys.filter(|key| is_ours(key)).map(|key| (key.clone(), Value::Null)).collect()
    };
    let is_instance = is_of_definition(object) || is_owner_stamped(&metadata["annotations"]);
    let stamped = if is_instance { names::OWNER_STAMP_PREFIX } else { names::PREFIX };
    let is_ours = |key: &str| {
        let is_stamp = key.strip_prefix(stamped).is_some_and(|it| names::STAMPS.contains(&it));
        is_stamp || key == names::APPLY_ORDER_ANNOTATION
    };
    let mut annotations = without("annotations", &is_ours);
    if InstanceRef::from_object(object).applyset_id() != id {
        annotations[names::RETAINED_FROM_ANNOTATION] = id.into();
    }
    let of_any = [names::OWNED_LABEL, names::KRO_VERSION_LABEL];
    let is_ours = |key: &str| RESOURCE_LABELS.contains(&key) && !(is_instance && of_any.contains(&key));
    json!({"metadata": {
        "resourceVersion": metadata["resourceVersion"],
        "labels": without("labels", &is_ours),
        "annotations": annotations,
    }})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(object: &Value, labels: &[&str], annotations: &[&str]) {
        let patch = release(object, "applyset-1");
        let removed = |field: &str| -> Vec<String> {
            let fields = patch["metadata"][field].as_object().into_iter().flatten();
            fields.filter(|(_, value)| value.is_null()).map(|(key, _)| key.clone()).collect()
        };
        assert_eq!((removed("labels"), removed("annotations")), (owned(labels), owned(annotations)));
        assert_eq!(patch["metadata"]["annotations"][names::RETAINED_FROM_ANNOTATION], "applyset-1");
    }

    fn owned(all: &[&str]) -> Vec<String> {
        all.iter().map(|it| (*it).to_owned()).collect()
    }

    #[test]
    fn v25_what_is_retained_is_nobodys() {
        let object = json!({"metadata": {
            "labels": {"app": "x", "kro.run/owned": "true", "kro.run/node-id": "a",
                "app.kubernetes.io/managed-by": "kro", "applyset.kubernetes.io/part-of": "applyset-1"},
            "annotations": {"note": "x", "internal.kro.run/apply-order": "1", "kro.run/rgd-revision": "2"},
        }});
        check(
            &object,
            &[
                "app.kubernetes.io/managed-by",
                "applyset.kubernetes.io/part-of",
                "kro.run/node-id",
                "kro.run/owned",
            ],
            &["internal.kro.run/apply-order", "kro.run/rgd-revision"],
        );
    }

    #[test]
    fn v25_an_instance_that_is_retained_keeps_what_its_user_wants_of_it() {
        let object = json!({"metadata": {
            "labels": {"kro.run/owned": "true", "kro.run/kro-version": "v0.9.4", "kro.run/node-id": "a",
                "kro.run/resource-graph-definition-name": "apps", "applyset.kubernetes.io/id": "applyset-2",
                "applyset.kubernetes.io/part-of": "applyset-1"},
            "annotations": {
                "kro.run/rgd-revision": "2", "kro.run/update-policy": "Manual", "kro.run/reconcile": "suspended",
                "internal.kro.run/applyset-inventory-hash": "sha256:x", "internal.kro.run/apply-order": "1",
                "internal.kro.run/owner-rgd-revision": "7", "internal.kro.run/owner-resource-id": "a"},
        }});
        check(
            &object,
            &["applyset.kubernetes.io/part-of", "kro.run/node-id"],
            &[
                "internal.kro.run/apply-order",
                "internal.kro.run/owner-resource-id",
                "internal.kro.run/owner-rgd-revision",
            ],
        );
    }
}
