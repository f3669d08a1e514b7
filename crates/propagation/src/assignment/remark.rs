//! What people should know about an assignment.

use krono_history::number::NotANumber;
use krono_history::{RevisionNumber, excerpt};

use crate::limits::Policy;

/// Something about an assignment that is not as somebody wished, or may not be expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Remark {
    /// A pin that is no number.
    #[error("the pin is ignored: {0}")]
    PinInvalid(NotANumber),
    /// A pin to what was never issued.
    #[error("there is no revision {0} to be pinned to; pin one that is kept, or remove the pin")]
    PinUnknown(RevisionNumber),
    /// A pin to what is no longer kept.
    #[error("revision {0}, which the pin names, was pruned; pin one that is kept, or remove the pin")]
    PinPruned(RevisionNumber),
    /// A pin to what does not compile.
    #[error("revision {number}, which the pin names, cannot be served: {reason}")]
    PinUnusable {
        /// The revision.
        number: RevisionNumber,
        /// Why it does not.
        reason: String,
    },
    /// The platform owner forbids pins.
    #[error("the pin is ignored: the definition forbids pins")]
    PinForbidden,
    /// The pin has lasted as long as the platform owner allows.
    #[error("the pin to revision {0} has expired; remove it, or ask the owner of the definition")]
    PinExpired(RevisionNumber),
    /// The revision that is pinned was given up by a propagation.
    #[error("pinned to revision {number}, which was given up: {reason}")]
    PinnedToFailed {
        /// The revision.
        number: RevisionNumber,
        /// Why.
        reason: String,
    },
    /// A policy that is none.
    #[error("{:?} is no update policy, so the instance stays; write Auto, Manual or Paused", excerpt(.0))]
    PolicyInvalid(String),
    /// A policy that the platform owner forbids.
    #[error("the update policy {} is ignored: the definition forbids it", .0.as_str())]
    PolicyForbidden(Policy),
    /// An approval that is no number.
    #[error("the approval is ignored: {0}")]
    ApprovalInvalid(NotANumber),
    /// An approval of what is not there.
    #[error("the approval is ignored: there is no revision {0}; approve of one that is kept")]
    ApprovalUnknown(RevisionNumber),
    /// An approval of what is newer than the current revision.
    #[error("revision {number} is approved and waits: revision {current} is current")]
    ApprovalAhead {
        /// The revision.
        number: RevisionNumber,
        /// What is current.
        current: RevisionNumber,
    },
    /// An approval of what the instance has left behind.
    #[error(
        "the approval is ignored: revision {number} is behind revision {at}, where the instance is; pin it, \
         or remove the approval"
    )]
    ApprovalBehind {
        /// The revision.
        number: RevisionNumber,
        /// Where the instance is.
        at: RevisionNumber,
    },
    /// A newer revision waits for approval.
    #[error("revision {0} waits for approval")]
    AwaitsApproval(RevisionNumber),
    /// A place in the order of moving that is none.
    #[error("the propagation order is ignored: {:?} is not a whole number", excerpt(.0))]
    OrderInvalid(String),
    /// The platform owner forbids places in the order of moving.
    #[error("the propagation order is ignored: the definition forbids it")]
    OrderForbidden,
    /// The input to hold cannot be had.
    #[error(
        "the input to hold cannot be had, and edits of the spec wait until it can or the hold is gone: {0}"
    )]
    HoldUnusable(String),
    /// The platform owner forbids pins, and with them holds.
    #[error("the hold is ignored: the definition forbids pins")]
    HoldForbidden,
    /// The schema of a revision refuses the spec.
    #[error("revision {number} does not accept the spec: {problem}")]
    SpecRefused {
        /// The revision.
        number: RevisionNumber,
        /// What is wrong, with the field.
        problem: String,
    },
    /// The instance would be below the minimum.
    #[error("revision {number} is below {minimum}, the lowest that the definition allows")]
    BelowMinimum {
        /// What it would run.
        number: RevisionNumber,
        /// The lowest that is allowed.
        minimum: RevisionNumber,
    },
    /// There is no revision that is allowed.
    #[error("no revision is kept that is at least {0}, the lowest that the definition allows")]
    MinimumUnknown(RevisionNumber),
    /// What is allowed was given up.
    #[error("every revision that is at least {0}, the lowest that the definition allows, was given up")]
    MinimumGivenUp(RevisionNumber),
    /// Nobody moves, for this reason.
    #[error("{0}")]
    Stopped(String),
}

impl Remark {
    /// As it stands in a status: the reason of a condition.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::PinInvalid(_) | Self::PinUnknown(_) | Self::PinUnusable { .. } => "PinInvalid",
            Self::PinPruned(_) => "PinPruned",
            Self::PinForbidden => "PinForbidden",
            Self::PinExpired(_) => "PinExpired",
            Self::PinnedToFailed { .. } => "PinnedToFailed",
            Self::PolicyInvalid(_) => "PolicyInvalid",
            Self::PolicyForbidden(_) => "PolicyForbidden",
            Self::ApprovalInvalid(_) | Self::ApprovalUnknown(_) => "ApprovalInvalid",
            Self::ApprovalAhead { .. } => "ApprovalAhead",
            Self::ApprovalBehind { .. } => "ApprovalBehind",
            Self::AwaitsApproval(_) => "AwaitsApproval",
            Self::OrderInvalid(_) => "OrderInvalid",
            Self::OrderForbidden => "OrderForbidden",
            Self::HoldUnusable(_) | Self::Stopped(_) => "HoldInvalid",
            Self::HoldForbidden => "HoldForbidden",
            Self::SpecRefused { .. } => "SpecRefused",
            Self::BelowMinimum { .. } | Self::MinimumUnknown(_) | Self::MinimumGivenUp(_) => {
                "BelowMinimumRevision"
            }
        }
    }

    /// Whether it is about the instance alone, and so worth telling on it; the rest is told on the definition.
    pub fn is_of_instance(&self) -> bool {
        !matches!(self, Self::AwaitsApproval(_) | Self::Stopped(_))
    }
}
