//! `krono controller` from its start to its end.

use std::process::{Child, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::cluster::boxes::{definition, instance};
use crate::cluster::{Cluster, Controllers};
use crate::krono::command;

fn start(cluster: &Cluster) -> Child {
    let free = "127.0.0.1:0";
    let mut command =
        command(&["controller", "--metrics-bind-address", free, "--health-probe-bind-address", free]);
    command.arg("--kubeconfig").arg(cluster.kubeconfig()).args(["--leader-elect", "--log-format", "json"]);
    command.args(["--leader-election-namespace", "default"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The message of a line of the log, which has the usual fields.
fn message(line: &str) -> String {
    let told: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{line:?}: {error}"));
    let text = |field: &str| told[field].as_str().unwrap_or_else(|| panic!("no {field}: {line}")).to_owned();
    assert!(text("timestamp").parse::<jiff::Timestamp>().is_ok(), "{line}");
    assert!(["INFO", "WARN", "ERROR"].contains(&text("level").as_str()), "{line}");
    assert!(text("target").starts_with("krono"), "{line}");
    text("message")
}

#[test]
fn a_leader_ends_in_order_and_its_log_is_json() {
    let cluster = Cluster::start(Controllers::None);
    let child = start(&cluster);
    let lease = json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": krono_model::names::LEASE, "namespace": "default"},
    });
    let holder = |it: &Value| it["spec"]["holderIdentity"].as_str().map(str::to_owned);
    cluster.until(&lease, |it| holder(it).is_some_and(|it| !it.is_empty()));
    let made = cluster.apply(&definition("parcels", "one", 9, &json!({})));
    cluster.until(&made, |it| it["status"]["currentRevision"] == 1);
    let parcel = cluster.apply(&instance("a", 1, &json!({})));
    cluster.until(&parcel, |it| it["status"]["observedRGDRevision"] == 1);

    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert_eq!(holder(&cluster.get(&lease)).as_deref(), Some(""));
    let said = String::from_utf8(ended.stdout).unwrap();
    assert!(said.starts_with("This process waits to lead at "), "{said}");
    let log = String::from_utf8(ended.stderr).unwrap();
    let messages: Vec<String> = log.lines().map(message).collect();
    let leads = |it: &&String| it.starts_with("this process leads; ");
    assert_eq!(messages.iter().filter(leads).count(), 1, "{log}");
}
