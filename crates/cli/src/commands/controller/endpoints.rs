//! Counters for Prometheus, and answers to probes.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::routing::get;
use krono_controller::Controllers;
use tokio::net::TcpListener;

use crate::arguments::controller::{BindAddress, ControllerArguments};
use crate::command_error::CommandError;

use super::Turn;

/// How Prometheus knows the form of the counters.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Answers for as long as the process runs; where.
pub(super) async fn serve(
    arguments: &ControllerArguments,
    controllers: Arc<Controllers>,
    turn: Arc<Turn>,
) -> Result<String, CommandError> {
    let counted = Arc::clone(&controllers);
    let counters = move || async move { ([(header::CONTENT_TYPE, OPEN_METRICS)], counted.metrics()) };
    let ready = move || async move { readiness(&turn, turn.is_next() || controllers.is_ready()) };
    let metrics = Router::new().route("/metrics", get(counters));
    let probes = Router::new().route("/healthz", get(|| async { "ok" })).route("/readyz", get(ready));
    let metrics = listen("--metrics-bind-address", &arguments.metrics_bind_address, metrics).await?;
    let probes = listen("--health-probe-bind-address", &arguments.health_probe_bind_address, probes).await?;
    Ok(format!("  metrics  http://{metrics}/metrics\n  probes   http://{probes}/healthz and /readyz\n"))
}

fn readiness(turn: &Turn, ready: bool) -> (StatusCode, &'static str) {
    if ready {
        (StatusCode::OK, "ok")
    } else if turn.is_awaited() {
        (StatusCode::SERVICE_UNAVAILABLE, "the lease is not known yet")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "definitions are not known yet")
    }
}

async fn listen(option: &str, address: &BindAddress, router: Router) -> Result<SocketAddr, CommandError> {
    let unable = |error: std::io::Error| {
        CommandError::usage(format!("cannot listen on {}: {error}", address.text))
            .hint(format!("choose another address with {option}; 127.0.0.1:0 takes a free port"))
    };
    let listener = TcpListener::bind(&address.candidates[..]).await.map_err(unable)?;
    let address = listener.local_addr().map_err(unable)?;
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(address)
}
