//! The server on the network: HTTP/1.1 and HTTP/2 over TLS.

mod activity;
mod body;
mod connection;
mod stalling;

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::connection::Shared;
use crate::authentication::Tokens;
use crate::certificates::Tls;
use crate::server::Server;

/// How long the listener rests when the system has no more sockets to give.
const BREATHER: Duration = Duration::from_millis(100);

/// Where and for whom a server answers.
#[derive(Debug)]
pub struct Https {
    /// Where connections come in.
    pub listener: TcpListener,
    /// The server's certificate, and the authority of its clients.
    pub tls: Tls,
    /// Users that prove who they are by a token.
    pub tokens: Tokens,
    /// What a client may take.
    pub limits: Limits,
}

/// What clients may take of time and memory.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at a time; further ones wait to be accepted.
    pub connections: usize,
    /// For the TLS handshake.
    pub handshake: Duration,
    /// A connection is closed when no request came for this time, at most twice as long, and none is being answered.
    pub idle: Duration,
    /// For the body of a request.
    pub body: Duration,
    /// A client that takes nothing of what is sent for this time is gone.
    pub stall: Duration,
    /// What is being answered when the server ends gets this time.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 16_384,
            handshake: Duration::from_secs(10),
            idle: Duration::from_mins(1),
            body: Duration::from_mins(1),
            stall: Duration::from_mins(1),
            grace: Duration::from_secs(10),
        }
    }
}

impl Server {
    /// Answers requests from the network until `shutdown` comes; then ends watches, lets other requests finish and returns.
    pub async fn serve(self, https: Https, shutdown: impl Future<Output = ()>) {
        let Https { listener, tls, tokens, limits } = https;
        let stop = CancellationToken::new();
        let cut = CancellationToken::new();
        let shared = Arc::new(Shared { server: self, tokens, limits, stop: stop.clone(), cut: cut.clone() });
        let connections = TaskTracker::new();
        tokio::select! {
            () = accept(&listener, &tls, &shared, &connections) => {}
            () = shutdown => {}
        }
        // Whoever connects now is refused instead of left waiting.
        drop(listener);
        stop.cancel();
        connections.close();
        if tokio::time::timeout(limits.grace, connections.wait()).await.is_err() {
            cut.cancel();
            connections.wait().await;
        }
    }
}

/// Takes connections for ever.
async fn accept(listener: &TcpListener, tls: &Tls, shared: &Arc<Shared>, connections: &TaskTracker) {
    let places = Arc::new(Semaphore::new(shared.limits.connections));
    loop {
        // The semaphore is never closed.
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                connections.spawn(serve_connection(stream, tls.clone(), Arc::clone(shared), place));
            }
            Err(error) if is_about_one_connection(&error) => {}
            Err(_) => tokio::time::sleep(BREATHER).await,
        }
    }
}

fn is_about_one_connection(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::ConnectionRefused
    )
}

async fn serve_connection(stream: TcpStream, tls: Tls, shared: Arc<Shared>, _place: OwnedSemaphorePermit) {
    let cut = shared.cut.clone();
    tokio::select! {
        () = cut.cancelled() => {}
        () = connection::run(stream, tls, shared) => {}
    }
}
