//! Nobody gives away what he does not hold.

use super::{Api, Call};
use crate::object::Object;
use crate::rbac::{EscalationError, GROUP};
use crate::status::{Status, Subject};

impl Api {
    /// Refuses a role or binding that grants more than its writer holds; `old` is the stored object on updates.
    pub(super) fn check_escalation(
        &self,
        call: &Call,
        new: &Object,
        old: Option<&Object>,
    ) -> Result<(), Status> {
        let kind = &call.resource.kind;
        if &*kind.group != GROUP {
            return Ok(());
        }
        let held = self.policies.ask(&self.storage, |policy| {
            policy.check_escalation(&call.user, new.value(), old.map(Object::value))
        })?;
        let subject = Subject::resource(kind);
        held.map_err(|error| match &error {
            EscalationError::NoRole { resource, name } => {
                Status::not_found(Subject { group: GROUP, resource }, name)
            }
            EscalationError::BadReference(_) => Status::internal(error),
            EscalationError::NotHeld(_) | EscalationError::Aggregation | EscalationError::TooMany(_) => {
                Status::forbidden(subject, new.name(), &error.to_string())
            }
        })
    }
}
