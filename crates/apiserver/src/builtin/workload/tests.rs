//! Tables of defaults and rules.

use serde_json::{Value, json};

use super::{CONTROLLER_REVISION, DAEMON_SET, DEPLOYMENT, REPLICA_SET, REPLICATION_CONTROLLER, STATEFUL_SET};
use crate::builtin::testing::{changes, complaints, defaulted, with};
use crate::kind::Rules;

fn workload() -> Value {
    json!({"metadata": {"name": "w"}, "spec": {
        "selector": {"matchLabels": {"app": "w"}},
        "template": {"metadata": {"labels": {"app": "w"}}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}},
    }})
}

/// What was filled in beside the selector and the template.
fn filled(rules: Rules) -> Value {
    let mut object = defaulted(rules, workload());
    let spec = object["spec"].as_object_mut().unwrap();
    spec.remove("selector");
    spec.remove("template");
    json!({"spec": object["spec"], "status": object["status"]})
}

#[test]
fn defaults() {
    assert_eq!(
        filled(DEPLOYMENT),
        json!({"spec": {
            "replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600,
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
        }, "status": {}})
    );
    assert_eq!(filled(REPLICA_SET), json!({"spec": {"replicas": 1}, "status": {"replicas": 0}}));
    assert_eq!(
        filled(STATEFUL_SET),
        json!({"spec": {
            "replicas": 1, "revisionHistoryLimit": 10, "podManagementPolicy": "OrderedReady", "serviceName": "",
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
            "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
        }, "status": {"replicas": 0, "availableReplicas": 0}})
    );
    assert_eq!(
        filled(DAEMON_SET),
        json!({"spec": {
            "revisionHistoryLimit": 10,
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
        }, "status": {"currentNumberScheduled": 0, "desiredNumberScheduled": 0, "numberMisscheduled": 0, "numberReady": 0}})
    );
    let template = &defaulted(DEPLOYMENT, workload())["spec"]["template"];
    assert_eq!(
        template["spec"],
        json!({
            "containers": [{"name": "c", "image": "i:1", "imagePullPolicy": "IfNotPresent", "resources": {},
                "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}],
            "dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "schedulerName": "default-scheduler",
            "securityContext": {}, "terminationGracePeriodSeconds": 30,
        })
    );
}

#[test]
fn recreation_has_no_rolling_update() {
    let recreate = with(&workload(), "/spec/strategy", json!({"type": "Recreate"}));
    assert_eq!(defaulted(DEPLOYMENT, recreate)["spec"]["strategy"], json!({"type": "Recreate"}));
    let both = json!({"type": "Recreate", "rollingUpdate": {"maxSurge": 1}});
    assert_eq!(
        complaints(DEPLOYMENT, with(&workload(), "/spec/strategy", both)),
        ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"]
    );
}

#[test]
fn claims_are_filled_in_and_give_volumes() {
    let mut set = with(
        &workload(),
        "/spec/volumeClaimTemplates",
        json!([{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1024Mi"}}}}]),
    );
    set["spec"]["template"]["spec"]["containers"][0]["volumeMounts"] =
        json!([{"name": "data", "mountPath": "/data"}]);
    assert_eq!(complaints(STATEFUL_SET, set.clone()), [""; 0]);
    assert_eq!(
        defaulted(STATEFUL_SET, set)["spec"]["volumeClaimTemplates"],
        json!([{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
            "spec": {"accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem",
                "resources": {"requests": {"storage": "1Gi"}}}, "status": {"phase": "Pending"}}])
    );
}

#[test]
fn selectors_select_the_pods_of_the_template() {
    let all = [DEPLOYMENT, REPLICA_SET, STATEFUL_SET, DAEMON_SET];
    let mismatch = "spec.template.metadata.labels: Invalid value: {\"app\":\"w\"}: `selector` does not match template `labels`";
    for rules in all {
        assert_eq!(complaints(rules, workload()), [""; 0]);
        let other = with(&workload(), "/spec/selector", json!({"matchLabels": {"app": "x"}}));
        assert_eq!(complaints(rules, other), [mismatch]);
    }
    let nonsense =
        with(&workload(), "/spec/selector", json!({"matchExpressions": [{"key": "a", "operator": "Is"}]}));
    let selector = r#"{"matchExpressions":[{"key":"a","operator":"Is"}]}"#;
    let operator =
        "spec.selector.matchExpressions[0].operator: Invalid value: \"Is\": not a valid selector operator";
    assert_eq!(
        complaints(DEPLOYMENT, nonsense),
        [operator, &format!("spec.selector: Invalid value: {selector}: invalid label selector")]
    );
    let none = with(&workload(), "/spec/selector", Value::Null);
    assert_eq!(complaints(DEPLOYMENT, none), ["spec.selector: Required value", mismatch]);
    let empty = with(&workload(), "/spec/selector", json!({}));
    assert_eq!(
        complaints(DEPLOYMENT, empty),
        ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"]
    );
}

#[test]
fn selectors_are_immutable() {
    let moved = with(
        &with(&workload(), "/spec/selector", json!({"matchLabels": {"app": "x"}})),
        "/spec/template/metadata/labels",
        json!({"app": "x"}),
    );
    let expect = ["spec.selector: Invalid value: {\"matchLabels\":{\"app\":\"x\"}}: field is immutable"];
    for rules in [DEPLOYMENT, REPLICA_SET, DAEMON_SET] {
        assert_eq!(changes(rules, workload(), moved.clone()), expect);
    }
    assert_eq!(
        changes(STATEFUL_SET, workload(), moved),
        [
            "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', \
          'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' \
          are forbidden"
        ]
    );
    let scaled = with(&workload(), "/spec/replicas", json!(3));
    assert_eq!(changes(STATEFUL_SET, workload(), scaled), [""; 0]);
}

#[test]
fn numbers_and_policies() {
    let check = |rules: Rules, pointer: &str, value: Value, expect: &[&str]| {
        assert_eq!(complaints(rules, with(&workload(), pointer, value)), expect);
    };
    check(
        DEPLOYMENT,
        "/spec/replicas",
        json!(-1),
        &["spec.replicas: Invalid value: -1: must be greater than or equal to 0"],
    );
    check(
        DEPLOYMENT,
        "/spec/strategy",
        json!({"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "0%"}}),
        &[
            "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"0%\": may not be 0 when `maxSurge` is 0",
        ],
    );
    check(
        DEPLOYMENT,
        "/spec/progressDeadlineSeconds",
        json!(0),
        &["spec.progressDeadlineSeconds: Invalid value: 0: must be greater than minReadySeconds"],
    );
    check(
        DEPLOYMENT,
        "/spec/template/spec/restartPolicy",
        json!("Never"),
        &["spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\""],
    );
    check(
        STATEFUL_SET,
        "/spec/podManagementPolicy",
        json!("Any"),
        &["spec.podManagementPolicy: Invalid value: \"Any\": must be 'OrderedReady' or 'Parallel'"],
    );
    check(
        DAEMON_SET,
        "/spec/updateStrategy",
        json!({"rollingUpdate": {"maxSurge": 1}}),
        &[
            "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero",
        ],
    );
}

#[test]
fn older_kinds() {
    let controller = json!({"metadata": {"name": "r"}, "spec": {"template": {"metadata": {"labels": {"a": "b"}},
        "spec": {"containers": [{"name": "c", "image": "i"}]}}}});
    let filled = defaulted(REPLICATION_CONTROLLER, controller.clone());
    assert_eq!(filled["spec"]["selector"], json!({"a": "b"}));
    assert_eq!(filled["metadata"]["labels"], json!({"a": "b"}));
    assert_eq!(complaints(REPLICATION_CONTROLLER, controller), [""; 0]);
    assert_eq!(
        complaints(CONTROLLER_REVISION, json!({"revision": 1})),
        ["data: Required value: data is mandatory"]
    );
}
