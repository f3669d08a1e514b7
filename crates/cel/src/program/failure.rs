//! What a name stands for when the expression bound to it has no value.

use std::any::Any;

use crate::error::EvalError;
use crate::types::Type;
use crate::value::Opaque;

/// Kept in a local instead of a value; reading the local gives the error, so that no expression ever sees it.
#[derive(Debug)]
pub(super) struct Failure(pub(super) EvalError);

impl Opaque for Failure {
    fn type_of(&self) -> Type {
        Type::Error
    }

    fn equals(&self, _: &dyn Opaque) -> bool {
        false
    }
}

/// The error, if the value is a failure.
pub(super) fn check(value: &dyn Opaque) -> Result<(), EvalError> {
    match (value as &dyn Any).downcast_ref::<Failure>() {
        Some(failure) => Err(failure.0.clone()),
        None => Ok(()),
    }
}
