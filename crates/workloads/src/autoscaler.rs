//! Autoscalers: kept between their bounds. Nothing measures simulated Pods, and the status says so.

use jiff::Timestamp;
use k8s_openapi::api::autoscaling::v2::{
    HorizontalPodAutoscaler, HorizontalPodAutoscalerCondition, HorizontalPodAutoscalerSpec,
    HorizontalPodAutoscalerStatus,
};
use serde_json::json;

use crate::action::{Action, Plan, identity};
use crate::clock::stamp;
use crate::kind::{Key, World};
use crate::numbers::nonzero;

const CONTROLLER: &str = "horizontal-pod-autoscaler";

/// The workload that is scaled: how many Pods it wants, and what to change to scale it.
struct Target {
    wanted: i32,
    actual: i32,
    key: Key,
    uid: String,
}

/// What to do about an autoscaler.
pub(crate) fn plan(world: &World, key: &Key, now: Timestamp) -> Plan {
    let mut plan = Plan::default();
    let Some(autoscaler) = world.autoscalers.get(&key.namespace, &key.name) else { return plan };
    let Some(spec) = autoscaler.spec.as_ref() else { return plan };
    let mut status = autoscaler.status.clone().unwrap_or_default();
    match target(world, &key.namespace, spec) {
        None => {
            let message = "the HPA controller was unable to get the target's current scale";
            set(&mut status, "AbleToScale", "False", "FailedGetScale", message, now);
        }
        Some(target) => scale(autoscaler, spec, &target, &mut status, now, &mut plan),
    }
    plan.set_status(&**autoscaler, autoscaler.status.as_ref(), &status);
    plan
}

fn target(world: &World, namespace: &str, spec: &HorizontalPodAutoscalerSpec) -> Option<Target> {
    let name = &spec.scale_target_ref.name;
    let of = |wanted: Option<i32>, actual: Option<i32>, (key, uid): (Key, String)| Target {
        wanted: wanted.unwrap_or(1),
        actual: actual.unwrap_or_default(),
        key,
        uid,
    };
    match spec.scale_target_ref.kind.as_str() {
        "Deployment" => world.deployments.get(namespace, name).map(|it| {
            let actual = it.status.as_ref().and_then(|it| it.replicas);
            of(it.spec.as_ref().and_then(|it| it.replicas), actual, identity(&**it))
        }),
        "ReplicaSet" => world.replica_sets.get(namespace, name).map(|it| {
            let actual = it.status.as_ref().map(|it| it.replicas);
            of(it.spec.as_ref().and_then(|it| it.replicas), actual, identity(&**it))
        }),
        "StatefulSet" => world.stateful_sets.get(namespace, name).map(|it| {
            let actual = it.status.as_ref().map(|it| it.replicas);
            of(it.spec.as_ref().and_then(|it| it.replicas), actual, identity(&**it))
        }),
        _ => None,
    }
}

fn scale(
    autoscaler: &HorizontalPodAutoscaler,
    spec: &HorizontalPodAutoscalerSpec,
    target: &Target,
    status: &mut HorizontalPodAutoscalerStatus,
    now: Timestamp,
    plan: &mut Plan,
) {
    let least = spec.min_replicas.unwrap_or(1);
    let able = "the HPA controller was able to get the target's current scale";
    set(status, "AbleToScale", "True", "SucceededGetScale", able, now);
    status.current_replicas = nonzero(target.actual);
    if target.wanted == 0 {
        let message = "scaling is disabled since the replica count of the target is zero";
        set(status, "ScalingActive", "False", "ScalingDisabled", message, now);
        status.desired_replicas = 0;
        return;
    }
    let wanted = target.wanted.clamp(least, spec.max_replicas.max(least));
    if wanted != target.wanted {
        let (key, uid) = (target.key.clone(), target.uid.clone());
        plan.actions.push(Action::Patch { key, uid, part: "", patch: json!({"spec": {"replicas": wanted}}) });
        let reason = if wanted > target.wanted {
            "Current number of replicas below Spec.MinReplicas"
        } else {
            "Current number of replicas above Spec.MaxReplicas"
        };
        let message = format!("New size: {wanted}; reason: {reason}");
        plan.record(autoscaler, CONTROLLER, "SuccessfulRescale", message);
        status.last_scale_time = Some(stamp(now));
        status.desired_replicas = wanted;
        return;
    }
    let measured = spec.metrics.iter().flatten().find_map(|it| it.resource.as_ref());
    let measured = measured.map_or("cpu", |it| &it.name);
    let message = format!(
        "the HPA was unable to compute the replica count: failed to get {measured} utilization: unable to get metrics \
         for resource {measured}: unable to fetch metrics from resource metrics API: the server could not find the \
         requested resource (get pods.metrics.k8s.io)"
    );
    set(status, "ScalingActive", "False", "FailedGetResourceMetric", &message, now);
}

fn set(
    status: &mut HorizontalPodAutoscalerStatus,
    type_: &str,
    value: &str,
    reason: &str,
    message: &str,
    now: Timestamp,
) {
    let conditions = status.conditions.get_or_insert_default();
    let known = conditions.iter().find(|it| it.type_ == type_ && it.status == value);
    let since = known.and_then(|it| it.last_transition_time.clone()).unwrap_or_else(|| stamp(now));
    let condition = HorizontalPodAutoscalerCondition {
        type_: type_.to_owned(),
        status: value.to_owned(),
        reason: Some(reason.to_owned()),
        message: Some(message.to_owned()),
        last_transition_time: Some(since),
    };
    match conditions.iter_mut().find(|it| it.type_ == type_) {
        Some(known) => *known = condition,
        None => conditions.push(condition),
    }
}
