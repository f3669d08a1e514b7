//! Pods: assigned to the node, run, end.

mod container;
mod life;
mod schedule;
mod status;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Pod, PodCondition};

use crate::action::{Action, Plan, SIMULATOR, identity};
use crate::behaviour;
use crate::clock::later;
use crate::kind::{Key, World};
use crate::options::Options;

/// What to do about a Pod.
pub(crate) fn plan(world: &World, key: &Key, now: Timestamp, options: &Options) -> Plan {
    let mut plan = Plan::default();
    let Some(pod) = world.pods.get(&key.namespace, &key.name) else { return plan };
    let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref());
    if pod.metadata.deletion_timestamp.is_some() {
        if node == Some(&*options.node) {
            end(pod, &mut plan);
        }
    } else if node.is_none_or(str::is_empty) {
        schedule::plan(world, pod, now, options, &mut plan);
    } else if node == Some(&*options.node) && !is_finished(pod) {
        life::plan(world, pod, now, options, &mut plan);
    }
    plan
}

/// Confirms a graceful end; with no grace left only finalizers keep the Pod.
fn end(pod: &Pod, plan: &mut Plan) {
    if pod.metadata.deletion_grace_period_seconds.unwrap_or_default() == 0 {
        return;
    }
    for container in pod.spec.iter().flat_map(|spec| &spec.containers) {
        let message = format!("Stopping container {} (simulated)", container.name);
        record_container(plan, pod, &container.name, "Killing", message);
    }
    let (key, uid) = identity(pod);
    plan.actions.push(Action::Delete { key, uid, grace_seconds: Some(0) });
}

/// Tells something about one container.
fn record_container(plan: &mut Plan, pod: &Pod, name: &str, reason: &'static str, message: String) {
    plan.record(pod, SIMULATOR, reason, message);
    if let Some(Action::Record(record)) = plan.actions.last_mut() {
        record.field_path = Some(format!("spec.containers{{{name}}}"));
    }
}

/// Warns once, when the Pod is first looked at, of an annotation that says nothing.
fn warn_of_annotation(world: &World, pod: &Pod, plan: &mut Plan) {
    if let Err(unknown) = behaviour::asked_for(world, pod) {
        plan.warn(pod, SIMULATOR, "InvalidSimulation", unknown.to_string());
    }
}

/// The phase; new Pods are pending.
pub(crate) fn phase(pod: &Pod) -> &str {
    pod.status.as_ref().and_then(|status| status.phase.as_deref()).unwrap_or("Pending")
}

/// Whether all containers have ended for good.
pub(crate) fn is_finished(pod: &Pod) -> bool {
    matches!(phase(pod), "Succeeded" | "Failed")
}

/// Whether the Pod counts as one that runs or will.
pub(crate) fn is_active(pod: &Pod) -> bool {
    !is_finished(pod) && pod.metadata.deletion_timestamp.is_none()
}

/// A condition of the Pod.
pub(crate) fn condition<'a>(pod: &'a Pod, type_: &str) -> Option<&'a PodCondition> {
    pod.status.as_ref()?.conditions.iter().flatten().find(|it| it.type_ == type_)
}

/// Whether the Pod is ready.
pub(crate) fn is_ready(pod: &Pod) -> bool {
    condition(pod, "Ready").is_some_and(|it| it.status == "True")
}

/// Since when the Pod counts as available, if it is ready: that may be in the future.
pub(crate) fn available_at(pod: &Pod, min_ready_seconds: i32) -> Option<Timestamp> {
    let ready = condition(pod, "Ready").filter(|it| it.status == "True")?;
    let since = ready.last_transition_time.as_ref().map_or(Timestamp::UNIX_EPOCH, |it| it.0);
    let seconds = u64::try_from(min_ready_seconds).unwrap_or_default();
    Some(later(since, std::time::Duration::from_secs(seconds)))
}

/// Whether the Pod is available; if it will be, the plan looks again then.
pub(crate) fn is_available(pod: &Pod, min_ready_seconds: i32, now: Timestamp, plan: &mut Plan) -> bool {
    match available_at(pod, min_ready_seconds) {
        Some(time) if time <= now => true,
        Some(time) if min_ready_seconds > 0 => {
            plan.look_at(time);
            false
        }
        // A clock behind the server's would otherwise doubt what is ready.
        Some(_) => true,
        None => false,
    }
}
