//! Objects of a cluster, by their kinds.

use kube::Client;
use kube::api::{Api, ApiResource, DynamicObject, ListParams};
use serde_json::Value;

use super::connect;
use super::objects::{refused, value};
use super::types::Types;
use crate::arguments::cluster::ClusterArguments;
use crate::command_error::CommandError;

/// How many objects are listed at a time.
const PAGE: u32 = 500;

/// Definitions of kinds.
pub(crate) const CRD: (&str, &str) = ("apiextensions.k8s.io", "CustomResourceDefinition");
/// Definitions.
pub(crate) const DEFINITION: (&str, &str) = ("kro.run", "ResourceGraphDefinition");

/// Revisions of definitions.
pub(crate) const REVISION: (&str, &str) = ("kro.run", "ResourceGraphDefinitionRevision");

/// Reads the objects of a cluster in all namespaces.
pub(crate) struct Reader {
    client: Client,
    pub(crate) types: Types,
}

impl Reader {
    pub(crate) async fn open(arguments: &ClusterArguments) -> Result<Self, CommandError> {
        let (client, _) = connect(arguments).await?;
        Ok(Self { types: Types::read(&client).await?, client })
    }

    /// The object of a kind, by group and kind; nothing when there is none, or no such kind.
    pub(crate) async fn find(
        &self,
        (group, kind): (&str, &str),
        namespace: &str,
        name: &str,
    ) -> Result<Option<Value>, CommandError> {
        match self.types.kind(group, kind) {
            Some(found) => self.get(&found.resource, namespace, name).await,
            None => Ok(None),
        }
    }

    /// The object of that name.
    pub(crate) async fn get(
        &self,
        resource: &ApiResource,
        namespace: &str,
        name: &str,
    ) -> Result<Option<Value>, CommandError> {
        let found = self.api(resource, namespace).get_opt(name).await.map_err(|error| refused(&error))?;
        Ok(found.map(|it| value(it, resource)))
    }

    /// All objects of a kind by group and kind; none of a kind that is not served.
    pub(crate) async fn all(&self, (group, kind): (&str, &str)) -> Result<Vec<Value>, CommandError> {
        match self.types.kind(group, kind) {
            Some(found) => self.list(&found.resource, None).await,
            None => Ok(Vec::new()),
        }
    }

    /// The objects of a kind that a label selector selects, in all namespaces.
    pub(crate) async fn list(
        &self,
        resource: &ApiResource,
        labels: Option<&str>,
    ) -> Result<Vec<Value>, CommandError> {
        let api = self.api(resource, "");
        let mut parameters = ListParams { limit: Some(PAGE), ..ListParams::default() };
        parameters.label_selector = labels.map(str::to_owned);
        let mut objects = Vec::new();
        loop {
            let page = api.list(&parameters).await.map_err(|error| refused(&error))?;
            objects.extend(page.items.into_iter().map(|it| value(it, resource)));
            parameters.continue_token = page.metadata.continue_.filter(|it| !it.is_empty());
            if parameters.continue_token.is_none() {
                return Ok(objects);
            }
        }
    }

    /// Access to the objects of a kind; those of all namespaces where none is named.
    pub(crate) fn api(&self, resource: &ApiResource, namespace: &str) -> Api<DynamicObject> {
        let client = self.client.clone();
        if namespace.is_empty() {
            Api::all_with(client, resource)
        } else {
            Api::namespaced_with(client, namespace, resource)
        }
    }

    /// A kind in the version that somebody names.
    pub(crate) fn resource(&self, api_version: &str, kind: &str) -> Option<ApiResource> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let found = self.types.kind(group, kind)?;
        let (api_version, version) = (api_version.to_owned(), version.to_owned());
        Some(ApiResource { api_version, version, ..found.resource.clone() })
    }
}
