//! What containers must be.

use std::collections::HashSet;

use krono_cel::library::kubernetes::Quantity;
use serde_json::Value;

use crate::builtin::findings::Findings;
use crate::builtin::place::Place;
use crate::builtin::{names, read};

use super::handler;

const PROBES: [&str; 3] = ["livenessProbe", "readinessProbe", "startupProbe"];

/// Checks the containers and init containers of a spec.
pub(super) fn validate_all(spec: &Value, volumes: &HashSet<&str>, at: Place<'_>, findings: &mut Findings) {
    let containers = read::list(spec, "containers");
    let place = at.field("containers");
    if containers.is_empty() {
        findings.required(place, "");
    }
    let mut seen = HashSet::new();
    for (index, container) in containers.iter().enumerate() {
        let at = place.index(index);
        validate(container, volumes, at, findings);
        unique_name(container, &mut seen, at, findings);
        handler::validate_probes(container, at, findings);
    }
    host_ports(containers, place, findings);
    let place = at.field("initContainers");
    for (index, container) in read::list(spec, "initContainers").iter().enumerate() {
        let at = place.index(index);
        validate(container, volumes, at, findings);
        validate_init(container, at, findings);
        unique_name(container, &mut seen, at, findings);
    }
}

fn unique_name<'v>(
    container: &'v Value,
    seen: &mut HashSet<&'v str>,
    at: Place<'_>,
    findings: &mut Findings,
) {
    let name = read::text(container, "name");
    if !name.is_empty() && !seen.insert(name) {
        findings.duplicate(at.field("name"), name);
    }
}

fn validate(container: &Value, volumes: &HashSet<&str>, at: Place<'_>, findings: &mut Findings) {
    let name = read::text(container, "name");
    if name.is_empty() {
        findings.required(at.field("name"), "");
    } else {
        findings.complaints(at.field("name"), name, names::label(name));
    }
    let image = read::text(container, "image");
    if image.is_empty() {
        findings.required(at.field("image"), "");
    } else if image.trim() != image {
        findings.invalid(at.field("image"), image, "must not have leading or trailing whitespace");
    }
    let policy = read::text(container, "terminationMessagePolicy");
    findings.choice(at.field("terminationMessagePolicy"), policy, &["File", "FallbackToLogsOnError"]);
    ports(container, at.field("ports"), findings);
    environment(container, at.field("env"), findings);
    environment_sources(container, at.field("envFrom"), findings);
    mounts(container, volumes, at.field("volumeMounts"), findings);
    let policy = read::text(container, "imagePullPolicy");
    findings.choice(at.field("imagePullPolicy"), policy, &["Always", "IfNotPresent", "Never"]);
    resources(&container["resources"], at.field("resources"), findings);
}

fn validate_init(container: &Value, at: Place<'_>, findings: &mut Findings) {
    if read::text(container, "restartPolicy") == "Always" {
        handler::validate_probes(container, at, findings);
        return;
    }
    for field in ["lifecycle"].into_iter().chain(PROBES) {
        if !container[field].is_null() {
            findings.forbidden(
                at.field(field),
                "may not be set for init containers without restartPolicy=Always",
            );
        }
    }
}

fn ports(container: &Value, at: Place<'_>, findings: &mut Findings) {
    let mut seen = HashSet::new();
    for (index, port) in read::list(container, "ports").iter().enumerate() {
        let at = at.index(index);
        let name = read::text(port, "name");
        if !name.is_empty() {
            let complaints = names::port_name(name);
            if complaints.is_empty() && !seen.insert(name) {
                findings.duplicate(at.field("name"), name);
            }
            findings.complaints(at.field("name"), name, complaints);
        }
        match read::integer(port, "containerPort").unwrap_or_default() {
            0 => findings.required(at.field("containerPort"), ""),
            number => handler::port_number(number, at.field("containerPort"), findings),
        }
        if let Some(number) = read::integer(port, "hostPort").filter(|it| *it != 0) {
            handler::port_number(number, at.field("hostPort"), findings);
        }
        findings.choice(at.field("protocol"), read::text(port, "protocol"), &["SCTP", "TCP", "UDP"]);
    }
}

fn host_ports(containers: &[Value], at: Place<'_>, findings: &mut Findings) {
    let mut seen = HashSet::new();
    for (index, container) in containers.iter().enumerate() {
        let ports = at.index(index);
        let ports = ports.field("ports");
        for (index, port) in read::list(container, "ports").iter().enumerate() {
            let Some(number) = read::integer(port, "hostPort").filter(|it| *it != 0) else { continue };
            let taken = format!("{}/{}/{number}", read::text(port, "protocol"), read::text(port, "hostIP"));
            if !seen.insert(taken.clone()) {
                findings.duplicate(ports.index(index).field("hostPort"), taken);
            }
        }
    }
}

fn environment(container: &Value, at: Place<'_>, findings: &mut Findings) {
    const SOURCES: [&str; 5] =
        ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];
    for (index, variable) in read::list(container, "env").iter().enumerate() {
        let at = at.index(index);
        let name = read::text(variable, "name");
        if name.is_empty() {
            findings.required(at.field("name"), "");
        } else {
            findings.complaints(at.field("name"), name, names::variable(name));
        }
        let source = &variable["valueFrom"];
        if source.is_null() {
            continue;
        }
        let at = at.field("valueFrom");
        selected_field(&source["fieldRef"], "fieldPath", at.field("fieldRef"), findings);
        selected_field(&source["resourceFieldRef"], "resource", at.field("resourceFieldRef"), findings);
        selected_key(&source["configMapKeyRef"], at.field("configMapKeyRef"), findings);
        selected_key(&source["secretKeyRef"], at.field("secretKeyRef"), findings);
        let detail = match SOURCES.iter().filter(|name| !source[**name].is_null()).count() {
            0 => {
                "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
            }
            _ if !read::text(variable, "value").is_empty() => {
                "may not be specified when `value` is not empty"
            }
            1 => continue,
            _ => "may not have more than one field specified at a time",
        };
        findings.invalid(at, "", detail);
    }
}

fn selected_field(selector: &Value, field: &str, at: Place<'_>, findings: &mut Findings) {
    if !selector.is_null() && read::text(selector, field).is_empty() {
        findings.required(at.field(field), "");
    }
}

fn selected_key(selector: &Value, at: Place<'_>, findings: &mut Findings) {
    if selector.is_null() {
        return;
    }
    let name = read::text(selector, "name");
    findings.complaints(at.field("name"), name, names::subdomain(name));
    match read::text(selector, "key") {
        "" => findings.required(at.field("key"), ""),
        key => findings.complaints(at.field("key"), key, names::config_key(key)),
    }
}

fn environment_sources(container: &Value, at: Place<'_>, findings: &mut Findings) {
    for (index, source) in read::list(container, "envFrom").iter().enumerate() {
        let here = at.index(index);
        let given = ["configMapRef", "secretRef"].into_iter().filter(|name| !source[*name].is_null());
        let given: Vec<&str> = given.collect();
        for name in &given {
            if read::text(&source[*name], "name").is_empty() {
                findings.required(here.field(name).field("name"), "");
            }
        }
        match given.len() {
            0 => findings.invalid(at, "", "must specify one of: `configMapRef` or `secretRef`"),
            1 => {}
            _ => findings.invalid(at, "", "may not have more than one field specified at a time"),
        }
    }
}

fn mounts(container: &Value, volumes: &HashSet<&str>, at: Place<'_>, findings: &mut Findings) {
    let mut seen = HashSet::new();
    for (index, mount) in read::list(container, "volumeMounts").iter().enumerate() {
        let at = at.index(index);
        let (name, path) = (read::text(mount, "name"), read::text(mount, "mountPath"));
        if name.is_empty() {
            findings.required(at.field("name"), "");
        }
        if !volumes.contains(name) {
            findings.not_found(at.field("name"), name);
        }
        if path.is_empty() {
            findings.required(at.field("mountPath"), "");
        }
        if !seen.insert(path) {
            findings.invalid(at.field("mountPath"), path, "must be unique");
        }
    }
}

fn resources(resources: &Value, at: Place<'_>, findings: &mut Findings) {
    for field in ["limits", "requests"] {
        let at = at.field(field);
        for (name, amount) in read::entries(resources, field) {
            quantity(amount, at.key(name), findings);
        }
    }
    for (name, request) in read::entries(resources, "requests") {
        let limit = &resources["limits"][name];
        let (Some(asked), Some(allowed)) = (parsed(request), parsed(limit)) else { continue };
        if asked > allowed {
            let detail = format!("must be less than or equal to {name} limit of {allowed}");
            findings.invalid(at.field("requests"), asked.to_string(), detail);
        }
    }
}

/// Checks that an amount is one, and not negative.
pub(in crate::builtin) fn quantity(amount: &Value, at: Place<'_>, findings: &mut Findings) {
    match parsed(amount) {
        Some(number) if number.sign() < 0 => {
            findings.invalid(at, number.to_string(), "must be greater than or equal to 0");
        }
        Some(_) => {}
        None => findings.invalid(at, amount.clone(), "must be a valid resource quantity"),
    }
}

/// The amount, when it is one.
pub(in crate::builtin) fn parsed(amount: &Value) -> Option<Quantity> {
    amount.as_str().and_then(|text| Quantity::parse(text).ok())
}
