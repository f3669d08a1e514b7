//! A server in memory with simulated workloads, and a short way to talk to them.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::TryStreamExt;
use http::Request;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Event, Pod};
use krono_apiserver::Server;
use krono_workloads::{Clock, Options, Pace, Scope};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::{Api, Client};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tower_service::Service;

/// How long a test waits for what should take milliseconds.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A kind that tests use.
pub(crate) trait Kind:
    kube::Resource<DynamicType = (), Scope = k8s_openapi::NamespaceResourceScope>
    + Clone
    + Debug
    + DeserializeOwned
    + Serialize
    + Send
    + 'static
{
}

impl<T> Kind for T where
    T: kube::Resource<DynamicType = (), Scope = k8s_openapi::NamespaceResourceScope>
        + Clone
        + Debug
        + DeserializeOwned
        + Serialize
        + Send
        + 'static
{
}

pub(crate) struct Cluster {
    pub(crate) client: Client,
    pub(crate) clock: Clock,
    /// How many requests of the simulator were more than questions.
    writes: Arc<AtomicUsize>,
    simulator: tokio::task::JoinHandle<()>,
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.simulator.abort();
    }
}

/// A cluster in which nothing takes time, but for what waits for the clock, which stands still.
pub(crate) async fn start() -> Cluster {
    start_at(Pace::instant()).await
}

pub(crate) async fn start_at(pace: Pace) -> Cluster {
    let server = Server::in_memory().await.unwrap();
    let writes = Arc::new(AtomicUsize::new(0));
    let counted = Client::new(Counting { server: server.clone(), writes: Arc::clone(&writes) }, "default");
    let client = server.client();
    let clock = Clock::manual();
    let mut options = Options { pace, clock: clock.clone(), ..Options::new(Scope::Everything) };
    #[expect(clippy::print_stdout, reason = "shown when a test fails")]
    let tell = |failure: &str| println!("{failure}");
    options.on_failure = Arc::new(tell);
    let run = krono_workloads::run(counted, options, std::future::pending());
    let simulator = tokio::spawn(async move { run.await.unwrap() });
    Cluster { client, clock, writes, simulator }
}

/// A server that counts what changes it.
#[derive(Clone)]
struct Counting {
    server: Server,
    writes: Arc<AtomicUsize>,
}

impl Service<Request<kube::client::Body>> for Counting {
    type Response = <Server as Service<Request<kube::client::Body>>>::Response;
    type Error = <Server as Service<Request<kube::client::Body>>>::Error;
    type Future = <Server as Service<Request<kube::client::Body>>>::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Service::<Request<kube::client::Body>>::poll_ready(&mut self.server, context)
    }

    fn call(&mut self, request: Request<kube::client::Body>) -> Self::Future {
        if request.method() != "GET" {
            self.writes.fetch_add(1, Ordering::SeqCst);
        }
        self.server.call(request)
    }
}

impl Cluster {
    pub(crate) fn writes(&self) -> usize {
        self.writes.load(Ordering::SeqCst)
    }

    pub(crate) fn api<T: Kind>(&self) -> Api<T> {
        Api::default_namespaced(self.client.clone())
    }

    pub(crate) async fn create<T: Kind>(&self, object: Value) -> T {
        let object = serde_json::from_value(object).unwrap();
        self.api().create(&PostParams::default(), &object).await.unwrap()
    }

    pub(crate) async fn get<T: Kind>(&self, name: &str) -> Value {
        serde_json::to_value(self.api::<T>().get(name).await.unwrap()).unwrap()
    }

    pub(crate) async fn list<T: Kind>(&self, labels: &str) -> Vec<Value> {
        let listed = self.api::<T>().list(&ListParams::default().labels(labels)).await.unwrap();
        listed.items.iter().map(|it| serde_json::to_value(it).unwrap()).collect()
    }

    pub(crate) async fn patch<T: Kind>(&self, name: &str, patch: Value) -> Value {
        let patched = self.api::<T>().patch(name, &PatchParams::default(), &Patch::Strategic(patch)).await;
        serde_json::to_value(patched.unwrap()).unwrap()
    }

    pub(crate) async fn delete<T: Kind>(&self, name: &str) {
        self.api::<T>().delete(name, &DeleteParams::background()).await.unwrap();
    }

    /// Waits until the objects of a kind, as they change, fulfil a condition; gives them then.
    pub(crate) async fn until<T: Kind>(&self, what: &str, holds: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let mut seen = Vec::new();
        let waited = tokio::time::timeout(PATIENCE, self.follow::<T>(&mut seen, holds)).await;
        assert!(waited.is_ok(), "waited for {what} in vain; seen: {}", json!(seen));
        seen
    }

    async fn follow<T: Kind>(&self, seen: &mut Vec<Value>, holds: impl Fn(&[Value]) -> bool) {
        loop {
            let list = self.api::<T>().list(&ListParams::default()).await.unwrap();
            *seen = list.items.iter().map(|it| serde_json::to_value(it).unwrap()).collect();
            if holds(seen) {
                return;
            }
            let version = list.metadata.resource_version.unwrap();
            let api = self.api::<T>();
            let mut changes = std::pin::pin!(api.watch(&WatchParams::default(), &version).await.unwrap());
            while let Some(change) = changes.try_next().await.unwrap() {
                if !matches!(change, WatchEvent::Bookmark(_)) {
                    break;
                }
            }
        }
    }

    /// Waits until one object fulfils a condition; gives it then.
    pub(crate) async fn when<T: Kind>(
        &self,
        name: &str,
        what: &str,
        holds: impl Fn(&Value) -> bool,
    ) -> Value {
        let named = |it: &&Value| it["metadata"]["name"] == name;
        let seen = self.until::<T>(what, |all| all.iter().find(named).is_some_and(&holds)).await;
        seen.iter().find(named).unwrap().clone()
    }

    pub(crate) async fn gone<T: Kind>(&self, name: &str) {
        self.until::<T>("an end", |all| !all.iter().any(|it| it["metadata"]["name"] == name)).await;
    }

    /// Waits until the rollout of a deployment is complete, as `kubectl rollout status` does.
    pub(crate) async fn rolled_out(&self, name: &str) -> Value {
        self.when::<Deployment>(name, "a rollout", |it| {
            let number = |place: &str| it["status"][place].as_i64().unwrap_or_default();
            let wanted = it["spec"]["replicas"].as_i64().unwrap();
            it["status"]["observedGeneration"] == it["metadata"]["generation"]
                && [number("updatedReplicas"), number("replicas"), number("availableReplicas")] == [wanted; 3]
        })
        .await
    }

    /// The images of the Pods that are not about to go.
    pub(crate) async fn images(&self) -> Vec<String> {
        let pods = self.list::<Pod>("").await;
        let mut images: Vec<String> =
            pods.iter().map(|it| it["spec"]["containers"][0]["image"].as_str().unwrap().to_owned()).collect();
        images.sort();
        images
    }

    /// Waits until an event is told about the object.
    pub(crate) async fn told(&self, name: &str, reason: &str) -> Value {
        let about = |it: &&Value| it["involvedObject"]["name"] == name && it["reason"] == reason;
        let seen = self.until::<Event>(reason, |all| all.iter().any(|it| about(&it))).await;
        seen.iter().find(about).unwrap().clone()
    }
}

/// The condition of an object.
pub(crate) fn condition<'a>(object: &'a Value, type_: &str) -> &'a Value {
    let all = object["status"]["conditions"].as_array();
    all.and_then(|all| all.iter().find(|it| it["type"] == type_)).unwrap_or(&Value::Null)
}

pub(crate) fn template(app: &str, image: &str) -> Value {
    json!({"metadata": {"labels": {"app": app}}, "spec": {"containers": [{"name": "main", "image": image}]}})
}

pub(crate) fn deployment(name: &str, replicas: i32, image: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template(name, image),
        },
    })
}

/// A patch of the image of the first container.
pub(crate) fn image(image: &str) -> Value {
    json!({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": image}]}}}})
}
