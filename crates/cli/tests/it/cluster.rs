//! A server of a test's own, and objects in it.

pub(crate) mod boxes;
pub(crate) mod fleet;
pub(crate) mod real;

use std::path::Path;
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, TryStreamExt as _};
use kube::Client;
use kube::api::{Api, ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, WatchEvent, WatchParams};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use self::real::Real;
use crate::krono::{Run, command};

/// How long anything may take.
const LONGEST: Duration = Duration::from_mins(1);

/// A server that runs until the test ends.
pub(crate) struct Cluster {
    directory: TempDir,
    runtime: Runtime,
    client: Client,
    /// When it is not a server of krono's.
    real: Option<Real>,
}

/// Who looks after definitions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Controllers {
    /// krono's own.
    Run,
    /// Nobody; the kinds are there.
    None,
}

impl Cluster {
    pub(crate) fn start(controllers: Controllers) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let real = Real::take(directory.path());
        if real.is_none() {
            start(directory.path(), controllers);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let client = runtime.block_on(client(&directory.path().join("kubeconfig")));
        let mut cluster = Self { directory, runtime, client, real };
        cluster.prepare(controllers);
        cluster
    }

    /// Nothing is there but krono's own kinds.
    fn prepare(&mut self, controllers: Controllers) {
        if let Some(real) = &mut self.real {
            self.runtime.block_on(Real::clear(&self.client));
            if controllers == Controllers::Run {
                real.control();
            }
        }
        if self.real.is_some() || controllers == Controllers::None {
            for (_, crd) in krono_model::crd::all() {
                self.apply(&crd);
            }
        }
    }

    /// Runs `krono` at this server.
    pub(crate) fn krono(&self, arguments: &[&str]) -> Run {
        on(self.directory.path(), arguments)
    }

    /// What a command prints that must succeed, without words about it.
    pub(crate) fn told(&self, arguments: &[&str]) -> String {
        let run = self.krono(arguments);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{arguments:?} {run}");
        run.stdout
    }

    /// What a command complains of that must fail.
    pub(crate) fn complaint(&self, arguments: &[&str], code: i32) -> String {
        let run = self.krono(arguments);
        assert_eq!((run.code, run.stdout.as_str()), (Some(code), ""), "{arguments:?} {run}");
        run.stderr
    }

    pub(crate) fn kubeconfig(&self) -> std::path::PathBuf {
        self.directory.path().join("kubeconfig")
    }

    /// Applies an object and its status, as `kubectl` does.
    pub(crate) fn apply(&self, object: &Value) -> Value {
        self.apply_as("kubectl", object)
    }

    /// Applies an object and its status as somebody.
    pub(crate) fn apply_as(&self, manager: &str, object: &Value) -> Value {
        let mut object = object.clone();
        let status = object.as_object_mut().unwrap().remove("status");
        let (api, name) = self.api(&object);
        let params = PatchParams::apply(manager).force();
        self.runtime.block_on(async {
            let applied = served(async || api.patch(&name, &params, &Patch::Apply(&object)).await).await;
            let Some(status) = status else { return serde_json::to_value(applied).unwrap() };
            let status = Patch::Merge(json!({"status": status}));
            let applied = api.patch_status(&name, &PatchParams::default(), &status).await.unwrap();
            serde_json::to_value(applied).unwrap()
        })
    }

    /// An object as it is now; `object` needs only its kind and name.
    pub(crate) fn get(&self, object: &Value) -> Value {
        let (api, name) = self.api(object);
        serde_json::to_value(self.runtime.block_on(api.get(&name)).unwrap()).unwrap()
    }

    pub(crate) fn delete(&self, object: &Value) {
        let (api, name) = self.api(object);
        self.runtime.block_on(api.delete(&name, &DeleteParams::default())).unwrap();
    }

    /// Waits until an object is as it should be; `object` needs only its kind and name.
    pub(crate) fn until(&self, object: &Value, is_so: impl Fn(&Value) -> bool) {
        let (api, name) = self.api(object);
        let only = WatchParams::default().fields(&format!("metadata.name={name}"));
        let seen = async {
            let mut states = api.watch(&only, "0").await.unwrap().boxed();
            while let Some(event) = states.try_next().await.unwrap() {
                if let WatchEvent::Added(object) | WatchEvent::Modified(object) = event
                    && is_so(&serde_json::to_value(object).unwrap())
                {
                    return true;
                }
            }
            false
        };
        let seen = self.runtime.block_on(async { tokio::time::timeout(LONGEST, seen).await });
        assert_eq!(seen, Ok(true), "{name} never is as it should be: {:#}", self.get(object));
    }

    /// The annotations of an object, but for what the server itself notes about users.
    pub(crate) fn annotations(&self, object: &Value) -> Value {
        let mut annotations = self.get(object)["metadata"]["annotations"].take();
        let Some(all) = annotations.as_object_mut() else { return annotations };
        let notes = ["krono.dev/changed-by", "krono.dev/requested-by", "krono.dev/wished-by"];
        all.retain(|key, _| !notes.contains(&key.as_str()));
        if all.is_empty() { Value::Null } else { annotations }
    }

    fn api(&self, object: &Value) -> (Api<DynamicObject>, String) {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let api_version = text(&object["apiVersion"]);
        let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
        let kind = text(&object["kind"]);
        let resource = ApiResource {
            group: group.to_owned(),
            version: version.to_owned(),
            api_version: api_version.clone(),
            plural: format!("{}s", kind.to_lowercase()),
            kind,
        };
        let api = match object["metadata"]["namespace"].as_str() {
            Some(namespace) => Api::namespaced_with(self.client.clone(), namespace, &resource),
            None => Api::all_with(self.client.clone(), &resource),
        };
        (api, text(&object["metadata"]["name"]))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        drop(on(self.directory.path(), &["down"]));
    }
}

/// Starts a server of krono's.
fn start(directory: &Path, controllers: Controllers) {
    let word = if controllers == Controllers::Run { "run" } else { "none" };
    let up = ["up", "--detach", "--in-memory", "--workloads", "none", "--controllers", word];
    let run = on(directory, &up);
    assert_eq!(run.code, Some(0), "{run}");
}

/// The answer for an object of a kind that is there already, or is about to be: a real server takes its time.
async fn served<T>(ask: impl AsyncFn() -> kube::Result<T>) -> T {
    let started = Instant::now();
    loop {
        match ask().await {
            Err(kube::Error::Api(status)) if status.code == 404 && started.elapsed() < LONGEST => {}
            answer => return answer.unwrap(),
        }
    }
}

fn on(directory: &Path, arguments: &[&str]) -> Run {
    let mut command = command(arguments);
    command.env("KRONO_DATA_DIR", directory).env("KRONO_LISTEN", "127.0.0.1:0").env("HOME", directory);
    command.env("KUBECONFIG", directory.join("kubeconfig")).output().unwrap().into()
}

async fn client(kubeconfig: &Path) -> Client {
    let kubeconfig = kube::config::Kubeconfig::read_from(kubeconfig).unwrap();
    let options = kube::config::KubeConfigOptions::default();
    Client::try_from(kube::Config::from_custom_kubeconfig(kubeconfig, &options).await.unwrap()).unwrap()
}
