//! Built-in kinds with rules of their own.

use serde_json::{Value, json};

use crate::harness::{MAPS, start};

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

fn deployment() -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "web", "image": "web:1"}, {"name": "side", "image": "side:1"}]},
            },
        },
    })
}

#[tokio::test]
async fn deployments_have_defaults_rules_and_patches() {
    let it = start().await;
    let created = it.post(DEPLOYMENTS, &deployment()).await.ok();
    assert_eq!(created["spec"]["replicas"], 1);
    assert_eq!(created["spec"]["strategy"]["type"], "RollingUpdate");
    assert_eq!(created["metadata"]["generation"], 1);
    let path = format!("{DEPLOYMENTS}/web");
    let image = json!({"spec": {"template": {"spec": {"containers": [{"name": "web", "image": "web:2"}]}}}});
    let patched = it.patch(&path, "strategic-merge-patch+json", &image).await.ok();
    let containers = patched["spec"]["template"]["spec"]["containers"].as_array().unwrap().clone();
    assert_eq!((containers.len(), &containers[0]["image"]), (2, &json!("web:2")));
    assert_eq!(patched["metadata"]["generation"], 2);
    let selector = json!({"spec": {"selector": {"matchLabels": {"app": "other"}}}});
    assert_eq!(it.patch(&path, "merge-patch+json", &selector).await.code, 422);
    let scaled = it.put(&format!("{path}/scale"), &json!({"spec": {"replicas": 4}})).await.ok();
    assert_eq!((&scaled["spec"]["replicas"], &scaled["status"]["selector"]), (&json!(4), &json!("app=web")));
}

#[tokio::test]
async fn reviews_answer() {
    let it = start().await;
    let reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    let question = json!({"spec": {"resourceAttributes": {"verb": "delete", "resource": "pods"}}});
    assert_eq!(it.post(reviews, &question).await.ok()["status"]["allowed"], true);
    let as_jane = [("impersonate-user", "jane")];
    let refused = it.send("GET", MAPS, &as_jane, "").await;
    assert_eq!((refused.code, &refused.body["reason"]), (403, &json!("Forbidden")));
    assert_eq!(
        refused.body["message"],
        "configmaps is forbidden: User \"jane\" cannot list resource \"configmaps\" in API group \"\" \
         in the namespace \"default\""
    );
    let me = it.send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", &[], "{}").await.ok();
    assert_eq!(me["status"]["userInfo"]["username"], "kubernetes-admin");
}

#[tokio::test]
async fn both_event_apis_show_the_same_events() {
    let it = start().await;
    let event = json!({
        "metadata": {"name": "e"}, "eventTime": "2026-01-01T00:00:00.000000Z", "reportingController": "krono.dev/test",
        "reportingInstance": "one", "action": "Testing", "reason": "Tested", "type": "Normal", "note": "it works",
        "regarding": {"kind": "Pod", "namespace": "default", "name": "p"},
    });
    it.post("/apis/events.k8s.io/v1/namespaces/default/events", &event).await.ok();
    let core = it.get("/api/v1/namespaces/default/events/e").await.ok();
    assert_eq!((&core["apiVersion"], &core["kind"]), (&json!("v1"), &json!("Event")));
    assert_eq!((&core["message"], &core["involvedObject"]["name"]), (&json!("it works"), &json!("p")));
    let list = it.get("/api/v1/events?fieldSelector=involvedObject.name%3Dp").await.ok();
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
    let series = json!({"series": {"count": 2, "lastObservedTime": "2026-01-01T00:00:01.000000Z"}});
    let path = "/apis/events.k8s.io/v1/namespaces/default/events/e";
    let patched = it.patch(path, "merge-patch+json", &series).await.ok();
    assert_eq!((&patched["note"], &patched["series"]["count"]), (&json!("it works"), &json!(2)));
}
