//! The API: a request in, a reply out.

mod access;
mod admission;
mod bind;
mod call;
mod chores;
mod create;
mod definitions;
mod delete;
mod documents;
mod escalation;
mod impersonation;
mod list;
mod modify;
mod patch;
mod prepare;
mod reviews;
mod specials;
mod upkeep;
mod watch;

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::Method;
use http::request::Parts;

use crate::builtin::{self, Verbs};
use crate::conversion::Converters;
use crate::establishing::Establishing;
use crate::openapi::Documents;
use crate::page::{self, Pages};
use crate::policy_cache::PolicyCache;
use crate::query::Query;
use crate::rbac::User;
use crate::registry::SharedRegistry;
use crate::reply::Reply;
use crate::request::{Route, Target, Verb};
use crate::resource::Resource;
use crate::services::Pool;
use crate::status::{Status, Subject};
use crate::storage::Storage;
use crate::witness::Witness;

pub(crate) use access::administrator;
pub(crate) use call::{Call, Subresource};
pub(crate) use definitions::{Definitions, Judging};
pub(crate) use documents::hash;
use specials::Special;

/// What the server is told about itself.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    /// The certificate that clients know the server by, as PEM.
    pub(crate) root_ca: String,
    /// Where pods would reach the server.
    pub(crate) advertised: Option<SocketAddr>,
    /// Whoever sees who changes custom resources.
    pub(crate) witness: Option<Arc<dyn Witness>>,
}

/// Everything the handlers share.
#[derive(Debug)]
pub(crate) struct Api {
    pub(crate) storage: Storage,
    pub(crate) registry: SharedRegistry,
    pub(crate) built_in: Vec<Arc<Resource>>,
    pub(crate) definitions: tokio::sync::Mutex<Definitions>,
    /// Definitions whose kinds are about to be served.
    pub(crate) judging: Judging,
    pub(crate) openapi: Documents,
    pub(crate) converters: Converters,
    pub(crate) establishing: Establishing,
    pub(crate) policies: PolicyCache,
    pub(crate) addresses: Arc<Pool>,
    pub(crate) settings: Settings,
    pub(crate) pages: Pages,
}

impl Api {
    /// Answers one request. Its body is read once it is known that the user may make the request.
    pub(crate) async fn answer(
        self: &Arc<Self>,
        parts: &Parts,
        user: Arc<User>,
        body: impl Future<Output = Result<Bytes, Status>>,
    ) -> Result<Reply, Status> {
        let query = Query::parse(parts.uri.query().unwrap_or_default(), options_kind(&parts.method))?;
        let route = Route::parse(parts.uri.path());
        let user = self.user(user, &parts.headers)?;
        if let Route::Target(target) = route {
            return self.objects(parts, target, query, user, body).await;
        }
        self.authorize_path(&user, &parts.method, parts.uri.path())?;
        if let Some(page) = self.pages.get(parts.uri.path()).filter(|_| parts.method == Method::GET) {
            return page::reply(&**page).await;
        }
        self.documents(parts, &route)
    }

    async fn objects(
        self: &Arc<Self>,
        parts: &Parts,
        target: Target,
        query: Query,
        user: Arc<User>,
        body: impl Future<Output = Result<Bytes, Status>>,
    ) -> Result<Reply, Status> {
        self.authorize_target(&user, &parts.method, &target, &query)?;
        let Some(resource) = self.find_resource(&target).await? else {
            return self.no_such_resource(&target.group);
        };
        let resource = &resource;
        let is_nowhere = target.namespace.is_none() && target.name.is_some();
        if resource.is_namespaced() && is_nowhere || target.namespace.is_some() && !resource.is_namespaced() {
            return self.no_such_resource(&target.group);
        }
        let verb = Verb::of(&parts.method, target.name.is_some(), query.watch)
            .ok_or_else(Status::method_not_allowed_here)?;
        if let Some(reply) = self.establishing.hold(resource, verb).await? {
            return Ok(reply);
        }
        if let Some(special) = Special::of(&resource.kind, target.subresource.as_deref()) {
            let request = (parts, body.await?);
            let call = Call::new(Arc::clone(resource), target, Subresource::None, query, user, request)?;
            return self.special(special, verb, &call).await;
        }
        let Some(subresource) = Subresource::of(resource, target.subresource.as_deref()) else {
            return self.no_such_part(resource, &target);
        };
        let call = Call::new(Arc::clone(resource), target, subresource, query, user, (parts, body.await?))?;
        let deprecation = resource.deprecation();
        let reply = self.dispatch(verb, call).await?;
        Ok(reply.with_warnings(deprecation.into_iter().collect()))
    }

    fn no_such_part(&self, resource: &Resource, target: &Target) -> Result<Reply, Status> {
        if resource.is_custom() {
            let name = target.name.as_deref().unwrap_or_default();
            return Err(Status::not_found(Subject::resource(&resource.kind), name));
        }
        self.no_such_resource(&target.group)
    }

    fn no_such_resource(&self, group: &str) -> Result<Reply, Status> {
        if self.is_own_group(group) { Err(Status::no_such_resource()) } else { Ok(not_found()) }
    }

    /// The groups of the server itself say politely what they do not have.
    fn is_own_group(&self, group: &str) -> bool {
        self.built_in.iter().any(|it| *it.kind.group == *group)
    }

    async fn dispatch(self: &Arc<Self>, verb: Verb, call: Call) -> Result<Reply, Status> {
        match builtin::verbs(&call.resource.kind.group, &call.resource.kind.plural) {
            Some(Verbs::Create) if verb == Verb::Create => return self.review(&call),
            Some(Verbs::Create | Verbs::Read) if verb != Verb::List && verb != Verb::Get => {
                return Err(Status::method_not_allowed(Subject::resource(&call.resource.kind), verb.name()));
            }
            Some(_) | None => {}
        }
        if call.subresource == Subresource::Scale {
            return self.scale(verb, &call).await;
        }
        if call.subresource == Subresource::Binding {
            return self.bind(verb, &call).await;
        }
        match verb {
            Verb::Get => self.get(&call).await,
            Verb::List => self.list(&call).await,
            Verb::Watch => self.watch(call).await,
            Verb::Create => self.create(&call).await,
            Verb::Update => self.update(&call).await,
            Verb::Patch => self.patch(&call).await,
            Verb::Delete => self.delete(&call).await,
            Verb::DeleteCollection => self.delete_collection(&call).await,
        }
    }
}

/// What the options of a request are called in complaints.
fn options_kind(method: &Method) -> &'static str {
    match *method {
        Method::POST => "CreateOptions",
        Method::PUT => "UpdateOptions",
        Method::PATCH => "PatchOptions",
        Method::DELETE => "DeleteOptions",
        _ => "ListOptions",
    }
}

pub(crate) fn not_found() -> Reply {
    Reply::text(404, "404 page not found\n")
}
