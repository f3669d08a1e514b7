//! Instances of definitions, as the API server would keep them.

use krono_graph::CompiledGraph;
use krono_schema::crd::{Scope, Version};
use krono_schema::prune_object;
use serde_json::Value;

use crate::admission;
use crate::manifests::{Finding, Manifest};

/// The instance with defaults and a namespace, or all that is wrong with it.
pub(crate) fn admitted(
    manifest: &Manifest<'_>,
    graph: &CompiledGraph,
    namespace: &str,
) -> Result<Value, Vec<Finding>> {
    let mut instance = manifest.value.clone();
    let mut findings = Vec::new();
    if manifest.name().is_empty() {
        let advice = "write `metadata:`, and below it `name: my-app`";
        findings.push(Finding::at(manifest, "metadata.name", "an instance needs a name", advice));
    }
    place(&mut instance, graph, namespace);
    // Controllers write it, and the server takes none from whoever makes an instance.
    if let Some(fields) = instance.as_object_mut() {
        fields.remove("status");
    }
    if let Some(schema) = graph.crd.spec.versions.iter().find_map(Version::schema) {
        for path in prune_object(schema, &mut instance) {
            let advice = format!(
                "the definition of {} has no such field; correct its name or remove it",
                graph.instance.kind
            );
            findings.push(Finding::at(manifest, &path, "unknown field", &advice));
        }
        krono_schema::default(schema, &mut instance);
        let errors = admission::complaints(schema, &instance);
        findings
            .extend(errors.iter().map(|it| Finding::of_field(manifest, it, admission::cure_of_instance(it))));
    }
    if findings.is_empty() { Ok(instance) } else { Err(findings) }
}

/// Objects of namespaced kinds are in the namespace they name, or else in the given one.
fn place(instance: &mut Value, graph: &CompiledGraph, namespace: &str) {
    let Some(metadata) = instance.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    match graph.instance.scope {
        Scope::Namespaced => {
            metadata.entry("namespace").or_insert_with(|| namespace.into());
        }
        Scope::Cluster => {
            metadata.remove("namespace");
        }
    }
}
