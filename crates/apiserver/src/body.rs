//! Bodies of answers: known at once, or made while they are read.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;
use http_body::{Frame, SizeHint};

/// Pieces of a body that are made as the client reads them, so that a slow client holds nothing back.
type Pieces = Pin<Box<dyn Stream<Item = Bytes> + Send>>;

/// The body of an answer.
pub struct Body(Inner);

enum Inner {
    Whole(Option<Bytes>),
    Pieces {
        pieces: Pieces,
        /// How many bytes are still to come, if the body has an end.
        remaining: Option<u64>,
    },
}

impl Body {
    /// A body that is known.
    pub fn whole(bytes: impl Into<Bytes>) -> Self {
        Self(Inner::Whole(Some(bytes.into()).filter(|bytes| !bytes.is_empty())))
    }

    /// A body that is made while it is read and goes on as long as the client reads.
    pub fn pieces(pieces: impl Stream<Item = Bytes> + Send + 'static) -> Self {
        Self(Inner::Pieces { pieces: Box::pin(pieces), remaining: None })
    }

    /// A body of a known length that is made while it is read.
    pub fn sized(length: u64, pieces: impl Stream<Item = Bytes> + Send + 'static) -> Self {
        Self(Inner::Pieces { pieces: Box::pin(pieces), remaining: Some(length) })
    }

    /// Whether the body goes on as long as the client reads.
    pub(crate) fn is_endless(&self) -> bool {
        matches!(self.0, Inner::Pieces { remaining: None, .. })
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.0 {
            Inner::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Inner::Pieces { pieces, remaining } => pieces.as_mut().poll_next(context).map(|piece| {
                let piece = piece?;
                if let Some(remaining) = remaining {
                    *remaining = remaining.saturating_sub(piece.len() as u64);
                }
                Some(Ok(Frame::data(piece)))
            }),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.0, Inner::Whole(None) | Inner::Pieces { remaining: Some(0), .. })
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Inner::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Inner::Pieces { remaining, .. } => remaining.map_or_else(SizeHint::default, SizeHint::with_exact),
        }
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match &self.0 {
            Inner::Whole(_) => "Whole",
            Inner::Pieces { .. } => "Pieces",
        };
        formatter.debug_tuple("Body").field(&name).finish()
    }
}
