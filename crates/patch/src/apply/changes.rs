//! What changed between two objects of one kind.

use serde_json::Value;

use super::object_type::ObjectType;
pub use super::typed::compare::Comparison;
use super::typed::compare::compare;
use super::typed::validate::{Duplicates, Mistakes, validate};
use crate::depth::{self, TooDeep};

/// Why two objects cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// One of them is not of its type.
    #[error(transparent)]
    Mistakes(#[from] Mistakes),
    /// One of them is nested too deeply.
    #[error(transparent)]
    TooDeep(#[from] TooDeep),
}

/// The paths in which two objects differ; their managed fields are not looked at.
pub fn changes<'v>(
    object_type: &'v ObjectType,
    old: &'v Value,
    new: &'v Value,
) -> Result<Comparison<'v>, CompareError> {
    for object in [old, new] {
        depth::check(object)?;
        validate(object_type, object, Duplicates::Allowed)?;
    }
    Ok(compare(object_type, old, new))
}
