//! Why a JSON patch does not apply, in the API server's words.

use super::MAX_OPERATIONS;

/// Why a JSON patch does not apply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonPatchError {
    /// The patch is not a list; a bad request.
    #[error(
        "error decoding patch: json: cannot unmarshal {found} into Go value of type []handlers.jsonPatchOp"
    )]
    NotAList {
        /// What it is instead.
        found: &'static str,
    },
    /// An operation is not an object; a bad request.
    #[error(
        "error decoding patch: json: cannot unmarshal {found} into Go value of type handlers.jsonPatchOp"
    )]
    NotAnOperation {
        /// What it is instead.
        found: &'static str,
    },
    /// The patch is too long; the request entity is too large.
    #[error("The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {count}")]
    TooManyOperations {
        /// How many operations it has.
        count: usize,
    },
    /// An operation cannot be carried out on this document; the entity cannot be processed.
    #[error("{message}")]
    Failed {
        /// Which operation, from zero.
        position: usize,
        /// What is wrong with it.
        message: String,
    },
}

/// Why one operation cannot be carried out.
pub(super) struct Failure(pub(super) String);

impl From<&str> for Failure {
    fn from(message: &str) -> Self {
        Self(message.to_owned())
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self(message)
    }
}
