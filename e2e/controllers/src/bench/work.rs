//! What the controllers are given to do.

use serde_json::{Value, json};

/// How long the chain is.
const DEPTH: usize = 10;
/// How many resources each instance has.
const WIDTH: usize = 5;
/// The label of resources that belong to the wide kind.
pub(super) const MARK: &str = "bench.krono.dev/fan";

/// A definition each of whose resources needs what the one before it holds.
pub(crate) fn chain() -> Value {
    let resource = |number: usize| {
        let value = match number {
            0 => "${schema.spec.value}".to_owned(),
            _ => format!("${{c{}.data.value}}", number - 1),
        };
        map(&format!("c{number}"), &json!({"value": value}))
    };
    definition("BenchChain", &(0..DEPTH).map(resource).collect::<Vec<_>>())
}

/// A definition whose resources are independent; the edition is in one of them.
pub(crate) fn fan(edition: &str) -> Value {
    let resource = |number: usize| {
        let data =
            json!({"value": "${schema.spec.value}", "edition": if number == 0 { edition } else { "-" }});
        map(&format!("m{number}"), &data)
    };
    definition("BenchFan", &(0..WIDTH).map(resource).collect::<Vec<_>>())
}

pub(crate) fn instance(kind: &str, name: &str) -> Value {
    json!({"apiVersion": "kro.run/v1alpha1", "kind": kind, "metadata": {"name": name, "namespace": "default"},
        "spec": {"value": name}})
}

fn map(id: &str, data: &Value) -> Value {
    let metadata = json!({"name": format!("${{schema.metadata.name}}-{id}"), "labels": {MARK: id}});
    json!({"id": id, "template": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}})
}

fn definition(kind: &str, resources: &[Value]) -> Value {
    let schema = json!({"apiVersion": "v1alpha1", "kind": kind, "spec": {"value": "string"}});
    json!({"apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphDefinition", "metadata": {"name": kind.to_lowercase()},
        "spec": {"schema": schema, "resources": resources}})
}
