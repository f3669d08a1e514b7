//! Ingresses and network policies.

use krono_schema::FieldError;
use serde_json::{Value, json};

use crate::kind::Rules;

use super::findings::Findings;
use super::place::Place;
use super::pod::{port, port_number};
use super::{fill, names, read, selector};

/// Rules of Ingresses.
pub(super) const INGRESS: Rules = Rules {
    default: |ingress| {
        fill::inside(ingress, "status", |status| fill::absent(status, "loadBalancer", json!({})));
    },
    validate: validate_ingress,
};

/// Rules of `IngressClasses`.
pub(super) const INGRESS_CLASS: Rules = Rules { default: default_class, validate: validate_class };

/// Rules of `NetworkPolicies`.
pub(super) const NETWORK_POLICY: Rules = Rules { default: default_policy, validate: validate_policy };

fn default_class(class: &mut Value) {
    fill::within(class, "spec", |spec| {
        fill::within(spec, "parameters", |parameters| fill::absent(parameters, "scope", "Cluster"));
    });
}

fn default_policy(policy: &mut Value) {
    fill::inside(policy, "spec", |spec| {
        fill::absent(spec, "podSelector", json!({}));
        let types = if read::list(spec, "egress").is_empty() {
            json!(["Ingress"])
        } else {
            json!(["Ingress", "Egress"])
        };
        fill::empty(spec, "policyTypes", types);
        for direction in ["ingress", "egress"] {
            fill::each(spec, direction, |rule| {
                fill::each(rule, "ports", |port| fill::absent(port, "protocol", "TCP"));
            });
        }
    });
}

fn validate_ingress(new: &Value, _old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let (spec, at) = (&new["spec"], Place::ROOT.field("spec"));
    let rules = read::list(spec, "rules");
    if rules.is_empty() && spec["defaultBackend"].is_null() {
        findings.invalid(at, spec["rules"].clone(), "either `defaultBackend` or `rules` must be specified");
    }
    if !spec["defaultBackend"].is_null() {
        backend(&spec["defaultBackend"], at.field("defaultBackend"), &mut findings);
    }
    let place = at.field("rules");
    for (index, rule) in rules.iter().enumerate() {
        ingress_rule(rule, place.index(index), &mut findings);
    }
    let class = read::text(spec, "ingressClassName");
    if !class.is_empty() {
        findings.complaints(at.field("ingressClassName"), class, names::subdomain(class));
    }
    findings.into_errors()
}

fn ingress_rule(rule: &Value, at: Place<'_>, findings: &mut Findings) {
    let host = read::text(rule, "host");
    if host.parse::<std::net::IpAddr>().is_ok() {
        findings.invalid(at.field("host"), host, "must be a DNS name, not an IP address");
    }
    if !host.is_empty() {
        findings.complaints(at.field("host"), host, names::host(host));
    }
    let paths = read::list(&rule["http"], "paths");
    let at = at.field("http.paths");
    if !rule["http"].is_null() && paths.is_empty() {
        findings.required(at, "");
    }
    for (index, path) in paths.iter().enumerate() {
        ingress_path(path, at.index(index), findings);
    }
}

fn ingress_path(entry: &Value, at: Place<'_>, findings: &mut Findings) {
    let path = read::text(entry, "path");
    match read::text(entry, "pathType") {
        "" => {
            findings.required(at.field("pathType"), "pathType must be specified");
            return;
        }
        "Exact" | "Prefix" => absolute_path(path, at.field("path"), findings),
        "ImplementationSpecific" => {
            if !path.is_empty() && !path.starts_with('/') {
                findings.invalid(at.field("path"), path, "must be an absolute path");
            }
        }
        other => {
            let supported = ["Exact", "ImplementationSpecific", "Prefix"];
            findings.unsupported(at.field("pathType"), other, &supported);
        }
    }
    backend(&entry["backend"], at.field("backend"), findings);
}

fn absolute_path(path: &str, at: Place<'_>, findings: &mut Findings) {
    if !path.starts_with('/') {
        findings.invalid(at, path, "must be an absolute path");
    }
    for part in ["//", "/./", "/../", "%2f", "%2F"].into_iter().filter(|part| path.contains(part)) {
        findings.invalid(at, path, format!("must not contain '{part}'"));
    }
    for end in ["/..", "/."].into_iter().filter(|end| path.ends_with(end)) {
        findings.invalid(at, path, format!("cannot end with '{end}'"));
    }
}

fn backend(backend: &Value, at: Place<'_>, findings: &mut Findings) {
    let service = &backend["service"];
    match (service.is_null(), backend["resource"].is_null()) {
        (false, false) => findings.invalid(at, "", "cannot set both resource and service backends"),
        (true, true) => findings.invalid(at, "", "resource or service backend is required"),
        (true, false) => {
            for field in
                ["kind", "name"].into_iter().filter(|it| read::text(&backend["resource"], it).is_empty())
            {
                findings.required(at.field("resource").field(field), "");
            }
        }
        (false, true) => service_backend(service, at, findings),
    }
}

fn service_backend(service: &Value, at: Place<'_>, findings: &mut Findings) {
    let name = read::text(service, "name");
    if name.is_empty() {
        findings.required(at.field("service.name"), "");
    } else {
        findings.complaints(at.field("service.name"), name, names::dns1035_label(name));
    }
    let port_name = read::text(&service["port"], "name");
    let number = read::integer(&service["port"], "number").unwrap_or_default();
    match (port_name, number) {
        ("", 0) => findings.required(at, "port name or number is required"),
        ("", number) => port_number(number, at.field("service.port.number"), findings),
        (name, 0) => findings.complaints(at.field("service.port.name"), name, names::port_name(name)),
        _ => findings.invalid(at, "", "cannot set both port name & port number"),
    }
}

fn validate_class(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let at = Place::ROOT.field("spec");
    if let Some(old) = old {
        findings.immutable(at, &new["spec"], &old["spec"], "controller");
    }
    findings.into_errors()
}

fn validate_policy(new: &Value, _old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let (spec, at) = (&new["spec"], Place::ROOT.field("spec"));
    selector::validate(&spec["podSelector"], at.field("podSelector"), &mut findings);
    for (direction, peers) in [("ingress", "from"), ("egress", "to")] {
        let place = at.field(direction);
        for (index, rule) in read::list(spec, direction).iter().enumerate() {
            policy_rule(rule, peers, place.index(index), &mut findings);
        }
    }
    let place = at.field("policyTypes");
    for (index, kind) in read::texts(spec, "policyTypes").enumerate() {
        if !matches!(kind, "Ingress" | "Egress") {
            findings.unsupported(place.index(index), kind, &["Ingress", "Egress"]);
        }
    }
    findings.into_errors()
}

fn policy_rule(rule: &Value, peers: &str, at: Place<'_>, findings: &mut Findings) {
    let ports = at.field("ports");
    for (index, entry) in read::list(rule, "ports").iter().enumerate() {
        let at = ports.index(index);
        let protocol = read::text(entry, "protocol");
        if !matches!(protocol, "TCP" | "UDP" | "SCTP") {
            findings.unsupported(at.field("protocol"), protocol, &["TCP", "UDP", "SCTP"]);
        }
        if !entry["port"].is_null() {
            port(&entry["port"], at.field("port"), findings);
        }
    }
    let place = at.field(peers);
    for (index, peer) in read::list(rule, peers).iter().enumerate() {
        let at = place.index(index);
        let given = ["podSelector", "namespaceSelector", "ipBlock"]
            .into_iter()
            .filter(|it| !peer[*it].is_null())
            .count();
        if given == 0 {
            findings.required(at, "must specify a peer");
        } else if given > 1 && !peer["ipBlock"].is_null() {
            findings.forbidden(at, "may not specify both ipBlock and another peer");
        }
        for field in ["podSelector", "namespaceSelector"] {
            selector::validate(&peer[field], at.field(field), findings);
        }
    }
}

#[cfg(test)]
mod tests;
