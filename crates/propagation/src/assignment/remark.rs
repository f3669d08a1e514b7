//! What people should know about an assignment.

use std::fmt;

use krono_history::number::NotANumber;
use krono_history::{RevisionNumber, excerpt};

use crate::limits::Policy;

/// Something about an assignment that is not as somebody wished, or may not be expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// A pin that is no number.
    PinInvalid(NotANumber),
    /// A pin to what was never issued.
    PinUnknown(RevisionNumber),
    /// A pin to what is no longer kept.
    PinPruned(RevisionNumber),
    /// A pin to what does not compile.
    PinUnusable {
        /// The revision.
        number: RevisionNumber,
        /// Why it does not.
        reason: String,
    },
    /// The platform owner forbids pins.
    PinForbidden,
    /// The pin has lasted as long as the platform owner allows.
    PinExpired(RevisionNumber),
    /// The revision that is pinned was given up by a propagation.
    PinnedToFailed {
        /// The revision.
        number: RevisionNumber,
        /// Why.
        reason: String,
    },
    /// A policy that is none.
    PolicyInvalid(String),
    /// A policy that the platform owner forbids.
    PolicyForbidden(Policy),
    /// An approval that is no number.
    ApprovalInvalid(NotANumber),
    /// An approval of what is not there.
    ApprovalUnknown(RevisionNumber),
    /// An approval of what is newer than the current revision.
    ApprovalAhead {
        /// The revision.
        number: RevisionNumber,
        /// What is current.
        current: RevisionNumber,
    },
    /// An approval of what the instance has left behind.
    ApprovalBehind {
        /// The revision.
        number: RevisionNumber,
        /// Where the instance is.
        at: RevisionNumber,
    },
    /// A newer revision waits for approval.
    AwaitsApproval(RevisionNumber),
    /// A place in the order of moving that is none.
    OrderInvalid(String),
    /// The platform owner forbids places in the order of moving.
    OrderForbidden,
    /// The input to hold cannot be had.
    HoldUnusable(String),
    /// The platform owner forbids pins, and with them holds.
    HoldForbidden,
    /// The schema of a revision refuses the spec.
    SpecRefused {
        /// The revision.
        number: RevisionNumber,
        /// What is wrong, with the field.
        problem: String,
    },
    /// The instance would be below the minimum.
    BelowMinimum {
        /// What it would run.
        number: RevisionNumber,
        /// The lowest that is allowed.
        minimum: RevisionNumber,
    },
    /// There is no revision that is allowed.
    MinimumUnknown(RevisionNumber),
    /// What is allowed was given up.
    MinimumGivenUp(RevisionNumber),
    /// Nobody moves, for this reason.
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

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PinInvalid(wrong) => write!(f, "the pin is ignored: {wrong}"),
            Self::PinUnknown(number) => {
                write!(
                    f,
                    "there is no revision {number} to be pinned to; pin one that is kept, or remove the pin"
                )
            }
            Self::PinPruned(number) => {
                write!(
                    f,
                    "revision {number}, which the pin names, was pruned; pin one that is kept, or remove the pin"
                )
            }
            Self::PinUnusable { number, reason } => {
                write!(f, "revision {number}, which the pin names, cannot be served: {reason}")
            }
            Self::PinForbidden => f.write_str("the pin is ignored: the definition forbids pins"),
            Self::PinExpired(number) => {
                write!(
                    f,
                    "the pin to revision {number} has expired; remove it, or ask the owner of the definition"
                )
            }
            Self::PinnedToFailed { number, reason } => {
                write!(f, "pinned to revision {number}, which was given up: {reason}")
            }
            Self::PolicyInvalid(text) => {
                let text = excerpt(text);
                write!(f, "{text:?} is no update policy, so the instance stays; write Auto, Manual or Paused")
            }
            Self::PolicyForbidden(policy) => {
                write!(f, "the update policy {} is ignored: the definition forbids it", policy.as_str())
            }
            Self::ApprovalInvalid(wrong) => write!(f, "the approval is ignored: {wrong}"),
            Self::ApprovalUnknown(number) => {
                write!(
                    f,
                    "the approval is ignored: there is no revision {number}; approve of one that is kept"
                )
            }
            Self::ApprovalAhead { number, current } => {
                write!(f, "revision {number} is approved and waits: revision {current} is current")
            }
            Self::ApprovalBehind { number, at } => {
                write!(
                    f,
                    "the approval is ignored: revision {number} is behind revision {at}, where the instance is; pin it, \
                     or remove the approval"
                )
            }
            Self::AwaitsApproval(number) => write!(f, "revision {number} waits for approval"),
            Self::OrderInvalid(text) => {
                write!(f, "the propagation order is ignored: {:?} is not a whole number", excerpt(text))
            }
            Self::OrderForbidden => {
                f.write_str("the propagation order is ignored: the definition forbids it")
            }
            Self::HoldUnusable(problem) => write!(f, "the hold is not in force: {problem}"),
            Self::HoldForbidden => f.write_str("the hold is ignored: the definition forbids pins"),
            Self::SpecRefused { number, problem } => {
                write!(f, "revision {number} does not accept the spec: {problem}")
            }
            Self::BelowMinimum { number, minimum } => {
                write!(f, "revision {number} is below {minimum}, the lowest that the definition allows")
            }
            Self::MinimumUnknown(minimum) => {
                write!(
                    f,
                    "no revision is kept that is at least {minimum}, the lowest that the definition allows"
                )
            }
            Self::MinimumGivenUp(minimum) => {
                write!(
                    f,
                    "every revision that is at least {minimum}, the lowest that the definition allows, was given up"
                )
            }
            Self::Stopped(reason) => f.write_str(reason),
        }
    }
}
