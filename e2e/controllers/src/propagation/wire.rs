//! The way of controllers to the API server: every write that goes over it is noted.

use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::{IntoResponse as _, Response};
use http::{StatusCode, header};
use jiff::Timestamp;
use kube::config::{Config, KubeConfigOptions, Kubeconfig};
use kube::{Client, client};
use serde_json::json;
use tokio::net::TcpListener;

/// More than any object is.
const LARGEST: usize = 16 << 20;

/// A request that was more than a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Write {
    /// Where to, without what was asked for beside.
    pub(super) path: String,
    /// Whether the server did as it was asked.
    pub(super) is_taken: bool,
    /// When.
    pub(super) at: Timestamp,
    /// What was sent.
    pub(super) text: String,
}

/// A server on loopback that hands everything on to another one; clones are the same.
#[derive(Clone)]
pub(super) struct Wire {
    behind: Client,
    writes: Arc<Mutex<Vec<Write>>>,
    kubeconfig: PathBuf,
}

impl Wire {
    /// A wire to the server of a kubeconfig; `own` is where the one for its users is written.
    pub(super) async fn open(kubeconfig: &Path, own: &Path) -> anyhow::Result<Self> {
        let mut config =
            Config::from_custom_kubeconfig(Kubeconfig::read_from(kubeconfig)?, &KubeConfigOptions::default())
                .await?;
        // What the server refuses is for whoever asked to hear.
        config.default_retry = false;
        let behind = Client::try_from(config)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        std::fs::write(own, described(&url)).context("cannot write a kubeconfig")?;
        let wire = Self { behind, writes: Arc::default(), kubeconfig: own.to_owned() };
        let router = Router::new().fallback(forward).with_state(wire.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(wire)
    }

    /// How to use it.
    pub(super) fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// How many writes there were; those that keep a leader the leader do not count.
    pub(super) fn count(&self) -> usize {
        self.noted().len()
    }

    /// The writes after so many others.
    pub(super) fn since(&self, earlier: usize) -> Vec<Write> {
        self.noted().get(earlier..).unwrap_or_default().to_vec()
    }

    fn noted(&self) -> MutexGuard<'_, Vec<Write>> {
        self.writes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, write: Write) {
        if !write.path.contains("/leases") {
            self.noted().push(write);
        }
    }

    async fn answer(&self, request: Request) -> anyhow::Result<Response> {
        let (mut parts, body) = request.into_parts();
        parts.headers.remove(header::HOST);
        let path = parts.uri.path().to_owned();
        let is_question = parts.method == http::Method::GET;
        let body = to_bytes(body, LARGEST).await?;
        let text = String::from_utf8_lossy(&body).into_owned();
        let answer = self.handed_on(http::Request::from_parts(parts, client::Body::from(body))).await;
        if !is_question {
            let is_taken = answer.as_ref().is_ok_and(|it| it.status().is_success());
            self.note(Write { path, is_taken, at: Timestamp::now(), text });
        }
        answer
    }

    async fn handed_on(&self, request: http::Request<client::Body>) -> anyhow::Result<Response> {
        let answer = self.behind.send(request).await?;
        let (mut parts, body) = answer.into_parts();
        parts.headers.remove(header::TRANSFER_ENCODING);
        parts.headers.remove(header::CONNECTION);
        Ok(Response::from_parts(parts, Body::new(body)))
    }
}

/// A request goes its way to the end, even if whoever sent it is no more.
async fn forward(State(wire): State<Wire>, request: Request) -> Response {
    let sent = tokio::spawn(async move { wire.answer(request).await });
    match sent.await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => (StatusCode::BAD_GATEWAY, format!("{error:#}")).into_response(),
        Err(error) => (StatusCode::BAD_GATEWAY, error.to_string()).into_response(),
    }
}

/// JSON is YAML.
fn described(url: &str) -> String {
    let config = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "wire",
        "clusters": [{"name": "wire", "cluster": {"server": url}}],
        "users": [{"name": "anybody", "user": {}}],
        "contexts": [{"name": "wire", "context": {"cluster": "wire", "user": "anybody"}}],
    });
    format!("{config:#}\n")
}
