//! What objects are called in tests.

use kube::Api;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind};

use super::World;

pub(super) const CLUSTER_WIDE: [&str; 6] = [
    "ResourceGraphDefinition",
    "ResourceGraphDefinitionRevision",
    "CustomResourceDefinition",
    "Namespace",
    "ClusterRole",
    "Tenant",
];

impl World {
    pub(super) fn named(&self, what: &str) -> (Api<DynamicObject>, String) {
        let (kind, name) = what.split_once(' ').expect("a kind and a name");
        let home = if CLUSTER_WIDE.contains(&kind) { "" } else { "default" };
        let (namespace, name) = name.split_once('/').unwrap_or((home, name));
        let (api_version, kind) = kind_of(kind);
        (self.api(&api_version, kind, namespace), name.to_owned())
    }

    pub(super) fn api(&self, api_version: &str, kind: &str, namespace: &str) -> Api<DynamicObject> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
        if namespace.is_empty() {
            return Api::all_with(self.client.clone(), &resource);
        }
        Api::namespaced_with(self.client.clone(), namespace, &resource)
    }
}

pub(super) fn kind_of(kind: &str) -> (String, &str) {
    let api_version = match kind {
        "ConfigMap" | "Secret" | "Namespace" | "Service" | "Pod" | "PersistentVolumeClaim" => "v1".to_owned(),
        "Deployment" | "ReplicaSet" => "apps/v1".to_owned(),
        "HorizontalPodAutoscaler" => "autoscaling/v2".to_owned(),
        "ClusterRole" => "rbac.authorization.k8s.io/v1".to_owned(),
        "CustomResourceDefinition" => "apiextensions.k8s.io/v1".to_owned(),
        other => format!("{}/v1alpha1", other.split_once('.').map_or("kro.run", |(_, group)| group)),
    };
    (api_version, kind.split_once('.').map_or(kind, |(kind, _)| kind))
}
