//! One object at a time.

use serde_json::{Value, json};

use crate::harness::{MAPS, start};

fn map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "b"}})
}

#[tokio::test]
async fn an_object_lives_and_dies() {
    let it = start().await;
    let created = it.post(MAPS, &map("one")).await;
    assert_eq!(created.code, 201);
    let metadata = &created.body["metadata"];
    assert_eq!(metadata["namespace"], "default");
    assert_eq!(metadata["uid"].as_str().unwrap().len(), 36);
    assert_eq!(metadata["generation"], Value::Null);
    assert!(metadata["creationTimestamp"].as_str().unwrap().ends_with('Z'));
    let path = format!("{MAPS}/one");
    assert_eq!(it.get(&path).await.ok(), created.body);

    let mut changed = created.body.clone();
    changed["data"]["a"] = "c".into();
    let updated = it.put(&path, &changed).await.ok();
    assert_ne!(updated["metadata"]["resourceVersion"], metadata["resourceVersion"]);
    let stale = it.put(&path, &json!({"metadata": {"name": "one", "resourceVersion": "1"}})).await;
    assert_eq!((stale.code, &stale.body["reason"]), (409, &json!("Conflict")));
    assert_eq!(
        stale.body["message"],
        "Operation cannot be fulfilled on configmaps \"one\": the object has been modified; \
         please apply your changes to the latest version and try again"
    );

    let deleted = it.delete(&path).await.ok();
    assert_eq!(deleted["status"], "Success");
    assert_eq!(deleted["details"]["uid"], metadata["uid"]);
    let gone = it.get(&path).await;
    assert_eq!(gone.code, 404);
    assert_eq!(
        gone.body,
        json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": "configmaps \"one\" not found", "reason": "NotFound",
            "details": {"name": "one", "kind": "configmaps"}, "code": 404,
        })
    );
}

/// There is no such address: a name alone says nothing where objects live in namespaces.
#[tokio::test]
async fn what_lives_in_namespaces_has_no_address_without_one() {
    let it = start().await;
    it.post(MAPS, &map("one")).await.ok();
    let path = "/api/v1/configmaps/nowhere";
    let applied = it.patch(&format!("{path}?fieldManager=x"), "apply-patch+yaml", &map("nowhere")).await;
    for answer in [applied, it.get(path).await, it.put(path, &map("nowhere")).await, it.delete(path).await] {
        let told = (answer.code, answer.body["message"].as_str());
        assert_eq!(told, (404, Some("the server could not find the requested resource")));
    }
    assert_eq!(it.get("/api/v1/configmaps/one").await.code, 404);
    assert_eq!(it.get("/api/v1/namespaces/default").await.code, 200);
    let listed = it.get("/api/v1/configmaps").await.ok();
    assert!(listed["items"].as_array().unwrap().iter().all(|it| it["metadata"]["name"] != "nowhere"));
}

#[tokio::test]
async fn writes_that_change_nothing_are_not_written() {
    let it = start().await;
    let created = it.post(MAPS, &map("one")).await.ok();
    let again = it.put(&format!("{MAPS}/one"), &map("one")).await.ok();
    assert_eq!(created, again);
}

#[tokio::test]
async fn refusals() {
    let it = start().await;
    it.post(MAPS, &map("taken")).await.ok();
    let check = async |path: &str, body: Value, code: u16, message: &str| {
        let answer = it.post(path, &body).await;
        assert_eq!(answer.code, code, "{}", answer.text);
        let said = answer.body["message"].as_str().unwrap();
        assert!(said.contains(message), "{said}");
    };
    check(MAPS, map("taken"), 409, "configmaps \"taken\" already exists").await;
    check(MAPS, map("Not_Valid"), 422, "ConfigMap \"Not_Valid\" is invalid: metadata.name: Invalid value")
        .await;
    check(MAPS, json!({}), 422, "name or generateName is required").await;
    check(MAPS, json!([]), 400, "cannot unmarshal array").await;
    check(MAPS, json!({"kind": "Secret", "apiVersion": "v1"}), 400, "cannot be handled as a ConfigMap").await;
    check(
        MAPS,
        json!({"kind": "ConfigMap", "apiVersion": "v2"}),
        400,
        "does not match the expected API version",
    )
    .await;
    check(MAPS, json!({"metadata": {"name": "a", "namespace": "b"}}), 400, "does not match the namespace")
        .await;
    check(
        MAPS,
        json!({"metadata": {"name": "a", "resourceVersion": "5"}}),
        500,
        "resourceVersion should not be set",
    )
    .await;
    check(
        MAPS,
        json!({"metadata": {"name": "a"}, "data": {"a": 1}}),
        400,
        "cannot be handled as a ConfigMap",
    )
    .await;
    let elsewhere = "/api/v1/namespaces/nowhere/configmaps";
    check(elsewhere, map("a"), 404, "namespaces \"nowhere\" not found").await;
    check("/api/v1/configmaps", map("a"), 405, "does not allow this method").await;
    let media = it.send("POST", MAPS, &[("content-type", "text/plain")], "x").await;
    assert_eq!((media.code, &media.body["reason"]), (415, &json!("UnsupportedMediaType")));
    let accept = it.send("GET", MAPS, &[("accept", "text/html")], "").await;
    assert_eq!(accept.code, 406);
    let large = it.send("POST", MAPS, &[], &"x".repeat(4 << 20)).await;
    assert_eq!(large.code, 413);
}

#[tokio::test]
async fn names_are_generated() {
    let it = start().await;
    let body = json!({"metadata": {"generateName": "web-"}});
    let first = it.post(MAPS, &body).await.ok();
    let second = it.post(MAPS, &body).await.ok();
    let name = first["metadata"]["name"].as_str().unwrap();
    assert!(name.starts_with("web-") && name.len() == 9, "{name}");
    assert_ne!(first["metadata"]["name"], second["metadata"]["name"]);
}

#[tokio::test]
async fn unknown_and_duplicate_fields() {
    let it = start().await;
    let body = r#"{"metadata":{"name":"x"},"data":{"a":"1","a":"2"},"nonsense":1}"#;
    let strict = it.send("POST", &format!("{MAPS}?fieldValidation=Strict"), &[], body).await;
    assert_eq!(strict.code, 400);
    assert_eq!(
        strict.body["message"],
        "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: \
         duplicate field \"data.a\", unknown field \"nonsense\""
    );
    let warned = it.send("POST", MAPS, &[], body).await;
    let warnings: Vec<&str> =
        warned.headers.get_all("warning").iter().map(|it| it.to_str().unwrap()).collect();
    assert_eq!(warnings, [r#"299 - "duplicate field \"data.a\"""#, r#"299 - "unknown field \"nonsense\"""#]);
    let object = warned.ok();
    assert_eq!((&object["data"]["a"], &object["nonsense"]), (&json!("2"), &Value::Null));
}

#[tokio::test]
async fn dry_runs_leave_no_trace() {
    let it = start().await;
    let dry = it.post(&format!("{MAPS}?dryRun=All"), &map("one")).await;
    assert_eq!((dry.code, &dry.body["metadata"]["resourceVersion"]), (201, &Value::Null));
    assert_eq!(it.get(&format!("{MAPS}/one")).await.code, 404);
    it.post(MAPS, &map("one")).await.ok();
    assert_eq!(it.post(&format!("{MAPS}?dryRun=All"), &map("one")).await.code, 409);
    it.delete(&format!("{MAPS}/one?dryRun=All")).await.ok();
    assert_eq!(it.get(&format!("{MAPS}/one")).await.code, 200);
}

#[tokio::test]
async fn finalizers_hold_objects_back() {
    let it = start().await;
    let mut body = map("held");
    body["metadata"]["finalizers"] = json!(["krono.dev/hold"]);
    it.post(MAPS, &body).await.ok();
    let path = format!("{MAPS}/held");
    let marked = it.delete(&path).await.ok();
    assert!(marked["metadata"]["deletionTimestamp"].is_string());
    assert_eq!(marked["metadata"]["deletionGracePeriodSeconds"], 0);
    assert_eq!(it.delete(&path).await.ok()["metadata"]["uid"], marked["metadata"]["uid"]);
    let more = json!({"metadata": {"finalizers": ["krono.dev/hold", "krono.dev/more"]}});
    assert_eq!(it.patch(&path, "merge-patch+json", &more).await.code, 422);
    it.patch(&path, "json-patch+json", &json!([{"op": "remove", "path": "/metadata/finalizers"}])).await.ok();
    assert_eq!(it.get(&path).await.code, 404);
}

#[tokio::test]
async fn preconditions() {
    let it = start().await;
    let created = it.post(MAPS, &map("one")).await.ok();
    let path = format!("{MAPS}/one");
    let wrong = json!({"preconditions": {"uid": "other"}});
    let refused = it.send("DELETE", &path, &[], &wrong.to_string()).await;
    assert_eq!(refused.code, 409);
    let right = json!({"preconditions": {"uid": created["metadata"]["uid"]}});
    it.send("DELETE", &path, &[], &right.to_string()).await.ok();
}

#[tokio::test]
async fn patches() {
    let it = start().await;
    it.post(MAPS, &map("one")).await.ok();
    let path = format!("{MAPS}/one");
    let merged = it.patch(&path, "merge-patch+json", &json!({"data": {"a": null, "c": "d"}})).await.ok();
    assert_eq!(merged["data"], json!({"c": "d"}));
    let test = json!([{"op": "test", "path": "/metadata/finalizers", "value": null},
                      {"op": "add", "path": "/data/e", "value": "f"}]);
    let patched = it.patch(&path, "json-patch+json", &test).await.ok();
    assert_eq!(patched["data"], json!({"c": "d", "e": "f"}));
    assert_eq!(it.patch(&path, "unknown", &json!({})).await.code, 415);
}

#[tokio::test]
async fn namespaces_end_in_two_steps() {
    let it = start().await;
    let created = it.post("/api/v1/namespaces", &json!({"metadata": {"name": "team"}})).await.ok();
    assert_eq!(created["status"]["phase"], "Active");
    assert_eq!(created["spec"]["finalizers"], json!(["kubernetes"]));
    assert_eq!(created["metadata"]["labels"]["kubernetes.io/metadata.name"], "team");
    assert_eq!(it.delete("/api/v1/namespaces/default").await.code, 403);
}

#[tokio::test]
async fn some_kinds_are_created_by_replacing_them() {
    let it = start().await;
    let lease = json!({"metadata": {"name": "l"}, "spec": {"holderIdentity": "me"}});
    let path = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l";
    let created = it.put(path, &lease).await;
    assert_eq!(created.code, 201, "{}", created.text);
    assert_eq!(it.put(path, &lease).await.code, 422);
    let map = json!({"metadata": {"name": "m"}});
    assert_eq!(it.put(&format!("{MAPS}/m"), &map).await.code, 404);
}

#[tokio::test]
async fn types_are_checked_first() {
    let it = start().await;
    let check = async |body: Value, message: &str| {
        let answer = it.post(MAPS, &body).await;
        assert_eq!((answer.code, &answer.body["message"]), (400, &json!(message)));
    };
    let message = "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: json: cannot unmarshal number into Go \
                   struct field ConfigMap.data of type string";
    check(json!({"metadata": {"name": "A"}, "data": {"a": 1}}), message).await;
    let message = "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: json: cannot unmarshal string into Go \
                   struct field ConfigMap.metadata of type v1.ObjectMeta";
    check(json!({"metadata": "x"}), message).await;
}

#[tokio::test]
async fn metadata_is_checked() {
    let it = start().await;
    let owner = |name: &str| json!({"apiVersion": "v1", "kind": "Pod", "name": name, "uid": name, "controller": true});
    let body = json!({"metadata": {
        "name": "m", "labels": {"a": "-"}, "finalizers": ["plain"], "ownerReferences": [owner("a"), owner("b")],
    }});
    let answer = it.post(MAPS, &body).await;
    let causes = answer.body["details"]["causes"].as_array().unwrap();
    let fields: Vec<&str> = causes.iter().map(|it| it["field"].as_str().unwrap()).collect();
    assert_eq!(fields, ["metadata.labels", "metadata.ownerReferences", "metadata.finalizers[0]"]);
}
