//! Server-side apply and who manages what.

use serde_json::{Value, json};

use crate::definitions::{definition, widget};
use crate::harness::{Answer, Harness, MAPS, start};

const WIDGET: &str = "/apis/krono.dev/v1/namespaces/default/widgets/one";

async fn with_widgets() -> Harness {
    let it = start().await;
    it.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition()).await.ok();
    it
}

async fn apply(it: &Harness, path: &str, query: &str, body: &Value) -> Answer {
    it.patch(&format!("{path}?{query}"), "apply-patch+yaml", body).await
}

fn managers(object: &Value) -> Vec<String> {
    let entries = object["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
    let text = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    entries
        .iter()
        .map(|it| format!("{} {} {}", text(it, "manager"), text(it, "operation"), text(it, "subresource")))
        .collect()
}

#[tokio::test]
async fn applying_creates_changes_and_conflicts() {
    let it = with_widgets().await;
    let created = apply(&it, WIDGET, "fieldManager=a", &widget("one", 3)).await;
    assert_eq!(created.code, 201, "{}", created.text);
    assert_eq!(managers(&created.body), ["a Apply "]);
    let again = apply(&it, WIDGET, "fieldManager=a", &widget("one", 3)).await.ok();
    assert_eq!(again["metadata"]["resourceVersion"], created.body["metadata"]["resourceVersion"]);
    let clash = apply(&it, WIDGET, "fieldManager=b", &widget("one", 4)).await;
    assert_eq!((clash.code, &clash.body["reason"]), (409, &json!("Conflict")));
    let cause = &clash.body["details"]["causes"][0];
    assert_eq!((&cause["reason"], &cause["field"]), (&json!("FieldManagerConflict"), &json!(".spec.size")));
    assert_eq!(cause["message"], "conflict with \"a\"");
    let forced = apply(&it, WIDGET, "fieldManager=b&force=true", &widget("one", 4)).await.ok();
    assert_eq!((&forced["spec"]["size"], &forced["metadata"]["generation"]), (&json!(4), &json!(2)));
    let nameless = apply(&it, WIDGET, "", &widget("one", 4)).await;
    assert_eq!((nameless.code, &nameless.body["reason"]), (422, &json!("Invalid")));
}

#[tokio::test]
async fn status_has_managers_of_its_own() {
    let it = with_widgets().await;
    apply(&it, WIDGET, "fieldManager=a", &widget("one", 3)).await.ok();
    let status = json!({"apiVersion": "krono.dev/v1", "kind": "Widget", "status": {"phase": "Ready"}});
    let applied = apply(&it, &format!("{WIDGET}/status"), "fieldManager=a", &status).await.ok();
    assert_eq!(managers(&applied), ["a Apply ", "a Apply status"]);
    assert_eq!((&applied["spec"]["size"], &applied["status"]["phase"]), (&json!(3), &json!("Ready")));
}

#[tokio::test]
async fn what_is_no_longer_applied_goes() {
    let it = start().await;
    let path = format!("{MAPS}/one");
    let body = |data: Value| json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "one"}, "data": data});
    apply(&it, &path, "fieldManager=a", &body(json!({"x": "1", "y": "2"}))).await.ok();
    it.patch(&format!("{path}?fieldManager=other"), "merge-patch+json", &json!({"data": {"z": "3"}}))
        .await
        .ok();
    let applied = apply(&it, &path, "fieldManager=a", &body(json!({"x": "1"}))).await.ok();
    assert_eq!(applied["data"], json!({"x": "1", "z": "3"}));
    assert_eq!(managers(&applied), ["a Apply ", "other Update "]);
}
