//! An API server with the controllers on it.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use krono_apiserver::kind::{Kind, Scope};
use krono_apiserver::{Server, builtin};
use krono_controller::Options;
use krono_graph::{Kinds, KnownKind};
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams};
use kube::{Api, Client};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

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

    /// The object, when it is as wanted.
    pub(crate) async fn eventually(
        &self,
        api_version: &str,
        kind: &str,
        name: &str,
        wanted: impl Fn(&Value) -> bool,
    ) -> Value {
        let api = self.api(api_version, kind, "default");
        let mut last = Value::Null;
        for _ in 0..500 {
            if let Ok(Some(object)) = api.get_opt(name).await {
                last = serde_json::to_value(object).expect("an object");
                if wanted(&last) {
                    return last;
                }
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{kind} {name} is not as wanted: {last:#}");
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
