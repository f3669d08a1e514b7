//! What kro would not understand of what krono wrote, and how it comes off (V45).

mod kind;
#[cfg(test)]
mod tests;

use krono_history::Digest;
use krono_model::names;
use serde_json::{Map, Value, json};

use crate::instance::assignment;

pub use kind::kind_removal;

/// Keys that krono alone uses.
const PREFIXES: [&str; 2] = ["krono.dev/", "internal.kro.run/owner-"];
/// Keys that krono added to those of kro.
const KEYS: [&str; 5] = [
    names::RGD_REVISION,
    names::INPUT_REVISION,
    names::ROLLBACK_ANNOTATION,
    names::INPUT_ROLLBACK_ANNOTATION,
    names::UPDATE_POLICY_ANNOTATION,
];
/// What was written for people, and tells kro nothing.
const NOTES: [&str; 4] = [
    names::CHANGE_CAUSE_ANNOTATION,
    names::CHANGED_BY_ANNOTATION,
    names::REQUESTED_BY_ANNOTATION,
    names::WISHED_BY_ANNOTATION,
];

/// What comes off an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Removal {
    /// The keys of labels and annotations, in order, and fields.
    pub keys: Vec<String>,
    /// A merge patch for the version seen, of metadata and of no more than a CRD's versions.
    pub patch: Value,
    /// What will be different once kro looks after the object.
    pub consequence: Option<Consequence>,
}

/// What kro does otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Consequence {
    /// A resource that was to stay is deleted when it is no longer wanted.
    NoLongerRetained,
    /// An instance or definition that stayed at a revision moves to the newest.
    NoLongerHeld,
    /// An instance that was left alone is looked after.
    NoLongerPaused,
    /// An instance that runs something else moves to what the spec of its definition says.
    Moved,
    /// Fields of instances that only other revisions of the definition know are lost.
    FieldsForgotten,
}

/// What comes off a definition, its CRD, an instance or a resource; nothing when kro understands all of it.
pub fn removal(object: &Value) -> Option<Removal> {
    let metadata = &object["metadata"];
    let (labels, annotations) = (foreign(&metadata["labels"]), foreign_annotations(&metadata["annotations"]));
    if labels.is_empty() && annotations.is_empty() {
        return None;
    }
    let mut patch = json!({"resourceVersion": metadata["resourceVersion"]});
    for (field, keys) in [("labels", &labels), ("annotations", &annotations)] {
        if !keys.is_empty() {
            let nulls = keys.iter().map(|key| (key.clone(), Value::Null));
            patch[field] = Value::Object(nulls.collect::<Map<_, _>>());
        }
    }
    let mut keys: Vec<String> = labels.into_iter().chain(annotations).collect();
    keys.sort_unstable();
    keys.dedup();
    Some(Removal { keys, patch: json!({"metadata": patch}), consequence: consequence(object) })
}

/// Whether kro would make an instance from something else than krono does: it knows nothing but the spec of the definition, so
/// that holds, waves and edits that wait for leave end with krono.
pub fn moves(definition: &Value, instance: &Value) -> bool {
    let is_ending = !instance["metadata"]["deletionTimestamp"].is_null();
    let spec = Digest::of_definition(&definition["spec"]);
    assignment(instance).is_some_and(|(_, assigned, _)| assigned != spec) && !is_ending
}

/// What comes off a revision that stays: the finalizer that keeps it while it is needed, and the mark that it is not.
///
/// What is said of the content stays, for krono to find again.
pub fn revision_removal(revision: &Value) -> Option<Removal> {
    let metadata = &revision["metadata"];
    let finalizers = metadata["finalizers"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut patch = json!({"resourceVersion": metadata["resourceVersion"]});
    let mut keys = Vec::new();
    if finalizers.iter().any(|it| it == names::FINALIZER) {
        let others: Vec<&Value> = finalizers.iter().filter(|it| **it != names::FINALIZER).collect();
        patch["finalizers"] = json!(others);
        keys.push(names::FINALIZER.to_owned());
    }
    if metadata["annotations"].get(names::UNUSED_SINCE_ANNOTATION).is_some() {
        patch["annotations"] = json!({names::UNUSED_SINCE_ANNOTATION: null});
        keys.push(names::UNUSED_SINCE_ANNOTATION.to_owned());
    }
    (!keys.is_empty()).then(|| Removal { keys, patch: json!({"metadata": patch}), consequence: None })
}

/// Stamps, some of which are called like labels of kro's.
fn foreign_annotations(annotations: &Value) -> Vec<String> {
    let is_stamp = |key: &str| key.strip_prefix(names::PREFIX).is_some_and(|it| names::STAMPS.contains(&it));
    let keys = annotations.as_object().into_iter().flatten().map(|(key, _)| key);
    let stamps = keys.filter(|key| is_stamp(key)).cloned();
    let mut found: Vec<String> = foreign(annotations).into_iter().chain(stamps).collect();
    found.sort_unstable();
    found.dedup();
    found
}

fn foreign(marks: &Value) -> Vec<String> {
    let is_foreign = |key: &str| {
        (PREFIXES.iter().any(|it| key.starts_with(it)) || KEYS.contains(&key)) && !NOTES.contains(&key)
    };
    let keys = marks.as_object().into_iter().flatten().map(|(key, _)| key);
    keys.filter(|key| is_foreign(key)).cloned().collect()
}

fn consequence(object: &Value) -> Option<Consequence> {
    let annotation = |key: &str| object["metadata"]["annotations"][key].as_str();
    let is_made = object["metadata"]["labels"][names::APPLYSET_PART_OF_LABEL].is_string();
    let is_kind = object["kind"] == "CustomResourceDefinition";
    if is_made && annotation(names::DELETION_POLICY_ANNOTATION) == Some("Retain") {
        return Some(Consequence::NoLongerRetained);
    }
    let policy = annotation(names::UPDATE_POLICY_ANNOTATION).unwrap_or_default();
    if policy.eq_ignore_ascii_case("Paused") {
        return Some(Consequence::NoLongerPaused);
    }
    let holds = [names::RGD_REVISION, names::ACTIVE_REVISION_ANNOTATION, names::HOLD_INPUT_ANNOTATION];
    let is_held = holds.iter().any(|key| annotation(key).is_some()) || policy.eq_ignore_ascii_case("Manual");
    // On resources and CRDs the number only says where they are from.
    (is_held && !is_made && !is_kind).then_some(Consequence::NoLongerHeld)
}
