//! Bodies on the network: requests that must arrive in time, answers that end with the server.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::activity::Busy;
use crate::body::Body;

/// The body of a request, which must be there by a deadline.
pub(super) struct Timely {
    body: Incoming,
    deadline: Instant,
    /// Made when the body is first waited for.
    timer: Option<Pin<Box<Sleep>>>,
}

impl Timely {
    pub(super) fn new(body: Incoming, patience: Duration) -> Self {
        Self { body, deadline: Instant::now() + patience, timer: None }
    }
}

impl http_body::Body for Timely {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(frame.map(|it| it.map_err(Into::into)));
        }
        let deadline = self.deadline;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        timer.as_mut().poll(context).map(|()| Some(Err("it did not arrive in time".into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of an answer; one that has no end of its own ends with the server.
pub(super) struct Served {
    body: Body,
    end: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
    _busy: Busy,
}

impl Served {
    pub(super) fn new(body: Body, stop: &CancellationToken, busy: Busy) -> Self {
        let end = body.is_endless().then(|| Box::pin(stop.clone().cancelled_owned()));
        Self { body, end, _busy: busy }
    }
}

impl http_body::Body for Served {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(end) = &mut self.end
            && end.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
