//! What is measured of a server.

use std::time::{Duration, Instant};

use anyhow::Context;
use bytes::Bytes;
use http::Method;
use http_body_util::BodyExt as _;
use serde_json::{Map, Value, json};

use crate::client::Asked;
use crate::load::{self, milliseconds};
use crate::servers::Side;
use krono_e2e_kube::resident;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const WIDGETS: &str = "/apis/bench.krono.dev/v1/namespaces/default/widgets";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WIDGET_COUNT: usize = 200;
const OBJECTS: usize = 10_000;
const LISTS: usize = 5;
const WATCHED_WRITES: usize = 2_000;

/// Requests at a time, and how many of each operation: creates, reads, applies.
const ROUNDS: [(usize, usize, usize, usize); 3] =
    [(1, 500, 2_000, 400), (16, 3_000, 15_000, 2_000), (64, 4_000, 15_000, 2_000)];

/// Measures everything, one after the other.
pub(crate) async fn measure(side: &Side) -> anyhow::Result<Value> {
    let mut figures = Map::new();
    figures.insert("start_ms".to_owned(), (side.start.as_secs_f64() * 1000.0).round().into());
    figures.insert("rss_idle_mb".to_owned(), megabytes(resident(&side.processes)?));
    define_widgets(side).await?;
    let mut made = 0;
    for (at_a_time, creates, reads, applies) in ROUNDS {
        let mut round = Map::new();
        let first = made;
        round.insert(
            "create".to_owned(),
            load::run(side, creates, at_a_time, move |n| create(first + n)).await?.to_value(),
        );
        made += creates;
        round.insert(
            "get".to_owned(),
            load::run(side, reads, at_a_time, move |n| get(n % made)).await?.to_value(),
        );
        round.insert(
            "apply_spec".to_owned(),
            load::run(side, applies, at_a_time, apply_spec).await?.to_value(),
        );
        round.insert(
            "apply_status".to_owned(),
            load::run(side, applies, at_a_time, apply_status).await?.to_value(),
        );
        println!("{} at {at_a_time}: {}", side.name, Value::Object(round.clone()));
        figures.insert(format!("concurrency_{at_a_time}"), round.into());
    }
    load::run(side, OBJECTS.saturating_sub(made), 16, move |n| create(made + n)).await?;
    figures.insert("list_10000_ms".to_owned(), list(side).await?);
    figures.insert("rss_10000_objects_mb".to_owned(), megabytes(resident(&side.processes)?));
    figures.insert("watch".to_owned(), watch(side).await?);
    println!("{}: {}", side.name, Value::Object(figures.clone()));
    Ok(figures.into())
}

#[expect(clippy::cast_precision_loss, reason = "memory of one machine")]
fn megabytes(bytes: u64) -> Value {
    ((bytes as f64 / 1e5).round() / 10.0).into()
}

fn asked(method: Method, path: String, content_type: &'static str, body: &Value) -> Asked {
    let body = if body.is_null() { Bytes::new() } else { body.to_string().into() };
    Asked { method, path, content_type, body }
}

/// A new map.
pub(crate) fn create(number: usize) -> Asked {
    let text: String = format!("{number:08x}").repeat(256);
    let labels = json!({"app": "bench", "shard": (number % 10).to_string()});
    let object = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": format!("map-{number}"), "labels": labels},
        "data": {"text": text},
    });
    asked(Method::POST, MAPS.to_owned(), "application/json", &object)
}

/// What happens to maps from now on.
pub(crate) fn watch_from_now() -> Asked {
    let query =
        "watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&labelSelector=app%3Dbench";
    asked(Method::GET, format!("{MAPS}?{query}"), "", &Value::Null)
}

fn get(number: usize) -> Asked {
    asked(Method::GET, format!("{MAPS}/map-{number}"), "", &Value::Null)
}

fn widget(number: usize, subresource: &str, manager: &str, content: (&str, &Value)) -> Asked {
    let name = format!("widget-{}", number % WIDGET_COUNT);
    let mut object =
        json!({"apiVersion": "bench.krono.dev/v1", "kind": "Widget", "metadata": {"name": name}});
    object[content.0] = content.1.clone();
    let path = format!("{WIDGETS}/{name}{subresource}?fieldManager={manager}&force=true");
    asked(Method::PATCH, path, "application/apply-patch+yaml", &object)
}

fn apply_spec(number: usize) -> Asked {
    widget(number, "", "bench-spec", ("spec", &json!({"size": number, "colour": "blue"})))
}

fn apply_status(number: usize) -> Asked {
    let condition = json!({
        "type": "Ready", "status": "True", "reason": "Bench", "message": format!("round {number}"),
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    });
    let status = json!({"phase": "Ready", "observedGeneration": number, "conditions": [condition]});
    widget(number, "/status", "bench-status", ("status", &status))
}

/// Makes the kind and its objects, and waits until both are there.
async fn define_widgets(side: &Side) -> anyhow::Result<()> {
    let text = |kind: &str| json!({"type": kind});
    let condition = json!({"type": "object", "required": ["type"], "properties": {
        "type": text("string"), "status": text("string"), "reason": text("string"), "message": text("string"), "lastTransitionTime": text("string")}});
    let conditions = json!({"type": "array", "items": condition, "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"]});
    let status = json!({"type": "object", "properties": {"phase": text("string"),
        "observedGeneration": text("integer"), "conditions": conditions}});
    let spec = json!({"type": "object", "properties": {"size": text("integer"), "colour": text("string")}});
    let schema = json!({"type": "object", "properties": {"spec": spec, "status": status}});
    let version = json!({"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": schema}});
    let definition = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.bench.krono.dev"}, "spec": {"group": "bench.krono.dev", "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"}, "versions": [version]}});
    let mut connection = side.target.connect().await?;
    connection.send(&asked(Method::POST, DEFINITIONS.to_owned(), "application/json", &definition)).await?;
    let list = asked(Method::GET, WIDGETS.to_owned(), "", &Value::Null);
    let deadline = Instant::now() + Duration::from_secs(30);
    while let Err(error) = connection.send(&list).await {
        if Instant::now() > deadline {
            return Err(error.context("the new kind is not served"));
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    load::run(side, WIDGET_COUNT, 16, apply_spec).await.map(drop)
}

/// Lists all maps, to the last byte.
async fn list(side: &Side) -> anyhow::Result<Value> {
    let speed = load::run(side, LISTS, 1, |_| asked(Method::GET, MAPS.to_owned(), "", &Value::Null)).await?;
    Ok(speed.quantile(0.5).into())
}

/// From before a write is sent until a watcher has its event.
async fn watch(side: &Side) -> anyhow::Result<Value> {
    let mut watching = side.target.connect().await?;
    let path = "/api/v1/namespaces/kube-public/configmaps?watch=true".to_owned();
    let mut events = watching.open(&asked(Method::GET, path, "", &Value::Null)).await?.into_body();
    let mut writing = side.target.connect().await?;
    let mut latencies = Vec::new();
    for number in 0..WATCHED_WRITES {
        let mut write = create(number);
        "/api/v1/namespaces/kube-public/configmaps".clone_into(&mut write.path);
        let name = format!("\"name\":\"map-{number}\"");
        let begin = Instant::now();
        let seen = async {
            let mut text = String::new();
            while !text.contains(&name) {
                let frame = events.frame().await.context("the watch ended")??;
                text.push_str(&String::from_utf8_lossy(frame.data_ref().map_or(&[][..], |it| it)));
            }
            anyhow::Ok(begin.elapsed())
        };
        let (sent, seen) = tokio::join!(writing.send(&write), seen);
        sent?;
        latencies.push(seen?);
    }
    latencies.sort();
    Ok(json!({"p50_ms": milliseconds(&latencies, 0.5), "p99_ms": milliseconds(&latencies, 0.99)}))
}
