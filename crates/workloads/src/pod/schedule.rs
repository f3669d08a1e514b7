//! Assigning a Pod to the node, or telling why not.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Node, Pod, PodCondition, PodSpec};

use super::warn_of_annotation;
use crate::action::{Action, Plan, SIMULATOR, identity};
use crate::clock::stamp;
use crate::kind::World;
use crate::options::{Options, Scope};
use crate::selector;

const SCHEDULER: &str = "default-scheduler";
const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";

pub(super) fn plan(world: &World, pod: &Pod, now: Timestamp, options: &Options, plan: &mut Plan) {
    let Some(spec) = &pod.spec else { return };
    let ours = spec.scheduler_name.as_deref().unwrap_or(SCHEDULER) == SCHEDULER;
    if !ours || spec.scheduling_gates.as_ref().is_some_and(|gates| !gates.is_empty()) {
        return;
    }
    let Some(node) = world.nodes.get("", &options.node) else { return };
    match obstacle(world, pod, spec, node, options.scope) {
        None => assign(world, pod, &options.node, plan),
        Some(obstacle) => refuse(pod, &obstacle, now, plan),
    }
}

fn assign(world: &World, pod: &Pod, node: &str, plan: &mut Plan) {
    let (key, uid) = identity(pod);
    let message = format!("Successfully assigned {}/{} to {node} (simulated)", key.namespace, key.name);
    plan.actions.push(Action::Bind { key, uid, node: node.to_owned() });
    plan.record(pod, SIMULATOR, "Scheduled", message);
    warn_of_annotation(world, pod, plan);
}

/// Why the Pod cannot run on the node.
fn obstacle(world: &World, pod: &Pod, spec: &PodSpec, node: &Node, scope: Scope) -> Option<String> {
    let unmatched = spec.node_selector.as_ref();
    if unmatched.is_some_and(|wanted| !selector::has_all(node.metadata.labels.as_ref(), wanted)) {
        return Some(none_fits("1 node(s) didn't match Pod's node affinity/selector"));
    }
    let cordoned = node.spec.as_ref().is_some_and(|spec| spec.unschedulable == Some(true));
    let tolerates = |spec: &PodSpec| {
        spec.tolerations.iter().flatten().any(|it| {
            it.key.as_deref() == Some(UNSCHEDULABLE)
                || it.key.is_none() && it.operator.as_deref() == Some("Exists")
        })
    };
    if cordoned && !tolerates(spec) {
        return Some(none_fits("1 node(s) were unschedulable"));
    }
    if scope == Scope::Everything { unbound(world, pod, spec) } else { None }
}

/// Claims must be bound before; a cluster with controllers of its own has its own ways for that.
fn unbound(world: &World, pod: &Pod, spec: &PodSpec) -> Option<String> {
    let namespace = pod.metadata.namespace.as_deref().unwrap_or_default();
    let claims = spec.volumes.iter().flatten().filter_map(|it| it.persistent_volume_claim.as_ref());
    for name in claims.map(|it| &it.claim_name) {
        let Some(claim) = world.claims.get(namespace, name) else {
            return Some(none_fits(&format!("persistentvolumeclaim \"{name}\" not found")));
        };
        if claim.status.as_ref().and_then(|it| it.phase.as_deref()) != Some("Bound") {
            return Some(none_fits("pod has unbound immediate PersistentVolumeClaims"));
        }
    }
    None
}

fn none_fits(reason: &str) -> String {
    format!(
        "0/1 nodes are available: {reason}. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    )
}

fn refuse(pod: &Pod, message: &str, now: Timestamp, plan: &mut Plan) {
    let known = super::condition(pod, "PodScheduled");
    if known.is_some_and(|it| it.message.as_deref() == Some(message)) {
        return;
    }
    let mut status = pod.status.clone().unwrap_or_default();
    let conditions = status.conditions.get_or_insert_default();
    conditions.retain(|it| it.type_ != "PodScheduled");
    conditions.push(PodCondition {
        type_: "PodScheduled".to_owned(),
        status: "False".to_owned(),
        reason: Some("Unschedulable".to_owned()),
        message: Some(message.to_owned()),
        last_transition_time: Some(stamp(now)),
        ..PodCondition::default()
    });
    plan.set_status(pod, pod.status.as_ref(), &status);
    plan.warn(pod, SIMULATOR, "FailedScheduling", format!("{message} (simulated)"));
}
