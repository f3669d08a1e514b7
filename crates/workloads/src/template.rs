//! Pods made from templates.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Pod, PodTemplateSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::fingerprint::name_suffix;
use crate::kind::{Kept, World};
use crate::owner;

/// With a suffix of five characters the name is still a host name.
const LONGEST_PREFIX: usize = 58;

/// A Pod of this name that the owner controls.
pub(crate) fn pod_from<T: Kept>(owner: &T, template: Option<&PodTemplateSpec>, name: &str) -> Pod {
    let template = template.cloned().unwrap_or_default();
    let metadata = template.metadata.unwrap_or_default();
    let prefix = format!("{}-", owner.meta().name.as_deref().unwrap_or_default());
    Pod {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            generate_name: Some(prefix),
            namespace: owner.meta().namespace.clone(),
            labels: metadata.labels,
            annotations: metadata.annotations,
            finalizers: metadata.finalizers,
            owner_references: Some(vec![owner::reference(owner)]),
            ..ObjectMeta::default()
        },
        spec: template.spec,
        status: None,
    }
}

/// A name that begins with the owner's, was most likely never given before and is not in use.
pub(crate) fn fresh_name(world: &World, owner: &ObjectMeta, index: usize, now: Timestamp) -> String {
    let namespace = owner.namespace.as_deref().unwrap_or_default();
    let mut candidates = (0..u8::MAX).map(|attempt| candidate(owner, (index, attempt), now));
    let free = |name: &String| world.pods.get(namespace, name).is_none();
    candidates.find(free).unwrap_or_else(|| candidate(owner, (index, u8::MAX), now))
}

fn candidate(owner: &ObjectMeta, number: (usize, u8), now: Timestamp) -> String {
    let name = owner.name.as_deref().unwrap_or_default();
    let prefix: String = name.chars().take(LONGEST_PREFIX - 1).collect();
    let mut suffix = name_suffix(&(owner::uid(owner), number, now.as_nanosecond().to_string()), None);
    suffix.truncate(5);
    format!("{prefix}-{suffix:b>5}")
}
