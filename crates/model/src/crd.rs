//! The custom resource definitions that krono brings along.

mod definition;
mod input_revision;
mod openapi;
mod policy;
mod propagation;
mod revision;

use serde_json::{Value, json};

/// The CRD of `ResourceGraphDefinition`; it takes what kro's takes and refuses what kro's refuses, in kro's words.
pub fn resource_graph_definition() -> Value {
    let names = Names { kind: "ResourceGraphDefinition", short: "rgd", scope: "Cluster" };
    let columns = json!([
        column("APIVERSION", "string", ".spec.schema.apiVersion"),
        column("KIND", "string", ".spec.schema.kind"),
        column("STATE", "string", ".status.state"),
        column("READY", "string", ".status.conditions[?(@.type==\"Ready\")].status"),
        wide("TOPOLOGICALORDER", "string", ".status.topologicalOrder"),
        column("AGE", "date", ".metadata.creationTimestamp"),
    ]);
    names.definition(&columns, &definition::schema())
}

/// The CRD of `ResourceGraphDefinitionRevision`.
pub fn resource_graph_definition_revision() -> Value {
    let names = Names { kind: "ResourceGraphDefinitionRevision", short: "rgdrev", scope: "Cluster" };
    let columns = json!([
        column("RGD", "string", ".metadata.labels.kro\\.run/rgd-name"),
        column("REVISION", "integer", ".spec.revision"),
        column("INSTANCES", "integer", ".status.instanceCount"),
        column("SUPERSEDED", "boolean", ".status.superseded"),
        wide("RESTORED-FROM", "integer", ".spec.restoredFrom"),
        wide("HASH", "string", ".status.specHash"),
        wide("CAUSE", "string", ".spec.changeCause"),
        column("AGE", "date", ".metadata.creationTimestamp"),
    ]);
    names.definition(&columns, &revision::schema())
}

/// The CRD of `ResourceGraphInputRevision`.
pub fn resource_graph_input_revision() -> Value {
    let names = Names { kind: "ResourceGraphInputRevision", short: "rginput", scope: "Namespaced" };
    let columns = json!([
        column("INSTANCE", "string", ".metadata.labels.kro\\.run/instance-name"),
        column("INPUT-REV", "integer", ".spec.inputRevision"),
        column("RGD-REV", "integer", ".spec.rgdRevision"),
        column("STATUS", "string", ".status.propagationStatus"),
        wide("HASH", "string", ".status.specHash"),
        column("AGE", "date", ".metadata.creationTimestamp"),
    ]);
    names.definition(&columns, &input_revision::schema())
}

/// Every CRD, with the file name it is published under.
pub fn all() -> Vec<(&'static str, Value)> {
    vec![
        ("kro.run_resourcegraphdefinitionrevisions.yaml", resource_graph_definition_revision()),
        ("kro.run_resourcegraphdefinitions.yaml", resource_graph_definition()),
        ("kro.run_resourcegraphinputrevisions.yaml", resource_graph_input_revision()),
    ]
}

/// What a kind is called.
struct Names {
    kind: &'static str,
    short: &'static str,
    scope: &'static str,
}

impl Names {
    fn definition(&self, columns: &Value, schema: &Value) -> Value {
        let singular = self.kind.to_lowercase();
        let plural = format!("{singular}s");
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.kro.run")},
            "spec": {
                "group": "kro.run",
                "names": {
                    "kind": self.kind,
                    "listKind": format!("{}List", self.kind),
                    "plural": plural,
                    "singular": singular,
                    "shortNames": [self.short],
                },
                "scope": self.scope,
                "versions": [{
                    "name": "v1alpha1",
                    "served": true,
                    "storage": true,
                    "subresources": {"status": {}},
                    "additionalPrinterColumns": columns,
                    "schema": {"openAPIV3Schema": schema},
                }],
            },
        })
    }
}

fn column(name: &str, column_type: &str, path: &str) -> Value {
    json!({"name": name, "type": column_type, "jsonPath": path})
}

/// A column of `-o wide` only.
fn wide(name: &str, column_type: &str, path: &str) -> Value {
    let mut column = column(name, column_type, path);
    column["priority"] = json!(1);
    column
}
