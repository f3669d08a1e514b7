//! What ends by itself: dependents, namespaces, definitions.

use std::time::Duration;

use serde_json::{Value, json};

use crate::definitions::{definition, widget};
use crate::harness::{Harness, MAPS, start};

/// Follows the changes of a collection until the object is gone.
async fn gone(it: &Harness, path: &str) {
    let waited = tokio::time::timeout(Duration::from_secs(10), async {
        while it.get(path).await.code != 404 {
            tokio::task::yield_now().await;
        }
    });
    assert!(waited.await.is_ok(), "{path} is still there");
}

fn dependent(name: &str, owner: &Value) -> Value {
    let owner = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"],
        "blockOwnerDeletion": true,
    });
    json!({"metadata": {"name": name, "ownerReferences": [owner]}})
}

#[tokio::test]
async fn dependents_go_with_their_owner() {
    let it = start().await;
    for policy in ["Background", "Foreground"] {
        let owner = it.post(MAPS, &json!({"metadata": {"name": "owner"}})).await.ok();
        it.post(MAPS, &dependent("child", &owner)).await.ok();
        it.delete(&format!("{MAPS}/owner?propagationPolicy={policy}")).await.ok();
        gone(&it, &format!("{MAPS}/child")).await;
        gone(&it, &format!("{MAPS}/owner")).await;
    }
}

#[tokio::test]
async fn orphans_stay() {
    let it = start().await;
    let owner = it.post(MAPS, &json!({"metadata": {"name": "owner"}})).await.ok();
    it.post(MAPS, &dependent("child", &owner)).await.ok();
    it.delete(&format!("{MAPS}/owner?propagationPolicy=Orphan")).await.ok();
    gone(&it, &format!("{MAPS}/owner")).await;
    let child = it.get(&format!("{MAPS}/child")).await.ok();
    assert_eq!(child["metadata"]["ownerReferences"], Value::Null);
}

#[tokio::test]
async fn namespaces_take_their_objects_along() {
    let it = start().await;
    it.post("/api/v1/namespaces", &json!({"metadata": {"name": "team"}})).await.ok();
    it.post("/api/v1/namespaces/team/configmaps", &json!({"metadata": {"name": "one"}})).await.ok();
    let marked = it.delete("/api/v1/namespaces/team").await.ok();
    assert_eq!(marked["status"]["phase"], "Terminating");
    gone(&it, "/api/v1/namespaces/team").await;
    assert_eq!(it.get("/api/v1/namespaces/team/configmaps/one").await.code, 404);
}

#[tokio::test]
async fn definitions_take_their_objects_along() {
    let it = start().await;
    it.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition()).await.ok();
    let widgets = "/apis/krono.dev/v1/namespaces/default/widgets";
    it.post(widgets, &widget("one", 1)).await.ok();
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.krono.dev";
    it.delete(path).await.ok();
    gone(&it, path).await;
    gone(&it, widgets).await;
    it.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition()).await.ok();
    assert_eq!(it.get(widgets).await.ok()["items"], json!([]));
}
