//! What is wrong with a policy or a gate.

use std::fmt::{self, Display};

use krono_cel::Span;

/// One thing that is wrong with what a definition says about propagation, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The field, such as `spec.propagation.windows[0].schedule`.
    pub path: String,
    /// The part of the field's text that is meant, in bytes; the whole of it when absent.
    pub span: Option<Span>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub advice: String,
}

impl Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)?;
        if self.advice.is_empty() { Ok(()) } else { write!(f, "; {}", self.advice) }
    }
}

impl Problem {
    pub(crate) fn new(path: impl Display, message: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { path: path.to_string(), span: None, message: message.into(), advice: advice.into() }
    }
}
