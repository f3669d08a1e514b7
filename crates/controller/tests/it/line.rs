//! The way of the controllers to the API server: what goes over it is counted, and may get lost.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use http::{Request, Response};
use krono_apiserver::{Body, Server};
use serde_json::json;
use tower_service::Service;

/// Decides what becomes of a request: nothing special, or an answer of the line itself.
type Fault = Box<dyn FnMut(&str) -> Option<u16> + Send>;

/// A server behind a line; clones are the same line.
#[derive(Clone)]
pub(crate) struct Line {
    server: Server,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    writes: Vec<String>,
    fault: Option<Fault>,
}

impl Line {
    pub(crate) fn new(server: Server) -> Self {
        Self { server, state: Arc::default() }
    }

    /// Every request so far that was more than a question: method and path.
    pub(crate) fn writes(&self) -> Vec<String> {
        self.state.lock().expect("the line").writes.clone()
    }

    /// From now on, requests for which `fault` has a code are answered with it, and never reach the server.
    pub(crate) fn break_with(&self, fault: impl FnMut(&str) -> Option<u16> + Send + 'static) {
        self.state.lock().expect("the line").fault = Some(Box::new(fault));
    }

    /// Every request reaches the server again.
    pub(crate) fn mend(&self) {
        self.state.lock().expect("the line").fault = None;
    }

    /// Notes a request; the code it is answered with if it gets lost.
    fn pass(&self, request: &str, is_write: bool) -> Option<u16> {
        let mut state = self.state.lock().expect("the line");
        if is_write {
            state.writes.push(request.to_owned());
        }
        state.fault.as_mut().and_then(|fault| fault(request))
    }
}

impl Service<Request<kube::client::Body>> for Line {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<kube::client::Body>) -> Self::Future {
        let words = format!("{} {}", request.method(), request.uri());
        match self.pass(&words, request.method() != "GET") {
            Some(code) => Box::pin(async move { Ok(refusal(code)) }),
            None => self.server.call(request),
        }
    }
}

fn refusal(code: u16) -> Response<Body> {
    let status = json!({"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code,
        "reason": "InternalError", "message": "the line is broken"});
    let response = Response::builder().status(code).header("content-type", "application/json");
    response.body(Body::whole(status.to_string())).expect("a response")
}
