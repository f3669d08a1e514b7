//! What may change in a pod.

use serde_json::Value;

use crate::builtin::findings::Findings;
use crate::builtin::place::Place;
use crate::builtin::read;

const UPDATABLE: &str = "pod updates may not change fields other than `spec.containers[*].image`,\
    `spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,\
    `spec.tolerations` (only additions to existing tolerations),\
    `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/// Checks the change of a spec. Binding a pod to a node and adding ephemeral containers have ways of their own.
pub(super) fn validate(new: &Value, old: &Value, at: Place<'_>, findings: &mut Findings) {
    for containers in ["containers", "initContainers"] {
        if read::list(new, containers).len() != read::list(old, containers).len() {
            findings.forbidden(at.field(containers), "pod updates may not add or remove containers");
            return;
        }
    }
    if !deadline(new, old, at, findings) {
        return;
    }
    tolerations(new, old, at, findings);
    gates(new, old, at, findings);
    if !read::same(new, old) && !read::same(&with_updatable_of(new, old), old) {
        findings.forbidden(at, UPDATABLE);
    }
}

/// Deadlines may come nearer. Whether the check may go on.
fn deadline(new: &Value, old: &Value, at: Place<'_>, findings: &mut Findings) -> bool {
    let at = at.field("activeDeadlineSeconds");
    let before = read::integer(old, "activeDeadlineSeconds");
    match (read::integer(new, "activeDeadlineSeconds"), before) {
        (Some(new), Some(old)) if old < new => {
            findings.invalid(at, new, "must be less than or equal to previous value");
            false
        }
        (None, Some(_)) => {
            findings.invalid(at, Value::Null, "must not update from a positive integer to nil value");
            true
        }
        _ => true,
    }
}

fn tolerations(new: &Value, old: &Value, at: Place<'_>, findings: &mut Findings) {
    let without_seconds = |toleration: &Value| {
        let mut toleration = toleration.clone();
        if let Some(fields) = toleration.as_object_mut() {
            fields.remove("tolerationSeconds");
        }
        toleration
    };
    let kept: Vec<Value> = read::list(new, "tolerations").iter().map(without_seconds).collect();
    let gone = |old: &Value| !kept.contains(&without_seconds(old));
    if read::list(old, "tolerations").iter().any(gone) {
        let detail = "existing toleration can not be modified except its tolerationSeconds";
        findings.forbidden(at.field("tolerations"), detail);
    }
}

fn gates(new: &Value, old: &Value, at: Place<'_>, findings: &mut Findings) {
    let before = read::list(old, "schedulingGates");
    let at = at.field("schedulingGates");
    for (index, gate) in read::list(new, "schedulingGates").iter().enumerate() {
        if !before.contains(gate) {
            findings.forbidden(at.index(index), "only deletion is allowed, but found new scheduling gate");
        }
    }
}

/// The new spec with the fields that may change as they were.
fn with_updatable_of(new: &Value, old: &Value) -> Value {
    let mut spec = new.clone();
    for containers in ["containers", "initContainers"] {
        let before = read::list(old, containers);
        let now = spec.get_mut(containers).and_then(Value::as_array_mut).into_iter().flatten();
        for (container, before) in now.zip(before) {
            put(container, "image", &before["image"]);
        }
    }
    for field in ["activeDeadlineSeconds", "tolerations", "schedulingGates"] {
        put(&mut spec, field, &old[field]);
    }
    let grace = "terminationGracePeriodSeconds";
    if read::integer(old, grace).is_some_and(|it| it < 0) && read::integer(new, grace) == Some(1) {
        put(&mut spec, grace, &old[grace]);
    }
    spec
}

fn put(object: &mut Value, field: &str, value: &Value) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(field.to_owned(), value.clone());
    }
}
