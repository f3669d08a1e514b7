//! `krono pin`, `unpin` and `approve`.

use krono_history::Digest;
use serde_json::{Value, json};

use crate::cluster::fleet::{content, definition, fleet, instance, named, restored};

#[test]
fn v26_a_pin_is_krono_s_own_and_survives_who_applies_without_it() {
    let cluster = fleet();
    let told = cluster.told(&["pin", "application/my-app", "--rgd-revision=2"]);
    assert_eq!(
        told,
        "Instance pinned to RGD revision 2\nWill not receive updates from newer RGD revisions\n"
    );
    let mut again = instance();
    again["spec"]["replicas"] = json!(6);
    cluster.apply_as("argocd-controller", &again);
    assert_eq!(cluster.annotations(&instance()), json!({"kro.run/rgd-revision": "2"}));
    cluster.told(&["pin", "application", "my-app", "3"]);
    assert_eq!(cluster.annotations(&instance()), json!({"kro.run/rgd-revision": "3"}));
    assert_eq!(
        cluster.told(&["unpin", "application/my-app"]),
        "Instance unpinned, will use latest RGD revision\n"
    );
    assert_eq!(cluster.annotations(&instance()), json!({"krono.dev/unpinned": "3"}));
    assert_eq!(cluster.told(&["unpin", "application/my-app"]), "application/my-app is not pinned\n");
    cluster.told(&["pin", "application/my-app", "2"]);
    assert_eq!(cluster.annotations(&instance()), json!({"kro.run/rgd-revision": "2"}));
}

#[test]
fn v26_and_v27_unpinned_who_is_not_automatic_follows_nobody() {
    let cluster = fleet();
    for (policy, expected) in [
        ("Manual", "Instance unpinned, newer RGD revisions wait for approval\n"),
        ("Paused", "Instance unpinned, and is left alone while it is paused\n"),
        ("Automatic", "Instance unpinned, will use latest RGD revision\n"),
    ] {
        let mut wishes = instance();
        wishes["metadata"]["annotations"] = json!({"kro.run/update-policy": policy});
        cluster.apply(&wishes);
        cluster.told(&["pin", "application/my-app", "2"]);
        assert_eq!(cluster.told(&["unpin", "application/my-app"]), expected, "{policy}");
    }
}

#[test]
fn v26_a_pin_that_others_wrote_goes_as_well() {
    let cluster = fleet();
    let mut pinned = instance();
    pinned["metadata"]["annotations"] = json!({"kro.run/rgd-revision": "2"});
    cluster.apply(&pinned);
    let run = cluster.krono(&["unpin", "application/my-app"]);
    assert_eq!(run.code, Some(0), "{run}");
    let warning = "warning: kubectl keeps the annotation kro.run/rgd-revision and may put it back; change it there too\n";
    assert_eq!(run.stderr, warning);
    assert_eq!(cluster.annotations(&instance()), json!({"krono.dev/unpinned": "2"}));
}

#[test]
fn v26_what_is_no_revision_is_not_pinned() {
    let cluster = fleet();
    let check = |arguments: &[&str], code: i32, expected: &str| {
        assert_eq!(cluster.complaint(arguments, code), expected, "{arguments:?}");
    };
    check(
        &["pin", "application/my-app", "9"],
        1,
        "error: there is no revision 9 of application\nhint: there are 3, 2, 1\n",
    );
    check(
        &["pin", "application/my-app", "--rgd-revision=x"],
        2,
        "error: \"x\" is not the number of a revision; write a whole number from 1, such as \"3\"\n",
    );
    check(
        &["pin", "application/my-app"],
        2,
        "error: which revision? name it behind the instance, or with --rgd-revision\nhint: there are 3, 2, 1\n",
    );
    check(
        &["pin", "rgd/application", "2"],
        2,
        "error: rgd/application is a definition, not an instance\nhint: name one of its instances: application/NAME\n",
    );
    check(
        &["pin", "my-app"],
        2,
        "error: \"my-app\" is not TYPE/NAME or TYPE NAME\nhint: revisions are whole numbers behind the name, such as 3\n",
    );
    assert_eq!(cluster.annotations(&instance()), Value::Null);
}

#[test]
fn v27_an_approval_names_a_revision() {
    let cluster = fleet();
    let refused = cluster.complaint(&["approve", "application/my-app"], 1);
    let needless =
        "error: application/my-app needs no approval: its kro.run/update-policy is not Manual\nhint: ";
    assert!(refused.starts_with(needless), "{refused}");
    assert_eq!(cluster.annotations(&instance()), Value::Null);
    let mut manual = instance();
    manual["metadata"]["annotations"] = json!({"kro.run/update-policy": "manual"});
    cluster.apply(&manual);
    for typed in ["3", "--rgd-revision=3"] {
        let told = cluster.told(&["approve", "application/my-app", typed]);
        assert_eq!(told, "Instance may move to RGD revision 3\n", "{typed}");
    }
    let back = "error: application/my-app is at revision 3, and an approval takes nobody back\n\
        hint: krono pin and krono rollback do\n";
    assert_eq!(cluster.complaint(&["approve", "application/my-app", "2"], 1), back);
    assert_eq!(cluster.annotations(&instance())["krono.dev/approve-revision"], json!("3"));
}

#[test]
fn v14_an_approval_promises_nothing_that_a_pin_or_a_hold_forbids() {
    let cluster = fleet();
    let free = "Instance may move to RGD revision 3\n".to_owned();
    let waits = |what: &str| {
        format!(
            "RGD revision 3 is approved, and {what} goes before that; `krono unpin application/my-app` ends it\n"
        )
    };
    let check = |wishes: Value, may_pin: bool, expected: &str| {
        let mut limited = definition();
        limited["spec"]["revisionManagement"]["instances"] = json!({"pin": may_pin});
        cluster.apply(&limited);
        let mut manual = instance();
        manual["metadata"]["annotations"] = wishes.clone();
        manual["metadata"]["annotations"]["kro.run/update-policy"] = json!("Manual");
        cluster.apply(&manual);
        let told = cluster.told(&["approve", "application/my-app", "3"]);
        assert_eq!(told, expected, "{wishes}");
        let asked = &cluster.annotations(&instance())["krono.dev/approve-revision"];
        assert_eq!(*asked, json!("3"), "{wishes}");
    };
    let pinned = json!({"kro.run/rgd-revision": "2"});
    let held = json!({"kro.run/rgd-revision": "2", "krono.dev/hold-input-revision": "10"});
    check(json!({}), true, &free);
    check(pinned.clone(), true, &waits("the pin to RGD revision 2"));
    check(held, true, &waits("the hold at input revision 10"));
    check(pinned, false, &free);
}

#[test]
fn what_is_only_tried_changes_nothing_and_changes_are_told_as_kubectl_tells_them() {
    let cluster = fleet();
    let pin = ["pin", "application/my-app", "2"];
    let tried = "Instance pinned to RGD revision 2 (dry run)\nWill not receive updates from newer RGD revisions (dry run)\n";
    assert_eq!(cluster.told(&[&pin[..], &["--dry-run"]].concat()), tried);
    let mut manual = instance();
    manual["metadata"]["annotations"] = json!({"kro.run/update-policy": "Manual"});
    cluster.apply(&manual);
    let approve = ["approve", "application/my-app", "3", "--dry-run", "-o", "yaml"];
    let told = cluster.krono(&approve).stdout;
    assert!(
        told.contains("krono.dev/approve-revision: \"3\"\n") && !told.contains("managedFields"),
        "{told}"
    );
    assert_eq!(cluster.annotations(&instance()), manual["metadata"]["annotations"]);
    cluster.apply(&instance());
    assert_eq!(cluster.annotations(&instance()), Value::Null);
    let name = "application.apps.example.com/my-app\n";
    assert_eq!(cluster.told(&[&pin[..], &["-o", "name"]].concat()), name);
    let told = cluster.told(&["unpin", "application/my-app", "-o", "json", "--dry-run"]);
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told["metadata"]["annotations"]["krono.dev/unpinned"], "2");
    assert_eq!(cluster.annotations(&instance()), json!({"kro.run/rgd-revision": "2"}));
    let rollback = ["rollback", "rgd/application", "--to-revision=2", "--yes", "--wait=false", "-o", "name"];
    assert_eq!(cluster.told(&rollback), "resourcegraphdefinition.kro.run/application\n");
    let why = cluster.told(&["why", "application/my-app", "-o", "json"]);
    let why: Value = serde_json::from_str(&why).unwrap();
    assert_eq!(why["object"], "application/my-app");
    assert!(why["why"].as_str().unwrap().starts_with("application/my-app is at revision"), "{why}");
    let names = cluster.told(&["history", "application/my-app", "-o", "name"]);
    assert!(names.contains("resourcegraphinputrevision.kro.run/my-app-input-rev-12\n"), "{names}");
    assert!(names.contains("resourcegraphdefinitionrevision.kro.run/application-rev-3\n"), "{names}");
}

#[test]
fn v27_an_approval_is_measured_by_content() {
    let cluster = fleet();
    cluster.apply(&restored(&cluster, 4, 1));
    let mut manual = instance();
    manual["metadata"]["annotations"] = json!({"kro.run/update-policy": "Manual"});
    let digest = Digest::of_definition(&content(1)).to_string();
    manual["status"]["assignment"] = json!({"revision": 1, "digest": digest, "because": "Manual"});
    cluster.apply(&manual);
    let back = "error: application/my-app is at revision 4, and an approval takes nobody back\n\
        hint: krono pin and krono rollback do\n";
    assert_eq!(cluster.complaint(&["approve", "application/my-app", "2"], 1), back);
    cluster.told(&["rollback", "rgd/application", "--to-revision=3", "--hold", "--yes", "--wait=false"]);
    let run = cluster.krono(&["approve", "application/my-app", "4"]);
    let warning = "warning: revision 3 is held, and the approval of revision 4 waits; `krono unpin rgd/application` ends that\n";
    assert_eq!(
        (run.stdout.as_str(), run.stderr.as_str()),
        ("Instance may move to RGD revision 4\n", warning)
    );
}

#[test]
fn v20_what_else_holds_a_definition_is_named_with_its_cure() {
    let cluster = fleet();
    for (number, key, text) in
        [(2, "krono.dev/completed", "2025-01-14T10:00:00Z"), (3, "krono.dev/failed", "rolled back: late")]
    {
        let mut marked = named("ResourceGraphDefinitionRevision", &format!("application-rev-{number}"));
        marked["metadata"]["annotations"] = json!({key: text});
        cluster.apply_as("krono", &marked);
    }
    let automatic = "error: rgd/application holds revision 2 since revision 3 was given up\n\
        hint: `krono propagation retry rgd/application` has revision 3 tried again\n";
    assert_eq!(cluster.complaint(&["unpin", "rgd/application"], 1), automatic);
    let mut holding = definition();
    holding["spec"]["revisionManagement"]["activeRevision"] = json!(1);
    cluster.apply(&holding);
    let field = "error: rgd/application holds revision 1 by its own spec\n\
        hint: remove spec.revisionManagement.activeRevision where the definition is kept\n";
    assert_eq!(cluster.complaint(&["unpin", "rgd/application"], 1), field);
    cluster.told(&["rollback", "rgd/application", "--to-revision=2", "--hold", "--yes", "--wait=false"]);
    let released = "Revision 2 is no longer held, but revision 1 is served whatever the definition says; remove \
                    spec.revisionManagement.activeRevision to release it\n";
    assert_eq!(cluster.told(&["unpin", "rgd/application"]), released);
}

#[test]
fn v20_a_hold_is_released() {
    let cluster = fleet();
    assert_eq!(cluster.told(&["unpin", "rgd/application"]), "rgd/application is not held\n");
    let line = ["rollback", "rgd/application", "--to-revision=2", "--hold", "--yes", "--wait=false"];
    cluster.told(&line);
    let sentence = cluster.told(&["why", "rgd/application"]);
    assert!(sentence.starts_with("application is held: revision 2 is served"), "{sentence}");
    assert_eq!(
        cluster.told(&["unpin", "rgd/application"]),
        "Revision 2 is no longer held, the definition is served as it stands\n"
    );
    assert_eq!(cluster.annotations(&definition()), Value::Null);
}
