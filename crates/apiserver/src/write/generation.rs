//! When `metadata.generation` counts up.

use serde_json::Value;

use crate::object::Object;
use crate::resource::Resource;

/// Built-in kinds that count the changes of their spec.
const COUNTED: &[(&str, &str)] = &[
    ("", "Pod"),
    ("", "PodTemplate"),
    ("", "ReplicationController"),
    ("apps", "DaemonSet"),
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("batch", "CronJob"),
    ("batch", "Job"),
    ("networking.k8s.io", "Ingress"),
    ("networking.k8s.io", "NetworkPolicy"),
    ("policy", "PodDisruptionBudget"),
    ("flowcontrol.apiserver.k8s.io", "FlowSchema"),
    ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"),
];

/// Whether objects of this kind have a generation.
pub(crate) fn is_counted(resource: &Resource) -> bool {
    let kind = &resource.kind;
    resource.is_custom() || COUNTED.contains(&(&*kind.group, &*kind.kind))
}

/// Gives an updated object its generation: one more than before when what users ask for changed.
pub(crate) fn carry(resource: &Resource, new: &mut Object, old: &Object) {
    let before = old.generation();
    let after = match before {
        Some(before) if is_counted(resource) && is_changed(resource, new, old) => Some(before + 1),
        other => other,
    };
    new.set_meta("generation", after.map(Value::from));
}

fn is_changed(resource: &Resource, new: &Object, old: &Object) -> bool {
    if !resource.is_custom() {
        return ["spec", "template"].iter().any(|field| new.get(field) != old.get(field));
    }
    let has_status = resource.kind.has_status;
    let counts =
        |name: &str| !matches!(name, "apiVersion" | "kind" | "metadata") && (name != "status" || !has_status);
    let part = |object: &Object| {
        let fields = object.value().as_object().into_iter().flatten();
        let fields = fields.filter(|(name, _)| counts(name));
        fields.map(|(name, value)| (name.clone(), value.clone())).collect::<Value>()
    };
    part(new) != part(old)
}
