//! What people should hear of once.

use std::fmt;

use krono_history::RevisionNumber;
use krono_history::issue::Notice as OfLineage;
use krono_model::definition::{ROLLBACK_IGNORED, ROLLBACK_REFUSED};
use krono_model::names;

/// Something that people should hear of once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Something about revisions.
    Lineage(OfLineage),
    /// Another revision is current.
    Superseded {
        /// The one that was.
        number: RevisionNumber,
        /// The one that is.
        by: RevisionNumber,
    },
    /// Revisions of kro are krono's from now on.
    TakenOver {
        /// How many.
        count: usize,
        /// The number of the newest.
        newest: RevisionNumber,
    },
    /// Two requests contradict each other.
    TwoRequests,
    /// A request that only instances understand.
    RequestOfInstance,
    /// The definition goes, and nobody will look after these instances until there is one of that name again.
    InstancesLeftBehind {
        /// Their kind.
        kind: String,
        /// How many.
        count: usize,
    },
}

impl Notice {
    pub(super) fn of(notice: &OfLineage) -> Self {
        Self::Lineage(notice.clone())
    }

    /// The same as one word.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Lineage(OfLineage::Issued { .. }) => "RevisionIssued",
            Self::Lineage(OfLineage::RollingBack { .. }) => "RollingBack",
            Self::Lineage(OfLineage::RollbackRefused(_)) | Self::TwoRequests | Self::RequestOfInstance => {
                ROLLBACK_REFUSED
            }
            Self::Lineage(OfLineage::RequestPutBack { .. }) => ROLLBACK_IGNORED,
            Self::Lineage(OfLineage::CreateRefused { .. }) => "RevisionRefused",
            Self::Lineage(OfLineage::Pruned { .. }) => "RevisionPruned",
            Self::Superseded { .. } => "RevisionSuperseded",
            Self::TakenOver { .. } => "RevisionsTakenOver",
            Self::InstancesLeftBehind { .. } => "InstancesLeftBehind",
        }
    }

    /// Whether something is not as somebody wished.
    pub fn is_warning(&self) -> bool {
        match self {
            Self::Lineage(notice) => notice.is_warning(),
            Self::Superseded { .. } | Self::TakenOver { .. } => false,
            Self::TwoRequests | Self::RequestOfInstance | Self::InstancesLeftBehind { .. } => true,
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lineage(notice) => notice.fmt(f),
            Self::Superseded { number, by } => write!(f, "revision {number} is superseded by revision {by}"),
            Self::TakenOver { count: 1, newest } => write!(f, "took over revision {newest} of kro"),
            Self::TakenOver { count, newest } => {
                write!(f, "took over {count} revisions of kro, the newest is {newest}")
            }
            Self::TwoRequests => write!(
                f,
                "not rolled back: {} and {} ask for different things; write one of them",
                names::ROLLBACK_ANNOTATION,
                names::INPUT_ROLLBACK_ANNOTATION
            ),
            Self::RequestOfInstance => write!(
                f,
                "not rolled back: {} is for instances; a definition goes back with {}",
                names::INPUT_ROLLBACK_ANNOTATION,
                names::ROLLBACK_ANNOTATION
            ),
            Self::InstancesLeftBehind { kind, count } => write!(
                f,
                "{count} instances of {kind} stay without a definition; create the definition again to have them looked \
                 after"
            ),
        }
    }
}
