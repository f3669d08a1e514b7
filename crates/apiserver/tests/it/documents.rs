//! Discovery, versions and health.

use serde_json::json;

use crate::harness::start;

const AGGREGATED: &str =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

#[tokio::test]
async fn discovery_in_both_forms() {
    let it = start().await;
    assert_eq!(it.get("/api").await.ok()["versions"], json!(["v1"]));
    let groups = it.get("/apis").await.ok();
    assert!(groups["groups"].as_array().unwrap().iter().any(|group| group["name"] == "apiextensions.k8s.io"));
    let core = it.get("/api/v1").await.ok();
    let names: Vec<&str> =
        core["resources"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"configmaps") && names.contains(&"namespaces/status"), "{names:?}");
    let whole = it.send("GET", "/apis", &[("accept", AGGREGATED)], "").await;
    let etag = whole.header("etag").to_owned();
    assert_eq!(
        whole.header("content-type"),
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    );
    assert_eq!(whole.ok()["kind"], "APIGroupDiscoveryList");
    let again = it.send("GET", "/apis", &[("accept", AGGREGATED), ("if-none-match", &etag)], "").await;
    assert_eq!((again.code, again.text.as_str()), (304, ""));
}

#[tokio::test]
async fn small_documents() {
    let it = start().await;
    assert_eq!(it.get("/version").await.ok()["minor"], "35");
    for path in ["/healthz", "/livez", "/readyz", "/readyz/ping"] {
        assert_eq!(it.get(path).await.text, "ok");
    }
    assert!(it.get("/readyz?verbose").await.text.ends_with("readyz check passed\n"));
    let missing = it.get("/nothing").await;
    assert_eq!((missing.code, missing.text.as_str()), (404, "404 page not found\n"));
    assert_eq!(it.get("/apis/nobody.io/v1").await.code, 404);
    assert_eq!(it.get("/openapi/v2").await.ok()["definitions"], serde_json::json!({}));
}

#[tokio::test]
async fn openapi_is_found_through_its_index() {
    let it = start().await;
    let index = it.get("/openapi/v3").await.ok();
    let path = index["paths"]["api/v1"]["serverRelativeURL"].as_str().unwrap().to_owned();
    let document = it.get(&path).await.ok();
    let schema = &document["components"]["schemas"]["io.k8s.api.core.v1.ConfigMap"];
    assert_eq!(schema["x-kubernetes-group-version-kind"][0]["kind"], "ConfigMap");
}
