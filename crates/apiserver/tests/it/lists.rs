//! Many objects at once.

use serde_json::{Value, json};

use crate::harness::{Harness, SECRETS, start};

async fn filled(count: usize) -> Harness {
    let it = start().await;
    for index in 0..count {
        let labels = json!({"parity": if index % 2 == 0 { "even" } else { "odd" }});
        let body = json!({"metadata": {"name": format!("map-{index:03}"), "labels": labels}});
        it.post(SECRETS, &body).await.ok();
    }
    it
}

fn names(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|item| item["metadata"]["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn pages_show_one_moment() {
    let it = filled(5).await;
    let first = it.get(&format!("{SECRETS}?limit=2")).await.ok();
    assert_eq!(first["kind"], "SecretList");
    assert_eq!(names(&first), ["map-000", "map-001"]);
    assert_eq!(first["metadata"]["remainingItemCount"], 3);
    it.delete(&format!("{SECRETS}/map-003")).await.ok();
    it.post(SECRETS, &json!({"metadata": {"name": "map-0025"}})).await.ok();
    let token = first["metadata"]["continue"].as_str().unwrap();
    let second = it.get(&format!("{SECRETS}?limit=2&continue={token}")).await.ok();
    assert_eq!(names(&second), ["map-002", "map-003"]);
    assert_eq!(second["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
    let token = second["metadata"]["continue"].as_str().unwrap();
    let last = it.get(&format!("{SECRETS}?limit=2&continue={token}")).await.ok();
    assert_eq!(names(&last), ["map-004"]);
    assert_eq!(last["metadata"]["continue"], Value::Null);
    assert_eq!(it.get(&format!("{SECRETS}?continue=nonsense")).await.code, 400);
}

#[tokio::test]
async fn selectors() {
    let it = filled(5).await;
    let check = async |query: &str, expect: &[&str]| {
        let list = it.get(&format!("{SECRETS}?{query}")).await.ok();
        assert_eq!(names(&list), expect, "{query}");
    };
    check("labelSelector=parity%3Dodd", &["map-001", "map-003"]).await;
    check("labelSelector=parity%20in%20(even)&limit=9", &["map-000", "map-002", "map-004"]).await;
    check("labelSelector=!parity", &[]).await;
    check("fieldSelector=metadata.name%3Dmap-002", &["map-002"]).await;
    let paged = it.get(&format!("{SECRETS}?labelSelector=parity=even&limit=1")).await.ok();
    assert_eq!(paged["metadata"]["remainingItemCount"], Value::Null);
    assert!(paged["metadata"]["continue"].is_string());
    let refused = it.get(&format!("{SECRETS}?fieldSelector=data.x%3Dy")).await;
    assert_eq!((refused.code, &refused.body["message"]), (400, &json!("field label not supported: data.x")));
}

#[tokio::test]
async fn versions_of_lists() {
    let it = filled(2).await;
    let list = it.get(SECRETS).await.ok();
    let version = list["metadata"]["resourceVersion"].as_str().unwrap();
    it.delete(&format!("{SECRETS}/map-000")).await.ok();
    let exact = it.get(&format!("{SECRETS}?resourceVersion={version}&resourceVersionMatch=Exact")).await.ok();
    assert_eq!(names(&exact), ["map-000", "map-001"]);
    let newer =
        it.get(&format!("{SECRETS}?resourceVersion={version}&resourceVersionMatch=NotOlderThan")).await.ok();
    assert_eq!(names(&newer), ["map-001"]);
    assert_eq!(it.get(&format!("{SECRETS}?resourceVersion=x")).await.code, 400);
    assert_eq!(it.get(&format!("{SECRETS}?resourceVersionMatch=Exact")).await.code, 422);
}

#[tokio::test(start_paused = true)]
async fn the_future_is_waited_for_a_moment() {
    let it = filled(1).await;
    let answer = it.get(&format!("{SECRETS}?resourceVersion=999&resourceVersionMatch=NotOlderThan")).await;
    assert_eq!((answer.code, &answer.body["reason"]), (504, &json!("Timeout")));
    assert_eq!(answer.body["details"]["causes"][0]["reason"], "ResourceVersionTooLarge");
    assert_eq!(answer.header("retry-after"), "1");
}

#[tokio::test]
async fn collections_are_deleted() {
    let it = filled(4).await;
    it.delete(&format!("{SECRETS}?labelSelector=parity%3Dodd")).await.ok();
    assert_eq!(names(&it.get(SECRETS).await.ok()), ["map-000", "map-002"]);
}

#[tokio::test]
async fn other_forms() {
    let it = filled(2).await;
    let partial = [("accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1")];
    let list = it.send("GET", SECRETS, &partial, "").await.ok();
    assert_eq!(
        (&list["kind"], &list["items"][0]["kind"]),
        (&json!("PartialObjectMetadataList"), &json!("PartialObjectMetadata"))
    );
    assert_eq!(names(&list), ["map-000", "map-001"]);
    let table = [("accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json")];
    let list = it.send("GET", SECRETS, &table, "").await.ok();
    assert_eq!((&list["kind"], &list["rows"][1]["cells"][0]), (&json!("Table"), &json!("map-001")));
    assert_eq!(list["columnDefinitions"][0]["name"], "Name");
    assert_eq!(list["rows"][1]["object"]["metadata"]["name"], "map-001");
    let one = it.send("GET", &format!("{SECRETS}/map-000"), &table, "").await.ok();
    assert_eq!(one["rows"].as_array().unwrap().len(), 1);
}
