//! Kinds of the group `storage.k8s.io`.

use super::selector::{UNSET, or_none};
use super::{Heading, Sheet, Shown};

const STORAGE_CLASS: &[Heading] = &[
    Heading::told("Name", class_name).said(super::NAME_DESCRIPTION).named(),
    Heading::text("Provisioner", "/provisioner"),
    Heading::text_or("ReclaimPolicy", "/reclaimPolicy", "Delete"),
    Heading::text_or("VolumeBindingMode", "/volumeBindingMode", "Immediate"),
    Heading::flag("AllowVolumeExpansion", "/allowVolumeExpansion", false).typed("string"),
    Heading::AGE,
];

const ATTRIBUTES_CLASS: &[Heading] =
    &[Heading::NAME, Heading::text("DriverName", "/driverName"), Heading::AGE];

const ATTACHMENT: &[Heading] = &[
    Heading::NAME,
    Heading::text("Attacher", "/spec/attacher").named(),
    Heading::text("PV", "/spec/source/persistentVolumeName"),
    Heading::text("Node", "/spec/nodeName"),
    Heading::flag("Attached", "/status/attached", false),
    Heading::AGE,
];

const CSI_NODE: &[Heading] = &[
    Heading::NAME,
    Heading::count("Drivers", "/spec/drivers")
        .said("Drivers indicates the number of CSI drivers registered on the node"),
    Heading::AGE,
];

const CSI_DRIVER: &[Heading] = &[
    Heading::NAME,
    Heading::flag("AttachRequired", "/spec/attachRequired", true),
    Heading::flag("PodInfoOnMount", "/spec/podInfoOnMount", false),
    Heading::flag("StorageCapacity", "/spec/storageCapacity", false),
    Heading::told("TokenRequests", audiences).field("/spec/tokenRequests"),
    Heading::flag("RequiresRepublish", "/spec/requiresRepublish", false),
    Heading::told("Modes", |it| or_none(it.texts("/spec/volumeLifecycleModes").join(",")))
        .field("/spec/volumeLifecycleModes"),
    Heading::AGE,
];

const CAPACITY: &[Heading] = &[
    Heading::NAME,
    Heading::text("StorageClassName", "/storageClassName"),
    Heading::told("Capacity", |it| it.amount("/capacity").unwrap_or_else(|| UNSET.to_owned()))
        .field("/capacity"),
];

/// The sheet of a kind.
pub(super) fn sheet(kind: &str) -> Option<Sheet> {
    let headings = match kind {
        "CSIDriver" => CSI_DRIVER,
        "CSINode" => CSI_NODE,
        "CSIStorageCapacity" => CAPACITY,
        "StorageClass" => STORAGE_CLASS,
        "VolumeAttachment" => ATTACHMENT,
        "VolumeAttributesClass" => ATTRIBUTES_CLASS,
        _ => return None,
    };
    Some(Sheet::of(headings))
}

fn class_name(class: &Shown<'_>) -> String {
    let annotated =
        |name: &str| class.text(&format!("/metadata/annotations/{name}~1is-default-class")) == "true";
    let is_default = annotated("storageclass.kubernetes.io") || annotated("storageclass.beta.kubernetes.io");
    let name = class.text("/metadata/name");
    if is_default { format!("{name} (default)") } else { name.to_owned() }
}

fn audiences(driver: &Shown<'_>) -> String {
    let Some(_) = driver.at("/spec/tokenRequests") else { return UNSET.to_owned() };
    driver.parts("/spec/tokenRequests").map(|it| it.text("/audience")).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use crate::printers::testing::check;
    use serde_json::json;

    const GROUP: &str = "storage.k8s.io";

    #[test]
    fn classes() {
        let annotations = json!({"storageclass.kubernetes.io/is-default-class": "true"});
        check(
            (GROUP, "StorageClass"),
            json!({"metadata": {"name": "s", "annotations": annotations}, "provisioner": "p", "reclaimPolicy": "Retain"}),
            json!(["s (default)", "p", "Retain", "Immediate", false, "<unknown>"]),
        );
        check(
            (GROUP, "VolumeAttributesClass"),
            json!({"metadata": {"name": "s"}, "driverName": "d"}),
            json!(["s", "d", "<unknown>"]),
        );
    }

    #[test]
    fn drivers() {
        check(
            (GROUP, "CSIDriver"),
            json!({"metadata": {"name": "d"}, "spec": {"tokenRequests": [{"audience": "a"}, {"audience": "b"}]}}),
            json!(["d", true, false, false, "a,b", false, "<none>", "<unknown>"]),
        );
        check(
            (GROUP, "CSIDriver"),
            json!({"metadata": {"name": "d"}, "spec": {"attachRequired": false, "volumeLifecycleModes": ["Ephemeral"]}}),
            json!(["d", false, false, false, "<unset>", false, "Ephemeral", "<unknown>"]),
        );
        check(
            (GROUP, "CSINode"),
            json!({"metadata": {"name": "n"}, "spec": {"drivers": [{}]}}),
            json!(["n", 1, "<unknown>"]),
        );
    }

    #[test]
    fn capacities_and_attachments() {
        check(
            (GROUP, "CSIStorageCapacity"),
            json!({"metadata": {"name": "c"}, "storageClassName": "s"}),
            json!(["c", "s", "<unset>"]),
        );
        check(
            (GROUP, "VolumeAttachment"),
            json!({
                "metadata": {"name": "a"}, "status": {"attached": true},
                "spec": {"attacher": "x", "nodeName": "n", "source": {"persistentVolumeName": "v"}},
            }),
            json!(["a", "x", "v", "n", true, "<unknown>"]),
        );
    }
}
