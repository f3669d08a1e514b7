//! Reading the arguments of a call.

use std::ops::Range;

use crate::error::EvalError;
use crate::value::{Text, Val};

/// Exactly `N` arguments, or the error of a call with wrong types.
pub(super) fn arity<'v, 'a, const N: usize>(args: &'v [Val<'a>]) -> Result<&'v [Val<'a>; N], EvalError> {
    args.try_into().map_err(|_| EvalError::no_such_overload())
}

impl<'a> Val<'a> {
    /// The text with its lifetime, or the error of a call with wrong types.
    pub(super) fn as_text(&self) -> Result<&Text<'a>, EvalError> {
        match self {
            Self::String(text) => Ok(text),
            _ => Err(EvalError::no_such_overload()),
        }
    }
}

impl<'a> Text<'a> {
    /// A part of the text; lent text is lent on. The range must lie on character boundaries.
    pub(super) fn slice(&self, range: Range<usize>) -> Val<'a> {
        match self {
            Self::Lent(text) => Val::str(&text[range]),
            Self::Shared(text) if range.len() == text.len() => Val::String(self.clone()),
            Self::Shared(text) => Val::string(&text[range]),
        }
    }
}
