//! What kro would not understand of what krono wrote, and how it comes off (V45).

use krono_model::names;
use serde_json::{Map, Value, json};

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
/// What people wrote for people.
const NOTES: [&str; 1] = [names::CHANGE_CAUSE_ANNOTATION];

/// What comes off an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Removal {
    /// The keys of labels and annotations, in order.
    pub keys: Vec<String>,
    /// A merge patch of the metadata alone, for the version seen.
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
}

/// What comes off a definition, its CRD, an instance or a resource; nothing when kro understands all of it.
pub fn removal(object: &Value) -> Option<Removal> {
    let metadata = &object["metadata"];
    let (labels, annotations) = (foreign(&metadata["labels"]), foreign(&metadata["annotations"]));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "`json!` values read better")]
    fn object(kind: &str, labels: Value, annotations: Value) -> Value {
        json!({"kind": kind, "metadata": {"resourceVersion": "7", "labels": labels, "annotations": annotations}, "spec": {"a": 1}})
    }

    #[expect(clippy::needless_pass_by_value, reason = "`json!` values read better")]
    fn check(object: Value, keys: &[&str], consequence: Option<Consequence>) {
        let removal = removal(&object);
        let found: Vec<&str> = removal.iter().flat_map(|it| &it.keys).map(String::as_str).collect();
        assert_eq!(found, keys, "{object}");
        assert_eq!(removal.and_then(|it| it.consequence), consequence, "{object}");
    }

    #[test]
    fn v45_only_what_kro_does_not_know_comes_off() {
        let kros =
            json!({"kro.run/owned": "true", "kro.run/node-id": "a", "applyset.kubernetes.io/part-of": "x"});
        check(
            object("ConfigMap", kros.clone(), json!({"internal.kro.run/apply-order": "1", "mine": "x"})),
            &[],
            None,
        );
        check(
            object(
                "ConfigMap",
                kros.clone(),
                json!({"kro.run/rgd-revision": "3", "kro.run/input-revision": "9"}),
            ),
            &["kro.run/input-revision", "kro.run/rgd-revision"],
            None,
        );
        let digest = json!({"krono.dev/crd-digest": "0", "kro.run/rgd-revision": "3"});
        let keys = ["kro.run/rgd-revision", "krono.dev/crd-digest"];
        check(object("CustomResourceDefinition", json!({}), digest), &keys, None);
        check(object("WebApp", json!({}), json!({"krono.dev/change-cause": "why"})), &[], None);
    }

    #[test]
    fn v45_what_will_be_different_is_told() {
        let part_of = json!({"applyset.kubernetes.io/part-of": "x"});
        check(
            object("Secret", part_of, json!({"krono.dev/deletion-policy": "Retain"})),
            &["krono.dev/deletion-policy"],
            Some(Consequence::NoLongerRetained),
        );
        check(
            object("WebApp", json!({}), json!({"kro.run/rgd-revision": "2"})),
            &["kro.run/rgd-revision"],
            Some(Consequence::NoLongerHeld),
        );
        check(
            object("WebApp", json!({}), json!({"kro.run/update-policy": "Paused"})),
            &["kro.run/update-policy"],
            Some(Consequence::NoLongerPaused),
        );
    }

    #[test]
    fn v45_nothing_but_metadata_is_written() {
        let removal =
            removal(&object("A", json!({"krono.dev/instance-uid": "1"}), json!({"krono.dev/x": "1"})))
                .unwrap();
        let expect = json!({"metadata": {
            "resourceVersion": "7",
            "labels": {"krono.dev/instance-uid": null},
            "annotations": {"krono.dev/x": null},
        }});
        assert_eq!(removal.patch, expect);
    }
}
