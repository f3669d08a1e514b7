//! How kinds differ in what a replacement may do.

use crate::resource::Resource;

/// Built-in kinds that come to be when they are replaced before they are there.
const CREATED_BY_UPDATE: &[(&str, &str)] = &[
    ("", "Endpoints"),
    ("", "Event"),
    ("", "LimitRange"),
    ("", "Service"),
    ("coordination.k8s.io", "Lease"),
    ("events.k8s.io", "Event"),
    ("node.k8s.io", "RuntimeClass"),
    ("rbac.authorization.k8s.io", "ClusterRole"),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"),
    ("rbac.authorization.k8s.io", "Role"),
    ("rbac.authorization.k8s.io", "RoleBinding"),
];

/// Built-in kinds that are replaced only by who knows the version that is there.
const VERSION_NEEDED: &[(&str, &str)] = &[
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("apiregistration.k8s.io", "APIService"),
    ("coordination.k8s.io", "Lease"),
    ("node.k8s.io", "RuntimeClass"),
    ("policy", "PodDisruptionBudget"),
    ("storage.k8s.io", "CSIDriver"),
    ("storage.k8s.io", "CSINode"),
    ("storage.k8s.io", "CSIStorageCapacity"),
    ("storage.k8s.io", "VolumeAttachment"),
];

/// Whether an object that is not there is created when it is replaced.
pub(crate) fn creates_on_update(resource: &Resource) -> bool {
    !resource.is_custom() && is_in(CREATED_BY_UPDATE, resource)
}

/// Whether a replacement must name the version it replaces.
pub(crate) fn needs_version(resource: &Resource) -> bool {
    resource.is_custom() || is_in(VERSION_NEEDED, resource)
}

fn is_in(list: &[(&str, &str)], resource: &Resource) -> bool {
    list.contains(&(&*resource.kind.group, &*resource.kind.kind))
}
