//! `krono revisions`, `krono history` and `krono why` at a server whose revisions were written by hand.

use serde_json::{Value, json};

use crate::cluster::fleet::{content, definition, fleet};
use crate::krono::command;

#[test]
fn revisions_of_a_definition_are_listed() {
    let cluster = fleet();
    let expected = "\
REVISION  CREATED              INSTANCES  STATUS
3         2025-01-15 10:30:00  47         Current
2         2025-01-14 09:00:00  3          Active
1         2025-01-10 08:00:00  0          Prunable
";
    for name in [&["rgd/application"][..], &["rgd", "application"], &["application"]] {
        assert_eq!(cluster.told(&[&["revisions", "list"], name].concat()), expected);
    }
    let names = cluster.told(&["revisions", "list", "application", "-o", "name"]);
    assert!(names.starts_with("resourcegraphdefinitionrevision.kro.run/application-rev-3\n"), "{names}");
    let listed: Value =
        serde_json::from_str(&cluster.told(&["revisions", "list", "application", "-o", "json"])).unwrap();
    assert_eq!(listed["definition"], json!("application"));
    assert_eq!(listed["revisions"][1]["status"], json!("Active"));
    let wide = cluster.told(&["revisions", "list", "application", "-o", "wide"]);
    assert!(wide.lines().nth(1).unwrap().ends_with("change 3"), "{wide}");
    let yaml = cluster.told(&["revisions", "list", "application", "-o", "yaml"]);
    assert!(yaml.starts_with("definition: application\nrevisions:\n- author: kubectl\n"), "{yaml}");
}

#[test]
fn input_revisions_of_an_instance_are_listed() {
    let cluster = fleet();
    let expected = "\
INPUT-REV  RGD-REV  CREATED              STATUS
12         3        2025-01-15 10:35:00  Completed
11         3        2025-01-15 09:00:00  Superseded
10         2        2025-01-14 10:00:00  Superseded
";
    for name in
        [&["application/my-app"][..], &["application", "my-app"], &["instance", "applications/my-app"]]
    {
        assert_eq!(cluster.told(&[&["revisions", "list"], name].concat()), expected);
    }
    let names = cluster.told(&["revisions", "list", "application/my-app", "-o", "name"]);
    assert!(names.starts_with("resourcegraphinputrevision.kro.run/my-app-input-rev-12\n"), "{names}");
}

#[test]
fn revisions_are_shown_and_compared() {
    let cluster = fleet();
    let shown = cluster.told(&["revisions", "show", "rgd/application", "2"]);
    assert!(shown.starts_with("Definition:     application\nRevision:       2 (Active)\n"), "{shown}");
    let yaml = cluster.told(&["revisions", "show", "application", "2", "-o", "yaml"]);
    assert!(
        yaml.contains("kind: ResourceGraphDefinitionRevision\n") && !yaml.contains("managedFields"),
        "{yaml}"
    );
    let shown = cluster.told(&["revisions", "show", "application/my-app", "10"]);
    assert!(shown.ends_with("\nspec:\n  image: nginx:1.21\n  name: my-app\n  replicas: 3\n"), "{shown}");
    let expected = "\
--- revision 2
+++ revision 3
@@ spec.resources.0.template.spec @@
- replicas: 3
+ replicas: 5
";
    for named in
        [&["rgd/application", "--from=2", "--to=3"][..], &["application", "2", "3"], &["application"]]
    {
        assert_eq!(cluster.told(&[&["revisions", "diff"], named].concat()), expected);
    }
    let unified = cluster.told(&["revisions", "diff", "application", "2", "3", "-o", "unified"]);
    assert!(unified.contains("\n-        replicas: 3\n+        replicas: 5\n"), "{unified}");
    let value: Value =
        serde_json::from_str(&cluster.told(&["revisions", "diff", "application", "2", "3", "-o", "json"]))
            .unwrap();
    assert_eq!(value["changes"][0]["pointer"], json!("/spec/resources/0/template/spec/replicas"));
    let inputs = cluster.told(&["revisions", "diff", "application/my-app", "10", "12"]);
    assert_eq!(inputs, "--- revision 10\n+++ revision 12\n@@ spec @@\n- replicas: 3\n+ replicas: 5\n");
    let same = cluster.told(&["revisions", "diff", "application/my-app", "10", "11"]);
    assert_eq!(same, "revision 10 and revision 11 have the same content\n");
}

#[test]
fn one_timeline_tells_who_when_and_why() {
    let cluster = fleet();
    let expected = "\
WHEN                 REVISION          WHO           WHY
2025-01-15 10:35:00  input 12 (rgd 3)  kubectl-edit  spec edited
2025-01-15 10:30:00  rgd 3             kubectl       change 3
2025-01-15 09:00:00  input 11 (rgd 3)  kubectl-edit  moved to revision 3
2025-01-14 10:00:00  input 10 (rgd 2)  kubectl-edit  spec edited
2025-01-14 09:00:00  rgd 2             kubectl       change 2
2025-01-10 08:00:00  rgd 1             kubectl       change 1
";
    assert_eq!(cluster.told(&["history", "application/my-app"]), expected);
    assert_eq!(cluster.told(&["history", "instance", "application/my-app"]), expected);
    let of_definition = cluster.told(&["history", "rgd/application"]);
    assert_eq!(of_definition.lines().count(), 4, "{of_definition}");
}

#[test]
fn why_is_one_sentence() {
    let cluster = fleet();
    assert_eq!(
        cluster.told(&["why", "rgd/application"]),
        "application serves revision 3 to 47 instances; 3 instances on older revisions.\n"
    );
    assert_eq!(
        cluster.told(&["why", "application/my-app"]),
        "application/my-app is at revision 3, the current one, which it follows.\n"
    );
}

#[test]
fn mistakes_are_told_with_what_is_there() {
    let cluster = fleet();
    let check = |line: &str, code: i32, expected: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(cluster.complaint(&words, code), expected, "{line}");
    };
    check(
        "revisions show rgd/application 7",
        1,
        "error: there is no revision 7 of application\nhint: there are 3, 2, 1\n",
    );
    check(
        "revisions diff rgd/application 2 seven",
        2,
        "error: \"seven\" is not the number of a revision; write a whole number from 1, such as \"3\"\n",
    );
    check(
        "revisions show rgd/application",
        2,
        "error: which revision? write `krono revisions show rgd/application REVISION`\nhint: there are 3, 2, 1\n",
    );
    check(
        "revisions list aplication/my-app",
        2,
        "error: the cluster serves no \"aplication\"\nhint: did you mean \"application\"?\n",
    );
    check(
        "revisions list rgd/aplication",
        1,
        "error: resourcegraphdefinitions.kro.run \"aplication\" not found\nhint: did you mean \"application\"?\n",
    );
    check(
        "revisions show application/my-app 9",
        1,
        "error: there is no input revision 9 of application/my-app\nhint: there are 12, 11, 10\n",
    );
    check(
        "revisions create rgd/application",
        1,
        "error: application says what revision 3 says; there is nothing to create\n",
    );
    let words = ["revisions", "list", "namespace/default"];
    let complaint = cluster.complaint(&words, 2);
    assert!(complaint.starts_with("error: no definition defines \"namespace\"\nhint: "), "{complaint}");
}

#[test]
fn v10_what_is_pending_is_asked_for_by_its_digest() {
    let cluster = fleet();
    let mut edited = definition();
    edited["spec"] = content(7);
    cluster.apply(&edited);
    let run = cluster.krono(&["revisions", "create", "application", "--timeout", "0"]);
    assert_eq!(run.code, Some(1), "{run}");
    assert!(run.stderr.starts_with("error: nobody has answered within 0 s; the request stands: "), "{run}");
    let asked = &cluster.annotations(&edited)["krono.dev/create-revision"];
    assert_eq!(asked.as_str().unwrap().len(), 40, "{asked}");
}

#[test]
fn watching_prints_rows_that_change() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let cluster = fleet();
    let mut watching = command(&["revisions", "list", "application", "--watch"]);
    watching.env("KUBECONFIG", cluster.kubeconfig()).stdout(Stdio::piped());
    let mut child = watching.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.by_ref().take(4).last().unwrap(), "1         2025-01-10 08:00:00  0          Prunable");
    let mut held = definition();
    held["metadata"]["annotations"] = json!({"krono.dev/active-revision": "2"});
    cluster.apply(&held);
    let next: Vec<String> = lines.take(2).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(next[0], "3         2025-01-15 10:30:00  47         Active");
    assert_eq!(next[1], "2         2025-01-14 09:00:00  3          Held");
}
