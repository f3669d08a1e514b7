//! One Pod of a stateful set, with its claims.

use k8s_openapi::api::apps::v1::{StatefulSet, StatefulSetSpec};
use k8s_openapi::api::core::v1::{
    PersistentVolumeClaim, PersistentVolumeClaimVolumeSource, Pod, PodTemplateSpec, Volume,
};

use crate::history::REVISION_LABEL;
use crate::kind::World;
use crate::template::pod_from;

/// The number in the name of a Pod.
pub(super) fn ordinal(set: &StatefulSet, pod: &Pod) -> Option<i32> {
    let name = pod.metadata.name.as_deref()?;
    name.strip_prefix(set.metadata.name.as_deref()?)?.strip_prefix('-')?.parse().ok()
}

/// One of the Pods that a set wants.
pub(super) struct Replica<'a> {
    pub(super) set: &'a StatefulSet,
    pub(super) spec: &'a StatefulSetSpec,
    pub(super) ordinal: i32,
}

impl Replica<'_> {
    pub(super) fn name(&self) -> String {
        format!("{}-{}", self.set.metadata.name.as_deref().unwrap_or_default(), self.ordinal)
    }

    /// The Pod of a revision.
    pub(super) fn pod(&self, template: &PodTemplateSpec, revision: &str) -> Pod {
        let name = self.name();
        let mut pod = pod_from(self.set, Some(template), &name);
        let labels = pod.metadata.labels.get_or_insert_default();
        labels.insert(REVISION_LABEL.to_owned(), revision.to_owned());
        labels.insert("statefulset.kubernetes.io/pod-name".to_owned(), name.clone());
        labels.insert("apps.kubernetes.io/pod-index".to_owned(), self.ordinal.to_string());
        let spec = pod.spec.get_or_insert_default();
        spec.hostname = Some(name);
        spec.subdomain = self.spec.service_name.clone().filter(|it| !it.is_empty());
        let volumes = spec.volumes.get_or_insert_default();
        for (template, claim) in self.claims() {
            volumes.retain(|it| it.name != template);
            let claim_name = claim.metadata.name.unwrap_or_default();
            let source = PersistentVolumeClaimVolumeSource { claim_name, read_only: None };
            volumes.push(Volume {
                name: template,
                persistent_volume_claim: Some(source),
                ..Volume::default()
            });
        }
        pod
    }

    /// Claims that the Pod needs and nobody made.
    pub(super) fn missing_claims(&self, world: &World) -> Vec<PersistentVolumeClaim> {
        let namespace = self.set.metadata.namespace.as_deref().unwrap_or_default();
        let known = |it: &PersistentVolumeClaim| {
            world.claims.get(namespace, it.metadata.name.as_deref().unwrap_or_default()).is_some()
        };
        self.claims().into_iter().map(|(_, claim)| claim).filter(|it| !known(it)).collect()
    }

    /// The claims by the names of their templates.
    fn claims(&self) -> Vec<(String, PersistentVolumeClaim)> {
        let of = |template: &PersistentVolumeClaim| {
            let name = template.metadata.name.clone().unwrap_or_default();
            let mut claim = template.clone();
            claim.status = None;
            claim.metadata.name = Some(format!("{name}-{}", self.name()));
            claim.metadata.namespace.clone_from(&self.set.metadata.namespace);
            let selected = self.spec.selector.match_labels.clone().unwrap_or_default();
            claim.metadata.labels.get_or_insert_default().extend(selected);
            (name, claim)
        };
        self.spec.volume_claim_templates.iter().flatten().map(of).collect()
    }
}
