//! Who may do what: role-based access control as the Kubernetes API server decides it.
//!
//! Pure: a [`Policy`] is fed with the role and binding objects and asked about requests.

mod aggregation;
mod defaults;
mod escalation;
mod message;
mod policy;
mod reconcile;
mod review;
mod rule;
mod subject;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use aggregation::aggregated_rules;
pub(crate) use aggregation::selects;
pub use defaults::default_objects;
pub use escalation::EscalationError;
pub use message::forbidden_message;
pub use policy::{Policy, UserRules};
pub use reconcile::{Reconciliation, reconcile};
pub use review::{
    access_review_errors, access_review_status, reviewed_user, rules_review_status, self_review_status,
};
pub use rule::Rule;

/// The API group of roles and bindings.
pub const GROUP: &str = "rbac.authorization.k8s.io";

/// Members may do everything, whatever the roles say.
pub const MASTERS: &str = "system:masters";

/// Whoever makes a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The name bindings refer to.
    pub name: String,
    /// Tells users of one name apart over time; often empty.
    pub uid: String,
    /// The groups bindings refer to.
    pub groups: Vec<String>,
    /// What else the authenticator knows.
    pub extra: BTreeMap<String, Vec<String>>,
}

impl User {
    fn is_master(&self) -> bool {
        self.groups.iter().any(|it| it == MASTERS)
    }
}

/// What a request wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attributes<'a> {
    /// What is done, such as `list`; for paths the HTTP method in lower case.
    pub verb: &'a str,
    /// What it is done to.
    pub target: Target<'a>,
}

/// What a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// Objects of a resource.
    Resource(Resource<'a>),
    /// A path that is no resource, such as `/version`.
    Path(&'a str),
}

/// Objects of a resource; what does not apply is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resource<'a> {
    /// The API group; empty for the core group.
    pub group: &'a str,
    /// The plural name, such as `pods`.
    pub resource: &'a str,
    /// The subresource, such as `log`.
    pub subresource: &'a str,
    /// The object's name.
    pub name: &'a str,
    /// The namespace; empty for the whole cluster.
    pub namespace: &'a str,
}

/// The answer to a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it may go ahead.
    pub allowed: bool,
    /// Which binding allows it, or which roles could not be found; often empty.
    pub reason: String,
}
