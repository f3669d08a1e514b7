//! Who asks, and whether they may.

use super::Api;
use crate::authentication::AUTHENTICATED;
use crate::builtin;
use crate::certificates::ADMINISTRATOR;
use crate::query::Query;
use crate::rbac::{
    Attributes, MASTERS, Resource as AccessResource, Target as AccessTarget, User, forbidden_message,
};
use crate::request::{Target, Verb};
use crate::selector::FieldSelector;
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
    /// Refuses what the roles of the user do not allow.
    pub(super) fn authorize(&self, user: &User, attributes: &Attributes<'_>) -> Result<(), Status> {
        if is_master(user) {
            return Ok(());
        }
        let verdict = self.policies.ask(&self.storage, |policy| policy.authorize(user, attributes))?;
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
    pub(super) fn authorize_target(
        &self,
        user: &User,
        method: &http::Method,
        target: &Target,
        query: &Query,
    ) -> Result<(), Status> {
        if is_master(user) {
            return Ok(());
        }
        let verb = Verb::of(method, target.name.is_some(), query.watch).map(Verb::name);
        let verb = verb.map_or_else(|| method.as_str().to_lowercase(), str::to_owned);
        let name = target.name.clone().or_else(|| selected_name(method, query)).unwrap_or_default();
        let namespace = match &target.namespace {
            // Whoever holds something in a namespace may hold the namespace itself.
            None if target.group.is_empty() && target.plural == "namespaces" => name.as_str(),
            namespace => namespace.as_deref().unwrap_or_default(),
        };
        let subresource = target.subresource.as_deref().unwrap_or_default();
        let resource = AccessResource {
            group: &target.group,
            resource: &target.plural,
            subresource: subresource.split('/').next().unwrap_or_default(),
            name: &name,
            namespace,
        };
        self.authorize(user, &Attributes { verb: &verb, target: AccessTarget::Resource(resource) })
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

fn is_master(user: &User) -> bool {
    user.groups.iter().any(|group| group == MASTERS)
}

/// The one object that a list or watch can give.
fn selected_name(method: &http::Method, query: &Query) -> Option<String> {
    if !matches!(method.as_str(), "GET" | "HEAD") || query.field_selector.is_empty() {
        return None;
    }
    let selector = FieldSelector::parse(&query.field_selector, |_| Ok(())).ok()?;
    let name = selector.exact("metadata.name")?;
    builtin::path_segment_complaints(name).is_empty().then(|| name.to_owned())
}
