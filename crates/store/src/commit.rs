//! The outcome of a write, once it is there.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::sync::oneshot;

use crate::WriteError;

/// The version of a write as soon as it is safe, or why it did not happen.
///
/// Dropping it does not undo the write.
#[derive(Debug)]
#[must_use = "a write that nobody waits for may have failed"]
pub struct Commit(State);

#[derive(Debug)]
enum State {
    Done(Option<Result<u64, WriteError>>),
    Waiting(oneshot::Receiver<Result<u64, WriteError>>),
}

impl Commit {
    pub(crate) fn done(outcome: Result<u64, WriteError>) -> Self {
        Self(State::Done(Some(outcome)))
    }

    pub(crate) fn waiting(receiver: oneshot::Receiver<Result<u64, WriteError>>) -> Self {
        Self(State::Waiting(receiver))
    }

    /// Waits on this thread; not for use in asynchronous code.
    pub fn wait(self) -> Result<u64, WriteError> {
        match self.0 {
            State::Done(outcome) => outcome.unwrap_or_else(|| Err(closed())),
            State::Waiting(receiver) => receiver.blocking_recv().unwrap_or_else(|_| Err(closed())),
        }
    }
}

impl Future for Commit {
    type Output = Result<u64, WriteError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            State::Done(outcome) => Poll::Ready(outcome.take().unwrap_or_else(|| Err(closed()))),
            State::Waiting(receiver) => {
                Pin::new(receiver).poll(context).map(|outcome| outcome.unwrap_or_else(|_| Err(closed())))
            }
        }
    }
}

fn closed() -> WriteError {
    WriteError::Failed("the store is closed".into())
}
