//! An API server with the controllers on it.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use krono_apiserver::kind::{Kind, Scope};
use krono_apiserver::{Server, builtin};
use krono_controller::Options;
use krono_graph::{Kinds, KnownKind};
use kube::api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, Patch, PatchParams};
use kube::runtime::wait::await_condition;
use kube::{Api, Client};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// How long to wait for what should come at once.
const PATIENCE: Duration = Duration::from_secs(30);

static BUILT_IN: LazyLock<BTreeMap<(String, String), Kind>> = LazyLock::new(|| {
    let key = |kind: &Kind| {
        let group = if kind.group.is_empty() { String::new() } else { format!("{}/", kind.group) };
        (format!("{group}{}", kind.version), kind.kind.to_string())
    };
    builtin::kinds().into_iter().map(|kind| (key(&kind), kind)).collect()
});

struct BuiltIn;

impl Kinds for BuiltIn {
    fn find(&self, api_version: &str, kind: &str) -> Option<KnownKind> {
        let found = BUILT_IN.get(&(api_version.to_owned(), kind.to_owned()))?;
        let namespaced = found.scope == Scope::Namespaced;
        Some(KnownKind { schema: Arc::clone(found.schema.get()), namespaced })
    }
}

/// A cluster in memory, with running controllers.
pub(crate) struct World {
    pub(crate) client: Client,
    _server: Server,
    stop: Option<oneshot::Sender<()>>,
    controllers: Option<JoinHandle<()>>,
}

impl World {
    pub(crate) async fn start() -> Self {
        let server = Server::in_memory().await.expect("a server in memory");
        let mut world = Self { client: server.client(), _server: server, stop: None, controllers: None };
        world.start_controllers();
        let crds = world.api("apiextensions.k8s.io/v1", "CustomResourceDefinition", "");
        let name = "resourcegraphdefinitions.kro.run";
        let established = await_condition(crds, name, |it: Option<&DynamicObject>| {
            it.and_then(|it| it.data.pointer("/status/conditions")).is_some_and(is_established)
        });
        established.await.expect("the kind of definitions");
        world
    }

    pub(crate) fn start_controllers(&mut self) {
        let (stop, stopped) = oneshot::channel::<()>();
        let client = self.client.clone();
        self.stop = Some(stop);
        self.controllers = Some(tokio::spawn(async move {
            let stopped = async { drop(stopped.await) };
            let run = krono_controller::run(client, Arc::new(BuiltIn), Options::default(), stopped);
            run.await.expect("running controllers");
        }));
    }

    /// Server-side apply of every document, as a user.
    pub(crate) async fn apply(&self, yaml: &str) {
        for document in serde_saphyr::from_multiple::<Value>(yaml).expect("YAML") {
            let (api, name) = self.api_of(&document);
            let parameters = PatchParams::apply("user").force();
            api.patch(&name, &parameters, &Patch::Apply(&document)).await.expect("an apply");
        }
    }

    pub(crate) async fn delete(&self, api_version: &str, kind: &str, name: &str) {
        let api = self.api(api_version, kind, "default");
        api.delete(name, &DeleteParams::default()).await.expect("a deletion");
    }

    /// Waits until there is no such object.
    pub(crate) async fn gone(&self, api_version: &str, kind: &str, name: &str) {
        let api = self.api(api_version, kind, "default");
        let gone = await_condition(api, name, |it: Option<&DynamicObject>| it.is_none());
        timeout(PATIENCE, gone).await.unwrap_or_else(|_| panic!("{kind} {name} stays")).expect("a watch");
    }

    /// The object, when it is as wanted.
    pub(crate) async fn eventually(
        &self,
        api_version: &str,
        kind: &str,
        name: &str,
        wanted: impl Fn(&Value) -> bool,
    ) -> Value {
        let api = self.api(api_version, kind, "default");
        let is_wanted = |it: Option<&DynamicObject>| it.is_some_and(|it| wanted(&value(it)));
        match timeout(PATIENCE, await_condition(api.clone(), name, is_wanted)).await {
            Ok(found) => value(&found.expect("a watch").expect("what was waited for")),
            Err(_) => {
                let last = api.get_opt(name).await.expect("an answer");
                panic!("{kind} {name} is not as wanted: {:#}", last.map(|it| value(&it)).unwrap_or_default());
            }
        }
    }

    pub(crate) fn api(&self, api_version: &str, kind: &str, namespace: &str) -> Api<DynamicObject> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
        if ["ResourceGraphDefinition", "CustomResourceDefinition"].contains(&kind) || namespace.is_empty() {
            return Api::all_with(self.client.clone(), &resource);
        }
        Api::namespaced_with(self.client.clone(), namespace, &resource)
    }

    fn api_of(&self, object: &Value) -> (Api<DynamicObject>, String) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let namespace = object["metadata"]["namespace"].as_str().unwrap_or("default");
        let api = self.api(&text(&object["apiVersion"]), &text(&object["kind"]), namespace);
        (api, text(&object["metadata"]["name"]))
    }
}

fn value(object: &DynamicObject) -> Value {
    serde_json::to_value(object).expect("an object")
}

fn is_established(conditions: &Value) -> bool {
    let conditions = conditions.as_array().into_iter().flatten();
    conditions.into_iter().any(|it| it["type"] == "Established" && it["status"] == "True")
}
