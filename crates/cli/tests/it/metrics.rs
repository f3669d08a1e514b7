//! What `krono controller` tells Prometheus.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::cluster::boxes::{definition, instance};
use crate::cluster::{Cluster, Controllers};
use crate::krono::command;

/// Controllers in a process of their own.
struct Process {
    child: Child,
    /// Where counters are.
    metrics: String,
    /// Where probes are answered.
    probes: String,
}

impl Process {
    fn start(cluster: &Cluster, more: &[&str]) -> Self {
        let kubeconfig = cluster.kubeconfig();
        let free = "127.0.0.1:0";
        let mut command =
            command(&["controller", "--metrics-bind-address", free, "--health-probe-bind-address", free]);
        command.arg("--kubeconfig").arg(kubeconfig).args(more).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut address = |of: &str| {
            let url = lines.find_map(|it| Some(it.trim().strip_prefix(of)?.trim_start().to_owned())).unwrap();
            let address = url.strip_prefix("http://").and_then(|it| it.split_once('/')).unwrap().0;
            address.to_owned()
        };
        let (metrics, probes) = (address("metrics"), address("probes"));
        Self { child, metrics, probes }
    }

    /// The lines of `/metrics`.
    fn metrics(&self) -> Vec<String> {
        let answer = ask(&self.metrics, "/metrics");
        assert!(answer.contains("application/openmetrics-text"), "{answer}");
        answer.lines().map(str::to_owned).collect()
    }

    /// Waits until `/metrics` is as it should be.
    fn until(&self, is_so: impl Fn(&[String]) -> bool) {
        let begun = std::time::Instant::now();
        while !is_so(&self.metrics()) {
            assert!(begun.elapsed().as_secs() < 60, "{:#?}", self.metrics());
        }
    }
}

fn ask(address: &str, path: &str) -> String {
    let mut connection = TcpStream::connect(address).unwrap();
    connection.write_all(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    answer
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// One at a time; the second waits while its resource does.
fn parcels(text: &str) -> Value {
    let mut made = definition("parcels", text, 9, &json!({}));
    made["spec"]["propagateWhen"] = json!(["${linearlyUpdated(instances, each, 1)}"]);
    made["spec"]["resources"][0]["propagateWhen"] =
        json!(["${schema.metadata.name == \"a\" || schema.spec.size == 2}"]);
    made
}

#[test]
fn metrics_of_a_propagation_are_found_at_the_endpoint() {
    let cluster = Cluster::start(Controllers::None);
    let process = Process::start(&cluster, &[]);
    let definition = cluster.apply(&parcels("one"));
    cluster.until(&definition, |it| it["status"]["currentRevision"] == 1);
    for name in ["a", "b", "c"] {
        let parcel = cluster.apply(&instance(name, 1, &json!({})));
        cluster.until(&parcel, |it| it["status"]["observedRGDRevision"] == 1);
    }
    cluster.apply(&parcels("two"));
    let counts = |it: &Value, revision: i64| {
        let all = it["status"]["revisionHistory"].as_array().cloned().unwrap_or_default();
        all.iter().find(|it| it["revision"] == revision).map(|it| it["instanceCount"].clone())
    };
    cluster.until(&definition, |it| {
        it["status"]["propagation"]["blocked"]["count"] == 1 && counts(it, 2) == Some(json!(2))
    });
    let told = process.metrics();
    let check = |line: &str| assert!(told.iter().any(|it| it == line), "{line} is not in {told:#?}");
    check("krono_revision_instances{name=\"parcels\",revision=\"1\"} 1");
    check("krono_revision_instances{name=\"parcels\",revision=\"2\"} 2");
    check("krono_propagation_in_flight{name=\"parcels\"} 1");
    check("krono_propagation_waiting{name=\"parcels\"} 1");
    check("krono_propagation_blocked{name=\"parcels\"} 1");
    check("krono_propagation_failed{name=\"parcels\"} 0");
    for name in ["b", "c"] {
        cluster.apply(&instance(name, 2, &json!({})));
    }
    cluster.until(&definition, |it| {
        let propagation = &it["status"]["propagation"];
        propagation["revision"] == 2 && propagation["completedAt"].is_string()
    });
    let told = process.metrics();
    let check = |line: &str| assert!(told.iter().any(|it| it == line), "{line} is not in {told:#?}");
    check("krono_propagation_blocked{name=\"parcels\"} 0");
    // Whoever was born on the first revision did not have to move.
    check("krono_propagation_duration_seconds_count{name=\"parcels\"} 1");
    let mut free = parcels("two");
    free["spec"]["propagateWhen"] = json!([]);
    free["spec"]["resources"][0]["propagateWhen"] = json!([]);
    cluster.apply(&free);
    cluster.until(&definition, |it| it["status"]["propagation"].is_null());
    process.until(|told| told.iter().all(|it| !it.starts_with("krono_propagation_waiting{")));
}

/// A change that never becomes ready, until the metrics have these lines.
fn given_up(on_failure: &str, expected: &[&str]) {
    let cluster = Cluster::start(Controllers::None);
    let process = Process::start(&cluster, &[]);
    let gated = |text: &str| {
        let mut made = parcels(text);
        made["spec"]["resources"][0]["propagateWhen"] = json!([]);
        made["spec"]["resources"][0]["readyWhen"] = json!(["${map.data.text != \"bad\"}"]);
        made["spec"]["propagation"] = json!({"progressDeadlineSeconds": 1, "onFailure": on_failure});
        made
    };
    let definition = cluster.apply(&gated("one"));
    cluster.until(&definition, |it| it["status"]["currentRevision"] == 1);
    for name in ["a", "b"] {
        let parcel = cluster.apply(&instance(name, 1, &json!({})));
        cluster.until(&parcel, |it| it["status"]["observedRGDRevision"] == 1);
    }
    cluster.apply(&gated("bad"));
    process.until(|told| expected.iter().all(|line| told.iter().any(|it| it == line)));
}

#[test]
fn metrics_tell_of_who_failed_when_a_propagation_halts() {
    let failed = "krono_propagation_failed{name=\"parcels\"} 1";
    given_up("Halt", &[failed, "krono_propagation_given_up_total{name=\"parcels\",outcome=\"Halted\"} 1"]);
}

#[test]
fn metrics_tell_that_a_propagation_was_rolled_back() {
    given_up("Rollback", &["krono_propagation_given_up_total{name=\"parcels\",outcome=\"RolledBack\"} 1"]);
}

#[test]
fn metrics_of_kros_families_are_found_at_the_endpoint() {
    let cluster = Cluster::start(Controllers::None);
    let process = Process::start(&cluster, &["--feature-gates", "InstanceConditionMetrics=true"]);
    let made = cluster.apply(&definition("parcels", "one", 9, &json!({})));
    cluster.until(&made, |it| it["status"]["currentRevision"] == 1);
    let parcel = cluster.apply(&instance("a", 1, &json!({})));
    cluster.until(&parcel, |it| it["status"]["observedRGDRevision"] == 1);
    let gvr = "\"kro.run/v1alpha1, Resource=parcels\"";
    let maps = "\"/v1, Resource=configmaps\"";
    let expected = [
        format!("instance_reconcile_total{{gvr={gvr}}}"),
        "rgd_graph_build_total{name=\"parcels\"}".to_owned(),
        "rest_client_request_duration_seconds_count{verb=\"PATCH\"}".to_owned(),
        "rest_client_rate_limiter_duration_seconds_count{verb=\"GET\"}".to_owned(),
        "graph_revision_compile_total{result=\"success\"}".to_owned(),
        "graph_revision_compile_duration_seconds_count{result=\"success\"}".to_owned(),
        "graph_revision_registry_entries{state=\"Active\"}".to_owned(),
        format!("dynamic_controller_instance_watch_count{{parent_gvr={gvr}}}"),
        format!("dynamic_controller_informer_events_total{{gvr={gvr},event_type=\"add\"}}"),
        format!("dynamic_controller_informer_events_total{{gvr={maps},event_type=\"update\"}}"),
        format!("dynamic_controller_informer_sync_duration_seconds_count{{gvr={maps}}}"),
        format!("dynamic_controller_route_total{{gvr={gvr}}}"),
        format!("dynamic_controller_route_match_total{{gvr={gvr}}}"),
        format!(
            "instance_condition_current_status_seconds{{gvr={gvr},namespace=\"default\",name=\"a\",\
             condition_type=\"Ready\",condition_status=\"True\",reason=\"Ready\"}}"
        ),
    ];
    let is_told = |told: &[String], series: &str| {
        let value = told.iter().find_map(|it| it.strip_prefix(series)?.trim().parse::<f64>().ok());
        value.is_some_and(|it| it > 0.0)
    };
    // The watch tells of what krono has made a little after the answer did.
    process.until(|told| expected.iter().all(|it| is_told(told, it)));
    let plain = Process::start(&cluster, &[]);
    plain.until(|told| is_told(told, &expected[7]));
    let is_age = |it: &String| it.contains("instance_condition_current_status_seconds");
    assert!(!plain.metrics().iter().any(is_age), "the gate is closed");
}

/// Else nobody would end the leader to let the next one lead.
#[test]
fn who_waits_for_its_turn_is_ready() {
    let cluster = Cluster::start(Controllers::None);
    cluster.apply(&json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": krono_model::names::LEASE, "namespace": "default"},
        "spec": {"holderIdentity": "somebody", "leaseDurationSeconds": 3600, "renewTime": "2030-01-01T00:00:00.000000Z"},
    }));
    let process = Process::start(&cluster, &["--leader-elect", "--leader-election-namespace", "default"]);
    let begun = std::time::Instant::now();
    while !ask(&process.probes, "/readyz").starts_with("HTTP/1.0 200") {
        assert!(begun.elapsed().as_secs() < 60, "{}", ask(&process.probes, "/readyz"));
    }
}

#[test]
fn who_finds_no_place_for_a_lease_is_not_ready_and_says_what_to_do() {
    let cluster = Cluster::start(Controllers::None);
    let free = "127.0.0.1:0";
    let mut command =
        command(&["controller", "--metrics-bind-address", free, "--health-probe-bind-address", free]);
    command.arg("--kubeconfig").arg(cluster.kubeconfig()).args([
        "--leader-elect",
        "--leader-election-namespace",
        "nowhere",
    ]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let first = told.next().unwrap();
    assert!(first.starts_with("This process waits to lead at "), "{first}");
    let probes =
        told.find_map(|it| Some(it.trim().strip_prefix("probes   http://")?.split_once('/')?.0.to_owned()));
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let line = log.find(|it| it.contains("lease")).unwrap();
    let cure = "create it, or name another with --leader-election-namespace";
    assert!(line.contains("there is no namespace nowhere for the lease") && line.contains(cure), "{line}");
    let answer = ask(&probes.unwrap(), "/readyz");
    assert!(answer.starts_with("HTTP/1.0 503") && answer.contains("the lease is not known yet"), "{answer}");
    child.kill().unwrap();
    child.wait().unwrap();
}
