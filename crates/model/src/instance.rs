//! The words that an instance's status is written in.

/// Finalizer, labels and inventory are in place.
pub const INSTANCE_MANAGED: &str = "InstanceManaged";
/// There is a compiled graph and every node was resolved.
pub const GRAPH_RESOLVED: &str = "GraphResolved";
/// Every resource is there and ready.
pub const RESOURCES_READY: &str = "ResourcesReady";

/// Some of what its user wants about revisions cannot be had; there only when that is so.
pub const ASSIGNED: &str = "Assigned";
/// The assigned revision does not know some fields of the spec; there only when that is so.
pub const FIELDS_IGNORED: &str = "FieldsIgnored";
/// The assigned revision does not accept the spec, and the input before stands; there only when that is so.
pub const SPEC_REFUSED: &str = "SpecRefused";

/// Changes of resources that are there have to wait for `propagateWhen`; there only when that is so.
pub const RESOURCE_GATED: &str = "ResourceGated";

/// Some of the author's status fields or conditions cannot be made; there only when that is so.
pub const STATUS_INVALID: &str = "StatusInvalid";

/// Conditions that are there only when there is something to say.
pub const OCCASIONAL: &[&str] = &[
    ASSIGNED,
    FIELDS_IGNORED,
    SPEC_REFUSED,
    crate::definition::ROLLBACK_REFUSED,
    RESOURCE_GATED,
    STATUS_INVALID,
];

/// What [`crate::condition::READY`] of an instance depends on.
pub const DEPENDENTS: &[&str] = &[INSTANCE_MANAGED, GRAPH_RESOLVED, RESOURCES_READY];

/// `status.state` of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Everything is as it should be.
    Active,
    /// Something is still to come.
    InProgress,
    /// Something failed; it is tried again.
    Error,
    /// The instance and its resources are going away.
    Deleting,
}

impl State {
    /// As it stands on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::InProgress => "IN_PROGRESS",
            Self::Error => "ERROR",
            Self::Deleting => "DELETING",
        }
    }
}

/// Why a condition of an instance has its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// [`INSTANCE_MANAGED`] is true.
    Managed,
    /// [`INSTANCE_MANAGED`] is false.
    ManagementFailed,
    /// [`GRAPH_RESOLVED`] is true.
    Resolved,
    /// [`GRAPH_RESOLVED`] is false.
    ResolutionFailed,
    /// [`RESOURCES_READY`] is true.
    AllResourcesReady,
    /// [`RESOURCES_READY`] is false: something is awaited, or failed.
    NotReady,
    /// [`RESOURCES_READY`] is false: a resource is on its way out.
    ResourceDeleting,
    /// [`RESOURCES_READY`] is false: the user wants the instance left alone.
    ReconciliationSuspended,
    /// [`RESOURCES_READY`] is unknown: the instance is being deleted.
    UnderDeletion,
}

impl Reason {
    /// As it stands on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Managed => "Managed",
            Self::ManagementFailed => "ManagementFailed",
            Self::Resolved => "Resolved",
            Self::ResolutionFailed => "ResolutionFailed",
            Self::AllResourcesReady => "AllResourcesReady",
            Self::NotReady => "NotReady",
            Self::ResourceDeleting => "ResourceDeleting",
            Self::ReconciliationSuspended => "ReconciliationSuspended",
            Self::UnderDeletion => "UnderDeletion",
        }
    }
}
