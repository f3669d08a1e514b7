use serde_json::{Value, json};

use crate::printers::testing::{check, conditions};

/// Ready, status and restarts of a pod with one container and maybe an init container.
fn check_status(spec: &Value, status: &Value, expect: [&str; 3]) {
    let pod = json!({"metadata": {"name": "p"}, "spec": spec, "status": status});
    check_pod(pod, expect);
}

fn check_pod(pod: Value, expect: [&str; 3]) {
    let [ready, reason, restarts] = expect;
    check(
        ("", "Pod"),
        pod,
        json!(["p", ready, reason, restarts, "<unknown>", "<none>", "<none>", "<none>", "<none>"]),
    );
}

#[test]
fn ordinary_containers() {
    let spec = json!({"containers": [{"name": "a"}, {"name": "b"}]});
    let status = |phase: &str, containers: Value| json!({"phase": phase, "containerStatuses": containers});
    let running = json!({"ready": true, "restartCount": 0, "state": {"running": {}}});
    let done = json!({"restartCount": 0, "state": {"terminated": {"exitCode": 0, "reason": "Completed"}}});
    let failed = json!({"restartCount": 0, "state": {"terminated": {"exitCode": 3}}});
    let killed = json!({"restartCount": 0, "state": {"terminated": {"exitCode": 137, "signal": 9}}});
    check_status(&spec, &json!({"phase": "Pending"}), ["0/2", "Pending", "0"]);
    check_status(&spec, &json!({"phase": "Failed", "reason": "Evicted"}), ["0/2", "Evicted", "0"]);
    check_status(&spec, &status("Running", json!([running, running])), ["2/2", "Running", "0"]);
    check_status(&spec, &status("Running", json!([done, running])), ["1/2", "NotReady", "0"]);
    check_status(&spec, &status("Running", json!([done, failed])), ["0/2", "ExitCode:3", "0"]);
    check_status(&spec, &status("Running", json!([killed, done])), ["0/2", "Signal:9", "0"]);
    let mut ready = status("Running", json!([done, running]));
    ready["conditions"] = json!([{"type": "Ready", "status": "True"}]);
    check_status(&spec, &ready, ["1/2", "Running", "0"]);
    let crashing = json!({
        "restartCount": 4, "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": {"finishedAt": "2026-01-01T00:01:30Z"}},
    });
    check_status(
        &spec,
        &status("Running", json!([running, crashing])),
        ["1/2", "CrashLoopBackOff", "4 (30s ago)"],
    );
}

#[test]
fn init_containers() {
    let spec = json!({"containers": [{"name": "c"}], "initContainers": [{"name": "i"}, {"name": "j"}]});
    let status = |containers: Value| json!({"phase": "Pending", "initContainerStatuses": containers});
    let done = json!({"name": "i", "restartCount": 1, "state": {"terminated": {"exitCode": 0}}});
    check_status(&spec, &status(json!([{"name": "i", "state": {"running": {}}}])), ["0/1", "Init:0/2", "0"]);
    check_status(
        &spec,
        &status(json!([done, {"name": "j", "state": {"running": {}}}])),
        ["0/1", "Init:1/2", "1"],
    );
    let waiting = |reason: &str| json!([done, {"name": "j", "state": {"waiting": {"reason": reason}}}]);
    check_status(&spec, &status(waiting("PodInitializing")), ["0/1", "Init:1/2", "1"]);
    check_status(&spec, &status(waiting("ErrImagePull")), ["0/1", "Init:ErrImagePull", "1"]);
    let failed = |end: Value| json!([{"name": "i", "restartCount": 2, "state": {"terminated": end}}]);
    check_status(&spec, &status(failed(json!({"exitCode": 1}))), ["0/1", "Init:ExitCode:1", "2"]);
    check_status(&spec, &status(failed(json!({"exitCode": 1, "signal": 9}))), ["0/1", "Init:Signal:9", "2"]);
    check_status(
        &spec,
        &status(failed(json!({"exitCode": 1, "reason": "Error"}))),
        ["0/1", "Init:Error", "2"],
    );
}

#[test]
fn sidecars() {
    let spec = json!({"containers": [{"name": "c"}], "initContainers": [{"name": "s", "restartPolicy": "Always"}, {"name": "i"}]});
    let sidecar = json!({
        "name": "s", "ready": true, "started": true, "restartCount": 2, "state": {"running": {}},
        "lastState": {"terminated": {"finishedAt": "2026-01-01T00:01:50Z"}},
    });
    let ended = json!({"name": "i", "restartCount": 5, "state": {"terminated": {"exitCode": 0}}});
    let main = json!({"name": "c", "ready": true, "restartCount": 1, "state": {"running": {}}});
    let status =
        json!({"phase": "Running", "initContainerStatuses": [sidecar, ended], "containerStatuses": [main]});
    check_status(&spec, &status, ["2/2", "Running", "3 (10s ago)"]);
}

#[test]
fn endings_and_gates() {
    let deleted = |status: Value| json!({"metadata": {"name": "p", "deletionTimestamp": "2026-01-01T00:00:00Z"}, "spec": {}, "status": status});
    check_pod(deleted(json!({"phase": "Running"})), ["0/0", "Terminating", "0"]);
    check_pod(deleted(json!({"phase": "Succeeded"})), ["0/0", "Succeeded", "0"]);
    check_pod(deleted(json!({"phase": "Running", "reason": "NodeLost"})), ["0/0", "Unknown", "0"]);
    let gated = json!({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]});
    check_status(&json!({}), &gated, ["0/0", "SchedulingGated", "0"]);
}

#[test]
fn wide_columns() {
    check(
        ("", "Pod"),
        json!({
            "metadata": {"name": "p", "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"nodeName": "n", "readinessGates": [{"conditionType": "a"}, {"conditionType": "b"}]},
            "status": {
                "phase": "Running", "podIPs": [{"ip": "10.1.0.1"}], "nominatedNodeName": "m",
                "conditions": [{"type": "b", "status": "True"}, {"type": "a", "status": "False"}],
            },
        }),
        json!(["p", "0/0", "Running", "0", "2m", "10.1.0.1", "n", "m", "1/2"]),
    );
    check(
        ("", "PodTemplate"),
        json!({"metadata": {"name": "t"}, "template": {
            "metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]},
        }}),
        json!(["t", "c", "i", "a=b"]),
    );
}

#[test]
fn rows_of_pods_that_ended() {
    let check = |phase: &str, expect: Value| {
        assert_eq!(conditions(("", "Pod"), &json!({"status": {"phase": phase}})), expect);
    };
    check("Running", Value::Null);
    check(
        "Succeeded",
        json!([{"type": "Completed", "status": "True", "reason": "Succeeded", "message": "The pod has completed successfully."}]),
    );
    check(
        "Failed",
        json!([{"type": "Completed", "status": "True", "reason": "Failed", "message": "The pod failed."}]),
    );
}
