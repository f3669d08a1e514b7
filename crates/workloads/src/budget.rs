//! Disruption budgets: how many Pods may be missing.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use crate::action::Plan;
use crate::clock::stamp;
use crate::kind::{Key, Object, World};
use crate::numbers::scaled;
use crate::{owner, pod, selector};

/// What to do about a budget.
pub(crate) fn plan(world: &World, key: &Key, now: Timestamp) -> Plan {
    let mut plan = Plan::default();
    let Some(budget) = world.budgets.get(&key.namespace, &key.name) else { return plan };
    let Some(spec) = &budget.spec else { return plan };
    let Some(wanted) = &spec.selector else { return plan };
    let matching =
        world.pods.within(&key.namespace).filter(|it| selector::matches(wanted, it.metadata.labels.as_ref()));
    let pods: Vec<&Arc<Pod>> = matching.filter(|it| pod::is_active(it)).collect();
    let status = status(budget, spec, expected(world, spec, &pods), &pods, now);
    plan.set_status(&**budget, budget.status.as_ref(), &status);
    plan
}

/// A fixed minimum needs no total; anything else asks the workloads how many Pods they want.
fn expected(world: &World, spec: &PodDisruptionBudgetSpec, pods: &[&Arc<Pod>]) -> i32 {
    if matches!(spec.min_available, Some(IntOrString::Int(_))) {
        return i32::try_from(pods.len()).unwrap_or(i32::MAX);
    }
    let mut wanted = BTreeMap::new();
    for pod in pods {
        if let Some(scale) =
            owner::controller_key(&pod.metadata).and_then(|key| world.get(&key)).and_then(|it| scale(&it))
        {
            wanted.insert(owner::controller(&pod.metadata).map(|it| it.uid.clone()), scale);
        }
    }
    wanted.values().sum()
}

fn scale(object: &Object) -> Option<i32> {
    if let Object::ReplicaSet(set) = object {
        set.spec.as_ref().map(|it| it.replicas.unwrap_or(1))
    } else if let Object::StatefulSet(set) = object {
        set.spec.as_ref().map(|it| it.replicas.unwrap_or(1))
    } else if let Object::ReplicationController(controller) = object {
        controller.spec.as_ref().map(|it| it.replicas.unwrap_or(1))
    } else {
        None
    }
}

fn status(
    budget: &PodDisruptionBudget,
    spec: &PodDisruptionBudgetSpec,
    expected: i32,
    pods: &[&Arc<Pod>],
    now: Timestamp,
) -> PodDisruptionBudgetStatus {
    let desired = match &spec.max_unavailable {
        Some(missing) => (expected - scaled(Some(missing), expected, true)).max(0),
        None => scaled(spec.min_available.as_ref(), expected, true),
    };
    let healthy = i32::try_from(pods.iter().filter(|it| pod::is_ready(it)).count()).unwrap_or(i32::MAX);
    let allowed = if expected > 0 { (healthy - desired).max(0) } else { 0 };
    let old = budget.status.clone().unwrap_or_default();
    let (value, reason) =
        if allowed > 0 { ("True", "SufficientPods") } else { ("False", "InsufficientPods") };
    let known =
        old.conditions.iter().flatten().find(|it| it.type_ == "DisruptionAllowed" && it.status == value);
    let condition = Condition {
        type_: "DisruptionAllowed".to_owned(),
        status: value.to_owned(),
        reason: reason.to_owned(),
        message: String::new(),
        observed_generation: budget.metadata.generation,
        last_transition_time: known.map_or_else(|| stamp(now), |it| it.last_transition_time.clone()),
    };
    PodDisruptionBudgetStatus {
        current_healthy: healthy,
        desired_healthy: desired,
        disruptions_allowed: allowed,
        expected_pods: expected,
        observed_generation: budget.metadata.generation,
        conditions: Some(vec![condition]),
        disrupted_pods: old.disrupted_pods,
    }
}
