//! The kinds that random definitions make, beside `ConfigMap`.

use serde_json::{Value, json};

/// The version of the kinds `Part` and `Site`.
///
/// Somebody makes parts ready, and takes time to let go of them; sites are cluster-wide.
pub const SIM_VERSION: &str = "sim.krono.dev/v1";

/// The finalizer with which the maker of parts holds on to them.
pub const HOLD: &str = "sim.krono.dev/hold";

/// The schema of parts and sites.
pub fn values_schema() -> Value {
    let values = json!({"type": "object", "additionalProperties": {"type": "string"}});
    json!({"type": "object", "properties": {
        "spec": {"type": "object", "properties": {"values": values, "amount": {"type": "string"}}},
        "status": {"type": "object", "properties": {
            "ready": {"type": "boolean"}, "echo": {"type": "string"}}},
    }})
}

/// Definitions of both kinds for an API server.
pub fn crds() -> [Value; 2] {
    [crd("Part", "parts", "Namespaced"), crd("Site", "sites", "Cluster")]
}

fn crd(kind: &str, plural: &str, scope: &str) -> Value {
    let version = json!({"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": values_schema()}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.sim.krono.dev")},
        "spec": {
            "group": "sim.krono.dev",
            "scope": scope,
            "names": {"kind": kind, "plural": plural, "singular": kind.to_lowercase(), "listKind": format!("{kind}List")},
            "versions": [version],
        },
    })
}
