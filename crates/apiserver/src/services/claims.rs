//! What a Service holds of what there is only once.

use std::net::IpAddr;

use serde_json::Value;

use super::{has_address, has_health_check, has_node_ports, is_headless, list, port};

/// Something only one Service can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Claim {
    Address(IpAddr),
    Port(u16),
}

/// Everything a Service holds; a port for two protocols counts once.
pub(super) fn of(spec: &Value) -> Vec<Claim> {
    let mut claims = addresses(spec);
    claims.extend(node_ports(spec).into_iter().map(Claim::Port));
    claims
}

fn addresses(spec: &Value) -> Vec<Claim> {
    if !has_address(spec) || is_headless(spec) {
        return Vec::new();
    }
    let addresses = list(spec, "clusterIPs").iter().filter_map(Value::as_str);
    addresses.filter_map(|text| text.parse().ok()).map(Claim::Address).collect()
}

/// The node ports of a Service, each once.
pub(super) fn node_ports(spec: &Value) -> Vec<u16> {
    let mut ports = Vec::new();
    if has_node_ports(spec) {
        ports.extend(list(spec, "ports").iter().map(|it| port(it, "nodePort")));
    }
    if has_health_check(spec) {
        ports.push(port(spec, "healthCheckNodePort"));
    }
    let mut ports: Vec<u16> =
        ports.into_iter().filter_map(|it| u16::try_from(it).ok()).filter(|it| *it != 0).collect();
    ports.sort_unstable();
    ports.dedup();
    ports
}
