//! Kinds of the group `apps`.

use serde_json::Value;

use super::heading::{container_images, container_names};
use super::selector::{self, NONE};
use super::{Heading, Sheet, Shown};

const READY: &str = "Number of the pod with ready state";

const CONTAINERS: Heading =
    Heading::containers(|it| container_names(it.list("/spec/template/spec/containers"))).wide();
const IMAGES: Heading =
    Heading::images(|it| container_images(it.list("/spec/template/spec/containers"))).wide();
const SELECTOR: Heading =
    Heading::told("Selector", |it| selector::selector(it.at("/spec/selector"), it)).wide();

const DEPLOYMENT: &[Heading] = &[
    Heading::NAME,
    Heading::told("Ready", ready).said(READY),
    Heading::number("Up-to-date", "/status/updatedReplicas").typed("string"),
    Heading::number("Available", "/status/availableReplicas").typed("string"),
    Heading::AGE,
    CONTAINERS,
    IMAGES,
    Heading::told("Selector", |it| selector::selector_text(it.at("/spec/selector"), it))
        .said(
            "Label selector for pods. Existing ReplicaSets whose pods are selected by this will be the ones \
         affected by this deployment.",
        )
        .wide(),
];

const REPLICA_SET: &[Heading] = &[
    Heading::NAME,
    Heading::number("Desired", "/spec/replicas"),
    Heading::number("Current", "/status/replicas"),
    Heading::number("Ready", "/status/readyReplicas"),
    Heading::AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR.said(
        "Selector is a label query over pods that should match the replica count. If the selector is empty, \
         it is defaulted to the labels present on the pod template. Label keys and values that must match in \
         order to be controlled by this replica set. More info: \
         https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
    ),
];

const STATEFUL_SET: &[Heading] =
    &[Heading::NAME, Heading::told("Ready", ready).said(READY), Heading::AGE, CONTAINERS, IMAGES];

const DAEMON_SET: &[Heading] = &[
    Heading::NAME,
    Heading::number("Desired", "/status/desiredNumberScheduled"),
    Heading::number("Current", "/status/currentNumberScheduled"),
    Heading::number("Ready", "/status/numberReady").said(
        "The number of nodes that should be running the daemon pod and have one or more of the daemon pod \
         running and ready.",
    ),
    Heading::number("Up-to-date", "/status/updatedNumberScheduled"),
    Heading::number("Available", "/status/numberAvailable"),
    Heading::told("Node Selector", |it| selector::labels(it.map("/spec/template/spec/nodeSelector")))
        .field("/spec/template/spec/nodeSelector"),
    Heading::AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR.said(
        "A label query over pods that are managed by the daemon set. Must match in order to be controlled. \
         If empty, defaulted to labels on Pod template. More info: \
         https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors",
    ),
];

const CONTROLLER_REVISION: &[Heading] = &[
    Heading::NAME,
    Heading::told("Controller", controller).said("Controller of the object"),
    Heading::number("Revision", "/revision")
        .typed("string")
        .said("revision indicates the revision of the state represented by Data."),
    Heading::AGE,
];

/// The sheet of a kind.
pub(super) fn sheet(kind: &str) -> Option<Sheet> {
    let headings = match kind {
        "ControllerRevision" => CONTROLLER_REVISION,
        "DaemonSet" => DAEMON_SET,
        "Deployment" => DEPLOYMENT,
        "ReplicaSet" => REPLICA_SET,
        "StatefulSet" => STATEFUL_SET,
        _ => return None,
    };
    Some(Sheet::of(headings))
}

fn ready(shown: &Shown<'_>) -> String {
    format!("{}/{}", shown.number("/status/readyReplicas"), shown.number("/spec/replicas"))
}

/// Such as `statefulset.apps/web`.
fn controller(revision: &Shown<'_>) -> String {
    let owners = revision.list("/metadata/ownerReferences").iter();
    let Some(owner) =
        owners.map(|owner| revision.part(owner)).find(|it| it.at("/controller") == Some(&Value::Bool(true)))
    else {
        return NONE.to_owned();
    };
    let kind = owner.text("/kind").to_lowercase();
    match owner.text("/apiVersion").split_once('/') {
        Some((group, _)) => format!("{kind}.{}/{}", group.to_lowercase(), owner.text("/name")),
        None => format!("{kind}/{}", owner.text("/name")),
    }
}

#[cfg(test)]
mod tests {
    use crate::printers::testing::check;
    use serde_json::{Value, json};

    fn spec(replicas: u32) -> Value {
        json!({
            "replicas": replicas, "selector": {"matchLabels": {"app": "w"}},
            "template": {"spec": {"containers": [{"name": "c", "image": "nginx:1"}], "nodeSelector": {"disk": "ssd"}}},
        })
    }

    #[test]
    fn replicated() {
        let metadata = json!({"name": "w", "creationTimestamp": "2026-01-01T00:01:00Z"});
        let status = json!({"replicas": 3, "readyReplicas": 2, "updatedReplicas": 1, "availableReplicas": 2});
        let object = json!({"metadata": metadata, "spec": spec(3), "status": status});
        check(
            ("apps", "Deployment"),
            object.clone(),
            json!(["w", "2/3", 1, 2, "60s", "c", "nginx:1", "app=w"]),
        );
        check(("apps", "ReplicaSet"), object.clone(), json!(["w", 3, 3, 2, "60s", "c", "nginx:1", "app=w"]));
        check(("apps", "StatefulSet"), object, json!(["w", "2/3", "60s", "c", "nginx:1"]));
        check(
            ("apps", "ReplicaSet"),
            json!({"metadata": metadata}),
            json!(["w", 0, 0, 0, "60s", "", "", "<none>"]),
        );
    }

    #[test]
    fn daemons() {
        let status = json!({
            "desiredNumberScheduled": 5, "currentNumberScheduled": 4, "numberReady": 3, "updatedNumberScheduled": 2,
            "numberAvailable": 1,
        });
        check(
            ("apps", "DaemonSet"),
            json!({"metadata": {"name": "d"}, "spec": spec(0), "status": status}),
            json!(["d", 5, 4, 3, 2, 1, "disk=ssd", "<unknown>", "c", "nginx:1", "app=w"]),
        );
    }

    #[test]
    fn revisions() {
        let revision =
            |owner: Value| json!({"metadata": {"name": "r", "ownerReferences": [owner]}, "revision": 2});
        let check_owner = |owner: Value, expect: &str| {
            check(("apps", "ControllerRevision"), revision(owner), json!(["r", expect, 2, "<unknown>"]));
        };
        let owner = json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "w", "controller": true});
        check_owner(owner, "statefulset.apps/w");
        check_owner(json!({"apiVersion": "v1", "kind": "Pod", "name": "p", "controller": true}), "pod/p");
        check_owner(json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "w"}), "<none>");
    }
}
