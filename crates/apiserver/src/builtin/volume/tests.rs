//! Tables of defaults and rules.

use serde_json::{Value, json};

use super::{CLAIM, CSI_DRIVER, STORAGE_CLASS, VOLUME};
use crate::builtin::testing::{changes, complaints, defaulted, with};

fn claim() -> Value {
    json!({"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}})
}

fn volume() -> Value {
    json!({"spec": {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1024Mi"}, "hostPath": {"path": "/d"}}})
}

#[test]
fn defaults() {
    assert_eq!(
        defaulted(CLAIM, claim()),
        json!({"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
            "volumeMode": "Filesystem"}, "status": {"phase": "Pending"}})
    );
    assert_eq!(
        defaulted(VOLUME, volume()),
        json!({"spec": {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
            "hostPath": {"path": "/d", "type": ""}, "volumeMode": "Filesystem",
            "persistentVolumeReclaimPolicy": "Retain"}, "status": {"phase": "Pending"}})
    );
    assert_eq!(
        defaulted(STORAGE_CLASS, json!({"provisioner": "p"})),
        json!({"provisioner": "p", "reclaimPolicy": "Delete", "volumeBindingMode": "Immediate"})
    );
    assert_eq!(defaulted(CSI_DRIVER, json!({}))["spec"]["attachRequired"], true);
}

#[test]
fn rules() {
    assert_eq!(complaints(CLAIM, claim()), [""; 0]);
    assert_eq!(complaints(VOLUME, volume()), [""; 0]);
    assert_eq!(
        complaints(CLAIM, json!({"spec": {"accessModes": ["Never"]}})),
        [
            "spec.accessModes: Unsupported value: \"Never\": supported values: \"ReadOnlyMany\", \"ReadWriteMany\", \
             \"ReadWriteOnce\", \"ReadWriteOncePod\"",
            "spec.resources[storage]: Required value",
        ]
    );
    assert_eq!(
        complaints(VOLUME, json!({"spec": {}})),
        [
            "spec.accessModes: Required value",
            "spec.capacity: Required value",
            "spec: Required value: must specify a volume type",
        ]
    );
    assert_eq!(complaints(STORAGE_CLASS, json!({})), ["provisioner: Required value"]);
}

#[test]
fn what_may_change_in_a_claim() {
    let check = |old: Value, pointer: &str, value: Value, expect: &[&str]| {
        let new = with(&old, pointer, value);
        assert_eq!(changes(CLAIM, old, new), expect);
    };
    let fixed = "spec: Forbidden: spec is immutable after creation except resources.requests and \
                 volumeAttributesClassName for bound claims";
    let size = "/spec/resources/requests/storage";
    check(claim(), "/spec/volumeName", json!("v"), &[]);
    check(claim(), size, json!("2Gi"), &[fixed]);
    check(claim(), "/spec/accessModes", json!(["ReadWriteMany"]), &[fixed]);
    let bound = with(&claim(), "/status", json!({"phase": "Bound", "capacity": {"storage": "1Gi"}}));
    check(bound.clone(), size, json!("2Gi"), &[]);
    check(
        bound,
        size,
        json!("500Mi"),
        &["spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"],
    );
    assert_eq!(
        changes(VOLUME, volume(), with(&volume(), "/spec/hostPath/path", json!("/e"))),
        ["spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation"]
    );
    assert_eq!(
        changes(STORAGE_CLASS, json!({"provisioner": "a"}), json!({"provisioner": "b"})),
        ["provisioner: Forbidden: updates to provisioner are forbidden."]
    );
}
