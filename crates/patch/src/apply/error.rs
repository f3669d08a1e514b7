//! Why an apply or an update does not work out, in the API server's words.

use super::conflict::Conflicts;
use super::managers::ManagedFieldsError;
use super::typed::validate::Mistakes;
use crate::depth::TooDeep;

/// Why a configuration cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// The configuration is for another kind or version; a bad request.
    #[error("invalid object type: {found}")]
    WrongKind {
        /// What it is for.
        found: String,
    },
    /// The configuration says who manages it; a bad request.
    #[error("metadata.managedFields must be nil")]
    ManagedFieldsInConfig,
    /// Other managers disagree; a conflict.
    #[error("{0}")]
    Conflict(Conflicts),
    /// The configuration is not of its type; an internal error, as the API server has it.
    #[error("failed to create typed patch object ({object}): {mistakes}")]
    Config {
        /// The object.
        object: String,
        /// What is wrong with it.
        mistakes: Mistakes,
    },
    /// The object is not of its type.
    #[error("failed to create typed live object ({object}): {mistakes}")]
    Live {
        /// The object.
        object: String,
        /// What is wrong with it.
        mistakes: Mistakes,
    },
    /// The managed fields of the object cannot be read.
    #[error("failed to decode managed fields: {0}")]
    ManagedFields(ManagedFieldsError),
    /// What was there before the first apply cannot be ascribed to anybody.
    #[error("failed to create manager for existing fields: {0}")]
    BeforeFirstApply(UpdateError),
    /// An object cannot be had in the version of a manager.
    #[error("{0}")]
    Conversion(String),
    /// The version of the request is not among the versions of the kind.
    #[error("no corresponding type for {0}")]
    NoType(String),
    /// An object is nested too deeply.
    #[error(transparent)]
    TooDeep(#[from] TooDeep),
}

/// Why it cannot be worked out who changed what.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UpdateError {
    /// The new object is not of its type.
    #[error("failed to convert new object ({object}) to smd typed: {mistakes}")]
    New {
        /// The object.
        object: String,
        /// What is wrong with it.
        mistakes: Mistakes,
    },
    /// The old object is not of its type.
    #[error("failed to convert live object ({object}) to smd typed: {mistakes}")]
    Live {
        /// The object.
        object: String,
        /// What is wrong with it.
        mistakes: Mistakes,
    },
    /// An object cannot be had in the version of a manager.
    #[error("failed to update ManagedFields ({object}): {reason}")]
    Conversion {
        /// The object.
        object: String,
        /// Why not.
        reason: String,
    },
    /// The version of the request is not among the versions of the kind.
    #[error("no corresponding type for {0}")]
    NoType(String),
    /// An object is nested too deeply.
    #[error(transparent)]
    TooDeep(#[from] TooDeep),
}
