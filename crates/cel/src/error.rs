//! What can go wrong while evaluating.

use std::fmt;

use crate::source::Span;
use crate::types::Type;
use crate::value::Val;

const NO_SUCH_OVERLOAD: &str = "no such overload";

/// Why an evaluation has no value.
///
/// Callers branch on [`EvalError::kind`]; the message is cel-go's, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: EvalErrorKind,
    message: String,
    span: Option<Span>,
}

/// The kinds of evaluation error a caller may want to tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EvalErrorKind {
    /// A map or object has no such key.
    NoSuchKey,
    /// A variable has no value, or a name means nothing.
    NoSuchAttribute,
    /// A list is shorter than the index asks.
    IndexOutOfBounds,
    /// The values are of types the function or operator does not take.
    NoSuchOverload,
    /// Division or modulus by zero.
    DivideByZero,
    /// The result does not fit its type.
    Overflow,
    /// An argument has the right type and a wrong value.
    InvalidArgument,
    /// The evaluation cost more than its budget.
    BudgetExceeded,
    /// The caller asked to stop.
    Cancelled,
}

impl EvalError {
    /// An error of this kind.
    #[cold]
    pub fn new(kind: EvalErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, message: message.into(), span: None }))
    }

    /// A wrong argument value.
    #[cold]
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(EvalErrorKind::InvalidArgument, message)
    }

    /// Values of types that the operation does not take.
    #[cold]
    pub fn no_such_overload() -> Self {
        Self::new(EvalErrorKind::NoSuchOverload, NO_SUCH_OVERLOAD)
    }

    /// A missing key of a map or object.
    #[cold]
    pub fn no_such_key(key: impl fmt::Display) -> Self {
        Self::new(EvalErrorKind::NoSuchKey, format!("no such key: {key}"))
    }

    /// An index outside a list.
    #[cold]
    pub fn index_out_of_bounds(index: impl fmt::Display) -> Self {
        Self::new(EvalErrorKind::IndexOutOfBounds, format!("index out of bounds: {index}"))
    }

    /// A result that does not fit its type.
    #[cold]
    pub fn overflow(what: &str) -> Self {
        Self::new(EvalErrorKind::Overflow, format!("{what} overflow"))
    }

    /// What kind of error it is.
    pub fn kind(&self) -> EvalErrorKind {
        self.0.kind
    }

    /// The message without its place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The part of the source that could not be evaluated.
    pub fn span(&self) -> Option<Span> {
        self.0.span
    }

    /// Whether the error says that data is not there yet, rather than that something is wrong.
    pub fn is_missing_data(&self) -> bool {
        matches!(
            self.kind(),
            EvalErrorKind::NoSuchKey | EvalErrorKind::NoSuchAttribute | EvalErrorKind::IndexOutOfBounds
        )
    }

    /// Whether `||`, `&&` and comprehensions must not swallow the error.
    pub(crate) fn is_fatal(&self) -> bool {
        matches!(self.kind(), EvalErrorKind::BudgetExceeded | EvalErrorKind::Cancelled)
    }

    /// The same error; one that only says that the types are wrong says of which call.
    #[cold]
    #[must_use]
    pub(crate) fn of_call(mut self, name: &str, args: &[Val<'_>]) -> Self {
        if self.0.message == NO_SUCH_OVERLOAD {
            let types: Vec<Type> = args.iter().map(Val::type_of).collect();
            let names: Vec<&str> = types.iter().map(Type::runtime_name).collect();
            self.0.message = format!("{NO_SUCH_OVERLOAD}: {name}({})", names.join(", "));
        }
        self
    }

    /// The same error, placed; an error that has a place keeps it.
    #[cold]
    #[must_use]
    pub(crate) fn at(mut self, span: Span) -> Self {
        self.0.span.get_or_insert(span);
        self
    }
}

impl std::error::Error for EvalError {}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}
