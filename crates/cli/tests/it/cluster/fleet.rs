//! The definition, revisions and instance that the design prints, written by hand.

use serde_json::{Value, json};

use super::{Cluster, Controllers};

pub(crate) const APPLICATION: &str = "application";

/// `application` with 47 instances at revision 3 and 3 at revision 2, and `my-app` at input revision 12.
pub(crate) fn fleet() -> Cluster {
    let cluster = Cluster::start(Controllers::None);
    let crd = crd();
    cluster.apply(&crd);
    let stored = cluster.apply(&definition());
    for (number, created, count) in
        [(1, "2025-01-10T08:00:00Z", 0), (2, "2025-01-14T09:00:00Z", 3), (3, "2025-01-15T10:30:00Z", 47)]
    {
        cluster.apply(&revision(number, created, count, &stored));
    }
    let stored = cluster.apply(&instance());
    for (number, rgd, replicas, created) in [
        (10, 2, 3, "2025-01-14T10:00:00Z"),
        (11, 3, 3, "2025-01-15T09:00:00Z"),
        (12, 3, 5, "2025-01-15T10:35:00Z"),
    ] {
        cluster.apply(&input(number, rgd, replicas, created, &stored));
    }
    cluster
}

/// What the definition says at so many replicas.
pub(crate) fn content(replicas: i64) -> Value {
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "${schema.spec.name}"}, "spec": {"replicas": replicas},
    });
    let service = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "${schema.spec.name}"}});
    let resources =
        [json!({"id": "deployment", "template": deployment}), json!({"id": "service", "template": service})];
    json!({
        "schema": {
            "kind": "Application", "apiVersion": "v1alpha1", "group": "apps.example.com",
            "spec": {"name": "string", "replicas": "integer", "image": "string"},
        },
        // The first had no service yet.
        "resources": resources[..if replicas == 1 { 1 } else { 2 }],
    })
}

/// The definition alone.
pub(crate) fn definition() -> Value {
    let mut spec = content(5);
    spec["revisionManagement"] = json!({"historyLimit": 1});
    json!({
        "apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphDefinition",
        "metadata": {"name": APPLICATION},
        "spec": spec,
        "status": {
            "state": "Active",
            "conditions": [{"type": "Ready", "status": "True", "reason": "Ready", "message": ""}],
            "currentRevision": 3, "latestRevision": 3, "lastIssuedRevision": 3,
        },
    })
}

fn revision(number: i64, created: &str, count: i64, definition: &Value) -> Value {
    let mut spec = content(number * 2 - 1);
    spec["revision"] = json!(number);
    spec["createdAt"] = json!(created);
    spec["author"] = json!({"manager": "kubectl"});
    spec["changeCause"] = json!(format!("change {number}"));
    let marks =
        if count == 0 { json!({"krono.dev/unused-since": "2025-01-16T00:00:00Z"}) } else { json!({}) };
    json!({
        "apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphDefinitionRevision",
        "metadata": {
            "annotations": marks,
            "name": format!("application-rev-{number}"),
            "labels": {"kro.run/rgd-name": "application", "kro.run/revision-number": number.to_string()},
            "ownerReferences": [owner(definition, "ResourceGraphDefinition")],
        },
        "spec": spec,
        "status": {"instanceCount": count},
    })
}

/// A revision with the content of an older one.
pub(crate) fn restored(cluster: &Cluster, number: i64, from: i64) -> Value {
    let mut again =
        cluster.get(&named("ResourceGraphDefinitionRevision", &format!("application-rev-{from}")));
    let metadata = again["metadata"].take();
    again["metadata"] = json!({
        "name": format!("application-rev-{number}"),
        "labels": {"kro.run/rgd-name": "application", "kro.run/revision-number": number.to_string()},
        "ownerReferences": metadata["ownerReferences"],
    });
    again["spec"]["revision"] = json!(number);
    again
}

/// An object of krono's by its kind and name, where it is in no namespace.
pub(crate) fn named(kind: &str, name: &str) -> Value {
    json!({"apiVersion": "kro.run/v1alpha1", "kind": kind, "metadata": {"name": name}})
}

/// The instance alone.
pub(crate) fn instance() -> Value {
    json!({
        "apiVersion": "apps.example.com/v1alpha1", "kind": "Application",
        "metadata": {"name": "my-app", "namespace": "default"},
        "spec": {"name": "my-app", "replicas": 5, "image": "nginx:1.21"},
        "status": {
            "conditions": [{"type": "Ready", "status": "True", "reason": "Ready", "message": ""}],
            "currentInputRevision": 12, "currentRGDRevision": 3,
            "observedInputRevision": 12, "observedRGDRevision": 3,
        },
    })
}

fn input(number: i64, rgd: i64, replicas: i64, created: &str, instance: &Value) -> Value {
    let status = if number == 12 { "Completed" } else { "Superseded" };
    json!({
        "apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphInputRevision",
        "metadata": {
            "name": format!("my-app-input-rev-{number}"), "namespace": "default",
            "labels": {"kro.run/instance-name": "my-app"},
            "ownerReferences": [owner(instance, "Application")],
        },
        "spec": {
            "inputRevision": number, "rgdRevision": rgd,
            "rgdRevisionRef": {"name": format!("application-rev-{rgd}")},
            "instanceSpec": {"name": "my-app", "replicas": replicas, "image": "nginx:1.21"},
            "createdAt": created, "author": {"manager": "kubectl-edit"},
        },
        "status": {"propagationStatus": status},
    })
}

fn owner(object: &Value, kind: &str) -> Value {
    json!({
        "apiVersion": object["apiVersion"], "kind": kind,
        "name": object["metadata"]["name"], "uid": object["metadata"]["uid"], "controller": true,
    })
}

/// The kind that the definition makes, whose instances may say anything.
pub(crate) fn crd() -> Value {
    let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let schema = json!({"type": "object", "properties": {"spec": open, "status": open}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "applications.apps.example.com"},
        "spec": {
            "group": "apps.example.com", "scope": "Namespaced",
            "names": {"plural": "applications", "singular": "application", "kind": "Application"},
            "versions": [{
                "name": "v1alpha1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": schema},
            }],
        },
    })
}
