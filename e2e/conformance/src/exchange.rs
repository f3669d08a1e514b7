//! One request and its answer.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context;
use bytes::Bytes;
use http::{HeaderMap, Method};
use http_body_util::BodyExt;
use kube::client::Body;
use serde_json::{Value, json};

use crate::servers::Side;

/// How long one answer may take.
const ANSWER_WITHIN: Duration = Duration::from_mins(1);

/// A request, ready to be sent.
#[derive(Clone, Debug)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// Path and query.
    pub path: String,
    /// Headers, the content type among them.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Vec<u8>,
    /// Read this many events of a watch instead of a whole body.
    pub events: Option<usize>,
}

/// What of an answer is compared.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// Media type, warnings and other headers that clients look at.
    pub headers: BTreeMap<&'static str, Vec<String>>,
    /// The body: JSON, or a string where it is something else; the events of a watch as a list.
    pub body: Value,
}

impl Reply {
    /// The whole as one JSON value, to be masked and compared.
    pub fn to_value(&self) -> Value {
        json!({"status": self.status, "headers": self.headers, "body": self.body})
    }
}

/// Sends the request and reads the answer.
pub async fn send(side: &Side, request: &Request) -> anyhow::Result<Reply> {
    let answer = tokio::time::timeout(ANSWER_WITHIN, exchange(side, request)).await;
    let what = || format!("{} {} on {}", request.method, request.path, side.name);
    answer
        .with_context(|| format!("no answer in {} s: {}", ANSWER_WITHIN.as_secs(), what()))?
        .with_context(what)
}

async fn exchange(side: &Side, request: &Request) -> anyhow::Result<Reply> {
    let mut builder = http::Request::builder().method(&request.method).uri(&request.path);
    for (name, value) in &request.headers {
        for value in value.split('\n') {
            builder = builder.header(name, value);
        }
    }
    let response = side.client.send(builder.body(Body::from(request.body.clone()))?).await?;
    let (parts, body) = response.into_parts();
    let body = match request.events {
        Some(count) if parts.status.is_success() => events(body, count).await?,
        Some(_) | None => decoded(&body.collect().await?.to_bytes()),
    };
    Ok(Reply { status: parts.status.as_u16(), headers: compared(&parts.headers), body })
}

fn compared(headers: &HeaderMap) -> BTreeMap<&'static str, Vec<String>> {
    let mut found = BTreeMap::new();
    for name in ["content-type", "warning", "retry-after", "location"] {
        let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        let values: Vec<String> = values.map(str::to_owned).collect();
        if !values.is_empty() {
            found.insert(name, values);
        }
    }
    found
}

fn decoded(bytes: &Bytes) -> Value {
    serde_json::from_slice(bytes).unwrap_or_else(|_| String::from_utf8_lossy(bytes).into_owned().into())
}

/// The first events of a watch; fewer when the server ends it.
async fn events(mut body: Body, count: usize) -> anyhow::Result<Value> {
    let mut events: Vec<Value> = Vec::new();
    let mut rest = Vec::new();
    while events.len() < count {
        let Some(frame) = body.frame().await else { break };
        if let Ok(data) = frame?.into_data() {
            rest.extend_from_slice(&data);
        }
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = rest.drain(..=end).collect();
            events.push(serde_json::from_slice(&line).context("an event is not JSON")?);
        }
    }
    events.truncate(count);
    Ok(events.into())
}
