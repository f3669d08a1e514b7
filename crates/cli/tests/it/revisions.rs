//! `krono revisions`, `krono history` and `krono why` at a server whose revisions were written by hand.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cluster::fleet::{content, definition, fleet};
use crate::cluster::{Cluster, Controllers, boxes};
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
    let yaml = cluster.told(&["revisions", "diff", "application", "2", "3", "-o", "yaml"]);
    assert!(yaml.contains("pointer: /spec/resources/0/template/spec/replicas\n"), "{yaml}");
    let inputs = cluster.told(&["revisions", "diff", "application/my-app", "10", "12"]);
    let expected = "\
Definition revision 2 -> 3
--- input revision 10
+++ input revision 12
@@ spec @@
- replicas: 3
+ replicas: 5
";
    assert_eq!(inputs, expected);
    let inputs = ["revisions", "diff", "application/my-app", "10", "12", "-o"];
    let unified = cluster.told(&[&inputs[..], &["unified"]].concat());
    let heading = "Definition revision 2 -> 3\n--- input revision 10\n+++ input revision 12\n@@ ";
    assert!(unified.starts_with(heading), "{unified}");
    let value: Value = serde_json::from_str(&cluster.told(&[&inputs[..], &["json"]].concat())).unwrap();
    assert_eq!(value["rgdRevision"], json!({"from": 2, "to": 3}));
    let yaml = cluster.told(&[&inputs[..], &["yaml"]].concat());
    assert!(yaml.contains("rgdRevision:\n  from: 2\n  to: 3\n"), "{yaml}");
    let same = cluster.told(&["revisions", "diff", "application/my-app", "10", "11"]);
    assert_eq!(
        same,
        "Definition revision 2 -> 3\ninput revision 10 and input revision 11 have the same content\n"
    );
}

#[test]
fn one_timeline_tells_who_when_and_why() {
    let cluster = fleet();
    let expected = "\
WHEN                 WHAT              WHO           WHY
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

/// Labels hold 63 characters, names 253.
#[test]
fn v2_definitions_may_have_long_names() {
    let cluster = Cluster::start(Controllers::Run);
    let name = "d".repeat(100);
    let define = |text: &str| boxes::definition(&name, text, 9, &json!({}));
    let instance = boxes::instance("a", 1, &json!({}));
    cluster.apply(&define("one"));
    cluster.until(&define(""), |it| it["status"]["currentRevision"] == 1);
    cluster.apply(&instance);
    cluster.until(&instance, |it| it["status"]["observedRGDRevision"] == 1);
    cluster.apply(&define("two"));
    cluster.until(&instance, |it| it["status"]["observedRGDRevision"] == 2);
    let listed = cluster.told(&["revisions", "list", &format!("rgd/{name}"), "-o", "name"]);
    let expected = [2, 1].map(|it| format!("resourcegraphdefinitionrevision.kro.run/{name}-rev-{it}\n"));
    assert_eq!(listed, expected.concat());
    let history = cluster.told(&["history", "parcel/a"]);
    for row in ["  input 2 (rgd 2)  ", "  input 1 (rgd 1)  ", "  rgd 2  ", "  rgd 1  "] {
        assert!(history.contains(row), "{history}");
    }
    let told = cluster.told(&["rollback", &format!("rgd/{name}"), "--to-revision=1", "--yes"]);
    assert!(told.contains("Created revision 3 (content from revision 1)\n"), "{told}");
    cluster.told(&["pin", "parcel/a", "2"]);
    cluster.until(&instance, |it| it["status"]["assignment"]["because"] == "Pinned");
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

/// What happened beside revisions is told by events, and who did it by the server.
#[test]
fn v11_a_timeline_tells_of_users_and_of_what_was_told() {
    let cluster = Cluster::start(Controllers::Run);
    let define = |text: &str| boxes::definition("box", text, 9, &json!({}));
    let [instance, follower] = ["a", "b"].map(|it| boxes::instance(it, 1, &json!({})));
    cluster.apply(&define("one"));
    cluster.until(&define(""), |it| it["status"]["currentRevision"] == 1);
    cluster.apply(&instance);
    cluster.until(&instance, |it| it["status"]["observedRGDRevision"] == 1);
    cluster.apply(&follower);
    cluster.until(&follower, |it| it["status"]["observedRGDRevision"] == 1);
    cluster.told(&["pin", "parcel/a", "1"]);
    cluster.until(&instance, |it| it["status"]["assignment"]["because"] == "Pinned");
    cluster.apply(&define("two"));
    // Who assigns it to the new revision has told of the pin before.
    cluster.until(&follower, |it| it["status"]["observedRGDRevision"] == 2);
    cluster.told(&["rollback", "rgd/box", "--to-revision=1", "--hold", "--yes"]);
    let rollback = cluster.krono(&["rollback", "rgd/box", "--to-revision=1", "--yes"]);
    assert_eq!(rollback.code, Some(0), "{rollback}");
    let user = "kubernetes-admin";
    let words = |line: &str| line.split_whitespace().skip(2).map(str::to_owned).collect::<Vec<_>>().join(" ");
    let expected = [
        format!("rgd 3 {user} restores revision 1"),
        format!("rgd 2 {user} edited"),
        format!("input 1 (rgd 1) {user} created"),
        format!("rgd 1 {user} first revision"),
    ];
    let told = cluster.told(&["history", "parcel/a"]);
    // All this may happen within one second.
    for row in expected {
        assert!(told.lines().any(|it| words(it) == row), "{row}\n{told}");
    }
    for event in [
        "Pinned kubernetes-admin pinned at revision 1",
        "rgd Held kubernetes-admin revision 1 is served",
        "rgd RollingBack kubernetes-admin rolling back to revision 1",
    ] {
        assert!(told.lines().any(|it| words(it).starts_with(event)), "{event}\n{told}");
    }
    // What led to what, newest first, within a second or not.
    let place = |row: &str| told.lines().position(|it| words(it).starts_with(row)).unwrap();
    let rows = ["rgd 3 ", "rgd RollingBack ", "rgd 2 ", "input 1 (rgd 1)", "rgd 1 "].map(place);
    assert!(rows.is_sorted(), "{rows:?}\n{told}");
    let of_definition = cluster.told(&["history", "rgd/box", "-o", "json"]);
    let of_definition: Value = serde_json::from_str(&of_definition).unwrap();
    let all = of_definition.as_array().unwrap();
    assert!(all.iter().any(|it| it["event"] == "RollingBack" && it["about"] == "definition"), "{all:#?}");
    assert!(all.iter().all(|it| it["inputRevision"].is_null()), "{all:#?}");
}

#[test]
fn v13_what_an_orphaning_definition_leaves_can_be_looked_at() {
    let cluster = Cluster::start(Controllers::Run);
    let mut orphaning = boxes::definition("box", "one", 9, &json!({}));
    orphaning["metadata"]["annotations"] = json!({"krono.dev/deletion-policy": "Orphan"});
    let instance = boxes::instance("a", 1, &json!({}));
    cluster.apply(&orphaning);
    cluster.until(&orphaning, |it| it["status"]["currentRevision"] == 1);
    cluster.apply(&instance);
    cluster.until(&instance, |it| it["status"]["observedRGDRevision"] == 1);
    cluster.delete(&orphaning);
    let left = "parcel/a was left at revision 1, and is looked after by nobody: its definition box is gone; \
                its revisions are kept.\n";
    let started = Instant::now();
    while cluster.krono(&["why", "parcel/a"]).stdout != left {
        assert!(started.elapsed() < Duration::from_mins(1), "{}", cluster.krono(&["why", "parcel/a"]));
    }
    assert_eq!(cluster.told(&["why", "rgd/box"]), "box is gone; its revision 1 is kept.\n");
    let note = "note: the definition box is gone, and its revisions are kept\n";
    for (line, expected) in [
        (["revisions", "list", "rgd/box"], "REVISION  CREATED"),
        (["revisions", "list", "parcel/a"], "INPUT-REV  RGD-REV"),
    ] {
        let run = cluster.krono(&line);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), note), "{run}");
        assert!(run.stdout.starts_with(expected) && run.stdout.lines().count() == 2, "{run}");
    }
    let run = cluster.krono(&["history", "parcel/a"]);
    assert!(run.code == Some(0) && run.stdout.contains("input 1 (rgd 1)"), "{run}");
    assert!(cluster.told(&["revisions", "show", "rgd/box", "1"]).contains("box"));
    let refused = "error: the definition box is gone, and its revisions are kept\n\
        hint: they can be looked at; a definition of the same name and kind goes on with them\n";
    assert_eq!(cluster.complaint(&["pin", "parcel/a", "1"], 1), refused);
    assert_eq!(cluster.complaint(&["rollback", "rgd/box", "--to-revision=1", "--yes"], 1), refused);
    let nobody = cluster.complaint(&["revisions", "list", "rgd/bax"], 1);
    assert!(nobody.starts_with("error: resourcegraphdefinitions.kro.run \"bax\" not found\n"), "{nobody}");
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
fn v10_what_is_pending_can_be_seen_before_it_is_issued() {
    let cluster = fleet();
    let line = ["revisions", "diff", "rgd/application", "pending"];
    let nothing = "error: application says what revision 3 says; nothing is pending\n";
    assert_eq!(cluster.complaint(&line, 1), nothing);
    let mut edited = definition();
    edited["spec"] = content(7);
    edited["spec"]["revisionManagement"] = json!({"updatePolicy": {"type": "Manual"}});
    cluster.apply(&edited);
    let listed = cluster.told(&["revisions", "list", "rgd/application"]);
    assert_eq!(listed.lines().last(), Some("pending                        -          Pending"), "{listed}");
    let listed = cluster.told(&["revisions", "list", "rgd/application", "-o", "json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed["pending"]["status"], "Pending");
    assert_eq!(listed["revisions"].as_array().unwrap().len(), 3);
    let told = cluster.told(&line);
    assert!(told.starts_with("--- revision 3\n+++ pending\n"), "{told}");
    assert_eq!(cluster.told(&["revisions", "diff", "rgd", "application", "--to=pending"]), told);
    let since = cluster.told(&["revisions", "diff", "rgd/application", "2", "pending", "-o", "unified"]);
    assert!(since.starts_with("--- revision 2\n+++ pending\n"), "{since}");
    let json = cluster.told(&[&line[..], &["-o", "json"]].concat());
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["from"], &json["to"]), (&json!(3), &json!("pending")));
    edited["status"]["conditions"] =
        json!([{"type": "Ready", "status": "False", "message": "no kind Widget"}]);
    cluster.apply(&edited);
    let listed = cluster.told(&["revisions", "list", "rgd/application"]);
    assert_eq!(listed.lines().last(), Some("pending                        -          Refused"), "{listed}");
    let wrong = cluster.complaint(&["revisions", "diff", "application/my-app", "pending"], 2);
    assert!(wrong.starts_with("error: application/my-app is an instance, not a definition\n"), "{wrong}");
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
