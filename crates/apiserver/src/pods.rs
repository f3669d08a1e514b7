//! What pods do differently: they are assigned to a node, and end gracefully.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::object::Object;
use crate::resource::Resource;
use crate::status::{Status, Subject};
use crate::write::Moment;
use crate::write::delete::{DeleteOptions, Deletion, decide, set_finalizers};
use crate::write::metadata::{check_deletable, check_preconditions};

/// What a pod without a word about it gets to end, in seconds.
const USUAL_GRACE: i64 = 30;

/// What deleting a pod means: on a node it gets time to end, until the node confirms that it has.
pub(crate) fn decide_deletion(
    resource: &Resource,
    pod: &Object,
    options: &DeleteOptions,
    moment: &Moment,
) -> Result<Deletion, Status> {
    let grace = grace(pod, options);
    if grace == 0 && !is_held(pod) {
        return decide(resource, pod, options, moment);
    }
    check_deletable(resource, pod, options.uid.as_deref(), options.version.as_deref())?;
    let left = pod.is_deleting().then(|| seconds_left(pod));
    let mut marked = pod.clone();
    set_finalizers(&mut marked, options.propagation);
    if grace == 0 && marked.finalizers().next().is_none() {
        return Ok(Deletion::Remove);
    }
    if left.is_none_or(|left| grace < left) {
        mark(&mut marked, grace, &moment.now);
    }
    if marked == *pod { Ok(Deletion::Unchanged) } else { Ok(Deletion::Mark(Box::new(marked))) }
}

/// A pod that is gone had no time left.
pub(crate) fn finish(pod: &mut Object, moment: &Moment) {
    mark(pod, 0, &moment.now);
}

/// Whether a pod that is being deleted still waits for its node.
pub(crate) fn is_held(pod: &Object) -> bool {
    pod.is_deleting() && seconds_left(pod) > 0
}

/// The pod assigned to the node that the binding names.
pub(crate) fn bound(
    resource: &Resource,
    pod: &Object,
    binding: &Value,
    moment: &Moment,
) -> Result<Object, Status> {
    let uid = binding["metadata"]["uid"].as_str().filter(|uid| !uid.is_empty());
    check_preconditions(resource, pod, uid, None)?;
    let conflict =
        |why: String| Status::conflict(Subject { group: "", resource: "pods/binding" }, pod.name(), &why);
    let target = &binding["target"];
    let node = target["name"].as_str().unwrap_or_default();
    if node.is_empty() || !matches!(target["kind"].as_str(), None | Some("" | "Node")) {
        return Err(Status::bad_request("target: a binding names the node to assign the pod to"));
    }
    if pod.is_deleting() {
        return Err(conflict(format!("pod {} is being deleted, cannot be assigned to a host", pod.name())));
    }
    if let Some(assigned) = node_name(pod) {
        return Err(conflict(format!("pod {} is already assigned to node {assigned:?}", pod.name())));
    }
    let mut pod = pod.clone();
    pod.value_mut()["spec"]["nodeName"] = json!(node);
    let scheduled = json!({"type": "PodScheduled", "status": "True", "lastProbeTime": null,
        "lastTransitionTime": moment.now});
    let conditions = pod.value_mut().pointer_mut("/status/conditions").and_then(Value::as_array_mut);
    match conditions {
        Some(conditions) => {
            conditions.retain(|it| it["type"] != "PodScheduled");
            conditions.push(scheduled);
        }
        None => pod.value_mut()["status"]["conditions"] = json!([scheduled]),
    }
    Ok(pod)
}

fn node_name(pod: &Object) -> Option<&str> {
    pod.get("spec")?.get("nodeName")?.as_str().filter(|name| !name.is_empty())
}

fn seconds_left(pod: &Object) -> i64 {
    pod.meta("deletionGracePeriodSeconds").and_then(Value::as_i64).unwrap_or_default()
}

/// Pods that never ran, or have ended, need no time.
fn grace(pod: &Object, options: &DeleteOptions) -> i64 {
    let phase = pod.value().pointer("/status/phase").and_then(Value::as_str);
    if node_name(pod).is_none() || matches!(phase, Some("Succeeded" | "Failed")) {
        return 0;
    }
    let own = pod.value().pointer("/spec/terminationGracePeriodSeconds").and_then(Value::as_i64);
    let grace = options.grace_period_seconds.or(own).unwrap_or(USUAL_GRACE);
    if grace < 0 { 1 } else { grace }
}

fn mark(pod: &mut Object, grace: i64, now: &str) {
    let first = !pod.is_deleting();
    let end =
        now.parse::<Timestamp>().ok().and_then(|it| it.checked_add(SignedDuration::from_secs(grace)).ok());
    pod.set_meta("deletionTimestamp", Some(end.map_or_else(|| now.to_owned(), |it| it.to_string()).into()));
    pod.set_meta("deletionGracePeriodSeconds", Some(grace.into()));
    if let Some(generation) = pod.generation().filter(|_| first) {
        pod.set_meta("generation", Some((generation + 1).into()));
    }
}
