//! Volumes and claims.

use crate::printers::selector::UNSET;
use crate::printers::{Heading, Shown};

pub(super) const VOLUME: &[Heading] = &[
    Heading::NAME,
    Heading::told("Capacity", |it| size(it, "/spec/capacity/storage")).field("/spec/capacity"),
    Heading::told("Access Modes", |it| access_modes(it, "/spec/accessModes")).field("/spec/accessModes"),
    Heading::text("Reclaim Policy", "/spec/persistentVolumeReclaimPolicy"),
    Heading::told("Status", phase).field("/status/phase"),
    Heading::told("Claim", claim).field("/spec/claimRef"),
    Heading::told("StorageClass", class).said("StorageClass of the pv"),
    Heading::text_or("VolumeAttributesClass", "/spec/volumeAttributesClassName", UNSET)
        .said("VolumeAttributesClass of the pv"),
    Heading::text("Reason", "/status/reason"),
    Heading::AGE,
    Heading::text_or("VolumeMode", "/spec/volumeMode", UNSET).wide(),
];

pub(super) const CLAIM: &[Heading] = &[
    Heading::NAME,
    Heading::told("Status", phase).field("/status/phase"),
    Heading::text("Volume", "/spec/volumeName"),
    Heading::told("Capacity", |it| if_bound(it, |it| size(it, "/status/capacity/storage")))
        .field("/status/capacity"),
    Heading::told("Access Modes", |it| if_bound(it, |it| access_modes(it, "/status/accessModes")))
        .field("/status/accessModes"),
    Heading::told("StorageClass", class).said("StorageClass of the pvc"),
    Heading::text_or("VolumeAttributesClass", "/spec/volumeAttributesClassName", UNSET)
        .said("VolumeAttributesClass of the pvc"),
    Heading::AGE,
    Heading::text_or("VolumeMode", "/spec/volumeMode", UNSET).wide(),
];

/// Access modes and their short names, in the order they are shown.
const ACCESS_MODES: [(&str, &str); 4] = [
    ("ReadWriteOnce", "RWO"),
    ("ReadOnlyMany", "ROX"),
    ("ReadWriteMany", "RWX"),
    ("ReadWriteOncePod", "RWOP"),
];

fn size(shown: &Shown<'_>, place: &str) -> String {
    shown.amount(place).unwrap_or_else(|| "0".to_owned())
}

fn if_bound(claim: &Shown<'_>, show: fn(&Shown<'_>) -> String) -> String {
    if claim.text("/spec/volumeName").is_empty() { String::new() } else { show(claim) }
}

fn access_modes(shown: &Shown<'_>, place: &str) -> String {
    let modes = shown.texts(place);
    let short = ACCESS_MODES.iter().filter(|(long, _)| modes.contains(long)).map(|(_, short)| *short);
    short.collect::<Vec<_>>().join(",")
}

fn phase(shown: &Shown<'_>) -> String {
    if shown.is_deleting() { "Terminating" } else { shown.text("/status/phase") }.to_owned()
}

fn claim(volume: &Shown<'_>) -> String {
    let claim = volume.at("/spec/claimRef").map(|claim| volume.part(claim));
    claim.map(|claim| format!("{}/{}", claim.text("/namespace"), claim.text("/name"))).unwrap_or_default()
}

/// The class of a volume or claim; an annotation from before there was a field wins.
fn class(shown: &Shown<'_>) -> String {
    let annotated = shown.at("/metadata/annotations/volume.beta.kubernetes.io~1storage-class");
    let annotated = annotated.and_then(|class| class.as_str());
    annotated.unwrap_or_else(|| shown.text("/spec/storageClassName")).to_owned()
}

#[cfg(test)]
mod tests {
    use crate::printers::testing::check;
    use serde_json::json;

    #[test]
    fn volumes() {
        check(
            ("", "PersistentVolume"),
            json!({
                "metadata": {"name": "v"},
                "spec": {
                    "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany", "ReadWriteOnce"],
                    "persistentVolumeReclaimPolicy": "Retain", "claimRef": {"namespace": "d", "name": "c"},
                    "storageClassName": "fast", "volumeMode": "Filesystem",
                },
                "status": {"phase": "Bound"},
            }),
            json!([
                "v",
                "1Gi",
                "RWO,RWX",
                "Retain",
                "Bound",
                "d/c",
                "fast",
                "<unset>",
                "",
                "<unknown>",
                "Filesystem"
            ]),
        );
    }

    #[test]
    fn claims() {
        let pending = json!({
            "metadata": {"name": "c", "annotations": {"volume.beta.kubernetes.io/storage-class": "old"}},
            "spec": {"resources": {"requests": {"storage": "1Gi"}}, "volumeMode": "Block"}, "status": {"phase": "Pending"},
        });
        check(
            ("", "PersistentVolumeClaim"),
            pending,
            json!(["c", "Pending", "", "", "", "old", "<unset>", "<unknown>", "Block"]),
        );
        let bound = json!({
            "metadata": {"name": "c", "deletionTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"volumeName": "v", "storageClassName": ""},
            "status": {"phase": "Bound", "capacity": {"storage": "2Gi"}, "accessModes": ["ReadWriteOncePod"]},
        });
        check(
            ("", "PersistentVolumeClaim"),
            bound,
            json!(["c", "Terminating", "v", "2Gi", "RWOP", "", "<unset>", "<unknown>", "<unset>"]),
        );
    }
}
