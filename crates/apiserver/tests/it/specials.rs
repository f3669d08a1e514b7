//! Parts of objects that do something.

use serde_json::{Value, json};

use crate::harness::{Harness, start};

const PODS: &str = "/api/v1/namespaces/default/pods";

async fn running(it: &Harness, name: &str) {
    let labels = json!({"app": "web"});
    let pod = json!({"metadata": {"name": name, "labels": labels}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    it.post(PODS, &pod).await.ok();
    let status = json!({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}});
    it.patch(&format!("{PODS}/{name}/status"), "merge-patch+json", &status).await.ok();
}

fn eviction(name: &str) -> Value {
    json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": "default"}})
}

#[tokio::test]
async fn what_only_running_workloads_have() {
    let it = start().await;
    running(&it, "p").await;
    let check = async |method: &str, path: &str, code: u16, message: &str| {
        let answer = it.send(method, path, &[], "").await;
        assert_eq!(answer.code, code, "{path} {}", answer.text);
        assert!(answer.body["message"].as_str().unwrap().contains(message), "{}", answer.text);
    };
    check("GET", &format!("{PODS}/p/log?follow=true"), 501, "pods \"p\": log is not available").await;
    check("POST", &format!("{PODS}/p/exec?command=sh"), 501, "workloads on this server are simulated").await;
    check("GET", &format!("{PODS}/p/attach"), 501, "simulated").await;
    check("POST", &format!("{PODS}/p/portforward"), 501, "port-forward is not available").await;
    check("GET", &format!("{PODS}/p/proxy/a/b"), 501, "proxy is not available").await;
    check("GET", "/api/v1/namespaces/default/services/https:kubernetes:443/proxy/", 501, "proxy").await;
    check("GET", &format!("{PODS}/none/log"), 404, "pods \"none\" not found").await;
    check("DELETE", &format!("{PODS}/p/log"), 405, "does not allow this method").await;
    let token = "/api/v1/namespaces/default/serviceaccounts/default/token";
    check("POST", token, 501, "does not issue tokens of service accounts yet").await;
    check("POST", "/api/v1/namespaces/default/serviceaccounts/none/token", 404, "not found").await;
}

#[tokio::test]
async fn pods_are_evicted_within_their_budget() {
    let it = start().await;
    running(&it, "a").await;
    running(&it, "b").await;
    let budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    let budget = json!({
        "metadata": {"name": "web"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}},
    });
    it.post(budgets, &budget).await.ok();
    let evict = async |name: &str| it.post(&format!("{PODS}/{name}/eviction"), &eviction(name)).await;
    let early = evict("a").await;
    assert_eq!((early.code, early.header("retry-after")), (429, "10"));
    let status = json!({"status": {"observedGeneration": 1, "disruptionsAllowed": 1, "currentHealthy": 2,
        "desiredHealthy": 1, "expectedPods": 2}});
    it.patch(&format!("{budgets}/web/status"), "merge-patch+json", &status).await.ok();
    let dry = it.post(&format!("{PODS}/a/eviction?dryRun=All"), &eviction("a")).await;
    assert_eq!(dry.code, 201);
    let done = evict("a").await;
    let success =
        json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
    assert_eq!(done.body, success);
    let refused = evict("b").await;
    assert_eq!(
        (refused.code, &refused.body["message"]),
        (429, &json!("Cannot evict pod as it would violate the pod's disruption budget."))
    );
    assert_eq!(refused.body["details"]["causes"][0]["reason"], "DisruptionBudget");
    let counted = it.get(&format!("{budgets}/web")).await.ok();
    assert!(counted["status"]["disruptedPods"]["a"].is_string(), "{counted}");
    let other = it.post(&format!("{PODS}/b/eviction"), &eviction("c")).await;
    assert_eq!(
        (other.code, &other.body["message"]),
        (400, &json!("name in URL does not match name in Eviction object"))
    );
}

#[tokio::test]
async fn parts_are_told() {
    let it = start().await;
    let list = it.get("/api/v1").await.ok();
    let entries = list["resources"].as_array().unwrap();
    let names: Vec<&str> = entries.iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert!(names.is_sorted(), "{names:?}");
    let find = |name: &str| entries.iter().find(|it| it["name"] == name).unwrap();
    assert_eq!(find("pods/exec")["verbs"], json!(["create", "get"]));
    assert_eq!(find("pods/eviction")["group"], "policy");
    assert_eq!(find("bindings")["verbs"], json!(["create"]));
    assert_eq!(find("configmaps")["storageVersionHash"], "qFsyl6wFWjQ=");
    assert!(!find("namespaces")["verbs"].to_string().contains("deletecollection"));
    let accept = [("accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")];
    let all = it.send("GET", "/api", &accept, "").await.ok();
    let kinds = all["items"][0]["versions"][0]["resources"].as_array().unwrap().clone();
    let pods = kinds.iter().find(|it| it["resource"] == "pods").unwrap();
    let parts: Vec<_> =
        pods["subresources"].as_array().unwrap().iter().map(|it| it["subresource"].clone()).collect();
    assert_eq!(parts, ["attach", "binding", "eviction", "exec", "log", "portforward", "proxy", "status"]);
}
