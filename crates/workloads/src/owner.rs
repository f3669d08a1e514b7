//! Who controls an object.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};

use crate::kind::{Kept, Key, Kind};

/// The reference to the controller, if any.
pub(crate) fn controller(metadata: &ObjectMeta) -> Option<&OwnerReference> {
    metadata.owner_references.iter().flatten().find(|it| it.controller == Some(true))
}

/// The controller as a key, when its kind is one the simulator knows.
pub(crate) fn controller_key(metadata: &ObjectMeta) -> Option<Key> {
    let owner = controller(metadata)?;
    let kind = workload(&owner.kind)?;
    (owner.api_version == kind.api_version())
        .then(|| Key::new(kind, metadata.namespace.as_deref().unwrap_or_default(), &owner.name))
}

fn workload(kind: &str) -> Option<Kind> {
    let workloads = [
        Kind::CronJob,
        Kind::DaemonSet,
        Kind::Deployment,
        Kind::Job,
        Kind::ReplicaSet,
        Kind::ReplicationController,
        Kind::Service,
        Kind::StatefulSet,
    ];
    workloads.into_iter().find(|it| it.name() == kind)
}

/// The reference that makes an object the controller of another.
pub(crate) fn reference<T: Kept>(owner: &T) -> OwnerReference {
    OwnerReference {
        api_version: T::KIND.api_version().to_owned(),
        kind: T::KIND.name().to_owned(),
        name: owner.meta().name.clone().unwrap_or_default(),
        uid: uid(owner.meta()).to_owned(),
        controller: Some(true),
        block_owner_deletion: Some(true),
    }
}

/// The uid; empty for what the server never saw.
pub(crate) fn uid(metadata: &ObjectMeta) -> &str {
    metadata.uid.as_deref().unwrap_or_default()
}
