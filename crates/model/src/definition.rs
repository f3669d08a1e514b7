//! The words that a definition's status is written in.

/// Revisions are known and the newest is compiled.
pub const GRAPH_REVISIONS_RESOLVED: &str = "GraphRevisionsResolved";
/// Schema and resources make a graph.
pub const GRAPH_ACCEPTED: &str = "GraphAccepted";
/// The CRD of the kind is there as it should be, and served.
pub const KIND_READY: &str = "KindReady";
/// Somebody looks after the instances.
pub const CONTROLLER_READY: &str = "ControllerReady";

/// An older revision is served whatever the definition says.
pub const HELD: &str = "Held";
/// A revision should be served that cannot be; everybody stays.
pub const HOLD_INVALID: &str = "HoldInvalid";
/// An edit waits for somebody to ask for its revision.
pub const REVISION_PENDING: &str = "RevisionPending";
/// The last request to roll back was refused.
pub const ROLLBACK_REFUSED: &str = "RollbackRefused";
/// A request to roll back came again after it was answered; told by an event, and no condition.
pub const ROLLBACK_IGNORED: &str = "RollbackIgnored";
/// The definition was deleted and has instances.
pub const DELETION_BLOCKED: &str = "DeletionBlocked";
/// A revision was deleted that instances need.
pub const REVISION_DELETION_BLOCKED: &str = "RevisionDeletionBlocked";

/// Something of what says how revisions are issued and kept makes no sense, and is passed over.
pub const MANAGEMENT_INVALID: &str = "RevisionManagementInvalid";

/// What says how a new revision reaches instances makes no sense; everybody stays.
pub const PROPAGATION_INVALID: &str = "PropagationInvalid";

/// What says when instances move to a new revision lets nobody begin.
pub const GATE_NEVER_OPENS: &str = "GateNeverOpens";

/// An approval that stands on the definition is not understood.
pub const APPROVAL_INVALID: &str = "ApprovalInvalid";

/// A new revision is on its way to instances.
pub const PROPAGATING: &str = "Propagating";
/// A new revision was given up on its way to instances.
pub const PROPAGATION_HALTED: &str = "PropagationHalted";
/// Resources that are no longer wanted wait for somebody to approve of their deletion.
pub const DELETION_PENDING: &str = "DeletionPending";

/// Conditions of a definition that are there only while they hold, and on which [`crate::condition::READY`] does not depend.
pub const NOTES: &[&str] = &[
    HELD,
    HOLD_INVALID,
    REVISION_PENDING,
    ROLLBACK_REFUSED,
    DELETION_BLOCKED,
    REVISION_DELETION_BLOCKED,
    MANAGEMENT_INVALID,
    PROPAGATION_INVALID,
    GATE_NEVER_OPENS,
    APPROVAL_INVALID,
    PROPAGATING,
    PROPAGATION_HALTED,
    DELETION_PENDING,
];

/// What [`crate::condition::READY`] of a definition depends on.
pub const DEPENDENTS: &[&str] = &[GRAPH_REVISIONS_RESOLVED, GRAPH_ACCEPTED, KIND_READY, CONTROLLER_READY];

/// `status.state` of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Instances are served by the definition as it stands.
    Active,
    /// They are not, or by an older one.
    Inactive,
}

impl State {
    /// As it stands on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "Active",
            Self::Inactive => "Inactive",
        }
    }
}

/// Why a condition of a definition has its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// [`GRAPH_REVISIONS_RESOLVED`] is true.
    Resolved,
    /// [`GRAPH_REVISIONS_RESOLVED`] or [`KIND_READY`] is false.
    Failed,
    /// [`GRAPH_ACCEPTED`] is true.
    Valid,
    /// [`GRAPH_ACCEPTED`] is false.
    InvalidResourceGraph,
    /// [`KIND_READY`] is true.
    Ready,
    /// [`CONTROLLER_READY`] is true.
    Running,
    /// [`CONTROLLER_READY`] is false.
    FailedToStart,
    /// Nothing is known yet.
    AwaitingReconciliation,
}

impl Reason {
    /// As it stands on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resolved => "Resolved",
            Self::Failed => "Failed",
            Self::Valid => "Valid",
            Self::InvalidResourceGraph => "InvalidResourceGraph",
            Self::Ready => "Ready",
            Self::Running => "Running",
            Self::FailedToStart => "FailedToStart",
            Self::AwaitingReconciliation => crate::condition::AWAITING_RECONCILIATION,
        }
    }
}
