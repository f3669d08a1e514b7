//! A cluster, as its administrator sees it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use kube::Client;
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams};
use kube::config::{Config, KubeConfigOptions, Kubeconfig};
use kube::core::{ApiResource, GroupVersionKind};
use kube::discovery::{Discovery, Scope, verbs};
use serde_json::Value;

const MANAGER: &str = "krono-e2e";
const ASK_AGAIN_AFTER: Duration = Duration::from_millis(100);
/// How long anything may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

/// A cluster to talk to.
#[derive(Clone)]
pub(crate) struct Cluster {
    pub(crate) client: Client,
    pub(crate) kubeconfig: PathBuf,
}

/// A kind that the cluster serves.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    pub(crate) resource: ApiResource,
    namespaced: bool,
}

impl Cluster {
    /// The cluster of a kubeconfig.
    pub(crate) async fn connect(kubeconfig: &Path) -> anyhow::Result<Self> {
        let read = Kubeconfig::read_from(kubeconfig)?;
        let config = Config::from_custom_kubeconfig(read, &KubeConfigOptions::default()).await?;
        Ok(Self { client: Client::try_from(config)?, kubeconfig: kubeconfig.to_owned() })
    }

    /// All kinds whose objects can be listed.
    pub(crate) async fn kinds(&self) -> anyhow::Result<Vec<Kind>> {
        let discovery = Discovery::new(self.client.clone()).run_aggregated().await?;
        let mut kinds = Vec::new();
        for group in discovery.groups() {
            for (resource, capabilities) in group.recommended_resources() {
                if capabilities.supports_operation(verbs::LIST) {
                    kinds.push(Kind { resource, namespaced: capabilities.scope == Scope::Namespaced });
                }
            }
        }
        Ok(kinds)
    }

    async fn kind_of(&self, object: &Value) -> anyhow::Result<Kind> {
        let text = |field: &str| object[field].as_str().unwrap_or_default();
        let (group, version) = text("apiVersion").rsplit_once('/').unwrap_or(("", text("apiVersion")));
        let kind = GroupVersionKind::gvk(group, version, text("kind"));
        let (resource, capabilities) = kube::discovery::oneshot::pinned_kind(&self.client, &kind).await?;
        Ok(Kind { resource, namespaced: capabilities.scope == Scope::Namespaced })
    }

    pub(crate) fn api(&self, kind: &Kind, namespace: &str) -> Api<DynamicObject> {
        if kind.namespaced && !namespace.is_empty() {
            Api::namespaced_with(self.client.clone(), namespace, &kind.resource)
        } else {
            Api::all_with(self.client.clone(), &kind.resource)
        }
    }

    /// All objects of a kind, whole.
    pub(crate) async fn list(&self, kind: &Kind) -> anyhow::Result<Vec<Value>> {
        let objects = self.api(kind, "").list(&ListParams::default()).await?;
        let (version, name) = (&kind.resource.api_version, &kind.resource.kind);
        objects.items.into_iter().map(|object| with_kind(object, version, name)).collect()
    }

    /// Applies an object, once its kind is served.
    pub(crate) async fn apply(&self, object: &Value) -> anyhow::Result<()> {
        self.apply_as(MANAGER, object).await
    }

    /// The same, as that manager.
    pub(crate) async fn apply_as(&self, manager: &str, object: &Value) -> anyhow::Result<()> {
        let what = shown(object);
        let applied = async || {
            let kind = self.kind_of(object).await?;
            let namespace = namespace(object);
            let namespace = if kind.namespaced && namespace.is_empty() { "default" } else { namespace };
            let parameters = PatchParams::apply(manager).force();
            let name = name(object);
            self.api(&kind, namespace).patch(name, &parameters, &Patch::Apply(object)).await?;
            anyhow::Ok(())
        };
        let deadline = Instant::now() + PATIENCE;
        loop {
            match applied().await {
                Ok(()) => return Ok(()),
                Err(error) if Instant::now() > deadline || is_final(&error) => {
                    return Err(error.context(format!("cannot apply {what}")));
                }
                Err(_) => tokio::time::sleep(ASK_AGAIN_AFTER).await,
            }
        }
    }

    /// The object as it is now; nothing when there is none.
    pub(crate) async fn get(&self, object: &Value) -> anyhow::Result<Option<Value>> {
        let kind = self.kind_of(object).await?;
        let namespace = namespace(object);
        let namespace = if kind.namespaced && namespace.is_empty() { "default" } else { namespace };
        let found = self.api(&kind, namespace).get_opt(name(object)).await?;
        found.map(|it| Ok(serde_json::to_value(it)?)).transpose()
    }

    /// Asks for the end of an object.
    pub(crate) async fn delete(&self, object: &Value) -> anyhow::Result<()> {
        let kind = self.kind_of(object).await?;
        let namespace = namespace(object);
        let namespace = if kind.namespaced && namespace.is_empty() { "default" } else { namespace };
        match self.api(&kind, namespace).delete(name(object), &DeleteParams::background()).await {
            Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
            other => other.map(drop).with_context(|| format!("cannot delete {}", shown(object))),
        }
    }

    /// Waits until an object is as it should be.
    pub(crate) async fn until(
        &self,
        object: &Value,
        wanted: &str,
        is: impl Fn(Option<&Value>) -> bool,
    ) -> anyhow::Result<()> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let found = self.get(object).await?;
            if is(found.as_ref()) {
                return Ok(());
            }
            if Instant::now() > deadline {
                let status = found.map_or(Value::Null, |it| it["status"].clone());
                bail!("{} is not {wanted} after {} s: {status:#}", shown(object), PATIENCE.as_secs());
            }
            tokio::time::sleep(ASK_AGAIN_AFTER).await;
        }
    }

    /// Waits until `status.state` of an object is this.
    pub(crate) async fn until_state(&self, object: &Value, state: &str) -> anyhow::Result<()> {
        self.until(object, state, |it| it.is_some_and(|it| it["status"]["state"] == state)).await
    }

    /// Waits until there is no such object.
    pub(crate) async fn until_gone(&self, object: &Value) -> anyhow::Result<()> {
        self.until(object, "gone", |it| it.is_none()).await
    }
}

/// Whether another try cannot help: the server understood and said no.
fn is_final(error: &anyhow::Error) -> bool {
    match error.downcast_ref::<kube::Error>() {
        Some(kube::Error::Api(status)) => matches!(status.code, 400 | 403 | 422),
        _ => false,
    }
}

fn with_kind(object: DynamicObject, version: &str, kind: &str) -> anyhow::Result<Value> {
    let mut object = serde_json::to_value(object)?;
    object["apiVersion"] = version.into();
    object["kind"] = kind.into();
    Ok(object)
}

pub(crate) fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

pub(crate) fn namespace(object: &Value) -> &str {
    object["metadata"]["namespace"].as_str().unwrap_or_default()
}

/// Kind, namespace and name, for people.
pub(crate) fn shown(object: &Value) -> String {
    let kind = object["kind"].as_str().unwrap_or_default();
    format!("{kind} {}/{}", namespace(object), name(object))
}
