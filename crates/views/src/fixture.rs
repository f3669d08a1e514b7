//! The definition, revisions and instance that the design prints.

use krono_model::names;
use serde_json::{Value, json};

/// `application` with 47 instances at revision 3 and 3 at revision 2.
pub(crate) fn definition() -> Value {
    let summary = |number: i64, created: &str, count: i64| json!({"revision": number, "createdAt": created, "current": number == 3, "instanceCount": count});
    json!({
        "apiVersion": "kro.run/v1alpha1",
        "kind": "ResourceGraphDefinition",
        "metadata": {"name": "application", "uid": "d-1", "annotations": {}},
        "spec": content(5),
        "status": {
            "state": "Active",
            "conditions": [{"type": "Ready", "status": "True", "reason": "Ready", "message": ""}],
            "currentRevision": 3,
            "latestRevision": 3,
            "revisionHistory": [
                summary(3, "2025-01-15T10:30:00Z", 47),
                summary(2, "2025-01-14T09:00:00Z", 3),
                summary(1, "2025-01-10T08:00:00Z", 0),
            ],
        },
    })
}

/// What a definition says whose deployments have so many replicas; with one, there is no service.
pub(crate) fn content(replicas: i64) -> Value {
    let template = |version: &str, kind: &str, spec: Value| json!({"apiVersion": version, "kind": kind, "metadata": {"name": "${schema.spec.name}"}, "spec": spec});
    let deployment = json!({"id": "deployment", "template": template("apps/v1", "Deployment", json!({"replicas": replicas}))});
    let service = json!({"id": "service", "template": template("v1", "Service", json!({}))});
    json!({
        "schema": {"kind": "Application", "apiVersion": "v1alpha1", "group": "apps.example.com", "spec": {"name": "string"}},
        "resources": if replicas == 1 { vec![deployment] } else { vec![deployment, service] },
    })
}

/// Revisions 1 to 3, of 1, 3 and 5 replicas.
pub(crate) fn revisions() -> Vec<Value> {
    let mut second = revision(2, "2025-01-14T09:00:00Z");
    second["spec"]["author"] = json!({"manager": "kubectl", "user": "alice@example.com"});
    let mut third = revision(3, "2025-01-15T10:30:00Z");
    third["spec"]["author"] = json!({"manager": "kubectl"});
    third["spec"]["changeCause"] = json!("more replicas");
    vec![revision(1, "2025-01-10T08:00:00Z"), second, third]
}

/// The object of one revision.
pub(crate) fn revision(number: i64, created: &str) -> Value {
    let mut spec = content(number * 2 - 1);
    spec["revision"] = json!(number);
    spec["createdAt"] = json!(created);
    json!({
        "apiVersion": "kro.run/v1alpha1",
        "kind": "ResourceGraphDefinitionRevision",
        "metadata": {"name": format!("application-rev-{number}"), "labels": {names::REVISION_OF_LABEL: "application"}},
        "spec": spec,
    })
}

/// `my-app` at input revision 12 and revision 3.
pub(crate) fn instance() -> Value {
    let input = |number: i64, rgd: i64, created: &str, status: &str| json!({"revision": number, "rgdRevision": rgd, "createdAt": created, "status": status});
    json!({
        "apiVersion": "apps.example.com/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "my-app", "namespace": "default", "uid": "i-1", "annotations": {}},
        "spec": {"name": "my-app", "replicas": 5, "image": "nginx:1.21"},
        "status": {
            "state": "ACTIVE",
            "conditions": [{"type": "Ready", "status": "True", "reason": "Ready", "message": ""}],
            "currentInputRevision": 12,
            "currentRGDRevision": 3,
            "observedInputRevision": 12,
            "observedRGDRevision": 3,
            "propagation": {"status": "Completed", "targetInputRevision": 12, "resourcesAtTarget": 5, "totalResources": 5},
            "inputRevisionHistory": [
                input(12, 3, "2025-01-15T10:35:00Z", "Completed"),
                input(11, 3, "2025-01-15T09:00:00Z", "Superseded"),
                input(10, 2, "2025-01-14T10:00:00Z", "Superseded"),
            ],
        },
    })
}

/// The object of an input revision.
pub(crate) fn input(number: i64, rgd: i64, replicas: i64) -> Value {
    json!({
        "apiVersion": "kro.run/v1alpha1",
        "kind": "ResourceGraphInputRevision",
        "metadata": {"name": format!("my-app-input-rev-{number}"), "ownerReferences": [{"uid": "i-1"}]},
        "spec": {
            "inputRevision": number,
            "rgdRevision": rgd,
            "rgdRevisionRef": {"name": format!("application-rev-{rgd}")},
            "instanceSpec": {"name": "my-app", "replicas": replicas, "image": "nginx:1.21"},
            "createdAt": "2025-01-15T10:35:00Z",
            "author": {"manager": "kubectl-edit"},
        },
        "status": {"propagationStatus": "Completed"},
    })
}
