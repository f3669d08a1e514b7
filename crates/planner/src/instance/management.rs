//! What krono writes on the instance itself.

use krono_model::applyset::Inventory;
use krono_model::metadata::instance_labels;
use krono_model::names;
use serde_json::{Value, json};

use super::{Action, World};

/// The change that puts krono's finalizer and labels on an instance, with its inventory in the same write; nothing when
/// finalizer and labels are there.
pub(super) fn manage(world: &World<'_>, id: &str, inventory: &Inventory) -> Option<Action> {
    let metadata = &world.instance["metadata"];
    let labels = instance_labels(&world.owner);
    let labelled = labels.iter().all(|(name, value)| metadata["labels"][name] == value.as_str());
    if labelled && is_managed(world.instance) {
        return None;
    }
    let mut content = content(id, inventory);
    content["finalizers"] = json!([names::FINALIZER]);
    for (name, value) in labels {
        content["labels"][name] = value.into();
    }
    Some(Action::Manage(about(world.instance, content)))
}

/// The change that writes an inventory on an instance; nothing when it is there.
pub(super) fn record(world: &World<'_>, id: &str, inventory: &Inventory) -> Option<Action> {
    recorded(world, id, inventory).map(Action::Record)
}

/// The change that makes the inventory of an instance smaller; nothing when it is so.
pub(super) fn shrink(world: &World<'_>, id: &str, known: &Inventory, rest: &Inventory) -> Option<Action> {
    let object = recorded(world, id, rest)?;
    let kinds = known.group_kinds.difference(&rest.group_kinds).cloned().collect();
    Some(Action::Shrink { object, kinds })
}

fn recorded(world: &World<'_>, id: &str, inventory: &Inventory) -> Option<Value> {
    let metadata = &world.instance["metadata"];
    let annotations = inventory.annotations(id);
    let annotated = annotations.iter().all(|(name, value)| metadata["annotations"][name] == value.as_str());
    if annotated && metadata["labels"][names::APPLYSET_ID_LABEL] == id {
        return None;
    }
    Some(about(world.instance, content(id, inventory)))
}

fn content(id: &str, inventory: &Inventory) -> Value {
    json!({"labels": {names::APPLYSET_ID_LABEL: id}, "annotations": inventory.annotations(id)})
}

/// The change that ends an instance; nothing when krono has no hold on it.
pub(super) fn remove_finalizer(instance: &Value) -> Option<Action> {
    let metadata = &instance["metadata"];
    let finalizers = metadata["finalizers"].as_array()?;
    let others: Vec<_> = finalizers.iter().filter(|it| *it != names::FINALIZER).collect();
    let patch = json!({"metadata": {"resourceVersion": metadata["resourceVersion"], "finalizers": others}});
    is_managed(instance).then_some(Action::RemoveFinalizer(patch))
}

/// Whether krono has a hold on an instance; without one it takes it before anything else.
pub fn is_managed(instance: &Value) -> bool {
    let finalizers = instance["metadata"]["finalizers"].as_array();
    finalizers.is_some_and(|it| it.iter().any(|it| it == names::FINALIZER))
}

/// An object with the identity of an instance and nothing but `metadata`.
///
/// The UID is part of it: an apply that names none would bring an instance back that is gone.
fn about(instance: &Value, mut metadata: Value) -> Value {
    for field in ["name", "namespace", "uid"] {
        if let Some(text) = instance["metadata"][field].as_str() {
            metadata[field] = text.into();
        }
    }
    json!({"apiVersion": instance["apiVersion"], "kind": instance["kind"], "metadata": metadata})
}
