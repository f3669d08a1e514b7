//! Changes as they happen.

use http_body_util::BodyExt;
use krono_apiserver::Body;
use serde_json::{Value, json};

use crate::definitions::{definition, widget};
use crate::harness::{Harness, SECRETS, start};

/// The lines of a watch, one by one.
struct Lines {
    body: Body,
    waiting: Vec<u8>,
}

impl Lines {
    async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.waiting.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.waiting.drain(..=end).collect();
                return Some(serde_json::from_slice(&line).unwrap());
            }
            let frame = self.body.frame().await?.unwrap();
            self.waiting.extend_from_slice(&frame.into_data().unwrap());
        }
    }

    /// Type and name of the next event.
    async fn seen(&mut self) -> String {
        let event = self.next().await.unwrap();
        let name = event["object"]["metadata"]["name"].as_str().unwrap_or("-").to_owned();
        format!("{} {name}", event["type"].as_str().unwrap())
    }
}

async fn watch(it: &Harness, query: &str) -> Lines {
    let response = it.open("GET", &format!("{SECRETS}?watch=true&{query}"), &[], "").await;
    assert_eq!(response.status(), 200);
    Lines { body: response.into_body(), waiting: Vec::new() }
}

async fn create(it: &Harness, name: &str, colour: &str) -> String {
    let body = json!({"metadata": {"name": name, "labels": {"colour": colour}}});
    let created = it.post(SECRETS, &body).await.ok();
    created["metadata"]["resourceVersion"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn changes_arrive_in_order() {
    let it = start().await;
    let version = create(&it, "a", "red").await;
    let mut lines = watch(&it, &format!("resourceVersion={version}")).await;
    create(&it, "b", "red").await;
    it.patch(&format!("{SECRETS}/a"), "merge-patch+json", &json!({"data": {"x": "eQ=="}})).await.ok();
    it.delete(&format!("{SECRETS}/a")).await.ok();
    assert_eq!(lines.seen().await, "ADDED b");
    assert_eq!(lines.seen().await, "MODIFIED a");
    let event = lines.next().await.unwrap();
    assert_eq!((&event["type"], &event["object"]["data"]["x"]), (&json!("DELETED"), &json!("eQ==")));
    let deleted: u64 = event["object"]["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap();
    assert!(deleted > version.parse().unwrap());
}

#[tokio::test]
async fn selectors_decide_what_is_seen() {
    let it = start().await;
    let version = create(&it, "a", "red").await;
    let mut lines = watch(&it, &format!("resourceVersion={version}&labelSelector=colour%3Dblue")).await;
    let paint = async |colour: &str| {
        let body = json!({"metadata": {"labels": {"colour": colour}}});
        it.patch(&format!("{SECRETS}/a"), "merge-patch+json", &body).await.ok();
    };
    paint("green").await;
    paint("blue").await;
    paint("red").await;
    create(&it, "b", "blue").await;
    assert_eq!(lines.seen().await, "ADDED a");
    assert_eq!(lines.seen().await, "DELETED a");
    assert_eq!(lines.seen().await, "ADDED b");
}

#[tokio::test]
async fn one_object_is_watched_by_its_name() {
    let it = start().await;
    create(&it, "a", "red").await;
    create(&it, "ab", "red").await;
    for selector in ["metadata.name%3Da", "metadata.name%3D%3Da", "metadata.name%3Da,metadata.namespace!%3Dx"]
    {
        let mut lines = watch(&it, &format!("fieldSelector={selector}")).await;
        assert_eq!(lines.seen().await, "ADDED a", "{selector}");
        for name in ["ab", "a"] {
            let body = json!({"data": {"x": null, "y": "eQ=="}});
            it.patch(&format!("{SECRETS}/{name}"), "merge-patch+json", &body).await.ok();
            let body = json!({"data": {"x": "eQ==", "y": null}});
            it.patch(&format!("{SECRETS}/{name}"), "merge-patch+json", &body).await.ok();
        }
        assert_eq!(lines.seen().await, "MODIFIED a", "{selector}");
    }
    let everywhere = "/api/v1/secrets?watch=true&fieldSelector=metadata.name%3Da";
    let response = it.open("GET", everywhere, &[], "").await;
    let mut lines = Lines { body: response.into_body(), waiting: Vec::new() };
    assert_eq!(lines.seen().await, "ADDED a");
}

#[tokio::test]
async fn initial_events_end_with_a_bookmark() {
    let it = start().await;
    create(&it, "a", "red").await;
    create(&it, "b", "red").await;
    let query =
        "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=0";
    let mut lines = watch(&it, query).await;
    assert_eq!(lines.seen().await, "ADDED a");
    assert_eq!(lines.seen().await, "ADDED b");
    let end = lines.next().await.unwrap();
    assert_eq!(end["type"], "BOOKMARK");
    assert_eq!(end["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
    create(&it, "c", "red").await;
    assert_eq!(lines.seen().await, "ADDED c");
    let refused = it.get(&format!("{SECRETS}?watch=true&sendInitialEvents=true")).await;
    assert_eq!((refused.code, &refused.body["reason"]), (422, &json!("Invalid")));
}

#[tokio::test(start_paused = true)]
async fn bookmarks_and_the_end() {
    let it = start().await;
    let version = create(&it, "a", "red").await;
    let mut lines =
        watch(&it, &format!("resourceVersion={version}&timeoutSeconds=90&allowWatchBookmarks=true")).await;
    let bookmark = lines.next().await.unwrap();
    assert_eq!((&bookmark["type"], &bookmark["object"]["kind"]), (&json!("BOOKMARK"), &json!("Secret")));
    assert_eq!(bookmark["object"]["metadata"]["resourceVersion"], version);
    assert_eq!(lines.next().await, None);
}

#[tokio::test]
async fn without_a_version_the_present_comes_first() {
    let it = start().await;
    create(&it, "a", "red").await;
    let mut lines = watch(&it, "").await;
    assert_eq!(lines.seen().await, "ADDED a");
    let partial = [("accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1")];
    let response = it.open("GET", &format!("{SECRETS}?watch=1"), &partial, "").await;
    let mut lines = Lines { body: response.into_body(), waiting: Vec::new() };
    assert_eq!(lines.next().await.unwrap()["object"]["kind"], "PartialObjectMetadata");
}

#[tokio::test]
async fn a_watch_ends_when_its_kind_is_served_in_another_way() {
    const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const WIDGETS: &str = "/apis/krono.dev/v1/namespaces/default/widgets";
    let it = start().await;
    it.post(DEFINITIONS, &definition()).await.ok();
    let open = async || {
        let response = it.open("GET", &format!("{WIDGETS}?watch=true"), &[], "").await;
        Lines { body: response.into_body(), waiting: Vec::new() }
    };
    let mut lines = open().await;
    it.post(WIDGETS, &widget("one", 1)).await.ok();
    assert_eq!(lines.seen().await, "ADDED one");
    let change = async |patch: Value| {
        it.patch(&format!("{DEFINITIONS}/widgets.krono.dev"), "json-patch+json", &patch).await.ok();
    };
    change(json!([{"op": "add", "path": "/metadata/labels", "value": {"a": "b"}}])).await;
    it.post(WIDGETS, &widget("two", 2)).await.ok();
    assert_eq!(lines.seen().await, "ADDED two");

    let add = |version: usize| {
        let field =
            format!("/spec/versions/{version}/schema/openAPIV3Schema/properties/spec/properties/shape");
        json!({"op": "add", "path": field, "value": {"type": "string", "default": "round"}})
    };
    change(json!([add(0), add(1)])).await;
    let mut three = widget("three", 3);
    three["spec"]["shape"] = json!("square");
    it.post(WIDGETS, &three).await.ok();
    assert_eq!(lines.next().await, None);
    let mut lines = open().await;
    let mut shapes = Vec::new();
    for _ in 0..3 {
        shapes.push(lines.next().await.unwrap()["object"]["spec"]["shape"].clone());
    }
    assert_eq!(shapes, ["round", "square", "round"]);
}
