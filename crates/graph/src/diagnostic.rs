//! What is wrong with a definition.

use std::fmt::{self, Display};

use krono_cel::Span;

/// One thing that is wrong with a definition, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The field, such as `spec.resources[1].template.spec.replicas`.
    pub path: String,
    /// The part of the field's text that is meant, in bytes; the whole of it when absent.
    pub span: Option<Span>,
    /// What is wrong.
    pub message: String,
    /// What to do; empty where the message says it.
    pub advice: String,
}

impl Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)?;
        if self.advice.is_empty() { Ok(()) } else { write!(f, "; {}", self.advice) }
    }
}

/// Collects what is wrong, in the order in which it is found.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    pub(crate) fn report(&mut self, path: impl Display, message: impl Into<String>) -> &mut Diagnostic {
        let index = self.0.len();
        self.0.push(Diagnostic {
            path: path.to_string(),
            span: None,
            message: message.into(),
            advice: String::new(),
        });
        &mut self.0[index]
    }

    /// Nothing was found, or all that was.
    pub(crate) fn finish(self) -> Result<(), Vec<Diagnostic>> {
        if self.0.is_empty() { Ok(()) } else { Err(self.0) }
    }
}

impl Diagnostic {
    pub(crate) fn advise(&mut self, advice: impl Into<String>) -> &mut Self {
        self.advice = advice.into();
        self
    }

    pub(crate) fn at(&mut self, span: Span) -> &mut Self {
        self.span = Some(span);
        self
    }
}
