//! `krono pin`, `unpin` and `approve`.

use serde_json::{Value, json};

use crate::cluster::fleet::{definition, fleet, instance};

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
    assert_eq!(cluster.annotations(&instance()), Value::Null);
    assert_eq!(cluster.told(&["unpin", "application/my-app"]), "application/my-app is not pinned\n");
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
    assert_eq!(cluster.annotations(&instance()), Value::Null);
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
    let run = cluster.krono(&["approve", "application/my-app"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "Instance may move to RGD revision 3\n"), "{run}");
    assert!(run.stderr.starts_with("warning: application/my-app needs no approval"), "{run}");
    let mut manual = instance();
    manual["metadata"]["annotations"] = json!({"kro.run/update-policy": "manual"});
    cluster.apply(&manual);
    let run = cluster.krono(&["approve", "application/my-app", "3"]);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("Instance may move to RGD revision 3\n", ""));
    let back = "error: application/my-app is at revision 3, and an approval takes nobody back\n\
        hint: krono pin and krono rollback do\n";
    assert_eq!(cluster.complaint(&["approve", "application/my-app", "2"], 1), back);
    assert_eq!(cluster.annotations(&instance())["krono.dev/approve-revision"], json!("3"));
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
