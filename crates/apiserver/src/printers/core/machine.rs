//! Nodes, and the parts of the control plane.

use crate::printers::selector::{NONE, UNKNOWN, or_none};
use crate::printers::{Heading, Shown};

pub(super) const NODE: &[Heading] = &[
    Heading::NAME,
    Heading::told("Status", status).said("The status of the node"),
    Heading::told("Roles", roles).said("The roles of the node"),
    Heading::AGE,
    Heading::text("Version", "/status/nodeInfo/kubeletVersion"),
    Heading::told("Internal-IP", |node| address(node, "InternalIP")).field("/status/addresses").wide(),
    Heading::told("External-IP", |node| address(node, "ExternalIP")).field("/status/addresses").wide(),
    Heading::text_or("OS-Image", "/status/nodeInfo/osImage", UNKNOWN).wide(),
    Heading::text_or("Kernel-Version", "/status/nodeInfo/kernelVersion", UNKNOWN).wide(),
    Heading::text_or("Container-Runtime", "/status/nodeInfo/containerRuntimeVersion", UNKNOWN).wide(),
];

pub(super) const COMPONENT_STATUS: &[Heading] = &[
    Heading::NAME,
    Heading::told("Status", health).said("Status of the component conditions"),
    Heading::told("Message", |it| of_health(it, "/message")).said("Message of the component conditions"),
    Heading::told("Error", |it| of_health(it, "/error")).said("Error of the component conditions"),
];

fn status(node: &Shown<'_>) -> String {
    let ready = match node.condition("Ready") {
        Some("True") => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    };
    let cordoned = node.flag("/spec/unschedulable") == Some(true);
    if cordoned { format!("{ready},SchedulingDisabled") } else { ready.to_owned() }
}

/// Labels `node-role.kubernetes.io/<role>` and `kubernetes.io/role=<role>` name roles.
fn roles(node: &Shown<'_>) -> String {
    let labels = node.map("/metadata/labels").into_iter().flatten();
    let role = labels.filter_map(|(name, value)| match name.strip_prefix("node-role.kubernetes.io/") {
        Some(role) => Some(role),
        None if name == "kubernetes.io/role" => value.as_str(),
        None => None,
    });
    let mut roles: Vec<&str> = role.filter(|role| !role.is_empty()).collect();
    roles.sort_unstable();
    roles.dedup();
    or_none(roles.join(","))
}

fn address(node: &Shown<'_>, address_type: &str) -> String {
    let mut addresses = node.parts("/status/addresses");
    let found = addresses.find(|it| it.text("/type") == address_type);
    found.map_or(NONE, |it| it.text("/address")).to_owned()
}

fn healthy<'o>(component: &Shown<'o>) -> Option<Shown<'o>> {
    component.parts("/conditions").find(|it| it.text("/type") == "Healthy")
}

fn health(component: &Shown<'_>) -> String {
    let health = match healthy(component).map(|it| it.text("/status")) {
        Some("True") => "Healthy",
        Some(_) => "Unhealthy",
        None => "Unknown",
    };
    health.to_owned()
}

fn of_health(component: &Shown<'_>, field: &str) -> String {
    healthy(component).map_or("", |it| it.text(field)).to_owned()
}

#[cfg(test)]
mod tests {
    use crate::printers::testing::check;
    use serde_json::json;

    #[test]
    fn nodes() {
        check(
            ("", "Node"),
            json!({
                "metadata": {"name": "n", "labels": {
                    "node-role.kubernetes.io/worker": "", "kubernetes.io/role": "edge", "node-role.kubernetes.io/": "",
                }},
                "spec": {"unschedulable": true},
                "status": {
                    "conditions": [{"type": "Ready", "status": "Unknown"}],
                    "addresses": [{"type": "Hostname", "address": "n"}, {"type": "InternalIP", "address": "10.0.0.1"}],
                    "nodeInfo": {"kubeletVersion": "v1.35.8", "osImage": "Linux"},
                },
            }),
            json!([
                "n",
                "NotReady,SchedulingDisabled",
                "edge,worker",
                "<unknown>",
                "v1.35.8",
                "10.0.0.1",
                "<none>",
                "Linux",
                "<unknown>",
                "<unknown>",
            ]),
        );
    }

    #[test]
    fn components() {
        check(
            ("", "ComponentStatus"),
            json!({"metadata": {"name": "etcd-0"}, "conditions": [{"type": "Healthy", "status": "True", "message": "ok"}]}),
            json!(["etcd-0", "Healthy", "ok", ""]),
        );
        check(("", "ComponentStatus"), json!({"metadata": {"name": "x"}}), json!(["x", "Unknown", "", ""]));
    }
}
