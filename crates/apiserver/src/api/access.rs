//! Who asks, and whether they may.

use std::sync::Arc;

use http::HeaderMap;

use super::Api;
use super::impersonation::Impersonation;
use crate::authentication::AUTHENTICATED;
use crate::certificates::ADMINISTRATOR;
use crate::rbac::{
    Attributes, MASTERS, Resource as AccessResource, Target as AccessTarget, User, forbidden_message,
};
use crate::request::{Target, Verb};
use crate::status::Status;

/// Whoever uses the server in process, where nobody stands between.
pub(crate) fn administrator() -> User {
    User {
        name: ADMINISTRATOR.to_owned(),
        groups: vec![MASTERS.to_owned(), AUTHENTICATED.to_owned()],
        ..User::default()
    }
}

impl Api {
    /// The user of a request: whoever sends it, or whom they speak for.
    pub(super) fn user(&self, sender: Arc<User>, headers: &HeaderMap) -> Result<Arc<User>, Status> {
        let Some(impersonation) = Impersonation::of(headers)? else { return Ok(sender) };
        for part in impersonation.parts() {
            self.authorize(&sender, &Attributes { verb: "impersonate", target: part.target() })?;
        }
        Ok(Arc::new(impersonation.user()))
    }

    /// Refuses what the roles of the user do not allow.
    fn authorize(&self, user: &User, attributes: &Attributes<'_>) -> Result<(), Status> {
        if user.groups.iter().any(|group| group == MASTERS) {
            return Ok(());
        }
        let verdict = self.policy()?.authorize(user, attributes);
        if verdict.allowed {
            return Ok(());
        }
        let message = forbidden_message(user, attributes, &verdict.reason);
        let (group, resource, name) = match attributes.target {
            AccessTarget::Resource(target) => (target.group, target.resource, target.name),
            AccessTarget::Path(_) => ("", "", ""),
        };
        Err(Status::access_denied(group, resource, name, message))
    }

    /// Refuses a request about objects that its user may not make.
    pub(super) fn authorize_target(&self, user: &User, verb: Verb, target: &Target) -> Result<(), Status> {
        let resource = AccessResource {
            group: &target.group,
            resource: &target.plural,
            subresource: target.subresource.as_deref().unwrap_or_default(),
            name: target.name.as_deref().unwrap_or_default(),
            namespace: target.namespace.as_deref().unwrap_or_default(),
        };
        self.authorize(user, &Attributes { verb: verb.name(), target: AccessTarget::Resource(resource) })
    }

    /// Refuses a request for a document that its user may not read.
    pub(super) fn authorize_path(
        &self,
        user: &User,
        method: &http::Method,
        path: &str,
    ) -> Result<(), Status> {
        let verb = method.as_str().to_lowercase();
        self.authorize(user, &Attributes { verb: &verb, target: AccessTarget::Path(path) })
    }
}
