//! The way of the controllers to the API server: what goes over it is counted, and may get lost.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use futures_util::StreamExt;
use http::{Request, Response};
use http_body_util::BodyStream;
use krono_apiserver::{Body, Server};
use serde_json::json;
use tokio::sync::watch;
use tower_service::Service;

/// What may become of a request, beside reaching the server.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    /// It never reaches the server, and this code comes back.
    Refused(u16),
    /// The same, with advice to come again after so many seconds.
    Deferred(u16, u32),
    /// It never reaches the server, and nothing comes back.
    Lost,
    /// It reaches the server, and nothing comes back.
    Unanswered,
}

/// Decides what becomes of a request, by its method and path.
type Faults = Box<dyn FnMut(&str) -> Option<Fault> + Send>;

/// A server behind a line; clones are the same line.
#[derive(Clone)]
pub(crate) struct Line {
    server: Server,
    state: Arc<Mutex<State>>,
    /// How often all watches were broken off.
    interruptions: watch::Sender<usize>,
}

#[derive(Default)]
struct State {
    writes: Vec<String>,
    faults: Option<Faults>,
}

impl Line {
    pub(crate) fn new(server: Server) -> Self {
        Self { server, state: Arc::default(), interruptions: watch::Sender::new(0) }
    }

    /// Every request so far that was more than a question: method and path.
    pub(crate) fn writes(&self) -> Vec<String> {
        self.state.lock().expect("the line").writes.clone()
    }

    /// From now on, this decides what becomes of requests.
    pub(crate) fn break_with(&self, faults: impl FnMut(&str) -> Option<Fault> + Send + 'static) {
        self.state.lock().expect("the line").faults = Some(Box::new(faults));
    }

    /// From now on, nothing gets through.
    pub(crate) fn cut(&self) {
        self.break_with(|_| Some(Fault::Lost));
    }

    /// Ends every watch there is.
    pub(crate) fn interrupt_watches(&self) {
        self.interruptions.send_modify(|times| *times += 1);
    }

    /// Every request reaches the server again.
    pub(crate) fn mend(&self) {
        self.state.lock().expect("the line").faults = None;
    }

    /// Lets a request through; the answer to a watch ends with the next interruption.
    fn send(&mut self, request: Request<kube::client::Body>) -> Answer {
        let is_watch = request.uri().query().is_some_and(|it| it.contains("watch=true"));
        let answer = self.server.call(request);
        if !is_watch {
            return answer;
        }
        let mut interruptions = self.interruptions.subscribe();
        Box::pin(async move {
            let (parts, body) = answer.await?.into_parts();
            let pieces = BodyStream::new(body).filter_map(async |it| it.ok()?.into_data().ok());
            let end = Box::pin(async move { drop(interruptions.changed().await) });
            Ok(Response::from_parts(parts, Body::pieces(pieces.take_until(end))))
        })
    }

    /// Notes a request, and decides what becomes of it.
    fn pass(&self, request: &str, is_write: bool) -> Option<Fault> {
        let mut state = self.state.lock().expect("the line");
        if is_write {
            state.writes.push(request.to_owned());
        }
        state.faults.as_mut().and_then(|faults| faults(request))
    }
}

type Answer = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

impl Service<Request<kube::client::Body>> for Line {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<kube::client::Body>) -> Self::Future {
        let words = format!("{} {}", request.method(), request.uri());
        match self.pass(&words, request.method() != "GET") {
            None => self.send(request),
            Some(Fault::Refused(code)) => Box::pin(async move { Ok(refusal(code, 0)) }),
            Some(Fault::Deferred(code, seconds)) => Box::pin(async move { Ok(refusal(code, seconds)) }),
            Some(Fault::Lost) => Box::pin(std::future::pending()),
            Some(Fault::Unanswered) => {
                let answer = self.server.call(request);
                Box::pin(async move {
                    drop(answer.await);
                    std::future::pending().await
                })
            }
        }
    }
}

fn refusal(code: u16, seconds: u32) -> Response<Body> {
    let status = json!({"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code,
        "reason": "InternalError", "message": "the line is broken", "details": {"retryAfterSeconds": seconds}});
    let response = Response::builder().status(code).header("content-type", "application/json");
    response.body(Body::whole(status.to_string())).expect("a response")
}
