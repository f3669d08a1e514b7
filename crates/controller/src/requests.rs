//! Requests to the API server, at a pace it can bear.

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use http::header::CONTENT_TYPE;
use krono_model::names;
use krono_planner::instance::ObjectName;
use kube::api::{
    ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams, Preconditions,
    PropagationPolicy, ValidationDirective,
};
use kube::{Api, Client, Resource as _};
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use crate::live::{Glimpse, Glimpses, Live};
use crate::metrics::Metrics;
use crate::pace::Pace;
use crate::pauses::{Pauses, is_overload};

/// Who changes what is not applied.
const MANAGER: &str = "krono";
/// Templates were checked when they were compiled, and nobody reads the server's warnings: without them it reads what it
/// is sent once instead of twice.
const UNREAD: Option<ValidationDirective> = Some(ValidationDirective::Ignore);
/// How long an answer may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// Sends requests; fewer at a time when the server is overloaded, more again when it is not.
#[derive(Clone)]
pub(crate) struct Requests {
    pub(crate) client: Client,
    pace: Arc<Pace>,
    metrics: Metrics,
}

impl Requests {
    pub(crate) fn new(client: Client, metrics: Metrics) -> Self {
        Self { client, pace: Arc::default(), metrics }
    }

    /// Server-side apply.
    pub(crate) async fn apply(
        &self,
        resource: &ApiResource,
        object: &Value,
        manager: &str,
        force: bool,
    ) -> kube::Result<Value> {
        let mut parameters = PatchParams { field_validation: UNREAD, ..PatchParams::apply(manager) };
        parameters.force = force;
        let (api, name) = self.object(resource, object);
        let patch = Patch::Apply(object);
        self.send(&Method::PATCH, || api.patch(&name, &parameters, &patch)).await.map(|it| it.value)
    }

    /// A merge patch of an object or of its status.
    pub(crate) async fn merge(
        &self,
        resource: &ApiResource,
        (namespace, name): (&str, &str),
        patch: &Value,
        subresource: Subresource,
    ) -> kube::Result<Value> {
        let api = self.api(resource, namespace);
        let parameters = merging(UNREAD);
        let patch = Patch::Merge(patch);
        let answer = match subresource {
            Subresource::None => self.send(&Method::PATCH, || api.patch(name, &parameters, &patch)).await,
            Subresource::Status => {
                self.send(&Method::PATCH, || api.patch_status(name, &parameters, &patch)).await
            }
        };
        answer.map(|it| it.value)
    }

    /// A merge patch of an object that the server refuses rather than drop what it does not know.
    pub(crate) async fn merge_whole(
        &self,
        resource: &ApiResource,
        (namespace, name): (&str, &str),
        patch: &Value,
    ) -> kube::Result<Value> {
        let api = self.api(resource, namespace);
        let (parameters, patch) = (merging(Some(ValidationDirective::Strict)), Patch::Merge(patch));
        self.send(&Method::PATCH, || api.patch(name, &parameters, &patch)).await.map(|it| it.value)
    }

    /// Writes the status of an object of which all is known: that costs the server a quarter less than a patch.
    pub(crate) async fn replace_status(&self, resource: &ApiResource, object: &Value) -> kube::Result<Value> {
        let (namespace, name) = crate::cache::identity(object);
        let kind = Live::url_path(resource, Some(namespace.as_str()).filter(|it| !it.is_empty()));
        let target = format!("{kind}/{name}/status?fieldManager={MANAGER}&fieldValidation=Ignore");
        let body = object.to_string().into_bytes();
        let answer = self.send(&Method::PUT, || async {
            let request = http::Request::put(&target).header(CONTENT_TYPE, "application/json");
            let request = request.body(body.clone()).map_err(kube::Error::HttpError)?;
            self.client.request::<Live>(request).await
        });
        Ok(answer.await?.value)
    }

    /// Deletes an object if it is still the one that was seen; what is left of it while others hold on to it.
    pub(crate) async fn delete(
        &self,
        resource: &ApiResource,
        name: &ObjectName,
        uid: &str,
    ) -> kube::Result<Option<Value>> {
        let parameters = DeleteParams {
            preconditions: Some(Preconditions { uid: Some(uid.to_owned()), resource_version: None }),
            propagation_policy: Some(PropagationPolicy::Background),
            ..DeleteParams::default()
        };
        let api = self.api(resource, &name.namespace);
        let answer = self.send(&Method::DELETE, || api.delete(&name.name, &parameters)).await;
        Ok(answer?.left().map(|it| it.value).filter(lasts))
    }

    /// Creates an object.
    pub(crate) async fn create(
        &self,
        resource: &ApiResource,
        object: &Value,
        manager: &str,
    ) -> kube::Result<Value> {
        let parameters = PostParams { field_manager: Some(manager.to_owned()), ..PostParams::default() };
        let client = self.client.clone();
        let mut dynamic: DynamicObject =
            serde_json::from_value(object.clone()).map_err(kube::Error::SerdeError)?;
        dynamic.types.get_or_insert_with(|| kube::core::TypeMeta {
            api_version: resource.api_version.clone(),
            kind: resource.kind.clone(),
        });
        let api: Api<DynamicObject> = match &dynamic.metadata.namespace {
            Some(namespace) => Api::namespaced_with(client, namespace, resource),
            None => Api::all_with(client, resource),
        };
        let answer = self.send(&Method::POST, || api.create(&parameters, &dynamic)).await;
        serde_json::to_value(answer?).map_err(kube::Error::SerdeError)
    }

    /// The objects of a kind that a label selector selects; all without one.
    pub(crate) async fn list(
        &self,
        resource: &ApiResource,
        labels: Option<String>,
    ) -> kube::Result<Vec<Value>> {
        let api = self.api(resource, "");
        let parameters = ListParams { label_selector: labels, ..ListParams::default() };
        let answer = self.send(&Method::GET, || api.list(&parameters)).await;
        Ok(answer?.items.into_iter().map(|it| it.value).collect())
    }

    /// The same, of which only the versions are of interest.
    pub(crate) async fn glance(
        &self,
        resource: &ApiResource,
        labels: Option<String>,
    ) -> kube::Result<Vec<Glimpse>> {
        let request = kube::core::Request::new(Live::url_path(resource, None));
        let parameters = ListParams { label_selector: labels, ..ListParams::default() };
        let answer = self.send(&Method::GET, || async {
            let request = request.list_metadata(&parameters).map_err(kube::Error::BuildRequest)?;
            self.client.request::<Glimpses>(request).await
        });
        Ok(answer.await?.items.unwrap_or_default())
    }

    /// The object of that name.
    pub(crate) async fn get(
        &self,
        resource: &ApiResource,
        namespace: &str,
        name: &str,
    ) -> kube::Result<Option<Value>> {
        let api = self.api(resource, namespace);
        Ok(self.send(&Method::GET, || api.get_opt(name)).await?.map(|it| it.value))
    }

    /// Whether an `ApplySet` has members of a kind, asked of the server itself.
    pub(crate) async fn has_members(&self, resource: &ApiResource, applyset: &str) -> kube::Result<bool> {
        let label = format!("{}={applyset}", names::APPLYSET_PART_OF_LABEL);
        match self.has_such(resource, ListParams::default().labels(&label)).await {
            // There are no objects of a kind that is gone.
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(false),
            answer => answer,
        }
    }

    /// Whether there is any object of a kind, asked of the server itself.
    pub(crate) async fn has_some(&self, resource: &ApiResource) -> kube::Result<bool> {
        self.has_such(resource, ListParams::default()).await
    }

    async fn has_such(&self, resource: &ApiResource, parameters: ListParams) -> kube::Result<bool> {
        let (api, parameters) = (self.api(resource, ""), parameters.limit(1));
        Ok(!self.send(&Method::GET, || api.list_metadata(&parameters)).await?.items.is_empty())
    }

    fn object(&self, resource: &ApiResource, object: &Value) -> (Api<Live>, String) {
        let (namespace, name) = crate::cache::identity(object);
        (self.api(resource, &namespace), name)
    }

    fn api(&self, resource: &ApiResource, namespace: &str) -> Api<Live> {
        let client = self.client.clone();
        if namespace.is_empty() {
            Api::all_with(client, resource)
        } else {
            Api::namespaced_with(client, namespace, resource)
        }
    }

    /// Sends a request, and again when the server cannot serve it at the moment: after a little while, or when it says.
    /// Whatever is sent here may be sent twice.
    pub(crate) async fn send<T, F>(&self, method: &Method, request: impl Fn() -> F) -> kube::Result<T>
    where
        F: Future<Output = kube::Result<T>>,
    {
        let mut pauses = Pauses::default();
        loop {
            let ready = Instant::now();
            let permit = self.pace.permit().await;
            let sent = Instant::now();
            // In a box of its own, for it is large and whoever waits for a permit need not hold room for it.
            let answer = timeout(PATIENCE, Box::pin(request())).await;
            let answer = answer.unwrap_or_else(|late| Err(kube::Error::Service(Box::new(late))));
            self.metrics.requested(method, sent - ready, sent.elapsed());
            self.pace.learn(answer.as_ref().is_err_and(is_overload), permit);
            let again = answer.as_ref().err().and_then(|error| Some((error, pauses.after(error)?)));
            let Some((error, pause)) = again else { return answer };
            self.metrics.repeated(method, error);
            sleep(pause).await;
        }
    }
}

fn merging(field_validation: Option<ValidationDirective>) -> PatchParams {
    PatchParams { field_manager: Some(MANAGER.to_owned()), field_validation, ..PatchParams::default() }
}

/// Whether an object that was deleted is still there for a while: something has to end, or somebody holds on to it.
fn lasts(deleted: &Value) -> bool {
    let metadata = &deleted["metadata"];
    let holds = |finalizers: &Value| finalizers.as_array().is_some_and(|it| !it.is_empty());
    metadata["deletionGracePeriodSeconds"].as_i64().is_some_and(|it| it > 0)
        || holds(&metadata["finalizers"])
        || holds(&deleted["spec"]["finalizers"])
}

/// The part of an object that a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subresource {
    None,
    Status,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn behaviour_33_what_ends_slowly_is_not_gone() {
        let check = |deleted: Value, expected: bool| assert_eq!(lasts(&deleted), expected, "{deleted}");
        check(json!({"metadata": {"name": "a"}}), false);
        check(json!({"metadata": {"finalizers": [], "deletionGracePeriodSeconds": 0}}), false);
        check(json!({"metadata": {"finalizers": ["acme.io/hold"]}}), true);
        check(json!({"kind": "Pod", "metadata": {"deletionGracePeriodSeconds": 30}}), true);
        check(json!({"kind": "Namespace", "metadata": {}, "spec": {"finalizers": ["kubernetes"]}}), true);
    }
}
