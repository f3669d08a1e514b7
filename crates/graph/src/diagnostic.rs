//! What is wrong with a definition.

use std::collections::BTreeSet;
use std::fmt::{self, Display};

use krono_cel::{Span, advice};

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

/// The most names that a list of what there is may have.
const MOST_NAMES: usize = 15;

/// What to write in place of a name that is not there: one that looks alike, or any of those there are.
pub(crate) fn instead_of<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    let known: BTreeSet<&str> = known.into_iter().collect();
    match advice::nearest(name, &known) {
        Some(near) => format!("did you mean `{near}`?"),
        None if (1..=MOST_NAMES).contains(&known.len()) => {
            format!("there are {}", known.into_iter().collect::<Vec<_>>().join(", "))
        }
        None => "remove it, or correct its name".to_owned(),
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

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes in what was found elsewhere.
    pub(crate) fn adopt(&mut self, found: Vec<Diagnostic>) {
        self.0.extend(found);
    }

    /// Nothing was found, or all that was.
    pub(crate) fn finish(self) -> Result<(), Vec<Diagnostic>> {
        let mut kept: Vec<Diagnostic> = Vec::with_capacity(self.0.len());
        for found in self.0 {
            // What is looked at from two sides is told once, with the place within the text where that is known.
            match kept.iter_mut().find(|it| it.path == found.path && it.message == found.message) {
                Some(known) => known.span = known.span.or(found.span),
                None => kept.push(found),
            }
        }
        if kept.is_empty() { Ok(()) } else { Err(kept) }
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
