//! Replica sets: as many Pods as asked for.

use std::cmp::Reverse;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::apps::v1::{ReplicaSet, ReplicaSetSpec, ReplicaSetStatus};
use k8s_openapi::api::core::v1::{Pod, PodTemplateSpec};

use crate::action::Plan;
use crate::kind::{Kept, Key, World};
use crate::numbers::count;
use crate::template::{fresh_name, pod_from};
use crate::{adoption, pod, selector};

const CONTROLLER: &str = "replicaset-controller";

/// What to do about a replica set.
pub(crate) fn plan(world: &World, key: &Key, now: Timestamp) -> Plan {
    let mut plan = Plan::default();
    let Some(set) = world.replica_sets.get(&key.namespace, &key.name) else { return plan };
    let Some(spec) = &set.spec else { return plan };
    let pods: Vec<&Arc<Pod>> = adoption::claim(world, &**set, &spec.selector, &mut plan);
    let (active, rest): (Vec<&Arc<Pod>>, Vec<&Arc<Pod>>) =
        pods.into_iter().partition(|it| pod::is_active(it));
    if !plan.actions.is_empty() {
        return plan;
    }
    if set.metadata.deletion_timestamp.is_none() {
        let wanted = (spec.replicas, spec.template.as_ref());
        scale(world, &**set, CONTROLLER, wanted, &active, now, &mut plan);
    }
    if plan.actions.is_empty() {
        let terminating = rest.iter().filter(|it| it.metadata.deletion_timestamp.is_some()).count();
        let status = status(set, spec, &active, terminating, now, &mut plan);
        plan.set_status(&**set, set.status.as_ref(), &status);
    }
    plan
}

/// Creates what is missing and deletes what is too much.
pub(crate) fn scale<T: Kept>(
    world: &World,
    owner: &T,
    component: &'static str,
    (wanted, template): (Option<i32>, Option<&PodTemplateSpec>),
    active: &[&Arc<Pod>],
    now: Timestamp,
    plan: &mut Plan,
) {
    let wanted = usize::try_from(wanted.unwrap_or(1)).unwrap_or_default();
    for index in active.len()..wanted {
        let name = fresh_name(world, owner.meta(), index, now);
        plan.create(&pod_from(owner, template, &name));
        plan.record(owner, component, "SuccessfulCreate", format!("Created pod: {name}"));
    }
    let mut candidates: Vec<&Pod> = active.iter().map(|it| &***it).collect();
    candidates.sort_by_key(|it| loss(it));
    for pod in candidates.into_iter().take(active.len().saturating_sub(wanted)) {
        plan.delete(pod);
        let name = pod.metadata.name.as_deref().unwrap_or_default();
        plan.record(owner, component, "SuccessfulDelete", format!("Deleted pod: {name}"));
    }
}

/// How much is lost with a Pod; those that are least missed go first.
fn loss(pod: &Pod) -> impl Ord + use<> {
    let assigned = pod.spec.as_ref().is_some_and(|spec| spec.node_name.is_some());
    let running = pod::phase(pod) == "Running";
    let annotations = pod.metadata.annotations.as_ref();
    let cost = annotations.and_then(|it| it.get("controller.kubernetes.io/pod-deletion-cost"));
    let cost: i32 = cost.and_then(|it| it.parse().ok()).unwrap_or_default();
    let ready_since = pod::available_at(pod, 0);
    let created = pod.metadata.creation_timestamp.as_ref().map(|it| it.0);
    let name = pod.metadata.name.clone();
    (assigned, running, ready_since.is_some(), cost, Reverse(ready_since), Reverse(created), name)
}

fn status(
    set: &ReplicaSet,
    spec: &ReplicaSetSpec,
    active: &[&Arc<Pod>],
    terminating: usize,
    now: Timestamp,
    plan: &mut Plan,
) -> ReplicaSetStatus {
    let labels =
        spec.template.as_ref().and_then(|it| it.metadata.as_ref()?.labels.clone()).unwrap_or_default();
    let min_ready = spec.min_ready_seconds.unwrap_or_default();
    let labelled = active.iter().filter(|it| selector::has_all(it.metadata.labels.as_ref(), &labels));
    let ready = active.iter().filter(|it| pod::is_ready(it));
    let available = active.iter().filter(|it| pod::is_available(it, min_ready, now, plan)).count();
    ReplicaSetStatus {
        replicas: i32::try_from(active.len()).unwrap_or(i32::MAX),
        fully_labeled_replicas: count(labelled.count()),
        ready_replicas: count(ready.count()),
        available_replicas: count(available),
        terminating_replicas: i32::try_from(terminating).ok(),
        observed_generation: set.metadata.generation,
        conditions: set.status.as_ref().and_then(|it| it.conditions.clone()),
    }
}
