//! Reading objects of the cluster.

use kube::Client;
use kube::api::{Api, ApiResource, DynamicObject, ListParams};
use serde_json::Value;

use super::connect;
use super::types::{Type, Types};
use crate::arguments::cluster::ClusterArguments;
use crate::command_error::CommandError;

/// The objects of a cluster, by the names that people use.
pub(crate) struct Objects {
    pub(crate) client: Client,
    pub(crate) types: Types,
    /// Where objects are that live in a namespace.
    pub(crate) namespace: String,
    /// Whether what is written is only tried.
    pub(crate) is_trial: bool,
}

/// Objects, and as of when.
#[derive(Debug, Default)]
pub(crate) struct Listed {
    pub(crate) items: Vec<Value>,
    /// From where a watch goes on.
    pub(crate) version: String,
}

impl Objects {
    pub(crate) async fn of(
        arguments: &ClusterArguments,
        namespace: Option<&str>,
    ) -> Result<Self, CommandError> {
        let (client, _) = connect(arguments).await?;
        let namespace = namespace.unwrap_or(client.default_namespace()).to_owned();
        Ok(Self { types: Types::read(&client).await?, client, namespace, is_trial: false })
    }

    /// Access to the objects of a kind, in the namespace if they live in one.
    pub(crate) fn api(&self, kind: &Type) -> Api<DynamicObject> {
        if kind.namespaced {
            Api::namespaced_with(self.client.clone(), &self.namespace, &kind.resource)
        } else {
            Api::all_with(self.client.clone(), &kind.resource)
        }
    }

    pub(crate) async fn get(&self, kind: &Type, name: &str) -> Result<Value, CommandError> {
        let object = self.api(kind).get(name).await.map_err(|error| refused(&error))?;
        Ok(value(object, &kind.resource))
    }

    /// The same; nothing where there is none.
    pub(crate) async fn find(&self, kind: &Type, name: &str) -> Result<Option<Value>, CommandError> {
        let object = self.api(kind).get_opt(name).await.map_err(|error| refused(&error))?;
        Ok(object.map(|it| value(it, &kind.resource)))
    }

    /// The objects of a kind in all namespaces.
    pub(crate) async fn list(&self, resource: &ApiResource, labels: &str) -> Result<Listed, CommandError> {
        listed(&Api::all_with(self.client.clone(), resource), resource, labels).await
    }

    /// The objects of a kind in the namespace.
    pub(crate) async fn list_here(&self, kind: &Type, labels: &str) -> Result<Listed, CommandError> {
        listed(&self.api(kind), &kind.resource, labels).await
    }
}

async fn listed(
    api: &Api<DynamicObject>,
    resource: &ApiResource,
    labels: &str,
) -> Result<Listed, CommandError> {
    let list = api.list(&ListParams::default().labels(labels)).await.map_err(|error| refused(&error))?;
    let version = list.metadata.resource_version.unwrap_or_default();
    Ok(Listed { items: list.items.into_iter().map(|it| value(it, resource)).collect(), version })
}

/// The object with its kind, which items of lists come without.
pub(crate) fn value(object: DynamicObject, resource: &ApiResource) -> Value {
    let mut value = serde_json::to_value(object).unwrap_or_default();
    value["apiVersion"] = resource.api_version.as_str().into();
    value["kind"] = resource.kind.as_str().into();
    value
}

/// What the server said, without the words around it.
pub(crate) fn refused(error: &kube::Error) -> CommandError {
    if let kube::Error::Api(status) = error {
        return CommandError::wrong(status.message.clone());
    }
    CommandError::wrong(error.to_string())
}
