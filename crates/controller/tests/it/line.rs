//! The way of the controllers to the API server: what goes over it is counted, and may get lost.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::ready;
use http::{Request, Response};
use http_body_util::{BodyExt, BodyStream};
use krono_apiserver::Body;
use serde_json::json;
use tokio::sync::watch;
use tower_service::Service;

use crate::place::Place;

/// How long the HTTP client of a process waits for an answer: as long as kube's does.
const HTTP_PATIENCE: Duration = Duration::from_secs(295);

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
    /// The server drops all that it says, and answers with the object as it is.
    Dropped,
    /// The connection breaks before it reaches the server.
    Broken,
    /// The connection breaks before the answer is back.
    Severed,
}

/// How a watch breaks off.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Interruption {
    /// It ends between two events.
    End,
    /// It ends in the middle of an event.
    Torn,
    /// The server says that it knows no longer what happened since.
    Expired,
}

/// What the way to the server is like.
pub(crate) trait Weather: Send {
    /// Decides what becomes of a request, by its method and path.
    fn fault(&mut self, request: &str) -> Option<Fault>;

    /// How long a request, an answer or an event is on its way.
    fn delay(&mut self) -> Duration {
        Duration::ZERO
    }

    /// Whether a watch breaks off instead of telling an event.
    fn interruption(&mut self) -> Option<Interruption> {
        None
    }

    /// What is heard of an event.
    fn heard(&mut self, event: Bytes) -> Bytes {
        event
    }

    /// What is heard of an answer that is no watch.
    fn answered(&mut self, answer: Bytes) -> Bytes {
        answer
    }
}

impl<F: FnMut(&str) -> Option<Fault> + Send> Weather for F {
    fn fault(&mut self, request: &str) -> Option<Fault> {
        self(request)
    }
}

/// A server behind a line; clones are the same line.
#[derive(Clone)]
pub(crate) struct Line {
    place: Place,
    state: Arc<Mutex<State>>,
    /// How often all watches were broken off.
    interruptions: watch::Sender<usize>,
    /// To how many requests nothing comes back.
    losses: watch::Sender<usize>,
}

#[derive(Default)]
struct State {
    writes: Vec<String>,
    /// Writes that are not answered yet, and the most there have been at a time.
    open: usize,
    most_open: usize,
    weather: Option<Box<dyn Weather>>,
    is_cut: bool,
}

impl Line {
    pub(crate) fn new(place: impl Into<Place>) -> Self {
        Self {
            place: place.into(),
            state: Arc::default(),
            interruptions: watch::Sender::new(0),
            losses: watch::Sender::new(0),
        }
    }

    /// Every request so far that was more than a question: method and path.
    pub(crate) fn writes(&self) -> Vec<String> {
        self.state().writes.clone()
    }

    /// How many writes were under way at a time, at most, since this was last asked.
    pub(crate) fn most_writes_at_a_time(&self) -> usize {
        let mut state = self.state();
        let open = state.open;
        std::mem::replace(&mut state.most_open, open)
    }

    /// From now on, this decides what becomes of requests.
    pub(crate) fn break_with(&self, faults: impl FnMut(&str) -> Option<Fault> + Send + 'static) {
        self.expose(faults);
    }

    /// From now on, the way is like this.
    pub(crate) fn expose(&self, weather: impl Weather + 'static) {
        self.state().weather = Some(Box::new(weather));
    }

    /// From now on, nothing gets through, not even what is on its way.
    pub(crate) fn cut(&self) {
        self.state().is_cut = true;
    }

    /// Ends every watch there is.
    pub(crate) fn interrupt_watches(&self) {
        self.interruptions.send_modify(|times| *times += 1);
    }

    /// Every request reaches the server again.
    pub(crate) fn mend(&self) {
        self.state().weather = None;
    }

    /// Waits until there is a request to which nothing comes back; one that reaches the server has done so.
    pub(crate) async fn loses(&self) {
        drop(self.losses.subscribe().wait_for(|it| *it > 0).await);
    }

    /// Nothing comes back until the HTTP client gives up.
    async fn silence(&self) -> Broken {
        self.losses.send_modify(|times| *times += 1);
        tokio::time::sleep(HTTP_PATIENCE).await;
        Broken::new(std::io::ErrorKind::TimedOut, "nothing comes back")
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("the line")
    }

    /// Lets time pass, as long as something is on its way.
    async fn delay(&self) {
        let delay = self.state().weather.as_mut().map(|it| it.delay()).unwrap_or_default();
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
    }

    /// Lets a request through; the answer to a watch ends with the next interruption.
    async fn send(&mut self, request: Request<kube::client::Body>) -> Result<Response<Body>, Broken> {
        let is_watch = request.uri().query().is_some_and(|it| it.contains("watch=true"));
        self.delay().await;
        if self.state().is_cut {
            return std::future::pending().await;
        }
        let answer = self.place.answer(request).await?;
        self.delay().await;
        Ok(if is_watch { self.watched(answer) } else { self.answered(answer).await })
    }

    async fn answered(&self, answer: Response<Body>) -> Response<Body> {
        let (parts, body) = answer.into_parts();
        let body = body.collect().await.expect("an answer").to_bytes();
        let heard = match self.state().weather.as_mut() {
            Some(weather) => weather.answered(body),
            None => body,
        };
        Response::from_parts(parts, Body::whole(heard))
    }

    /// The answer to a watch, as far as it comes through.
    fn watched(&self, answer: Response<Body>) -> Response<Body> {
        let mut interruptions = self.interruptions.subscribe();
        let end = Box::pin(async move { drop(interruptions.changed().await) });
        let (parts, body) = answer.into_parts();
        let pieces = BodyStream::new(body).filter_map(async |it| it.ok()?.into_data().ok());
        let (slow, breaking) = (self.clone(), self.clone());
        let pieces = pieces.then(move |piece| {
            let slow = slow.clone();
            async move {
                slow.delay().await;
                piece
            }
        });
        let pieces = pieces.scan(false, move |is_broken, piece| {
            if *is_broken {
                return ready(None);
            }
            let mut state = breaking.state();
            let Some(weather) = state.weather.as_mut() else { return ready(Some(piece)) };
            let interruption = weather.interruption();
            *is_broken = interruption.is_some();
            ready(match interruption {
                None => Some(weather.heard(piece)),
                Some(Interruption::End) => None,
                Some(Interruption::Torn) => Some(piece.slice(..piece.len() / 2)),
                Some(Interruption::Expired) => Some(expired().into()),
            })
        });
        Response::from_parts(parts, Body::pieces(pieces.take_until(end)))
    }

    /// A write is under way, until this is dropped.
    fn open(&self) -> Open {
        let mut state = self.state();
        state.open += 1;
        state.most_open = state.most_open.max(state.open);
        Open(self.clone())
    }

    /// Notes a request, and decides what becomes of it.
    fn pass(&self, request: &str, is_write: bool) -> Option<Fault> {
        let mut state = self.state();
        if is_write {
            state.writes.push(request.to_owned());
        }
        if state.is_cut {
            return Some(Fault::Lost);
        }
        state.weather.as_mut().and_then(|it| it.fault(request))
    }
}

/// A write that is not answered yet.
struct Open(Line);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.state().open -= 1;
    }
}

/// The words of a connection that broke.
type Broken = std::io::Error;
type Answer = Pin<Box<dyn Future<Output = Result<Response<Body>, Broken>> + Send>>;

impl Service<Request<kube::client::Body>> for Line {
    type Response = Response<Body>;
    type Error = Broken;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Broken>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<kube::client::Body>) -> Self::Future {
        let words = format!("{} {}", request.method(), request.uri());
        let is_write = request.method() != "GET";
        let fault = self.pass(&words, is_write);
        let mut line = self.clone();
        let open = is_write.then(|| self.open());
        Box::pin(async move {
            let _open = open;
            match fault {
                None => line.send(request).await,
                Some(Fault::Refused(code)) => Ok(refusal(code, 0)),
                Some(Fault::Deferred(code, seconds)) => Ok(refusal(code, seconds)),
                Some(Fault::Lost) => Err(line.silence().await),
                Some(Fault::Unanswered) => {
                    line.send(request).await?;
                    Err(line.silence().await)
                }
                Some(Fault::Dropped) => line.send(question(&request)).await,
                Some(Fault::Broken) => Err(broken()),
                Some(Fault::Severed) => {
                    line.send(request).await?;
                    Err(broken())
                }
            }
        })
    }
}

/// A question about the object that a request is about.
fn question(request: &Request<kube::client::Body>) -> Request<kube::client::Body> {
    let path = request.uri().path();
    let path = path.strip_suffix("/status").unwrap_or(path);
    Request::get(path).body(kube::client::Body::empty()).expect("a request")
}

fn broken() -> Broken {
    Broken::new(std::io::ErrorKind::ConnectionReset, "the line is broken")
}

/// An event that ends a watch.
fn expired() -> String {
    let status = json!({"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": 410,
        "reason": "Expired", "message": "too old resource version"});
    format!("{}\n", json!({"type": "ERROR", "object": status}))
}

fn refusal(code: u16, seconds: u32) -> Response<Body> {
    let status = json!({"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code,
        "reason": "InternalError", "message": "the line is broken", "details": {"retryAfterSeconds": seconds}});
    let response = Response::builder().status(code).header("content-type", "application/json");
    let response = if code == 429 { response.header("retry-after", "1") } else { response };
    response.body(Body::whole(status.to_string())).expect("a response")
}
