//! Who asks, and whether they may.

use http::HeaderMap;
use http::request::Parts;

use super::Api;
use crate::rbac::{
    Attributes, MASTERS, Resource as AccessResource, Target as AccessTarget, User, forbidden_message,
};
use crate::request::{Target, Verb};
use crate::status::Status;

const AUTHENTICATED: &str = "system:authenticated";

/// Whoever uses the server in process, where nobody stands between.
pub(crate) fn administrator() -> User {
    User {
        name: "kubernetes-admin".to_owned(),
        groups: vec![MASTERS.to_owned(), AUTHENTICATED.to_owned()],
        ..User::default()
    }
}

impl Api {
    /// The user of a request: what the listener found out, or the administrator; then whom they speak for.
    pub(super) fn user(&self, parts: &Parts) -> Result<User, Status> {
        let user = parts.extensions.get::<User>().cloned().unwrap_or_else(administrator);
        let Some(impersonated) = impersonated(&parts.headers) else { return Ok(user) };
        let target = |resource: &'static str| {
            AccessTarget::Resource(AccessResource { resource, ..AccessResource::default() })
        };
        self.authorize(&user, &Attributes { verb: "impersonate", target: target("users") })?;
        if !impersonated.groups.is_empty() {
            self.authorize(&user, &Attributes { verb: "impersonate", target: target("groups") })?;
        }
        Ok(impersonated)
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

/// The user that `Impersonate-*` headers name.
fn impersonated(headers: &HeaderMap) -> Option<User> {
    let name = headers.get("impersonate-user")?.to_str().ok()?.to_owned();
    let groups = headers.get_all("impersonate-group").iter().filter_map(|it| it.to_str().ok());
    let mut groups: Vec<String> = groups.map(str::to_owned).collect();
    if !groups.iter().any(|group| group == AUTHENTICATED) {
        groups.push(AUTHENTICATED.to_owned());
    }
    let uid = headers.get("impersonate-uid").and_then(|it| it.to_str().ok()).unwrap_or_default().to_owned();
    Some(User { name, uid, groups, ..User::default() })
}
