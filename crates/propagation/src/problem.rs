//! What is wrong with a policy or a gate.

use std::collections::BTreeSet;
use std::fmt::{self, Display};

use krono_cel::Span;
use krono_cel::advice::nearest;
use serde_json::Value;

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

/// Fields of a map that mean nothing; a value that is no map is a problem itself.
pub(crate) fn unknown_fields(value: &Value, path: &str, known: &[&str]) -> Vec<Problem> {
    let Some(fields) = value.as_object() else {
        let problem = Problem::new(path, format!("{value} is not a map"), "write its fields below it");
        return if value.is_null() { Vec::new() } else { vec![problem] };
    };
    let known: BTreeSet<&str> = known.iter().copied().collect();
    let unknown = fields.keys().filter(|it| !known.contains(it.as_str()));
    let problem = |name: &String| {
        let advice = match nearest(name, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", known.iter().copied().collect::<Vec<_>>().join(", ")),
        };
        Problem::new(format!("{path}.{name}"), "there is no such field", advice)
    };
    unknown.map(problem).collect()
}
