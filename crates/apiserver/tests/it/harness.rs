//! A server in memory and a short way to talk to it.

use http::{HeaderMap, Request};
use http_body_util::{BodyExt, Full};
use krono_apiserver::{Body, Builder, Server};
use serde_json::Value;

/// An answer, read to its end.
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn ok(self) -> Value {
        assert!(self.code < 300, "{}: {}", self.code, self.text);
        self.body
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }
}

pub(crate) struct Harness {
    pub(crate) server: Server,
}

pub(crate) async fn start() -> Harness {
    start_with(Server::builder()).await
}

pub(crate) async fn start_with(builder: Builder) -> Harness {
    Harness { server: builder.start().await.unwrap() }
}

impl Harness {
    pub(crate) async fn open(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> http::Response<Body> {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.server.handle(request.body(Full::from(body.to_owned())).unwrap()).await
    }

    pub(crate) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let (parts, body) = self.open(method, path, headers, body).await.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let body = serde_json::from_str(&text).unwrap_or(Value::Null);
        Answer { code: parts.status.as_u16(), headers: parts.headers, body, text }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], "").await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, &[], &body.to_string()).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answer {
        self.send("PUT", path, &[], &body.to_string()).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, &[], "").await
    }

    pub(crate) async fn patch(&self, path: &str, kind: &str, body: &Value) -> Answer {
        let content_type = format!("application/{kind}");
        self.send("PATCH", path, &[("content-type", &content_type)], &body.to_string()).await
    }
}

pub(crate) const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// A collection that is empty at the start.
pub(crate) const SECRETS: &str = "/api/v1/namespaces/default/secrets";
