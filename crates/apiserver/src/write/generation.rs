//! When `metadata.generation` counts up.

use serde_json::Value;

use crate::object::Object;
use crate::resource::Resource;

/// Built-in kinds that count the changes of what users ask for.
const COUNTED: &[(&str, &str)] = &[
    ("", "Pod"),
    ("", "PodTemplate"),
    ("", "ReplicationController"),
    ("apps", "DaemonSet"),
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("batch", "CronJob"),
    ("batch", "Job"),
    ("discovery.k8s.io", "EndpointSlice"),
    ("networking.k8s.io", "Ingress"),
    ("networking.k8s.io", "IngressClass"),
    ("networking.k8s.io", "NetworkPolicy"),
    ("policy", "PodDisruptionBudget"),
    ("resource.k8s.io", "DeviceClass"),
    ("resource.k8s.io", "ResourceSlice"),
    ("scheduling.k8s.io", "PriorityClass"),
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
    let same_meta = |name: &str| new.meta(name) == old.meta(name);
    match (&*resource.kind.group, &*resource.kind.kind) {
        // Nothing in it may change.
        ("scheduling.k8s.io", "PriorityClass") => return false,
        ("apps", "Deployment") if !same_meta("annotations") => return true,
        ("discovery.k8s.io", "EndpointSlice") if !same_meta("labels") => return true,
        _ => {}
    }
    let has_status = resource.kind.has_status;
    let counts =
        |name: &str| !matches!(name, "apiVersion" | "kind" | "metadata") && (name != "status" || !has_status);
    part(new).filter(|(name, _)| counts(name)).ne(part(old).filter(|(name, _)| counts(name)))
}

fn part(object: &Object) -> impl Iterator<Item = (&String, &Value)> {
    object.value().as_object().into_iter().flatten()
}
