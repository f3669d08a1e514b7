//! Daemon sets: one Pod on every simulated node.

use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::apps::v1::{DaemonSet, DaemonSetSpec, DaemonSetStatus};
use k8s_openapi::api::core::v1::{Node, Pod, Toleration};
use serde_json::json;

use crate::action::Plan;
use crate::history::{History, REVISION_LABEL};
use crate::kind::{Key, World};
use crate::numbers::{count, scaled};
use crate::template::{fresh_name, pod_from};
use crate::{adoption, node, pod, selector};

const CONTROLLER: &str = "daemonset-controller";
const GENERATION: &str = "deprecated.daemonset.template.generation";
/// What Pods of daemon sets bear, with the effect.
const BORNE: [(&str, &str); 6] = [
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
];

/// What to do about a daemon set.
pub(crate) fn plan(world: &World, key: &Key, now: Timestamp) -> Plan {
    let mut plan = Plan::default();
    let Some(set) = world.daemon_sets.get(&key.namespace, &key.name) else { return plan };
    let Some(spec) = &set.spec else { return plan };
    let pods: Vec<&Arc<Pod>> = adoption::claim(world, &**set, &spec.selector, &mut plan);
    let history = History::keep(world, &**set, &spec.selector, &spec.template, &mut plan);
    if !plan.actions.is_empty() {
        return plan;
    }
    let nodes: Vec<&Arc<Node>> = world.nodes.iter().filter(|it| is_meant(spec, it)).collect();
    let pods: Vec<&Pod> = pods.into_iter().map(|it| &**it).collect();
    if set.metadata.deletion_timestamp.is_none() {
        place(world, set, spec, &nodes, &pods, &history.hash, now, &mut plan);
        if plan.actions.is_empty() {
            update(set, spec, &nodes, &pods, &history.hash, now, &mut plan);
        }
    }
    if plan.actions.is_empty() {
        let status = status(set, spec, nodes.len(), &pods, &history.hash, now, &mut plan);
        plan.set_status(&**set, set.status.as_ref(), &status);
        let is_used = |name: &str| pods.iter().any(|it| hash(it).is_some_and(|hash| name.ends_with(hash)));
        history.clean_up(spec.revision_history_limit, is_used, &mut plan);
    }
    plan
}

fn is_meant(spec: &DaemonSetSpec, node: &Node) -> bool {
    let labels = node.metadata.labels.as_ref();
    let wanted = spec.template.spec.as_ref().and_then(|it| it.node_selector.as_ref());
    labels.is_some_and(|it| it.contains_key(node::SIMULATED))
        && wanted.is_none_or(|wanted| selector::has_all(labels, wanted))
}

/// The node that a Pod was made for.
fn node_of(pod: &Pod) -> Option<&str> {
    let spec = pod.spec.as_ref()?;
    let assigned = spec.node_name.as_deref().filter(|it| !it.is_empty());
    let terms = &spec.affinity.as_ref().and_then(|it| it.node_affinity.as_ref());
    let terms = terms.and_then(|it| it.required_during_scheduling_ignored_during_execution.as_ref());
    let field = terms.and_then(|it| it.node_selector_terms.first()?.match_fields.as_ref()?.first());
    assigned.or_else(|| field.and_then(|it| it.values.as_ref()?.first().map(String::as_str)))
}

fn hash(pod: &Pod) -> Option<&str> {
    pod.metadata.labels.as_ref()?.get(REVISION_LABEL).map(String::as_str)
}

/// One Pod for each node, none elsewhere.
#[expect(clippy::too_many_arguments, reason = "one decision over all there is to know")]
fn place(
    world: &World,
    set: &DaemonSet,
    spec: &DaemonSetSpec,
    nodes: &[&Arc<Node>],
    pods: &[&Pod],
    hash: &str,
    now: Timestamp,
    plan: &mut Plan,
) {
    for (index, node) in nodes.iter().enumerate() {
        let name = node.metadata.name.as_deref().unwrap_or_default();
        if !pods.iter().any(|it| node_of(it) == Some(name)) {
            let pod = daemon(set, spec, name, &fresh_name(world, &set.metadata, index, now), hash);
            plan.create(&pod);
            let name = pod.metadata.name.as_deref().unwrap_or_default();
            plan.record(set, CONTROLLER, "SuccessfulCreate", format!("Created pod: {name}"));
        }
    }
    let meant = |pod: &Pod| nodes.iter().any(|it| it.metadata.name.as_deref() == node_of(pod));
    for pod in pods.iter().filter(|it| it.metadata.deletion_timestamp.is_none()) {
        if pod::is_finished(pod) || !meant(pod) {
            delete(set, pod, plan);
        }
    }
}

fn delete(set: &DaemonSet, pod: &Pod, plan: &mut Plan) {
    plan.delete(pod);
    let name = pod.metadata.name.as_deref().unwrap_or_default();
    plan.record(set, CONTROLLER, "SuccessfulDelete", format!("Deleted pod: {name}"));
}

fn daemon(set: &DaemonSet, spec: &DaemonSetSpec, node: &str, name: &str, hash: &str) -> Pod {
    let mut pod = pod_from(set, Some(&spec.template), name);
    let labels = pod.metadata.labels.get_or_insert_default();
    labels.insert(REVISION_LABEL.to_owned(), hash.to_owned());
    if let Some(generation) = set.metadata.annotations.as_ref().and_then(|it| it.get(GENERATION)) {
        labels.insert("pod-template-generation".to_owned(), generation.clone());
    }
    let spec = pod.spec.get_or_insert_default();
    let affinity = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]}}});
    spec.affinity = serde_json::from_value(affinity).ok();
    let borne = BORNE.map(|(key, effect)| Toleration {
        key: Some(key.to_owned()),
        operator: Some("Exists".to_owned()),
        effect: Some(effect.to_owned()),
        ..Toleration::default()
    });
    spec.tolerations.get_or_insert_default().extend(borne);
    pod
}

/// Replaces Pods of other revisions, as many at a time as may be unavailable.
fn update(
    set: &DaemonSet,
    spec: &DaemonSetSpec,
    nodes: &[&Arc<Node>],
    pods: &[&Pod],
    hash: &str,
    now: Timestamp,
    plan: &mut Plan,
) {
    let strategy = spec.update_strategy.as_ref();
    if strategy.and_then(|it| it.type_.as_deref()) == Some("OnDelete") {
        return;
    }
    let total = i32::try_from(nodes.len()).unwrap_or(i32::MAX);
    let rolling = strategy.and_then(|it| it.rolling_update.as_ref());
    // A surge needs a second Pod beside the first; here one goes before the other comes.
    let allowed = scaled(rolling.and_then(|it| it.max_unavailable.as_ref()), total, true).max(1);
    let min_ready = spec.min_ready_seconds.unwrap_or_default();
    let (well, ill): (Vec<&Pod>, Vec<&Pod>) = pods.iter().copied().partition(|it| {
        it.metadata.deletion_timestamp.is_none() && pod::is_available(it, min_ready, now, plan)
    });
    let outdated = |it: &&Pod| self::hash(it) != Some(hash) && it.metadata.deletion_timestamp.is_none();
    let room = usize::try_from(allowed).unwrap_or_default().saturating_sub(ill.len());
    let replaced: Vec<&Pod> =
        ill.into_iter().filter(outdated).chain(well.into_iter().filter(outdated).take(room)).collect();
    for pod in replaced {
        delete(set, pod, plan);
    }
}

fn status(
    set: &DaemonSet,
    spec: &DaemonSetSpec,
    nodes: usize,
    pods: &[&Pod],
    hash: &str,
    now: Timestamp,
    plan: &mut Plan,
) -> DaemonSetStatus {
    let number = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
    let min_ready = spec.min_ready_seconds.unwrap_or_default();
    let ready = pods.iter().filter(|it| pod::is_ready(it)).count();
    let available = pods.iter().filter(|it| pod::is_available(it, min_ready, now, plan)).count();
    let updated = pods.iter().filter(|it| self::hash(it) == Some(hash)).count();
    DaemonSetStatus {
        observed_generation: set.metadata.generation,
        desired_number_scheduled: number(nodes),
        current_number_scheduled: number(pods.len().min(nodes)),
        number_misscheduled: number(pods.len().saturating_sub(nodes)),
        number_ready: number(ready),
        number_available: count(available),
        number_unavailable: count(nodes.saturating_sub(available)),
        updated_number_scheduled: count(updated),
        collision_count: None,
        conditions: set.status.as_ref().and_then(|it| it.conditions.clone()),
    }
}
