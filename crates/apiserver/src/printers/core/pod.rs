//! Pods and pod templates.

mod summary;

use serde_json::{Value, json};

use self::summary::Summary;
use crate::printers::heading::{container_images, container_names};
use crate::printers::selector::NONE;
use crate::printers::{Heading, Sheet, Shown, age, selector};

pub(super) const POD: Sheet = Sheet { conditions, ..Sheet::of(HEADINGS) };

const HEADINGS: &[Heading] = &[
    Heading::NAME,
    Heading::told("Ready", |pod| Summary::of(pod).readiness())
        .said("The aggregate readiness state of this pod for accepting traffic."),
    Heading::told("Status", |pod| Summary::of(pod).reason).said("The aggregate status of the containers in this pod."),
    Heading::told("Restarts", restarts).said(
        "The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.",
    ),
    Heading::AGE,
    Heading::told("IP", address).field("/status/podIP").wide(),
    Heading::text_or("Node", "/spec/nodeName", NONE).wide(),
    Heading::text_or("Nominated Node", "/status/nominatedNodeName", NONE).wide(),
    Heading::told("Readiness Gates", readiness_gates).field("/spec/readinessGates").wide(),
];

pub(super) const POD_TEMPLATE: &[Heading] = &[
    Heading::NAME,
    Heading::containers(|it| container_names(it.list("/template/spec/containers"))),
    Heading::images(|it| container_images(it.list("/template/spec/containers"))),
    Heading::told("Pod Labels", |it| selector::labels(it.map("/template/metadata/labels")))
        .said("The labels for the pod template."),
];

/// Pods that have run to their end are said to be completed, so that `kubectl get` can leave them out.
fn conditions(pod: &Shown<'_>) -> Option<Value> {
    let (reason, message) = match pod.text("/status/phase") {
        "Succeeded" => ("Succeeded", "The pod has completed successfully."),
        "Failed" => ("Failed", "The pod failed."),
        _ => return None,
    };
    Some(json!([{"type": "Completed", "status": "True", "reason": reason, "message": message}]))
}

fn restarts(pod: &Shown<'_>) -> String {
    let restarts = Summary::of(pod).restarts;
    match restarts.last {
        Some(last) if restarts.count != 0 => format!("{} ({} ago)", restarts.count, age(Some(last), pod.now)),
        Some(_) | None => restarts.count.to_string(),
    }
}

fn address(pod: &Shown<'_>) -> String {
    let first = pod.parts("/status/podIPs").next().map(|it| it.text("/ip")).filter(|ip| !ip.is_empty());
    first.unwrap_or_else(|| pod.text_or("/status/podIP", NONE)).to_owned()
}

fn readiness_gates(pod: &Shown<'_>) -> String {
    let gates = pod.parts("/spec/readinessGates");
    let open = gates.filter(|gate| pod.condition(gate.text("/conditionType")) == Some("True")).count();
    match pod.count("/spec/readinessGates") {
        0 => NONE.to_owned(),
        all => format!("{open}/{all}"),
    }
}

#[cfg(test)]
mod tests;
