//! What the commands for revisions ask for, answered by the controllers.

use serde_json::{Value, json};

use crate::cluster::{Cluster, Controllers};

/// What every instance brings about; `size` tells contents apart.
fn definition(size: i64) -> Value {
    json!({
        "apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphDefinition",
        "metadata": {"name": "application"},
        "spec": {
            "schema": {
                "kind": "Application", "apiVersion": "v1alpha1", "group": "apps.example.com",
                "spec": {"name": "string"},
            },
            "resources": [{
                "id": "config",
                "template": {
                    "apiVersion": "v1", "kind": "ConfigMap",
                    "metadata": {"name": "${schema.spec.name}"}, "data": {"size": size.to_string()},
                },
            }],
        },
    })
}

fn is_current(number: i64) -> impl Fn(&Value) -> bool {
    move |it| it["status"]["currentRevision"] == number
}

/// A definition with three revisions.
fn with_three() -> Cluster {
    let cluster = Cluster::start(Controllers::Run);
    for number in 1..=3 {
        cluster.apply(&definition(number));
        cluster.until(&definition(number), is_current(number));
    }
    cluster
}

fn rollback(cluster: &Cluster, target: &str, more: &[&str]) -> String {
    cluster.told(&[&["rollback", "rgd/application", target, "--yes"], more].concat())
}

#[test]
fn v19_a_rollback_is_a_new_revision_and_may_be_asked_for_again() {
    let cluster = with_three();
    let told = rollback(&cluster, "--to-revision=2", &[]);
    let expected = "\
Rolling back to revision 2...
Created revision 4 (content from revision 2)
0 instances will reconcile to new revision
";
    assert_eq!(told, expected);
    let refused = cluster.complaint(&["rollback", "rgd/application", "--to-revision=2", "--yes"], 1);
    assert!(refused.contains("has the content of revision 2 already"), "{refused}");
    assert!(
        rollback(&cluster, "--to-revision=3", &[]).contains("Created revision 5 (content from revision 3)\n")
    );
    assert!(
        rollback(&cluster, "--to-revision=2", &[]).contains("Created revision 6 (content from revision 2)\n")
    );
    let listed = cluster.told(&["revisions", "list", "rgd/application"]);
    let statuses: Vec<&str> = listed.lines().skip(1).filter_map(|it| it.split_whitespace().last()).collect();
    assert_eq!(statuses, ["Current", "Unused", "Unused", "Unused", "Unused", "Unused"], "{listed}");
    let history = cluster.told(&["history", "rgd/application"]);
    let newest = history.lines().find(|it| it.contains("  rgd 6  ")).unwrap();
    assert!(newest.ends_with("restores revision 2"), "{history}");
    assert!(history.contains("rolling back to revision 2\n"), "{history}");
}

#[test]
fn v20_a_hold_is_served_and_released() {
    let cluster = with_three();
    let told = rollback(&cluster, "--to-revision=1", &["--hold"]);
    let expected = "\
Holding revision 1...
Revision 1 is served whatever the definition says
Release it with: krono unpin rgd/application
";
    assert_eq!(told, expected);
    let listed = cluster.told(&["revisions", "list", "rgd/application"]);
    assert!(listed.lines().nth(3).unwrap().ends_with("Held"), "{listed}");
    let why = cluster.told(&["why", "rgd/application"]);
    assert!(
        why.starts_with("application is held: revision 1 is served whatever the definition says"),
        "{why}"
    );
    cluster.apply_as("argocd-controller", &definition(4));
    cluster.until(&definition(4), |it| it["status"]["latestRevision"] == 4);
    assert!(is_current(1)(&cluster.get(&definition(4))), "the hold outlives a Git tool");
    cluster.told(&["unpin", "rgd/application"]);
    cluster.until(&definition(4), is_current(4));
}

#[test]
fn v10_an_edit_that_waits_is_issued_on_request() {
    let cluster = with_three();
    let mut edited = definition(4);
    edited["spec"]["revisionManagement"] = json!({"updatePolicy": {"type": "Manual"}});
    cluster.apply(&edited);
    let is_pending = |it: &Value| {
        let conditions = it["status"]["conditions"].as_array().into_iter().flatten();
        conditions.into_iter().any(|it| it["type"] == "RevisionPending")
    };
    cluster.until(&edited, is_pending);
    let why = cluster.told(&["why", "rgd/application"]);
    assert!(why.ends_with("; an edit waits for `krono revisions create application`.\n"), "{why}");
    assert_eq!(cluster.told(&["revisions", "create", "application"]), "Created revision 4\n");
    let refused = cluster.complaint(&["revisions", "create", "application"], 1);
    assert!(refused.contains("there is nothing to create"), "{refused}");
}
