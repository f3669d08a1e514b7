//! The same commands where controllers run, in an order in which each of them makes sense.

use std::process::Command;

use serde_json::{Value, json};

use super::COMMANDS;
use crate::cluster::fleet::{APPLICATION, content, definition, instance};
use crate::cluster::{Cluster, Controllers};
use crate::krono::{Run, timeless};
use crate::story::kubectl;

/// How many instances follow the definition; the design has 47.
const FOLLOWING: i64 = 4;
/// How many stay behind.
const PINNED: i64 = 3;

#[test]
fn the_commands_do_what_the_design_says() {
    let cluster = Cluster::start(Controllers::Run);
    live(&cluster);
    types(&cluster, "kro revisions list rgd/application");
    types(&cluster, "kro revisions diff rgd/application --from=2 --to=3");
    types(&cluster, "kro revisions list application/my-app");
    cluster.apply(&definition_of(5, &json!({"inputHistoryLimit": 20})));
    instances_go_back(&cluster);
    definitions_go_back(&cluster);
}

/// What the design's tables tell: three revisions, and twelve inputs of `my-app`.
fn live(cluster: &Cluster) {
    let policy = json!({"inputHistoryLimit": 3});
    for (number, replicas) in [(1, 1), (2, 3)] {
        cluster.apply(&definition_of(replicas, &policy));
        until_current(cluster, number);
    }
    for number in 1..=PINNED {
        cluster.apply(&other(&format!("pinned-{number}"), &json!({"kro.run/rgd-revision": "2"})));
    }
    for number in 1..FOLLOWING {
        cluster.apply(&other(&format!("following-{number}"), &json!({})));
    }
    for number in 1..=10 {
        cluster.apply(&asking_for(number));
        until_input(cluster, number, 2);
    }
    cluster.apply(&definition_of(5, &policy));
    until_input(cluster, 11, 3);
    cluster.apply(&asking_for(5));
    until_input(cluster, 12, 3);
    until_counted(cluster, 3, FOLLOWING);
    until_counted(cluster, 2, PINNED);
    // What nothing needs stays for a minute.
    cluster.apply(&definition_of(5, &json!({"inputHistoryLimit": 3, "historyLimit": 1})));
    cluster.until(&revision(1), |it| it["metadata"]["annotations"]["krono.dev/unused-since"].is_string());
}

fn instances_go_back(cluster: &Cluster) {
    types(cluster, "kro rollback application/my-app --to-input-revision=10");
    until_input(cluster, 13, 2);
    assert_eq!(cluster.get(&instance())["spec"]["replicas"], 10);
    types(cluster, "kro pin application/my-app --rgd-revision=2");
    types(cluster, "kro unpin application/my-app");
    until_input(cluster, 14, 3);
    types(cluster, "kro rollback instance application/my-app --to-input-revision=10");
    until_input(cluster, 15, 2);
    types(cluster, "kro unpin application/my-app");
    until_input(cluster, 16, 3);
    if types(cluster, "kubectl annotate application my-app kro.run/rollback-to-input-revision=10") {
        until_input(cluster, 17, 2);
        types(cluster, "kro unpin application/my-app");
        until_input(cluster, 18, 3);
    }
    until_counted(cluster, 3, FOLLOWING);
}

fn definitions_go_back(cluster: &Cluster) {
    types(cluster, "kro rollback rgd/application --to-revision=2");
    until_current(cluster, 4);
    cluster.told(&["rollback", "rgd/application", "--to-revision=3", "--yes"]);
    types(cluster, "kro rollback rgd application --to-revision=2");
    until_current(cluster, 6);
    cluster.told(&["rollback", "rgd/application", "--to-revision=3", "--yes"]);
    if types(cluster, "kubectl annotate rgd application kro.run/rollback-to-revision=2") {
        until_current(cluster, 8);
        assert_eq!(cluster.get(&revision(8))["spec"]["restoredFrom"], 2);
    }
}

/// Types a command of the design and compares what it prints, but for times and the size of the fleet; whether it could be.
fn types(cluster: &Cluster, command: &str) -> bool {
    let (_, expected) = COMMANDS.iter().find(|(it, _)| *it == command).expect("a command of the design");
    let Some(words) = command.strip_prefix("kro ") else { return types_kubectl(cluster, command) };
    let mut words: Vec<&str> = words.split(' ').collect();
    if words[0] == "rollback" {
        words.push("--yes");
    }
    let told = cluster.told(&words);
    if expected.is_empty() {
        assert!(told.starts_with("Rolling back to "), "{command}: {told}");
    } else {
        let expected = expected.replace("47 ", &format!("{FOLLOWING} "));
        assert_eq!(shape(&told), shape(&expected), "{command}\n{told}");
    }
    true
}

fn types_kubectl(cluster: &Cluster, command: &str) -> bool {
    let Some(kubectl) = kubectl() else { return false };
    let mut typed = Command::new(kubectl);
    typed.args(command.split(' ').skip(1)).env("KUBECONFIG", cluster.kubeconfig());
    let run: Run = typed.output().unwrap().into();
    assert_eq!(run.code, Some(0), "{command}: {run}");
    true
}

/// The words of each line, without what they mean in the calendar.
fn shape(text: &str) -> Vec<Vec<String>> {
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect();
    timeless(text).lines().map(words).collect()
}

/// The design's definition, with what its templates leave out.
fn definition_of(replicas: i64, policy: &Value) -> Value {
    let mut definition = json!({
        "apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphDefinition",
        "metadata": {"name": APPLICATION},
        "spec": content(replicas),
    });
    let labels = json!({"app": "${schema.spec.name}"});
    let container = json!({"name": "app", "image": "${schema.spec.image}"});
    let resources = &mut definition["spec"]["resources"];
    resources[0]["template"]["spec"]["selector"] = json!({"matchLabels": labels});
    resources[0]["template"]["spec"]["template"] =
        json!({"metadata": {"labels": labels}, "spec": {"containers": [container]}});
    if let Some(service) = resources.get_mut(1) {
        service["template"]["spec"] = json!({"selector": labels, "ports": [{"port": 80}]});
    }
    definition["spec"]["revisionManagement"] = policy.clone();
    definition
}

/// `my-app`, as somebody writes it.
fn asking_for(replicas: i64) -> Value {
    let mut instance = instance();
    instance["spec"]["replicas"] = json!(replicas);
    instance.as_object_mut().unwrap().remove("status");
    instance
}

fn other(name: &str, annotations: &Value) -> Value {
    let mut other = asking_for(1);
    other["metadata"]["name"] = json!(name);
    other["metadata"]["annotations"] = annotations.clone();
    other["spec"]["name"] = json!(name);
    other
}

fn revision(number: i64) -> Value {
    json!({
        "apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphDefinitionRevision",
        "metadata": {"name": format!("{APPLICATION}-rev-{number}")},
    })
}

fn until_current(cluster: &Cluster, number: i64) {
    cluster.until(&definition(), |it| it["status"]["currentRevision"] == number);
}

/// Waits until `my-app` is at an input revision, and that at a revision of the definition.
fn until_input(cluster: &Cluster, number: i64, revision: i64) {
    cluster.until(&instance(), |it| {
        let status = &it["status"];
        status["observedInputRevision"] == number
            && status["currentInputRevision"] == number
            && status["observedRGDRevision"] == revision
    });
}

/// Counts are written every few seconds.
fn until_counted(cluster: &Cluster, number: i64, count: i64) {
    cluster.until(&revision(number), |it| it["status"]["instanceCount"] == count);
}
