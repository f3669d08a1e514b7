//! `krono propagation …` at a server whose controllers answer.

use serde_json::{Value, json};

use crate::cluster::{Cluster, Controllers};

/// Revisions are told apart by a text; that of `bad` never becomes ready.
fn definition(text: &str, policy: &Value) -> Value {
    let template = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "${schema.metadata.name}"}, "data": {"text": text},
    });
    let schema = json!({"apiVersion": "v1alpha1", "kind": "App", "spec": {}});
    let ready = json!(["${map.data.text != \"bad\"}"]);
    let mut spec =
        json!({"schema": schema, "resources": [{"id": "map", "readyWhen": ready, "template": template}]});
    spec.as_object_mut().unwrap().extend(policy.as_object().unwrap().clone());
    json!({
        "apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphDefinition",
        "metadata": {"name": "app"}, "spec": spec,
    })
}

fn instance(name: &str) -> Value {
    json!({
        "apiVersion": "kro.run/v1alpha1", "kind": "App",
        "metadata": {"name": name, "namespace": "default"}, "spec": {},
    })
}

/// Three instances, ready at revision 1.
fn fleet(policy: &Value) -> Cluster {
    let cluster = Cluster::start(Controllers::Run);
    cluster.apply(&definition("one", policy));
    until(&cluster, |status| status["currentRevision"] == 1);
    for name in ["a", "b", "c"] {
        cluster.apply(&instance(name));
        cluster.until(&instance(name), |it| it["status"]["observedRGDRevision"] == 1);
    }
    cluster
}

/// Waits until the status of the definition is as it should be.
fn until(cluster: &Cluster, is_so: impl Fn(&Value) -> bool) {
    cluster.until(&definition("", &json!({})), |it| is_so(&it["status"]));
}

/// Waits until a revision is in that phase.
fn until_phase(cluster: &Cluster, revision: i64, phase: &str) {
    until(cluster, |it| it["propagation"]["phase"] == phase && it["propagation"]["revision"] == revision);
}

fn request(cluster: &Cluster) -> Value {
    cluster.annotations(&definition("", &json!({})))
}

#[test]
fn v42_the_status_tells_how_far_a_revision_has_come_and_why_others_wait() {
    let policy = json!({"propagateWhen": ["${each.index < 1}"]});
    let cluster = fleet(&policy);
    cluster.apply(&definition("two", &policy));
    until(&cluster, |it| it["propagation"]["instances"]["settled"] == 1);
    let expected = "\
Revision 2: Propagating, wave 1
[#############...........................] 1 of 3 instances
  0 on their way, 2 waiting, 0 failed, 0 excused
  2 wait: propagateWhen[0] is not true: each.index < 1 (default/b, default/c)
";
    for words in [&["app"][..], &["rgd/app"], &["rgd", "app"]] {
        assert_eq!(cluster.told(&[&["propagation", "status"], words].concat()), expected);
    }
    let told = cluster.told(&["propagation", "status", "app", "-o", "json"]);
    let told: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(told, cluster.get(&definition("", &json!({})))["status"]["propagation"]);
    let why = "app/c is at revision 1 and not yet at the current one, 2: propagateWhen[0] is not true: each.index < 1.\n";
    assert_eq!(cluster.told(&["why", "app/c"]), why);
    cluster.apply(&definition("two", &json!({"propagation": {}})));
    let watched = cluster.told(&["propagation", "status", "app", "--watch"]);
    assert!(watched.contains("Revision 2: Completed"), "{watched}");
    assert!(watched.contains("[########################################] 3 of 3 instances"), "{watched}");
    cluster.apply(&definition("two", &json!({})));
    until(&cluster, |it| it["propagation"].is_null());
    let plain = "rgd/app has no propagation policy: a new revision reaches all instances at once\n";
    assert_eq!(cluster.told(&["propagation", "status", "app"]), plain);
    assert_eq!(cluster.told(&["propagation", "status", "app", "--watch"]), plain);
}

#[test]
fn v42_a_pause_keeps_everybody_and_its_end_lets_them_go() {
    let policy = json!({"propagation": {}});
    let cluster = fleet(&policy);
    let paused = "Propagation paused, no further instance moves\nGo on with: krono propagation resume app\n";
    assert_eq!(cluster.told(&["propagation", "pause", "app"]), paused);
    assert_eq!(request(&cluster), json!({"krono.dev/propagation": "paused"}));
    // Whoever applies the definition without the annotation leaves it alone.
    cluster.apply_as("argocd-controller", &definition("two", &policy));
    until_phase(&cluster, 2, "Paused");
    until(&cluster, |it| it["propagation"]["waiting"][0]["count"] == 3);
    let status = cluster.told(&["propagation", "status", "app"]);
    assert!(
        status.contains("3 wait: the propagation is paused; run `krono propagation resume rgd/app` (default/a, default/b, default/c)\n"),
        "{status}"
    );
    assert_eq!(cluster.told(&["propagation", "resume", "app"]), "Propagation resumed\n");
    until_phase(&cluster, 2, "Completed");
    assert_eq!(request(&cluster), Value::Null);
    assert_eq!(cluster.told(&["propagation", "resume", "app"]), "rgd/app is not paused\n");
    let by_spec = json!({"propagation": {"paused": true}});
    cluster.apply_as("argocd-controller", &definition("two", &by_spec));
    let expected = "error: rgd/app is paused by its own spec\nhint: remove spec.propagation.paused where the definition is kept\n";
    assert_eq!(cluster.complaint(&["propagation", "resume", "app"], 1), expected);
    cluster.told(&["propagation", "pause", "app"]);
    assert_eq!(cluster.complaint(&["propagation", "resume", "app"], 1), expected);
    assert_eq!(request(&cluster), Value::Null);
}

#[test]
fn v42_an_abort_returns_who_was_on_the_way_and_a_retry_sends_them_again() {
    let policy = json!({"propagateWhen": ["${each.index < 1}"]});
    let cluster = fleet(&policy);
    let nothing = "error: nothing of rgd/app is on its way\n";
    assert_eq!(cluster.complaint(&["propagation", "abort", "app"], 1), nothing);
    let good = "error: the latest revision of rgd/app was not given up; there is nothing to try again\n";
    assert_eq!(cluster.complaint(&["propagation", "retry", "app"], 1), good);
    cluster.apply(&definition("bad", &policy));
    until(&cluster, |it| it["propagation"]["instances"]["inFlight"] == 1);
    let aborted = "Revision 2 was given up\nWho was on the way goes back to what it ran before\n";
    assert_eq!(cluster.told(&["propagation", "abort", "app"]), aborted);
    cluster.until(&instance("a"), |it| it["status"]["assignment"]["revision"] == 1);
    until_phase(&cluster, 2, "Aborted");
    assert_eq!(request(&cluster), Value::Null);
    let watched = cluster.krono(&["propagation", "status", "app", "--watch"]);
    let given_up = "error: revision 2 of app was given up\nhint: edit the definition, or try again: krono propagation retry app\n";
    assert_eq!((watched.code, watched.stderr.as_str()), (Some(1), given_up), "{watched}");
    assert_eq!(cluster.told(&["propagation", "retry", "app"]), "Revision 2 is tried again\n");
    cluster.until(&instance("a"), |it| it["status"]["assignment"]["revision"] == 2);
}

/// Nobody answers, so that the request stays as it is.
#[test]
fn v42_a_retry_stays_when_a_tool_applies_the_definition_again() {
    let cluster = Cluster::start(Controllers::None);
    let plain = definition("one", &json!({"propagation": {}}));
    let mut halted = plain.clone();
    let told = json!({"phase": "Halted", "revision": 1, "digest": "a".repeat(40)});
    halted["status"] = json!({"propagation": told});
    cluster.apply_as("argocd-controller", &halted);
    let words = ["propagation", "retry", "app", "--wait=false"];
    assert_eq!(cluster.told(&words), "Revision 1 is tried again\n");
    let asked = json!({"krono.dev/propagation": "retry"});
    assert_eq!(request(&cluster), asked);
    cluster.apply_as("argocd-controller", &plain);
    assert_eq!(request(&cluster), asked);
}

#[test]
fn v42_a_way_back_is_not_aborted_and_whoever_asks_for_it_is_told() {
    let policy =
        json!({"propagateWhen": ["${each.index < 1}"], "propagation": {"rollbackMode": "Controlled"}});
    let free = json!({"propagation": {"maxInFlight": 3}});
    let cluster = fleet(&free);
    cluster.apply(&definition("two", &free));
    until_phase(&cluster, 2, "Completed");
    cluster.apply(&definition("two", &policy));
    cluster.told(&["rollback", "rgd/app", "--to-revision=1", "--hold", "--yes"]);
    until_phase(&cluster, 1, "Propagating");
    let expected = "error: revision 1 of rgd/app was not aborted\n\
        hint: Events of rgd/app say why; a way back ends with an edit or another hold\n";
    assert_eq!(cluster.complaint(&["propagation", "abort", "app"], 1), expected);
    assert_eq!(request(&cluster)["krono.dev/propagation"], Value::Null);
    cluster.apply(&definition("two", &free));
    until_phase(&cluster, 1, "Completed");
    // What somebody holds is no failure.
    let watched = cluster.told(&["propagation", "status", "app", "--watch"]);
    assert!(watched.contains("Revision 1: Completed"), "{watched}");
}

#[test]
fn v21_what_failed_is_told_and_tried_again_when_somebody_asks() {
    let policy = json!({
        "propagateWhen": ["${exponentiallyUpdated(instances, each)}"],
        "propagation": {"progressDeadlineSeconds": 1},
    });
    let cluster = fleet(&policy);
    cluster.apply(&definition("bad", &policy));
    let watched = cluster.krono(&["propagation", "status", "app", "--watch"]);
    assert_eq!(watched.code, Some(1), "{watched}");
    let expected = "\
Revision 2: Halted, wave 1
  1 of 3 instances failed: default/a
[!!!!!!!!!!!!!!..........................] 0 of 3 instances
  0 on their way, 2 waiting, 1 failed, 0 excused
  2 wait: the propagation was given up; edit the definition, or run `krono propagation retry rgd/app` (default/b, default/c)
  default/a failed: not ready at the new revision within the deadline
";
    assert!(watched.stdout.ends_with(expected), "{watched}");
    assert_eq!(cluster.told(&["propagation", "retry", "app"]), "Revision 2 is tried again\n");
    until(&cluster, |it| it["propagation"]["restartedAt"].is_string());
    until_phase(&cluster, 2, "Halted");
}

/// Revision 2 has failed at the first of three instances.
fn failed(policy: &Value) -> Cluster {
    let cluster = fleet(policy);
    cluster.apply(&definition("bad", policy));
    until_phase(&cluster, 2, "Halted");
    cluster
}

#[test]
fn v20_what_has_failed_is_held_by_nobody_who_does_not_insist() {
    let policy = json!({"propagation": {"maxInFlight": 1, "progressDeadlineSeconds": 1}});
    let cluster = failed(&policy);
    let line = ["rollback", "rgd/app", "--hold", "--yes", "--to-revision=2"];
    let expected = "error: revision 2 of app failed: halted: 1 of 3 instances failed: default/a\n\
        hint: have it tried again: krono propagation retry app\n\
        hint: --force holds it all the same\n";
    assert_eq!(cluster.complaint(&line, 1), expected);
    assert_eq!(request(&cluster), Value::Null);
    let plain = ["rollback", "rgd/app", "--yes", "--to-revision=7"];
    let complaint = cluster.complaint(&plain, 1);
    assert!(complaint.ends_with("hint: those that did not fail are 1\n"), "{complaint}");
    let told = cluster.told(&[&line[..], &["--force"]].concat());
    assert!(told.contains("Revision 2 is served whatever the definition says\n"), "{told}");
}

#[test]
fn v42_a_retry_while_another_revision_is_held_is_answered() {
    let policy = json!({"propagation": {"maxInFlight": 1, "progressDeadlineSeconds": 1}});
    let cluster = failed(&policy);
    cluster.told(&["rollback", "rgd/app", "--hold", "--yes", "--to-revision=1"]);
    until_phase(&cluster, 1, "Completed");
    let expected = "Revision 2 is no longer given up, and tried when revision 1 is no longer held; \
        `krono unpin rgd/app` ends that\n";
    assert_eq!(cluster.told(&["propagation", "retry", "app"]), expected);
    cluster.told(&["unpin", "rgd/app"]);
    cluster.until(&instance("a"), |it| it["status"]["assignment"]["revision"] == 2);
}

#[test]
fn v42_a_way_back_to_what_was_given_up_is_not_aborted() {
    let policy = json!({"propagation": {"maxInFlight": 1, "progressDeadlineSeconds": 1, "rollbackMode": "Controlled"}});
    let cluster = failed(&policy);
    cluster.apply(&definition("three", &json!({"propagation": {"maxInFlight": 3}})));
    until_phase(&cluster, 3, "Completed");
    cluster.apply(&definition("three", &policy));
    cluster.told(&["rollback", "rgd/app", "--hold", "--force", "--yes", "--to-revision=2"]);
    until_phase(&cluster, 2, "Halted");
    let expected = "error: revision 2 of rgd/app was not aborted\n\
        hint: Events of rgd/app say why; a way back ends with an edit or another hold\n";
    assert_eq!(cluster.complaint(&["propagation", "abort", "app"], 1), expected);
}

#[test]
fn v42_the_end_of_a_pause_tells_what_is_so() {
    let policy = json!({"propagateWhen": ["${each.index < 1}"]});
    let cluster = fleet(&policy);
    let mut stopped = definition("one", &policy);
    stopped["metadata"]["annotations"] = json!({"krono.dev/propagation": "stop"});
    cluster.apply(&stopped);
    let expected = "error: rgd/app is stopped by krono.dev/propagation: \"stop\" is no request, and nobody moves while it stands\n\
        hint: remove it: kubectl annotate rgd app krono.dev/propagation-\n";
    assert_eq!(cluster.complaint(&["propagation", "resume", "app"], 1), expected);
    cluster.apply(&definition("bad", &policy));
    until(&cluster, |it| it["propagation"]["instances"]["inFlight"] == 1);
    cluster.told(&["propagation", "abort", "app"]);
    cluster.told(&["propagation", "pause", "app"]);
    let expected = "Propagation is no longer paused; revision 2 was given up before\n\
        Try it again with: krono propagation retry app\n";
    assert_eq!(cluster.told(&["propagation", "resume", "app"]), expected);
    let approved = cluster.krono(&["propagation", "approve", "app", "--deletes"]);
    assert_eq!((approved.code, approved.stderr.as_str()), (Some(0), "note: nobody waits for that so far\n"));
}

#[test]
fn v36_a_mistake_in_the_policy_is_told_and_nobody_waits_for_it() {
    let cluster = fleet(&json!({}));
    let policy = json!({"propagation": {"windows": [{"schedule": "0 0 30 2 *", "duration": "1h"}]}});
    cluster.apply(&definition("two", &policy));
    let told = cluster.krono(&["propagation", "status", "app", "--watch"]);
    let mistake = "no instance moves to another revision: spec.propagation.windows[0].schedule: \"0 0 30 2 *\" never comes";
    assert_eq!(told.code, Some(1), "{told}");
    assert!(told.stdout.contains(mistake) && told.stderr.contains(mistake), "{told}");
}

#[test]
fn v36_and_v42_stages_wait_for_approval() {
    let canary = json!({"matchExpressions": [{"key": "ring", "operator": "DoesNotExist"}]});
    let stages = json!([
        {"name": "canary", "requireApproval": true, "instanceSelector": canary},
        {"name": "rest", "requireApproval": true},
    ]);
    let policy = json!({"propagation": {"stages": stages}});
    let cluster = fleet(&policy);
    let nobody =
        "error: no stage of rgd/app waits for approval\nhint: --stage=NAME approves of one beforehand\n";
    assert_eq!(cluster.complaint(&["propagation", "approve", "app"], 1), nobody);
    let unknown = "error: rgd/app has no stage \"production\"\nhint: there are canary, rest\n";
    assert_eq!(cluster.complaint(&["propagation", "approve", "app", "--stage=production"], 1), unknown);
    cluster.apply(&definition("two", &policy));
    let waits = |it: &Value| it["propagation"]["waiting"][0]["reason"] == "StageNeedsApproval";
    until(&cluster, |it| it["propagation"]["revision"] == 2 && waits(it));
    let approved = "Stage canary may move to revision 2\n";
    assert_eq!(cluster.told(&["propagation", "approve", "app"]), approved);
    until_phase(&cluster, 2, "Completed");
    assert_eq!(request(&cluster), json!({"krono.dev/approved-stages": "2: canary"}));
    let approved = "Stage rest may move to revision 2\n";
    assert_eq!(cluster.told(&["propagation", "approve", "app", "--stage=rest"]), approved);
    assert_eq!(request(&cluster), json!({"krono.dev/approved-stages": "2: canary, rest"}));
    cluster.apply_as("argocd-controller", &definition("two", &policy));
    assert_eq!(request(&cluster), json!({"krono.dev/approved-stages": "2: canary, rest"}));
}

#[test]
fn v25_and_v42_deletions_wait_for_approval() {
    let policy = json!({"propagation": {"deletes": "RequireApproval"}});
    let cluster = fleet(&policy);
    let mut renamed = definition("two", &policy);
    renamed["spec"]["resources"][0]["id"] = json!("other");
    renamed["spec"]["resources"][0]["readyWhen"] = json!(["${other.data.text == \"two\"}"]);
    renamed["spec"]["resources"][0]["template"]["metadata"]["name"] = json!("${schema.metadata.name}-other");
    cluster.apply(&renamed);
    let waits = |it: &Value| it["propagation"]["waiting"][0]["reason"] == "DeletesNeedApproval";
    until(&cluster, |it| it["propagation"]["revision"] == 2 && waits(it));
    let approved = "Revision 2 may delete what it no longer has\n";
    assert_eq!(cluster.told(&["propagation", "approve", "app", "--deletes"]), approved);
    cluster.apply_as("argocd-controller", &renamed);
    assert_eq!(request(&cluster), json!({"krono.dev/allow-deletes": "2"}));
    until_phase(&cluster, 2, "Completed");
}

#[test]
fn v25_and_v42_what_a_way_back_has_left_waits_for_approval() {
    let policy = json!({"propagation": {"progressDeadlineSeconds": 1, "onFailure": "Rollback"}});
    let named = |text: &str, end: &str| {
        let object =
            |name: &str| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}});
        let mut says = json!({"id": "says", "template": object("${schema.metadata.name}-says")});
        says["template"]["data"] = json!({"end": end});
        let made = json!({"id": "made", "template": object("${schema.metadata.name}-${says.data.end}")});
        let mut definition = definition(text, &policy);
        definition["spec"]["resources"].as_array_mut().unwrap().extend([says, made]);
        definition
    };
    let cluster = Cluster::start(Controllers::Run);
    cluster.apply(&named("one", "x"));
    until(&cluster, |status| status["currentRevision"] == 1);
    cluster.apply(&instance("a"));
    cluster.until(&instance("a"), |it| it["status"]["observedRGDRevision"] == 1);
    until_phase(&cluster, 1, "Completed");
    cluster.apply(&named("bad", "y"));
    until(&cluster, |it| it["latestRevision"] == 2 && it["currentRevision"] == 1);
    cluster.until(&instance("a"), |it| it["status"]["propagation"]["status"] == "Blocked");
    let approved = cluster.krono(&["propagation", "approve", "app", "--deletes"]);
    let expected = "Revision 1 may delete what it no longer has\n";
    assert_eq!((approved.code, approved.stdout.as_str(), approved.stderr.as_str()), (Some(0), expected, ""));
    cluster.until(&instance("a"), |it| it["status"]["propagation"]["status"] == "Completed");
}

#[test]
fn v42_nobody_approves_of_an_edit_that_no_controller_has_seen() {
    let cluster = Cluster::start(Controllers::None);
    cluster.apply(&definition("one", &json!({})));
    let unseen = "error: no controller has looked at the last edit of rgd/app within 1 s\n\
        hint: does a controller run? `krono up` has one, `krono controller` is one\n";
    let words = ["propagation", "approve", "app", "--deletes", "--timeout=1"];
    assert_eq!(cluster.complaint(&words, 1), unseen);
}
