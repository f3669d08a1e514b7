//! What a server has from the start and keeps by itself.

use std::sync::Arc;
use std::time::Duration;

use krono_apiserver::Server;
use krono_store::{MemoryStore, Store};
use serde_json::{Value, json};

use crate::harness::{Harness, start};

const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

/// Waits for what the server does by itself.
async fn eventually(it: &Harness, path: &str, is_there: impl Fn(&Value) -> bool) -> Value {
    let seen = async {
        loop {
            let answer = it.get(path).await;
            if is_there(&answer.body) {
                return answer.body;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), seen).await.unwrap()
}

fn bare(mut object: Value) -> Value {
    let metadata = object["metadata"].as_object_mut().unwrap();
    for name in ["uid", "creationTimestamp", "resourceVersion"] {
        metadata.remove(name);
    }
    for entry in metadata["managedFields"].as_array_mut().unwrap() {
        entry.as_object_mut().unwrap().remove("time");
    }
    object
}

/// Who owns the spec itself is not settled between the two ways.
fn comparable(object: Value) -> Value {
    let mut object = bare(object);
    let fields =
        object.pointer_mut("/metadata/managedFields/0/fieldsV1/f:spec").and_then(Value::as_object_mut);
    fields.and_then(|fields| fields.remove("."));
    object
}

#[tokio::test]
async fn what_is_there_from_the_start_is_as_if_it_was_created() {
    let it = start().await;
    let rbac = "/apis/rbac.authorization.k8s.io/v1";
    let system = format!("{rbac}/namespaces/kube-system");
    let (roles, bindings) = (format!("{system}/roles"), format!("{system}/rolebindings"));
    let cluster_bindings = format!("{rbac}/clusterrolebindings");
    let classes = "/apis/scheduling.k8s.io/v1/priorityclasses";
    let services = "/api/v1/namespaces/default/services";
    let headers = [("user-agent", "kube-apiserver")];
    for collection in [ROLES, &cluster_bindings, &roles, &bindings, classes, services] {
        let list = it.get(collection).await.ok();
        for item in list["items"].as_array().unwrap() {
            if !item["aggregationRule"].is_null() {
                continue;
            }
            let path = format!("{collection}/{}", item["metadata"]["name"].as_str().unwrap());
            let object = it.get(&path).await.ok();
            it.delete(&path).await.ok();
            let mut body = bare(object.clone());
            body["metadata"].as_object_mut().unwrap().remove("managedFields");
            for allocated in ["clusterIPs", "ipFamilies"] {
                body["spec"].as_object_mut().and_then(|spec| spec.remove(allocated));
            }
            let created = it.send("POST", collection, &headers, &body.to_string()).await.ok();
            assert_eq!(comparable(created), comparable(object), "{path}");
        }
    }
}

#[tokio::test]
async fn namespaces_are_furnished() {
    let it = start().await;
    let namespaces = it.get("/api/v1/namespaces").await.ok();
    let names: Vec<_> =
        namespaces["items"].as_array().unwrap().iter().map(|it| it["metadata"]["name"].clone()).collect();
    assert_eq!(names, ["default", "kube-node-lease", "kube-public", "kube-system"]);
    let made = it
        .send("POST", "/api/v1/namespaces", &[("user-agent", "me")], r#"{"metadata": {"name": "new"}}"#)
        .await
        .ok();
    let owned = json!({"f:metadata": {"f:labels": {".": {}, "f:kubernetes.io/metadata.name": {}}}});
    assert_eq!(made["metadata"]["managedFields"][0]["fieldsV1"], owned);
    for namespace in ["default", "new"] {
        let (account, map) = (
            format!("/api/v1/namespaces/{namespace}/serviceaccounts/default"),
            format!("/api/v1/namespaces/{namespace}/configmaps/kube-root-ca.crt"),
        );
        let first = it.get(&account).await.ok();
        assert_eq!(it.get(&map).await.ok()["data"], json!({"ca.crt": ""}));
        it.delete(&account).await.ok();
        let uid = first["metadata"]["uid"].clone();
        eventually(&it, &account, |it| it["kind"] == "ServiceAccount" && it["metadata"]["uid"] != uid).await;
        it.patch(&map, "merge-patch+json", &json!({"data": {"ca.crt": "changed"}})).await.ok();
        eventually(&it, &map, |it| it["data"] == json!({"ca.crt": ""})).await;
    }
    it.delete("/api/v1/namespaces/new").await.ok();
    eventually(&it, "/api/v1/namespaces/new", |it| it["reason"] == "NotFound").await;
    assert_eq!(it.get("/api/v1/namespaces/new/serviceaccounts/default").await.code, 404);
}

#[tokio::test]
async fn the_certificate_and_the_address_are_published() {
    let address = "192.0.2.1:6443".parse().unwrap();
    let server = Server::builder().root_ca("PEM").advertised(address).start().await.unwrap();
    let it = Harness { server };
    let addresses = it.get("/api").await.ok()["serverAddressByClientCIDRs"].clone();
    assert_eq!(addresses, json!([{"clientCIDR": "0.0.0.0/0", "serverAddress": "192.0.2.1:6443"}]));
    let slice = it.get("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes").await.ok();
    assert_eq!(slice["endpoints"][0]["addresses"], json!(["192.0.2.1"]));
    let map = it.get("/api/v1/namespaces/kube-system/configmaps/kube-root-ca.crt").await.ok();
    assert_eq!(map["data"], json!({"ca.crt": "PEM"}));
}

#[tokio::test]
async fn a_server_that_moved_says_so() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let service = "/api/v1/namespaces/default/services/kubernetes";
    let slice = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";
    let mut written = 0;
    for (address, port, writes) in
        [("192.0.2.1:6443", 6443, true), ("192.0.2.2:7443", 7443, true), ("192.0.2.2:7443", 7443, false)]
    {
        let server = Server::builder().store(Arc::clone(&store)).advertised(address.parse().unwrap());
        let it = Harness { server: server.start().await.unwrap() };
        assert_eq!(store.version() != written, writes, "{address}");
        written = store.version();
        assert_eq!(it.get(service).await.ok()["spec"]["ports"][0]["targetPort"], port);
        let slice = it.get(slice).await.ok();
        assert_eq!(slice["ports"][0]["port"], port);
        let ip = address.split(':').next().unwrap();
        assert_eq!(slice["endpoints"][0]["addresses"], json!([ip]));
    }
}

#[tokio::test]
async fn a_second_start_changes_nothing_but_what_is_missing() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let begin = async || {
        let server = Server::builder().store(Arc::clone(&store)).start().await.unwrap();
        Harness { server }
    };
    let it = begin().await;
    let version = store.version();
    drop(it);
    let it = begin().await;
    assert_eq!(store.version(), version, "nothing is written twice");
    let view = format!("{ROLES}/view");
    let discovery = format!("{ROLES}/system:discovery");
    let edit = format!("{ROLES}/system:aggregate-to-edit");
    let binding = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:discovery";
    it.patch(&discovery, "merge-patch+json", &json!({"rules": [], "metadata": {"labels": {"mine": "yes"}}}))
        .await
        .ok();
    let off = json!({"rbac.authorization.kubernetes.io/autoupdate": "false"});
    it.patch(&edit, "merge-patch+json", &json!({"rules": [], "metadata": {"annotations": off}})).await.ok();
    it.delete(binding).await.ok();
    it.delete(&view).await.ok();
    drop(it);
    let it = begin().await;
    let restored = it.get(&discovery).await.ok();
    assert!(!restored["rules"].as_array().unwrap().is_empty());
    assert_eq!(restored["metadata"]["labels"]["mine"], "yes");
    assert_eq!(it.get(&edit).await.ok()["rules"], json!([]));
    assert_eq!(it.get(binding).await.code, 200);
    assert_eq!(
        it.get(&view).await.ok()["aggregationRule"]["clusterRoleSelectors"].as_array().unwrap().len(),
        1
    );
}

#[tokio::test]
async fn roles_made_of_others_follow_them() {
    let it = start().await;
    let role = json!({
        "metadata": {"name": "crontabs", "labels": {"rbac.authorization.k8s.io/aggregate-to-view": "true"}},
        "rules": [{"apiGroups": ["example.com"], "resources": ["crontabs"], "verbs": ["get"]}],
    });
    it.post(ROLES, &role).await.ok();
    let has = |role: &Value| role["rules"].to_string().contains("crontabs");
    for name in ["view", "edit", "admin"] {
        let made = eventually(&it, &format!("{ROLES}/{name}"), has).await;
        let managers = made["metadata"]["managedFields"].to_string();
        assert!(managers.contains("clusterrole-aggregation-controller"), "{managers}");
    }
    it.delete(&format!("{ROLES}/crontabs")).await.ok();
    eventually(&it, &format!("{ROLES}/view"), |role| role["rules"].is_array() && !has(role)).await;
}

#[tokio::test]
async fn claims_in_use_stay() {
    let it = start().await;
    let claims = "/api/v1/namespaces/default/persistentvolumeclaims";
    let claim = json!({
        "metadata": {"name": "c"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    });
    let made = it.post(claims, &claim).await.ok();
    assert_eq!(made["metadata"]["finalizers"], json!(["kubernetes.io/pvc-protection"]));
    let pod = json!({
        "metadata": {"name": "p"},
        "spec": {
            "containers": [{"name": "c", "image": "i"}],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}],
        },
    });
    it.post("/api/v1/namespaces/default/pods", &pod).await.ok();
    it.delete(&format!("{claims}/c")).await.ok();
    // Whatever is done about the claim is done before the next namespace is furnished again.
    it.post("/api/v1/namespaces", &json!({"metadata": {"name": "later"}})).await.ok();
    it.delete("/api/v1/namespaces/later/serviceaccounts/default").await.ok();
    eventually(&it, "/api/v1/namespaces/later/serviceaccounts/default", |it| it["kind"] == "ServiceAccount")
        .await;
    assert!(it.get(&format!("{claims}/c")).await.ok()["metadata"]["deletionTimestamp"].is_string());
    it.delete("/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0").await.ok();
    eventually(&it, &format!("{claims}/c"), |it| it["reason"] == "NotFound").await;
}
