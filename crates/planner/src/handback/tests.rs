//! Laws of what comes off.

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
        removal(&object("A", json!({"krono.dev/instance-uid": "1"}), json!({"krono.dev/x": "1"}))).unwrap();
    let expect = json!({"metadata": {
        "resourceVersion": "7",
        "labels": {"krono.dev/instance-uid": null},
        "annotations": {"krono.dev/x": null},
    }});
    assert_eq!(removal.patch, expect);
}

#[test]
fn v45_labels_of_kro_stay_where_stamps_are_called_like_them() {
    let labels = json!({"kro.run/instance-name": "a", "kro.run/instance-namespace": "b", "applyset.kubernetes.io/part-of": "x"});
    let stamps =
        json!({"kro.run/instance-name": "a", "kro.run/instance-namespace": "b", "kro.run/resource-id": "c"});
    let keys = ["kro.run/instance-name", "kro.run/instance-namespace", "kro.run/resource-id"];
    let stamped = object("ConfigMap", labels, stamps);
    check(stamped.clone(), &keys, None);
    assert_eq!(removal(&stamped).unwrap().patch["metadata"].get("labels"), None);
}

#[test]
fn v45_a_revision_that_stays_is_held_by_nobody() {
    let check = |metadata: Value, expect: Value| {
        let removal = revision_removal(&json!({"metadata": metadata}));
        assert_eq!(removal.map_or(Value::Null, |it| it.patch), expect, "{metadata}");
    };
    check(json!({"finalizers": ["theirs"], "annotations": {"krono.dev/failed": "bad"}}), Value::Null);
    check(
        json!({"resourceVersion": "7", "finalizers": ["theirs", "kro.run/finalizer"], "annotations": {"krono.dev/unused-since": "x"}}),
        json!({"metadata": {"resourceVersion": "7", "finalizers": ["theirs"], "annotations": {"krono.dev/unused-since": null}}}),
    );
}

#[test]
fn v45_who_runs_something_else_than_the_spec_says_moves() {
    let definition = |text: &str| json!({"spec": {"schema": {"kind": "App"}, "resources": [{"id": text}]}});
    let at = |text: &str| {
        let digest = Digest::of_definition(&definition(text)["spec"]).to_string();
        json!({"status": {"assignment": {"revision": 1, "digest": digest, "because": "Following"}}})
    };
    let check = |instance: Value, expected: bool| {
        assert_eq!(moves(&definition("two"), &instance), expected, "{instance}");
    };
    check(at("one"), true);
    check(at("two"), false);
    check(json!({}), false);
    let mut ending = at("one");
    ending["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    check(ending, false);
}
