//! What only the server knows of Services: which addresses and node ports are free, and what an update keeps.

mod allocation;
mod claims;
mod families;
mod kept;
mod pool;

pub(crate) use allocation::{Refused, allocate};
pub(crate) use kept::drop_unfit;
pub(crate) use pool::{Pool, Reservation};

use serde_json::Value;

use crate::kind::Kind;

/// Whether objects of this kind are Services.
pub(crate) fn is_service(kind: &Kind) -> bool {
    kind.group.is_empty() && &*kind.kind == "Service"
}

fn text<'v>(spec: &'v Value, field: &str) -> &'v str {
    spec.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn list<'v>(spec: &'v Value, field: &str) -> &'v [Value] {
    spec.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn port(object: &Value, field: &str) -> u64 {
    object.get(field).and_then(Value::as_u64).unwrap_or_default()
}

fn has_address(spec: &Value) -> bool {
    text(spec, "type") != "ExternalName"
}

fn is_headless(spec: &Value) -> bool {
    list(spec, "clusterIPs").first().is_some_and(|first| first == "None")
}

fn has_node_ports(spec: &Value) -> bool {
    matches!(text(spec, "type"), "NodePort" | "LoadBalancer")
}

fn has_health_check(spec: &Value) -> bool {
    text(spec, "type") == "LoadBalancer" && text(spec, "externalTrafficPolicy") == "Local"
}

fn is_external(spec: &Value) -> bool {
    has_node_ports(spec) || text(spec, "type") == "ClusterIP" && !list(spec, "externalIPs").is_empty()
}
