//! What admission makes of pods and claims.

use serde_json::{Value, json};

use crate::harness::{Harness, start};

const PODS: &str = "/api/v1/namespaces/default/pods";

fn pod(name: &str, spec: &Value) -> Value {
    let mut pod = json!({"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    for (field, value) in spec.as_object().unwrap() {
        pod["spec"][field] = value.clone();
    }
    pod
}

async fn refused(it: &Harness, spec: Value, why: &str) {
    let answer = it.post(PODS, &pod("x", &spec)).await;
    let expect = format!("pods \"x\" is forbidden: {why}");
    assert_eq!((answer.code, &answer.body["message"]), (403, &json!(expect)), "{}", answer.text);
}

#[tokio::test]
async fn a_pod_is_completed() {
    let it = start().await;
    let made = it.send("POST", PODS, &[("user-agent", "me")], &pod("p", &json!({})).to_string()).await.ok();
    let spec = &made["spec"];
    assert_eq!(
        (&spec["serviceAccountName"], &spec["serviceAccount"]),
        (&json!("default"), &json!("default"))
    );
    assert_eq!((&spec["priority"], &spec["preemptionPolicy"]), (&json!(0), &json!("PreemptLowerPriority")));
    assert_eq!(spec["tolerations"].as_array().unwrap().len(), 2);
    let volume = spec["volumes"][0]["name"].as_str().unwrap();
    assert!(volume.starts_with("kube-api-access-") && volume.len() == 21, "{volume}");
    assert_eq!(
        spec["containers"][0]["volumeMounts"],
        json!([{"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": volume, "readOnly": true}])
    );
    assert_eq!(
        spec["volumes"][0]["projected"]["sources"][0]["serviceAccountToken"]["expirationSeconds"],
        3607
    );
    let owned = made["metadata"]["managedFields"].to_string();
    assert!(owned.contains("f:containers") && !owned.contains("tolerations"), "{owned}");
    let label = json!({"metadata": {"labels": {"a": "b"}}});
    let changed = it.patch(&format!("{PODS}/p"), "merge-patch+json", &label).await.ok();
    assert_eq!(changed["spec"], made["spec"]);
}

#[tokio::test]
async fn pods_that_ask_for_what_is_not_there() {
    let it = start().await;
    let account = "error looking up service account default/robot: serviceaccount \"robot\" not found";
    refused(&it, json!({"serviceAccountName": "robot"}), account).await;
    refused(&it, json!({"priorityClassName": "no"}), "no PriorityClass with name no was found").await;
    let value = "the integer value of priority (7) must not be provided in pod spec; priority admission controller \
                 computed 0 from the given PriorityClass name";
    refused(&it, json!({"priority": 7}), value).await;
    refused(&it, json!({"runtimeClassName": "no"}), "pod rejected: RuntimeClass \"no\" not found").await;
    let critical = it.post(PODS, &pod("y", &json!({"priorityClassName": "system-node-critical"}))).await.ok();
    assert_eq!(critical["spec"]["priority"], 2_000_001_000);
}

#[tokio::test]
async fn defaults_that_are_objects() {
    let it = start().await;
    let classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
    let class = |name: &str| json!({"metadata": {"name": name}, "value": 5, "globalDefault": true});
    it.post(classes, &class("usual")).await.ok();
    let second = it.post(classes, &class("second")).await;
    assert_eq!(
        second.body["message"],
        "priorityclasses.scheduling.k8s.io \"second\" is forbidden: PriorityClass usual is already marked as default. \
         Only one default can exist"
    );
    let made = it.post(PODS, &pod("p", &json!({}))).await.ok();
    assert_eq!((&made["spec"]["priority"], &made["spec"]["priorityClassName"]), (&json!(5), &json!("usual")));
    let annotations = json!({"storageclass.kubernetes.io/is-default-class": "true"});
    let class =
        json!({"metadata": {"name": "fast", "annotations": annotations}, "provisioner": "krono.dev/none"});
    it.post("/apis/storage.k8s.io/v1/storageclasses", &class).await.ok();
    let claim = json!({
        "metadata": {"name": "c"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    });
    let claim = it.post("/api/v1/namespaces/default/persistentvolumeclaims", &claim).await.ok();
    assert_eq!(claim["spec"]["storageClassName"], "fast");
}

#[tokio::test]
async fn claims_grow_where_their_class_allows_it() {
    let it = start().await;
    let claims = "/api/v1/namespaces/default/persistentvolumeclaims";
    for (name, allowed) in [("rigid", false), ("elastic", true)] {
        let class = json!({
            "metadata": {"name": name}, "provisioner": "krono.dev/none", "allowVolumeExpansion": allowed,
        });
        it.post("/apis/storage.k8s.io/v1/storageclasses", &class).await.ok();
        let requests = json!({"requests": {"storage": "1Gi"}});
        let spec = json!({"accessModes": ["ReadWriteOnce"], "resources": requests, "storageClassName": name});
        it.post(claims, &json!({"metadata": {"name": name}, "spec": spec})).await.ok();
        let path = format!("{claims}/{name}");
        let more = json!({"spec": {"resources": {"requests": {"storage": "2Gi"}}}});
        let early = it.patch(&path, "merge-patch+json", &more).await;
        let expect = format!(
            "persistentvolumeclaims \"{name}\" is forbidden: Only bound persistent volume claims can be expanded"
        );
        assert_eq!((early.code, &early.body["message"]), (403, &json!(expect)));
        let bound = json!({"status": {"phase": "Bound"}});
        it.patch(&format!("{path}/status"), "merge-patch+json", &bound).await.ok();
        assert_eq!(it.patch(&path, "merge-patch+json", &more).await.code, if allowed { 200 } else { 403 });
    }
}
