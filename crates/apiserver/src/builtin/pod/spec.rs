//! What the spec of a pod or template must be.

use serde_json::Value;

use crate::builtin::findings::Findings;
use crate::builtin::place::Place;
use crate::builtin::{metadata, names, read};

use super::{container, volume};

/// Checks a spec, defaults filled in.
pub(super) fn validate(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    let volumes = volume::validate(spec, at.field("volumes"), findings);
    container::validate_all(spec, &volumes, at, findings);
    findings.choice(
        at.field("restartPolicy"),
        read::text(spec, "restartPolicy"),
        &["Always", "OnFailure", "Never"],
    );
    findings.choice(
        at.field("dnsPolicy"),
        read::text(spec, "dnsPolicy"),
        &["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"],
    );
    metadata::labels(&spec["nodeSelector"], at.field("nodeSelector"), findings);
    host_network(spec, at, findings);
    name_servers(spec, at.field("dnsConfig"), findings);
    for (field, rule) in NAMES {
        let name = read::text(spec, field);
        if !name.is_empty() {
            findings.complaints(at.field(field), name, rule(name));
        }
    }
    deadline(spec, at, findings);
    tolerations(spec, at, findings);
}

const NAMES: [(&str, names::NameRule); 6] = [
    ("serviceAccountName", names::subdomain),
    ("nodeName", names::subdomain),
    ("hostname", names::label),
    ("subdomain", names::label),
    ("priorityClassName", names::subdomain),
    ("runtimeClassName", names::subdomain),
];

fn host_network(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    if !read::is_true(spec, "hostNetwork") {
        return;
    }
    let containers = at.field("containers");
    for (index, container) in read::list(spec, "containers").iter().enumerate() {
        let ports = containers.index(index);
        let ports = ports.field("ports");
        for (index, port) in read::list(container, "ports").iter().enumerate() {
            let port_number = &port["containerPort"];
            if port["hostPort"] != *port_number {
                let detail = "must match `containerPort` when `hostNetwork` is true";
                findings.invalid(ports.index(index).field("hostPort"), port["hostPort"].clone(), detail);
            }
        }
    }
}

/// Without a policy a pod names its own servers.
fn name_servers(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    if read::text(spec, "dnsPolicy") != "None" {
        return;
    }
    let config = &spec["dnsConfig"];
    if config.is_null() {
        findings.required(at, "must provide `dnsConfig` when `dnsPolicy` is None");
    } else if read::list(config, "nameservers").is_empty() {
        let detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
        findings.required(at.field("nameservers"), detail);
    }
}

fn deadline(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    let seconds = read::integer(spec, "activeDeadlineSeconds");
    if let Some(seconds) = seconds.filter(|it| !(1..=i64::from(i32::MAX)).contains(it)) {
        let detail = format!("must be between 1 and {}, inclusive", i32::MAX);
        findings.invalid(at.field("activeDeadlineSeconds"), seconds, detail);
    }
}

fn tolerations(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    let at = at.field("tolerations");
    for (index, toleration) in read::list(spec, "tolerations").iter().enumerate() {
        let at = at.index(index);
        let (key, operator) = (read::text(toleration, "key"), read::text(toleration, "operator"));
        if key.is_empty() {
            if operator != "Exists" {
                let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
                findings.invalid(at.field("operator"), operator, detail);
            }
        } else {
            findings.complaints(at.field("key"), key, names::qualified(key));
        }
        if operator == "Exists" && !read::text(toleration, "value").is_empty() {
            let detail = "value must be empty when `operator` is 'Exists'";
            findings.invalid(at.field("operator"), toleration.clone(), detail);
        } else if !matches!(operator, "" | "Equal" | "Exists") {
            findings.unsupported(at.field("operator"), operator, &["Equal", "Exists"]);
        }
        let effect = read::text(toleration, "effect");
        if !matches!(effect, "" | "NoSchedule" | "PreferNoSchedule" | "NoExecute") {
            findings.unsupported(
                at.field("effect"),
                effect,
                &["NoSchedule", "PreferNoSchedule", "NoExecute"],
            );
        }
    }
}

/// Checks what only a new pod must be.
pub(super) fn validate_creation(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    if !read::list(spec, "ephemeralContainers").is_empty() {
        findings.forbidden(at.field("ephemeralContainers"), "cannot be set on create");
    }
    if !read::text(spec, "nodeName").is_empty() && !read::list(spec, "schedulingGates").is_empty() {
        findings.forbidden(at.field("nodeName"), "cannot be set until all schedulingGates have been cleared");
    }
}
