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
    let tried = cluster.told(&["revisions", "create", "application", "--dry-run"]);
    assert_eq!(tried, "Revision of application asked for (dry run)\n");
    let tried = cluster.told(&["revisions", "create", "application", "--dry-run", "-o", "name"]);
    assert_eq!(tried, "resourcegraphdefinition.kro.run/application\n");
    assert!(cluster.annotations(&edited).get("krono.dev/create-revision").is_none(), "nothing was written");
    let created = cluster.told(&["revisions", "create", "application", "-o", "json"]);
    let created: Value = serde_json::from_str(&created).unwrap();
    assert_eq!(
        (&created["kind"], &created["spec"]["revision"]),
        (&json!("ResourceGraphDefinitionRevision"), &json!(4))
    );
    let refused = cluster.complaint(&["revisions", "create", "application"], 1);
    assert!(refused.contains("there is nothing to create"), "{refused}");
}

#[test]
fn v19_a_rollback_to_the_newest_revision_takes_back_an_edit_that_never_became_one() {
    let cluster = with_three();
    let mut broken = definition(4);
    broken["spec"]["resources"][0]["template"]["data"]["size"] = json!("${schema.spec.nosuch}");
    cluster.apply(&broken);
    cluster.until(&broken, |it| it["status"]["observedGeneration"] == it["metadata"]["generation"]);
    let preview = cluster.told(&["rollback", "rgd/application", "--to-revision=3", "--dry-run"]);
    assert!(preview.starts_with("--- the definition\n+++ revision 3\n"), "{preview}");
    let expected = "\
Rolling back to revision 3...
The definition says again what revision 3 says; no other is needed
";
    assert_eq!(rollback(&cluster, "--to-revision=3", &[]), expected);
    let size = "/spec/resources/0/template/data/size";
    assert_eq!(cluster.get(&broken).pointer(size), Some(&json!("3")));
}

#[test]
fn v19_going_back_to_what_is_held_ends_the_hold_whatever_was_refused_before() {
    let cluster = with_three();
    let mut asking = definition(3);
    asking["metadata"]["annotations"] = json!({"kro.run/rollback-to-revision": "abc"});
    cluster.apply(&asking);
    let refused = |it: &Value| !it["metadata"]["annotations"]["krono.dev/rollback-refused"].is_null();
    cluster.until(&asking, refused);
    rollback(&cluster, "--to-revision=3", &["--hold"]);
    let told = rollback(&cluster, "--to-revision=3", &[]);
    assert!(told.contains("The definition says again what revision 3 says"), "{told}");
    assert_eq!(cluster.get(&asking)["metadata"]["annotations"].get("krono.dev/active-revision"), None);
}

#[test]
fn v19_force_acts_though_a_tool_has_the_same_request_in_its_manifest_and_is_nobody_elses() {
    let cluster = with_three();
    let asking = |target: &str| {
        let mut asking = definition(3);
        asking["metadata"]["annotations"] = json!({"kro.run/rollback-to-revision": target});
        asking
    };
    let is_answered =
        |it: &Value| it["metadata"]["annotations"].get("kro.run/rollback-to-revision").is_none();
    let is_refused = |it: &Value| {
        let noted = it["metadata"]["annotations"]["krono.dev/rollback-refused"].as_str().unwrap_or_default();
        noted.contains("keeps the spec")
    };
    cluster.apply_as("argocd-controller", &asking("1"));
    cluster.until(&asking("1"), is_refused);
    cluster.apply_as("argocd-controller", &asking("1"));
    let told = rollback(&cluster, "--to-revision=1", &["--force"]);
    assert!(told.contains("Created revision 4 (content from revision 1)"), "{told}");

    // What somebody else has said beside an earlier request is not the tool's word.
    let mut left = definition(1);
    left["metadata"]["annotations"] = json!({"krono.dev/rollback-force": "true"});
    cluster.apply_as("kubectl-annotate", &left);
    cluster.apply_as("argocd-controller", &asking("2"));
    cluster.until(&asking("2"), |it| is_answered(it) && is_refused(it));
}

#[test]
fn v28_who_may_not_be_pinned_is_told_so_at_once() {
    let cluster = with_three();
    let instance = json!({
        "apiVersion": "apps.example.com/v1alpha1", "kind": "Application",
        "metadata": {"name": "shop", "namespace": "default"}, "spec": {"name": "shop"},
    });
    cluster.apply(&instance);
    cluster.until(&instance, |it| it["status"]["observedInputRevision"] == 1);
    let mut limited = definition(3);
    limited["spec"]["revisionManagement"] = json!({"instances": {"minimumRevision": 3}});
    cluster.apply(&limited);
    let pin = ["pin", "application/shop", "2"];
    let complaint = cluster.complaint(&pin, 1);
    assert!(complaint.contains("may not run revision 2, but 3 or newer"), "{complaint}");
    limited["spec"]["revisionManagement"] = json!({"instances": {"pinExpires": "1ns"}});
    cluster.apply(&limited);
    let complaint = cluster.complaint(&pin, 1);
    assert!(complaint.starts_with("error: a pin to revision 2 ended at "), "{complaint}");
    limited["spec"]["revisionManagement"] = json!({"instances": {"pin": false}});
    cluster.apply(&limited);
    let hold = ["rollback", "application/shop", "--to-input-revision=1", "--hold", "--yes"];
    for line in [&pin[..], &hold[..]] {
        let complaint = cluster.complaint(line, 1);
        assert!(complaint.contains("may not be pinned or held"), "{complaint}");
        assert!(complaint.contains("spec.revisionManagement.instances"), "{complaint}");
    }
    assert_eq!(cluster.get(&instance)["metadata"]["annotations"].get("kro.run/rgd-revision"), None);
}

#[test]
fn v28_limits_that_limit_nobody_are_told_on_the_definition() {
    let cluster = with_three();
    let mut wrong = definition(3);
    wrong["spec"]["revisionManagement"] = json!({"hisstoryLimit": 3, "instances": {"pinn": false}});
    cluster.apply(&wrong);
    let told = |it: &Value| {
        let conditions = it["status"]["conditions"].as_array().into_iter().flatten();
        let found = conditions.into_iter().find(|it| it["type"] == "RevisionManagementInvalid");
        found.map(|it| it["message"].as_str().unwrap_or_default().to_owned())
    };
    cluster.until(&wrong, |it| told(it).is_some());
    let words = told(&cluster.get(&wrong)).unwrap();
    assert!(
        words.contains("spec.revisionManagement.hisstoryLimit: there is no such field; did you mean"),
        "{words}"
    );
    assert!(words.contains("spec.revisionManagement.instances.pinn: there is no such field"), "{words}");
    cluster.apply(&definition(3));
    cluster.until(&wrong, |it| told(it).is_none());
}
