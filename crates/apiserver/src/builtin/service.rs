//! Services.

use std::collections::HashSet;

use krono_schema::FieldError;
use serde_json::{Value, json};

use crate::kind::Rules;

use super::findings::Findings;
use super::place::Place;
use super::pod::{port, port_number};
use super::{fill, metadata, names, read};

/// Rules of Services. Addresses and node ports are given by the server, which also keeps those of the stored object
/// when an update leaves them out.
pub(super) const SERVICE: Rules = Rules { default, validate };

const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];

fn default(service: &mut Value) {
    fill::inside(service, "spec", |spec| {
        fill::empty(spec, "sessionAffinity", "None");
        session_affinity(spec);
        fill::empty(spec, "type", "ClusterIP");
        fill::each(spec, "ports", default_port);
        traffic_policies(spec);
        if spec["type"] == "LoadBalancer" {
            fill::absent(spec, "allocateLoadBalancerNodePorts", true);
        }
    });
    fill::inside(service, "status", |status| fill::absent(status, "loadBalancer", json!({})));
    if service["spec"]["type"] == "LoadBalancer" {
        fill::within(service, "status", |status| {
            fill::within(status, "loadBalancer", |balancer| fill::each(balancer, "ingress", ingress_mode));
        });
    }
}

fn ingress_mode(ingress: &mut Value) {
    if !read::text(ingress, "ip").is_empty() {
        fill::absent(ingress, "ipMode", "VIP");
    }
}

fn session_affinity(spec: &mut Value) {
    if spec["sessionAffinity"] == "ClientIP" {
        fill::inside(spec, "sessionAffinityConfig", |config| {
            fill::inside(config, "clientIP", |client| fill::absent(client, "timeoutSeconds", 10800));
        });
    } else if let Some(fields) = spec.as_object_mut().filter(|spec| spec["sessionAffinity"] == "None") {
        fields.remove("sessionAffinityConfig");
    }
}

fn default_port(port: &mut Value) {
    fill::empty(port, "protocol", "TCP");
    let number = port["port"].clone();
    if matches!(port["targetPort"].as_str(), Some("")) {
        fill::empty(port, "targetPort", number);
    } else {
        fill::zero(port, "targetPort", number);
    }
}

fn is_external(spec: &Value) -> bool {
    let reached = matches!(read::text(spec, "type"), "NodePort" | "LoadBalancer");
    reached || (spec["type"] == "ClusterIP" && !read::list(spec, "externalIPs").is_empty())
}

fn traffic_policies(spec: &mut Value) {
    if is_external(spec) {
        fill::empty(spec, "externalTrafficPolicy", "Cluster");
    }
    if matches!(read::text(spec, "type"), "NodePort" | "LoadBalancer" | "ClusterIP") {
        fill::absent(spec, "internalTrafficPolicy", "Cluster");
    }
}

fn is_headless(spec: &Value) -> bool {
    spec["clusterIPs"][0] == "None" && read::list(spec, "clusterIPs").len() == 1
}

fn validate(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let (spec, at) = (&new["spec"], Place::ROOT.field("spec"));
    if let Some(old) = old {
        unchanged_addresses(spec, &old["spec"], at, &mut findings);
        balanced(new, old, &mut findings);
    }
    let external_name = spec["type"] == "ExternalName";
    if read::list(spec, "ports").is_empty() && !is_headless(spec) && !external_name {
        findings.required(at.field("ports"), "");
    }
    by_type(spec, at, &mut findings);
    ports(spec, at, &mut findings);
    metadata::labels(&spec["selector"], at.field("selector"), &mut findings);
    let affinity = read::text(spec, "sessionAffinity");
    findings.choice(at.field("sessionAffinity"), affinity, &["ClientIP", "None"]);
    if !external_name {
        cluster_addresses(spec, at, &mut findings);
    }
    let types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
    findings.choice(at.field("type"), read::text(spec, "type"), &types);
    node_ports(spec, at.field("ports"), &mut findings);
    policies(spec, at, &mut findings);
    findings.into_errors()
}

/// Who changes the addresses of a balancer must have one.
fn balanced(new: &Value, old: &Value, findings: &mut Findings) {
    let ingress = new
        .pointer("/status/loadBalancer/ingress")
        .filter(|it| it.as_array().is_some_and(|it| !it.is_empty()));
    let changed = ingress.is_some() && ingress != old.pointer("/status/loadBalancer/ingress");
    if changed && new["spec"]["type"] != "LoadBalancer" {
        let at = Place::ROOT.field("status");
        let at = at.field("loadBalancer");
        findings.forbidden(at.field("ingress"), "may only be used when `spec.type` is 'LoadBalancer'");
    }
}

fn by_type(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    match read::text(spec, "type") {
        kind @ ("LoadBalancer" | "NodePort") if is_headless(spec) => {
            let detail = format!("may not be set to 'None' for {kind} services");
            findings.invalid(at.field("clusterIPs").index(0), "None", detail);
        }
        "ExternalName" => {
            for field in ["clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
                if !read::is_empty(&spec[field]) {
                    findings.forbidden(at.field(field), "may not be set for ExternalName services");
                }
            }
            let name = read::text(spec, "externalName").trim_end_matches('.');
            if name.is_empty() {
                findings.required(at.field("externalName"), "");
            } else {
                findings.complaints(at.field("externalName"), name, names::subdomain(name));
            }
        }
        _ => {}
    }
}

fn ports(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    let at = at.field("ports");
    let ports = read::list(spec, "ports");
    let mut seen = HashSet::new();
    for (index, service_port) in ports.iter().enumerate() {
        let at = at.index(index);
        let name = read::text(service_port, "name");
        if !name.is_empty() {
            findings.complaints(at.field("name"), name, names::label(name));
            if !seen.insert(name) {
                findings.duplicate(at.field("name"), name);
            }
        } else if ports.len() > 1 {
            findings.required(at.field("name"), "");
        }
        port_number(read::integer(service_port, "port").unwrap_or_default(), at.field("port"), findings);
        findings.choice(at.field("protocol"), read::text(service_port, "protocol"), &PROTOCOLS);
        port(&service_port["targetPort"], at.field("targetPort"), findings);
        let application = read::text(service_port, "appProtocol");
        if !application.is_empty() {
            findings.complaints(at.field("appProtocol"), application, names::qualified(application));
        }
    }
}

fn node_ports(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    let ports = read::list(spec, "ports");
    let node_port = |port: &Value| read::integer(port, "nodePort").filter(|number| *number != 0);
    if spec["type"] == "ClusterIP" {
        for (index, _) in ports.iter().enumerate().filter(|(_, port)| node_port(port).is_some()) {
            findings
                .forbidden(at.index(index).field("nodePort"), "may not be used when `type` is 'ClusterIP'");
        }
    }
    let mut taken = HashSet::new();
    for (index, port) in ports.iter().enumerate() {
        if let Some(number) = node_port(port).filter(|it| !taken.insert((read::text(port, "protocol"), *it)))
        {
            findings.duplicate(at.index(index).field("nodePort"), number);
        }
    }
    let mut used = HashSet::new();
    for (index, port) in ports.iter().enumerate() {
        let (protocol, number) = (read::text(port, "protocol"), read::integer(port, "port"));
        if !used.insert((protocol, number)) {
            findings.duplicate(at.index(index), json!({"protocol": protocol, "port": number}));
        }
    }
}

fn cluster_addresses(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    let (first, all) = (read::text(spec, "clusterIP"), read::list(spec, "clusterIPs"));
    let at = at.field("clusterIPs");
    match all.first() {
        None if !first.is_empty() => findings.required(at, ""),
        Some(_) if first.is_empty() => {
            findings.invalid(at, all.to_vec(), "must be empty when `clusterIP` is not specified");
        }
        Some(address) if address != first => {
            findings.invalid(at, all.to_vec(), "first value must match `clusterIP`");
        }
        _ => {}
    }
    for (index, address) in read::texts(spec, "clusterIPs").enumerate().filter(|(_, it)| *it != "None") {
        if address.parse::<std::net::IpAddr>().is_err() {
            let detail = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
            findings.invalid(at.index(index), address, detail);
        }
    }
}

fn policies(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    if !spec["allocateLoadBalancerNodePorts"].is_null() && spec["type"] != "LoadBalancer" {
        let detail = "may only be used when `type` is 'LoadBalancer'";
        findings.forbidden(at.field("allocateLoadBalancerNodePorts"), detail);
    }
    let policy = read::text(spec, "externalTrafficPolicy");
    let place = at.field("externalTrafficPolicy");
    if is_external(spec) {
        findings.choice(place, policy, &["Cluster", "Local"]);
    } else if !policy.is_empty() {
        findings.invalid(place, policy, "may only be set for externally-accessible services");
    }
    let policy = read::text(spec, "internalTrafficPolicy");
    if !matches!(policy, "" | "Cluster" | "Local") {
        findings.unsupported(at.field("internalTrafficPolicy"), policy, &["Cluster", "Local"]);
    }
}

/// Addresses cannot change, but from and to Services that are only names.
fn unchanged_addresses(new: &Value, old: &Value, at: Place<'_>, findings: &mut Findings) {
    let external_name = |spec: &Value| spec["type"] == "ExternalName";
    if external_name(new) || external_name(old) || (is_headless(new) && is_headless(old)) {
        return;
    }
    let (now, before) = (read::list(new, "clusterIPs"), read::list(old, "clusterIPs"));
    let at = at.field("clusterIPs");
    if now.is_empty() && !before.is_empty() {
        findings.invalid(at.index(0), Value::Null, "primary clusterIP can not be unset");
    }
    for (index, _) in now.iter().zip(before).enumerate().filter(|(_, (now, before))| now != before) {
        findings.invalid(at.index(index), now.to_vec(), "may not change once set");
    }
}

#[cfg(test)]
mod tests;
