//! The outcome of a write, once it is there.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use tokio::sync::oneshot;

use crate::WriteError;

/// The version of a write as soon as it is safe, or why it was not acknowledged.
///
/// Dropping it does not undo the write, unless the store has so much to do that the write was not queued yet.
#[must_use = "a write that nobody waits for may have failed"]
pub struct Commit(State);

pub(crate) type Outcome = Result<u64, WriteError>;
pub(crate) type Queueing = Pin<Box<dyn Future<Output = Result<(), WriteError>> + Send>>;

enum State {
    Done(Option<Outcome>),
    Queued(oneshot::Receiver<Outcome>),
    /// The queue is full; once there is room the write is queued.
    Waiting(Queueing, oneshot::Receiver<Outcome>),
}

impl Commit {
    pub(crate) fn done(outcome: Outcome) -> Self {
        Self(State::Done(Some(outcome)))
    }

    pub(crate) fn queued(outcome: oneshot::Receiver<Outcome>) -> Self {
        Self(State::Queued(outcome))
    }

    pub(crate) fn waiting(queueing: Queueing, outcome: oneshot::Receiver<Outcome>) -> Self {
        Self(State::Waiting(queueing, outcome))
    }

    /// Waits on this thread; not for use in asynchronous code.
    pub fn wait(mut self) -> Result<u64, WriteError> {
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            match Pin::new(&mut self).poll(&mut context) {
                Poll::Ready(outcome) => return outcome,
                Poll::Pending => std::thread::park(),
            }
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl fmt::Debug for Commit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match &self.0 {
            State::Done(outcome) => return formatter.debug_tuple("Commit").field(outcome).finish(),
            State::Queued(_) => "queued",
            State::Waiting(..) => "waiting",
        };
        formatter.debug_tuple("Commit").field(&state).finish()
    }
}

impl Future for Commit {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Outcome> {
        if let State::Waiting(queueing, outcome) = &mut self.0 {
            match queueing.as_mut().poll(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Ready(Ok(())) => {
                    let (_, never) = oneshot::channel();
                    let outcome = std::mem::replace(outcome, never);
                    self.0 = State::Queued(outcome);
                }
            }
        }
        match &mut self.0 {
            State::Done(outcome) => Poll::Ready(outcome.take().unwrap_or_else(|| Err(gone()))),
            State::Queued(outcome) => {
                Pin::new(outcome).poll(context).map(|outcome| outcome.unwrap_or_else(|_| Err(gone())))
            }
            State::Waiting(..) => Poll::Pending,
        }
    }
}

/// Whoever commits died with the write in hand.
fn gone() -> WriteError {
    WriteError::Unknown("the store was lost".into())
}

/// The store is shut; a write that was not queued did not happen.
pub(crate) fn closed() -> WriteError {
    WriteError::Failed("it is closed".into())
}
