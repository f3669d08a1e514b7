//! The custom resource definitions that krono brings along.

mod definition;
mod openapi;
mod policy;

use serde_json::{Value, json};

/// The CRD of `ResourceGraphDefinition`; it takes what kro's takes and refuses what kro's refuses, in kro's words.
pub fn resource_graph_definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "resourcegraphdefinitions.kro.run"},
        "spec": {
            "group": "kro.run",
            "names": {
                "kind": "ResourceGraphDefinition",
                "listKind": "ResourceGraphDefinitionList",
                "plural": "resourcegraphdefinitions",
                "singular": "resourcegraphdefinition",
                "shortNames": ["rgd"],
            },
            "scope": "Cluster",
            "versions": [{
                "name": "v1alpha1",
                "served": true,
                "storage": true,
                "subresources": {"status": {}},
                "additionalPrinterColumns": columns(),
                "schema": {"openAPIV3Schema": definition::schema()},
            }],
        },
    })
}

/// Every CRD, with the file name it is published under.
pub fn all() -> Vec<(&'static str, Value)> {
    vec![("kro.run_resourcegraphdefinitions.yaml", resource_graph_definition())]
}

fn columns() -> Value {
    let column = |name: &str, column_type: &str, path: &str| json!({"name": name, "type": column_type, "jsonPath": path});
    let mut order = column("TOPOLOGICALORDER", "string", ".status.topologicalOrder");
    order["priority"] = json!(1);
    json!([
        column("APIVERSION", "string", ".spec.schema.apiVersion"),
        column("KIND", "string", ".spec.schema.kind"),
        column("STATE", "string", ".status.state"),
        column("READY", "string", ".status.conditions[?(@.type==\"Ready\")].status"),
        order,
        column("AGE", "date", ".metadata.creationTimestamp"),
    ])
}
