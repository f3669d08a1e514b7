//! Tables of defaults and rules.

use serde_json::{Value, json};

use super::POD;
use crate::builtin::testing::{changes, complaints, defaulted, with};

fn pod() -> Value {
    json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}})
}

fn with_container(fields: &Value) -> Value {
    let mut pod = pod();
    for (field, value) in fields.as_object().unwrap() {
        pod["spec"]["containers"][0][field] = value.clone();
    }
    pod
}

#[test]
fn a_small_pod_is_filled_in() {
    assert_eq!(
        defaulted(POD, pod()),
        json!({
            "metadata": {"name": "p"},
            "spec": {
                "containers": [{
                    "name": "c", "image": "nginx", "imagePullPolicy": "Always", "resources": {},
                    "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
                }],
                "dnsPolicy": "ClusterFirst", "enableServiceLinks": true, "restartPolicy": "Always",
                "schedulerName": "default-scheduler", "securityContext": {}, "terminationGracePeriodSeconds": 30,
            },
            "status": {"phase": "Pending", "qosClass": "BestEffort"},
        })
    );
}

#[test]
fn containers_are_filled_in() {
    let check = |fields: Value, pointer: &str, expect: Value| {
        let pod = defaulted(POD, with_container(&fields));
        assert_eq!(pod["spec"]["containers"][0].pointer(pointer), Some(&expect), "{pointer}");
    };
    check(json!({"image": "nginx:1.27"}), "/imagePullPolicy", json!("IfNotPresent"));
    check(json!({"image": "nginx:latest"}), "/imagePullPolicy", json!("Always"));
    check(json!({"image": "host:5000/nginx"}), "/imagePullPolicy", json!("Always"));
    check(json!({"image": "nginx@sha256:00"}), "/imagePullPolicy", json!("IfNotPresent"));
    check(json!({"ports": [{"containerPort": 80}]}), "/ports/0/protocol", json!("TCP"));
    let limits = json!({"resources": {"limits": {"cpu": 0.5, "memory": "1024Mi"}}});
    check(limits.clone(), "/resources/requests", json!({"cpu": "500m", "memory": "1Gi"}));
    check(limits, "/resources/limits", json!({"cpu": "500m", "memory": "1Gi"}));
    check(
        json!({"livenessProbe": {"httpGet": {"port": 80}}}),
        "/livenessProbe",
        json!({"httpGet": {"path": "/", "port": 80, "scheme": "HTTP"}, "timeoutSeconds": 1, "periodSeconds": 10,
            "successThreshold": 1, "failureThreshold": 3}),
    );
    let field = json!({"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}]});
    check(field, "/env/0/valueFrom/fieldRef/apiVersion", json!("v1"));
    let divided =
        json!({"env": [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}}]});
    check(divided, "/env/0/valueFrom/resourceFieldRef/divisor", json!("0"));
}

#[test]
fn volumes_and_classes_are_filled_in() {
    let volumes = json!([{"name": "a"}, {"name": "b", "secret": {"secretName": "s"}},
        {"name": "c", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}},
        {"name": "d", "hostPath": {"path": "/"}}]);
    assert_eq!(
        defaulted(POD, with(&pod(), "/spec/volumes", volumes))["spec"]["volumes"],
        json!([{"name": "a", "emptyDir": {}}, {"name": "b", "secret": {"secretName": "s", "defaultMode": 420}},
            {"name": "c", "projected": {"defaultMode": 420,
                "sources": [{"serviceAccountToken": {"path": "t", "expirationSeconds": 3600}}]}},
            {"name": "d", "hostPath": {"path": "/", "type": ""}}])
    );
    let class = |resources: Value| {
        defaulted(POD, with_container(&json!({"resources": resources})))["status"]["qosClass"].clone()
    };
    assert_eq!(class(json!({"requests": {"cpu": "1"}})), "Burstable");
    assert_eq!(class(json!({"limits": {"cpu": "1", "memory": "1Gi"}})), "Guaranteed");
}

#[test]
fn what_is_wrong_with_a_pod() {
    let check = |fields: Value, expect: &[&str]| assert_eq!(complaints(POD, with_container(&fields)), expect);
    check(json!({}), &[]);
    check(
        json!({"name": null, "image": ""}),
        &["spec.containers[0].name: Required value", "spec.containers[0].image: Required value"],
    );
    check(
        json!({"ports": [{"containerPort": 70000}, {"protocol": "HTTP"}]}),
        &[
            "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
            "spec.containers[0].ports[1].containerPort: Required value",
            "spec.containers[0].ports[1].protocol: Unsupported value: \"HTTP\": supported values: \"SCTP\", \"TCP\", \"UDP\"",
        ],
    );
    check(
        json!({"resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}}),
        &[
            "spec.containers[0].resources.requests: Invalid value: \"2\": must be less than or equal to cpu limit of 1",
        ],
    );
    check(
        json!({"livenessProbe": {}}),
        &["spec.containers[0].livenessProbe: Required value: must specify a handler type"],
    );
    check(
        json!({"env": [{"name": "A", "value": "x", "valueFrom": {"secretKeyRef": {"name": "s"}}}]}),
        &[
            "spec.containers[0].env[0].valueFrom.secretKeyRef.key: Required value",
            "spec.containers[0].env[0].valueFrom: Invalid value: \"\": may not be specified when `value` is not empty",
        ],
    );
    let none = with(&pod(), "/spec/containers", json!([]));
    assert_eq!(complaints(POD, none), ["spec.containers: Required value"]);
    let policy = with(&pod(), "/spec/restartPolicy", json!("Sometimes"));
    assert_eq!(
        complaints(POD, policy),
        [
            "spec.restartPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", \"OnFailure\", \"Never\""
        ]
    );
    let twice =
        json!([{"name": "a", "emptyDir": {}}, {"name": "a", "emptyDir": {}, "secret": {"secretName": "s"}}]);
    assert_eq!(
        complaints(POD, with(&pod(), "/spec/volumes", twice)),
        [
            "spec.volumes[1].secret: Forbidden: may not specify more than 1 volume type",
            "spec.volumes[1].name: Duplicate value: \"a\"",
        ]
    );
}

#[test]
fn what_may_change_in_a_pod() {
    let check = |pointer: &str, value: Value, expect: &[&str]| {
        let found = changes(POD, pod(), with(&pod(), pointer, value));
        assert_eq!(found.len(), expect.len(), "{found:?}");
        for (found, expect) in found.iter().zip(expect) {
            assert!(found.starts_with(expect), "{found}");
        }
    };
    check("/metadata/labels", json!({"a": "b"}), &[]);
    check("/spec/containers/0/image", json!("nginx:latest"), &[]);
    check("/spec/activeDeadlineSeconds", json!(5), &[]);
    check(
        "/spec/nodeName",
        json!("n"),
        &["spec: Forbidden: pod updates may not change fields other than `spec.cont"],
    );
    check("/spec/containers/0/name", json!("d"), &["spec: Forbidden: pod updates may not change"]);
    check(
        "/spec/containers",
        json!([]),
        &[
            "spec.containers: Required value",
            "spec.containers: Forbidden: pod updates may not add or remove containers",
        ],
    );
}
