//! `krono handback` (V45).

use std::collections::{BTreeMap, BTreeSet};

use krono_model::applyset::{GroupKind, Inventory};
use krono_model::metadata::InstanceRef;
use serde_json::{Value, json};

use crate::cluster::fleet::{definition, fleet, instance};
use crate::cluster::{Cluster, Controllers};

/// The fleet of the design, with all that krono writes on definitions, CRDs, instances and resources.
fn marked() -> (Cluster, Value) {
    let cluster = fleet();
    let mut held = definition();
    held["metadata"]["annotations"] =
        json!({"krono.dev/active-revision": "2", "krono.dev/change-cause": "better", "team": "web"});
    cluster.apply(&held);
    let id = InstanceRef::from_object(&instance()).applyset_id();
    let kinds = BTreeSet::from([GroupKind { group: String::new(), kind: "ConfigMap".to_owned() }]);
    let inventory = Inventory { group_kinds: kinds, namespaces: BTreeSet::new() };
    let mut annotations: BTreeMap<String, String> = inventory.annotations(&id);
    annotations.insert("kro.run/rgd-revision".to_owned(), "2".to_owned());
    let mut pinned = instance();
    pinned["metadata"]["annotations"] = json!(annotations);
    pinned["metadata"]["labels"] = json!({"applyset.kubernetes.io/id": id});
    cluster.apply(&pinned);
    let resource = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {
            "name": "made", "namespace": "default",
            "labels": {"applyset.kubernetes.io/part-of": id, "kro.run/node-id": "made"},
            "annotations": {"krono.dev/deletion-policy": "Retain", "kro.run/rgd-revision": "3", "internal.kro.run/apply-order": "1"},
        },
        "data": {"a": "b"},
    });
    cluster.apply(&resource);
    (cluster, resource)
}

const TOLD: &str = "\
ResourceGraphDefinition application: krono.dev/active-revision
Application default/my-app: kro.run/rgd-revision
ConfigMap default/made: kro.run/rgd-revision, krono.dev/deletion-policy
ResourceGraphDefinitionRevision application-rev-1: krono.dev/unused-since
";

#[test]
fn v45_what_kro_does_not_understand_comes_off_and_nothing_else() {
    let (cluster, resource) = marked();
    let before = cluster.get(&resource);
    let run = cluster.krono(&["handback", "--dry-run"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), TOLD), "{run}");
    for warning in [
        "warning: kro deletes what krono would keep when it is no longer wanted: ConfigMap default/made\n",
        "warning: kro moves to the newest revision what is pinned or held: ResourceGraphDefinition application, Application default/my-app\n",
        "note: 4 objects to clean, 0 revisions to delete\n",
    ] {
        assert!(run.stderr.contains(warning), "{run}");
    }
    let run = cluster.krono(&["handback"]);
    assert_eq!(run.code, Some(2), "{run}");
    assert_eq!(cluster.get(&resource), before);
    let run = cluster.krono(&["handback", "--yes", "--controllers-stopped"]);
    assert_eq!(run.code, Some(0), "{run}");
    let after = cluster.get(&resource);
    assert_eq!(after["metadata"]["annotations"], json!({"internal.kro.run/apply-order": "1"}));
    assert_eq!(
        (&after["data"], &after["metadata"]["labels"]),
        (&before["data"], &before["metadata"]["labels"])
    );
    assert_eq!(
        cluster.annotations(&definition()),
        json!({"krono.dev/change-cause": "better", "team": "web"})
    );
    assert_eq!(cluster.annotations(&instance()).get("kro.run/rgd-revision"), None);
    let run = cluster.krono(&["handback"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{run}");
    assert_eq!(cluster.told(&["revisions", "list", "application", "-o", "name"]).lines().count(), 3);
}

#[test]
fn v45_revisions_go_only_when_they_are_told_to() {
    let (cluster, _) = marked();
    let run = cluster.krono(&["handback", "--yes", "--controllers-stopped", "--delete-revisions"]);
    assert_eq!(run.code, Some(0), "{run}");
    assert!(run.stdout.contains("ResourceGraphDefinitionRevision application-rev-3: deleted\n"), "{run}");
    assert!(
        run.stderr.contains("note: 3 objects to clean, 6 revisions to delete: done; kro can be started\n"),
        "{run}"
    );
    let left = cluster.krono(&["revisions", "list", "application", "-o", "name"]);
    assert_eq!(left.stdout, "", "{left}");
}

fn lease(holder: &str, renewed: &str) -> Value {
    json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": "controller.kro.run", "namespace": "default"},
        "spec": {"holderIdentity": holder, "leaseDurationSeconds": 15, "renewTime": renewed},
    })
}

#[test]
fn v45_nothing_is_handed_back_while_somebody_leads() {
    let (cluster, resource) = marked();
    cluster.apply(&lease("pod-1", "2999-01-01T00:00:00.000000Z"));
    for flags in [&["handback", "--yes"][..], &["handback", "--yes", "--controllers-stopped"]] {
        let run = cluster.krono(flags);
        assert_eq!(run.code, Some(1), "{run}");
        assert!(
            run.stderr.contains(
                "error: a controller is at work: pod-1 holds the lease default/controller.kro.run\n"
            ),
            "{run}"
        );
    }
    assert_eq!(cluster.annotations(&resource)["krono.dev/deletion-policy"], "Retain");
}

#[test]
fn v45_where_no_lease_tells_that_controllers_are_stopped_it_has_to_be_said() {
    let (cluster, resource) = marked();
    let run = cluster.krono(&["handback", "--yes"]);
    assert_eq!(run.code, Some(1), "{run}");
    assert!(
        run.stderr.contains(
            "error: whether controllers run cannot be seen: there is no lease controller.kro.run, which only those with --leader-elect take\n"
        ),
        "{run}"
    );
    assert!(run.stderr.contains("then pass `--controllers-stopped`\n"), "{run}");
    assert_eq!(cluster.annotations(&resource)["krono.dev/deletion-policy"], "Retain");
    // Somebody has led and went away.
    cluster.apply(&lease("pod-1", "2020-01-01T00:00:00.000000Z"));
    assert_eq!(cluster.krono(&["handback", "--yes"]).code, Some(0));
    assert_eq!(cluster.annotations(&resource).get("krono.dev/deletion-policy"), None);
}

#[test]
fn v45_whom_kro_would_move_is_told() {
    let cluster = fleet();
    let mut behind = instance();
    behind["status"]["assignment"] = json!({"revision": 2, "digest": "a".repeat(40), "because": "Following"});
    cluster.apply(&behind);
    let run = cluster.krono(&["handback", "--dry-run"]);
    let warning = "warning: kro moves to the spec of its definition what runs something else: Application default/my-app\n";
    assert!(run.stderr.contains(warning), "{run}");
}

/// A definition of a kind with these fields.
fn app(fields: &Value) -> Value {
    let config =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${schema.metadata.name}"}});
    json!({
        "apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphDefinition", "metadata": {"name": "app"},
        "spec": {
            "schema": {"apiVersion": "v1alpha1", "kind": "App", "spec": fields},
            "resources": [{"id": "config", "template": config}],
        },
    })
}

fn named(api_version: &str, kind: &str, name: &str) -> Value {
    json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}})
}

/// What krono's controllers made of three edits, on a server where nobody looks after it.
fn made_by_krono() -> Cluster {
    let (maker, copy) = (Cluster::start(Controllers::Run), Cluster::start(Controllers::None));
    let (narrow, wide) = (json!({"text": "string"}), json!({"text": "string", "more": "string"}));
    for (number, fields) in [(1, &narrow), (2, &wide), (3, &narrow)] {
        maker.apply(&app(fields));
        maker.until(&app(fields), |it| it["status"]["currentRevision"] == number);
    }
    let crd = |it: &Value| it["metadata"]["annotations"]["kro.run/rgd-revision"] == "3";
    maker.until(&named("apiextensions.k8s.io/v1", "CustomResourceDefinition", "apps.kro.run"), crd);
    let revisions = (1..=3)
        .map(|it| named("kro.run/v1alpha1", "ResourceGraphDefinitionRevision", &format!("app-rev-{it}")));
    let all = [named("apiextensions.k8s.io/v1", "CustomResourceDefinition", "apps.kro.run"), app(&narrow)];
    for object in all.into_iter().chain(revisions) {
        let mut object = maker.get(&object);
        object.as_object_mut().unwrap().remove("status");
        for field in
            ["resourceVersion", "uid", "creationTimestamp", "generation", "managedFields", "ownerReferences"]
        {
            object["metadata"].as_object_mut().unwrap().remove(field);
        }
        copy.apply(&object);
    }
    copy
}

const MADE: &str = "\
CustomResourceDefinition apps.kro.run: kro.run/rgd-revision, krono.dev/crd-digest, spec.versions
ResourceGraphDefinitionRevision app-rev-1: kro.run/finalizer
ResourceGraphDefinitionRevision app-rev-2: kro.run/finalizer
ResourceGraphDefinitionRevision app-rev-3: kro.run/finalizer
";

#[test]
fn v45_a_kind_becomes_what_kro_would_make_and_revisions_are_held_by_nobody() {
    let cluster = made_by_krono();
    let crd = named("apiextensions.k8s.io/v1", "CustomResourceDefinition", "apps.kro.run");
    let properties = |of: &str| {
        let path = format!("/spec/versions/0/schema/openAPIV3Schema/properties/{of}");
        cluster.get(&crd).pointer(&path).cloned().unwrap()
    };
    assert!(properties("spec")["properties"].get("more").is_some());
    let run = cluster.krono(&["handback", "--yes", "--controllers-stopped"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), MADE), "{run}");
    let warning = "warning: instances lose the fields that only other revisions know: CustomResourceDefinition apps.kro.run\n";
    assert!(run.stderr.contains(warning), "{run}");
    assert_eq!(properties("spec")["properties"], json!({"text": {"type": "string"}}));
    assert_eq!(properties("status").get("x-kubernetes-preserve-unknown-fields"), None);
    let revision = cluster.get(&named("kro.run/v1alpha1", "ResourceGraphDefinitionRevision", "app-rev-3"));
    assert_eq!(revision["metadata"].get("finalizers"), None);
    let run = cluster.krono(&["handback"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{run}");
}
