//! Whom a change concerns.

use std::collections::BTreeSet;

use k8s_openapi::api::core::v1::Pod;

use crate::kind::{Kept, Key, Kind, Object, World};
use crate::{action, behaviour, owner, selector};

/// The objects to look at when this one is, or was, so; `other` is how it was before, or is now.
pub(crate) fn touched(world: &World, object: &Object, other: Option<&Object>) -> BTreeSet<Key> {
    let mut keys = BTreeSet::from([Key::of(object)]);
    keys.extend(owner::controller_key(object.metadata()));
    match object {
        Object::Pod(pod) => keys.extend(selecting(world, pod)),
        Object::Node(_) => {
            keys.extend(world.daemon_sets.iter().map(|it| action::identity(&**it).0));
            keys.extend(unassigned(world.pods.iter()));
        }
        Object::PersistentVolumeClaim(claim) => {
            let volume = claim.spec.as_ref().and_then(|spec| spec.volume_name.as_deref());
            keys.extend(volume.map(|name| Key::new(Kind::PersistentVolume, "", name)));
            keys.extend(unassigned(
                world.pods.within(claim.metadata.namespace.as_deref().unwrap_or_default()),
            ));
        }
        Object::PersistentVolume(volume) => {
            let claim = volume.spec.as_ref().and_then(|spec| spec.claim_ref.as_ref());
            keys.extend(claim.map(|it| {
                let (namespace, name) = (it.namespace.as_deref(), it.name.as_deref());
                Key::new(Kind::PersistentVolumeClaim, namespace.unwrap_or_default(), name.unwrap_or_default())
            }));
        }
        Object::StorageClass(_) => keys.extend(world.claims.iter().map(|it| action::identity(&**it).0)),
        Object::Endpoints(endpoints) => {
            let (namespace, name) = (&endpoints.metadata.namespace, &endpoints.metadata.name);
            let (namespace, name) = (namespace.as_deref(), name.as_deref());
            keys.insert(Key::new(Kind::Service, namespace.unwrap_or_default(), name.unwrap_or_default()));
        }
        Object::CronJob(_)
        | Object::DaemonSet(_)
        | Object::Deployment(_)
        | Object::Job(_)
        | Object::ReplicaSet(_)
        | Object::ReplicationController(_)
        | Object::StatefulSet(_) => keys.extend(of_workload(world, object, other)),
        Object::ControllerRevision(_)
        | Object::EndpointSlice(_)
        | Object::HorizontalPodAutoscaler(_)
        | Object::Lease(_)
        | Object::PodDisruptionBudget(_)
        | Object::Service(_) => {}
    }
    keys
}

/// Pods learn of a changed script; autoscalers and budgets look at the numbers.
fn of_workload(world: &World, object: &Object, other: Option<&Object>) -> BTreeSet<Key> {
    let namespace = object.metadata().namespace.as_deref().unwrap_or_default();
    let mut keys: BTreeSet<Key> =
        world.autoscalers.within(namespace).map(|it| action::identity(&**it).0).collect();
    keys.extend(world.budgets.within(namespace).map(|it| action::identity(&**it).0));
    let said = |object: &Object| behaviour::annotation(object.metadata()).map(str::to_owned);
    if other.is_some_and(|other| said(other) != said(object)) {
        keys.extend(world.pods.within(namespace).map(|it| action::identity(&**it).0));
    }
    keys
}

/// Services and budgets that select the pod.
fn selecting(world: &World, pod: &Pod) -> BTreeSet<Key> {
    let namespace = pod.metadata.namespace.as_deref().unwrap_or_default();
    let labels = pod.metadata.labels.as_ref();
    let services = world.services.within(namespace).filter(|it| {
        let selector = it.spec.as_ref().and_then(|spec| spec.selector.as_ref());
        selector.is_some_and(|it| selector::has_all(labels, it))
    });
    let budgets = world.budgets.within(namespace).filter(|it| {
        let selector = it.spec.as_ref().and_then(|spec| spec.selector.as_ref());
        selector.is_some_and(|it| selector::matches(it, labels))
    });
    let services = services.map(|it| action::identity(&**it).0);
    services.chain(budgets.map(|it| action::identity(&**it).0)).collect()
}

fn unassigned<'a>(pods: impl Iterator<Item = &'a std::sync::Arc<Pod>>) -> BTreeSet<Key> {
    let waiting = pods.filter(|pod| pod.spec.as_ref().is_some_and(|spec| spec.node_name.is_none()));
    waiting.map(|it| action::identity::<Pod>(it).0).filter(|key| key.kind == Pod::KIND).collect()
}
