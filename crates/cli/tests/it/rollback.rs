//! `krono rollback` at a server where nobody answers.

use krono_history::Digest;
use krono_history::input::PackedSpec;
use serde_json::{Value, json};

use crate::cluster::Cluster;
use crate::cluster::fleet::{content, definition, fleet, instance, named, restored};

#[test]
fn v19_what_changes_is_shown_before_anything_is_asked_for() {
    let cluster = fleet();
    let expected = "\
In every instance:
! service (Service) is deleted

--- revision 3
+++ revision 1
@@ spec.resources.0.template.spec @@
- replicas: 5
+ replicas: 1
@@ spec.resources @@
- - id: service
-   template:
-     apiVersion: v1
-     kind: Service
-     metadata:
-       name: ${schema.spec.name}
";
    assert_eq!(cluster.told(&["rollback", "rgd/application", "--to-revision=1", "--dry-run"]), expected);
    let asked = cluster.krono(&["rollback", "rgd/application", "--to-revision=1"]);
    assert_eq!((asked.code, asked.stdout.as_str()), (Some(2), ""), "{asked}");
    let words = "error: a rollback asks first, and nobody is there to answer\n\
        hint: --yes goes on without asking; --dry-run shows what would change\n";
    assert_eq!(asked.stderr, format!("{expected}{words}"));
    assert_eq!(cluster.annotations(&definition()), Value::Null);
}

#[test]
fn v19_and_v22_what_would_change_is_data_where_that_is_wanted() {
    let cluster = fleet();
    let data = |line: &[&str]| -> Value {
        let line = [&["rollback"], line, &["--dry-run", "-o", "json"]].concat();
        serde_json::from_str(&cluster.told(&line)).unwrap()
    };
    let of_definition = data(&["rgd/application", "--to-revision=1"]);
    let shown = ["from", "to", "losses"].map(|it| of_definition[it].clone());
    assert_eq!(shown, [json!(3), json!(1), json!(["service (Service) is deleted"])]);
    let pointers = of_definition["changes"].as_array().unwrap().iter().map(|it| it["pointer"].clone());
    assert_eq!(
        pointers.collect::<Vec<_>>(),
        ["/spec/resources/0/template/spec/replicas", "/spec/resources/1"]
    );
    let of_instance = data(&["application/my-app", "--to-input-revision=10"]);
    let shown = ["from", "to", "rgdRevision"].map(|it| of_instance[it].clone());
    assert_eq!(shown, [json!(12), json!(10), json!({"from": 3, "to": 2})]);
    assert_eq!(of_instance["changes"][0]["pointer"], "/spec/replicas");
    let line = ["rollback", "rgd/application", "--to-revision=1", "--dry-run", "-o"];
    assert_eq!(
        cluster.told(&[&line[..], &["name"]].concat()),
        "resourcegraphdefinition.kro.run/application\n"
    );
    let yaml = cluster.told(&[&line[..], &["yaml"]].concat());
    assert!(yaml.contains("\nfrom: 3\n") && yaml.contains("\nto: 1\n"), "{yaml}");
    assert_eq!(cluster.annotations(&definition()), Value::Null);
}

#[test]
fn v19_the_request_stands_on_the_definition() {
    let cluster = fleet();
    let line = ["rollback", "rgd", "application", "--to-revision=2", "--mode", "controlled", "--yes"];
    let told = cluster.told(&[&line[..], &["--wait=false"]].concat());
    assert_eq!(told, "Rolling back to revision 2...\n");
    let expected = json!({"kro.run/rollback-to-revision": "2", "krono.dev/rollback-mode": "Controlled"});
    assert_eq!(cluster.annotations(&definition()), expected);
    assert_eq!(manager(&cluster, &definition()), Some(json!("Apply")));
    let waited = cluster.krono(&[&line[..], &["--timeout", "0"]].concat());
    assert_eq!(
        (waited.code, waited.stdout.as_str()),
        (Some(1), "Rolling back to revision 2...\n"),
        "{waited}"
    );
    assert!(waited.stderr.contains("nobody has answered within 0 s"), "{waited}");
}

/// How krono wrote its annotations.
fn manager(cluster: &Cluster, object: &Value) -> Option<Value> {
    let object = cluster.get(object);
    let entries = object["metadata"]["managedFields"].as_array().unwrap();
    entries.iter().find(|it| it["manager"] == "krono").map(|it| it["operation"].clone())
}

#[test]
fn v19_what_cannot_be_restored_is_refused_and_nothing_is_changed() {
    let cluster = fleet();
    let check = |target: &str, code: i32, expected: &str| {
        let complaint = cluster.complaint(&["rollback", "rgd/application", target, "--yes"], code);
        assert_eq!(complaint, expected, "{target}");
    };
    check(
        "--to-revision=7",
        1,
        "error: there is no revision 7 of application; the newest is 3\nhint: there are 3, 2, 1\n",
    );
    check(
        "--to-revision=3",
        1,
        "error: application has the content of revision 3 already; there is nothing to roll back\n",
    );
    check(
        "--to-revision=two",
        2,
        "error: \"two\" is not the number of a revision; write a whole number from 1, such as \"3\"\n",
    );
    check("--hold", 2, "error: to which revision? write --to-revision=N\nhint: there are 3, 2, 1\n");
    check(
        "--to-input-revision=3",
        2,
        "error: rgd/application is a definition; --to-input-revision and --spec-only are for instances\n\
         hint: definitions go back with --to-revision\n",
    );
    assert_eq!(cluster.annotations(&definition()), Value::Null);
}

#[test]
fn v19_where_a_git_tool_keeps_the_spec_a_hold_is_offered() {
    let cluster = fleet();
    cluster.apply_as("argocd-controller", &definition());
    let complaint = cluster.complaint(&["rollback", "rgd/application", "--to-revision=2", "--yes"], 1);
    let expected = "\
error: argocd-controller keeps the spec of application and would undo the rollback
hint: hold the revision instead: krono rollback rgd/application --to-revision=2 --hold
hint: --force writes the spec all the same
";
    assert_eq!(complaint, expected);
    let line = ["rollback", "rgd/application", "--to-revision=2", "--yes", "--wait=false"];
    let held = cluster.told(&[&line[..], &["--hold"]].concat());
    assert_eq!(held, "Holding revision 2...\nRelease it with: krono unpin rgd/application\n");
    assert_eq!(cluster.annotations(&definition()), json!({"krono.dev/active-revision": "2"}));
    cluster.told(&[&line[..], &["--force"]].concat());
    let forced = json!({
        "kro.run/rollback-to-revision": "2", "krono.dev/active-revision": "2", "krono.dev/rollback-force": "true",
    });
    assert_eq!(cluster.annotations(&definition()), forced, "a hold outlives other requests");
}

#[test]
fn v22_an_instance_goes_back_to_an_input() {
    let cluster = fleet();
    let line = ["rollback", "instance", "application/my-app", "--to-input-revision=10"];
    let preview = "\
Definition revision 3 -> 2
--- input revision 12
+++ input revision 10
@@ spec @@
- replicas: 5
+ replicas: 3
";
    assert_eq!(cluster.told(&[&line[..], &["--dry-run"]].concat()), preview);
    let told = cluster.told(&[&line[..], &["--yes", "--wait=false"]].concat());
    assert_eq!(told, "Rolling back to input revision 10...\nInstance will reconcile to RGD revision 2\n");
    assert_eq!(cluster.annotations(&instance()), json!({"kro.run/rollback-to-input-revision": "10"}));
    let told = cluster.told(&[&line[..], &["--yes", "--wait=false", "--spec-only"]].concat());
    assert_eq!(told, "Rolling back to input revision 10...\nInstance will reconcile to RGD revision 3\n");
    assert_eq!(cluster.annotations(&instance())["krono.dev/rollback-spec-only"], json!("true"));
    let told = cluster.told(&[
        "rollback",
        "application",
        "my-app",
        "--to-input-revision=10",
        "--hold",
        "--yes",
        "--wait=false",
    ]);
    assert!(told.starts_with("Holding input revision 10...\n"), "{told}");
    assert_eq!(cluster.annotations(&instance())["krono.dev/hold-input-revision"], json!("10"));
    // What it is held at may be asked for, and ends that.
    let line = ["rollback", "application/my-app", "--to-input-revision=12", "--yes", "--wait=false"];
    let expected = "\
Rolling back to input revision 12...
Instance will reconcile to RGD revision 3
Input revision 10 is no longer held
";
    assert_eq!(cluster.told(&line), expected);
}

#[test]
fn v22_what_is_lost_of_an_input_is_named_and_its_spec_alone_can_be_had() {
    let cluster = fleet();
    cluster.delete(&named("ResourceGraphDefinitionRevision", "application-rev-2"));
    let line = ["rollback", "application/my-app", "--to-input-revision=10", "--yes", "--wait=false"];
    let lost = "error: input revision 10 of application/my-app cannot be restored: revision 2 of its definition is not kept\n\
                hint: --spec-only restores the spec alone\n";
    assert_eq!(cluster.complaint(&line, 1), lost);
    let told = cluster.told(&[&line[..], &["--spec-only"]].concat());
    assert_eq!(told, "Rolling back to input revision 10...\nInstance will reconcile to RGD revision 3\n");
    let mut input = named("ResourceGraphInputRevision", "my-app-input-rev-10");
    input["metadata"]["namespace"] = json!("default");
    cluster.delete(&input);
    let mut forgotten = instance();
    forgotten["status"]["inputRevisionHistory"] =
        json!([{"revision": 10, "rgdRevision": 2, "restorable": false}]);
    cluster.apply(&forgotten);
    let lost = "error: input revision 10 of application/my-app cannot be restored: its spec is not kept\n\
                hint: there are 12, 11, 10\n";
    assert_eq!(cluster.complaint(&[&line[..], &["--spec-only"]].concat(), 1), lost);
}

#[test]
fn v24_an_input_goes_back_to_content_and_not_to_a_number() {
    let cluster = fleet();
    cluster.apply(&restored(&cluster, 4, 1));
    cluster.delete(&named("ResourceGraphDefinitionRevision", "application-rev-1"));
    let mut kept = instance();
    kept["status"]["inputRevisionHistory"] = json!([{
        "revision": 9, "rgdRevision": 1, "rgdRevisionHash": Digest::of_definition(&content(1)).to_string(),
        "spec": PackedSpec::pack(&instance()["spec"]).as_str(),
    }]);
    cluster.apply(&kept);
    let line = ["rollback", "application/my-app", "--to-input-revision=9", "--dry-run"];
    let preview = cluster.told(&line);
    assert!(preview.starts_with("Definition revision 3 -> 4\nIn this instance:\n! "), "{preview}");
}

#[test]
fn v22_an_edit_that_became_no_input_can_be_undone() {
    let cluster = fleet();
    let mut paused = instance();
    paused["metadata"]["annotations"] = json!({"kro.run/update-policy": "Paused"});
    paused["spec"]["replicas"] = json!(7);
    cluster.apply(&paused);
    let line = ["rollback", "application/my-app", "--to-input-revision=12"];
    let preview = "\
--- the instance
+++ input revision 12
@@ spec @@
- replicas: 7
+ replicas: 5
";
    assert_eq!(cluster.told(&[&line[..], &["--dry-run"]].concat()), preview);
    cluster.told(&[&line[..], &["--yes", "--wait=false"]].concat());
    assert_eq!(cluster.annotations(&instance())["kro.run/rollback-to-input-revision"], "12");
    // What the revision does not know is no edit.
    paused["spec"]["replicas"] = json!(5);
    paused["spec"]["unknown"] = json!(true);
    cluster.apply(&paused);
    let same = "error: application/my-app is at input revision 12; there is nothing to roll back\n";
    assert_eq!(cluster.complaint(&[&line[..], &["--yes"]].concat(), 1), same);
}

#[test]
fn v22_what_an_instance_cannot_go_back_to_is_refused() {
    let cluster = fleet();
    let check = |flag: &str, code: i32, expected: &str| {
        let complaint = cluster.complaint(&["rollback", "application/my-app", flag, "--yes"], code);
        assert_eq!(complaint, expected, "{flag}");
    };
    check(
        "--to-input-revision=3",
        1,
        "error: there is no input revision 3 of application/my-app\nhint: there are 12, 11, 10\n",
    );
    check(
        "--to-input-revision=12",
        1,
        "error: application/my-app is at input revision 12; there is nothing to roll back\n",
    );
    check(
        "--to-revision=2",
        2,
        "error: application/my-app is an instance; --to-revision is for definitions\n\
         hint: --to-input-revision=N restores what it asked for; `krono pin` chooses its definition's revision\n",
    );
    let line = ["rollback", "application/my-app", "--to-input-revision=10", "--mode=Instant"];
    let expected = "error: application/my-app is an instance; --mode is for definitions\n\
                    hint: an instance goes back at once\n";
    assert_eq!(cluster.complaint(&line, 2), expected);
    cluster.apply_as("flux", &instance());
    check(
        "--to-input-revision=10",
        1,
        "error: flux keeps the spec of application/my-app and would undo the rollback\n\
         hint: hold the input instead: krono rollback application/my-app --to-input-revision=10 --hold\n\
         hint: --force writes the spec all the same\n",
    );
    assert_eq!(cluster.annotations(&instance()), Value::Null);
}
