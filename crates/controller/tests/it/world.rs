//! An API server with the controllers on it.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use krono_controller::{Controllers, Options};
use kube::api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams};
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::watch_object;
use kube::{Api, Client};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::kinds::BuiltIn;
use crate::line::Line;
use crate::place::{Lease, Place};
use crate::real;

/// A cluster of a test's own, with running controllers.
///
/// Objects are named by kind and name: `ConfigMap a` is in the namespace `default`, `ConfigMap b/a` in `b` and
/// `Namespace /a` in none. Kinds that Kubernetes does not have are of `kro.run/v1alpha1`, unless the name of the kind
/// is followed by another group, as in `Kind.acme.io`.
pub(crate) struct World {
    pub(crate) client: Client,
    pub(crate) line: Line,
    place: Place,
    options: Options,
    controllers: Arc<Controllers>,
    running: JoinHandle<()>,
    _lease: Lease,
}

impl Drop for World {
    fn drop(&mut self) {
        self.kill_controllers();
    }
}

/// Controllers that nobody asked for.
pub(crate) struct Rival {
    line: Line,
    running: JoinHandle<()>,
}

impl Drop for Rival {
    fn drop(&mut self) {
        self.running.abort();
        self.line.cut();
    }
}

impl World {
    pub(crate) async fn start() -> Self {
        Self::start_with(Options::default()).await
    }

    pub(crate) async fn start_with(options: Options) -> Self {
        let (place, lease) = Place::first().await;
        Self::start_on(place, lease, options).await
    }

    pub(crate) async fn start_on(place: impl Into<Place>, lease: Lease, options: Options) -> Self {
        let mut world = Self::unattended(place.into(), lease, options);
        world.start_controllers();
        let kind = "CustomResourceDefinition /resourcegraphdefinitions.kro.run";
        world.eventually(kind, |it| condition(it, "Established")["status"] == "True").await;
        world.quiet().await;
        world
    }

    /// A second server, which nobody looks after yet.
    pub(crate) async fn empty() -> Self {
        let (place, lease) = Place::second().await;
        Self::unattended(place, lease, Options::default())
    }

    fn unattended(place: Place, lease: Lease, options: Options) -> Self {
        let options = Options { counts_every: Duration::ZERO, ..options };
        let (client, line) = (place.client(), Line::new(place.clone()));
        let controllers = controllers(&line, options);
        let running = tokio::spawn(async {});
        Self { client, line, place, options, controllers, running, _lease: lease }
    }

    /// Further controllers beside those that are there, until they are dropped.
    pub(crate) fn rival(&self) -> Rival {
        let line = Line::new(self.place.clone());
        let (_, running) = run(&line, self.options);
        Rival { line, running }
    }

    /// Ends the controllers in the middle of whatever they do: nothing of theirs reaches the server from now on.
    pub(crate) fn kill_controllers(&mut self) {
        self.running.abort();
        self.line.cut();
    }

    /// Ends the controllers, and takes all revisions of a definition away.
    pub(crate) async fn lose_revisions(&mut self, definition: &str) {
        self.kill_controllers();
        let kind = "ResourceGraphDefinitionRevision";
        for name in self.names(kind, &format!("kro.run/rgd-name={definition}")).await {
            let what = format!("{kind} {name}");
            self.delete(&what).await;
            self.merge(&what, json!({"metadata": {"finalizers": null}})).await;
        }
    }

    /// Others take their place.
    pub(crate) fn start_controllers(&mut self) {
        self.kill_controllers();
        self.line = Line::new(self.place.clone());
        (self.controllers, self.running) = run(&self.line, self.options);
    }

    /// Server-side apply of every document, as a user.
    pub(crate) async fn apply(&self, yaml: &str) {
        for document in serde_saphyr::from_multiple::<Value>(yaml).expect("YAML") {
            self.put(&document).await;
        }
    }

    /// Server-side apply, as a user.
    pub(crate) async fn put(&self, object: &Value) -> Value {
        self.try_put(object).await.unwrap_or_else(|refusal| panic!("{refusal}: {object:#}"))
    }

    /// The same, or the words of the server that refuses it.
    pub(crate) async fn try_put(&self, object: &Value) -> Result<Value, String> {
        self.try_put_as("user", object).await
    }

    /// Server-side apply, as somebody with `kubectl`: nobody puts back what changes later.
    pub(crate) async fn put_by_hand(&self, object: &Value) -> Value {
        let put = self.try_put_as("kubectl", object).await;
        put.unwrap_or_else(|refusal| panic!("{refusal}: {object:#}"))
    }

    /// Server-side apply, as that manager.
    pub(crate) async fn try_put_as(&self, manager: &str, object: &Value) -> Result<Value, String> {
        let api_version = object["apiVersion"].as_str().expect("a version");
        let metadata = &object["metadata"];
        let namespace = metadata["namespace"].as_str().unwrap_or("default");
        let kind = object["kind"].as_str().expect("a kind");
        let namespace =
            if CLUSTER_WIDE.contains(&kind) || metadata["namespace"] == "" { "" } else { namespace };
        let api = self.api(api_version, kind, namespace);
        let (name, parameters) =
            (metadata["name"].as_str().expect("a name"), PatchParams::apply(manager).force());
        match api.patch(name, &parameters, &Patch::Apply(object)).await {
            Ok(applied) => Ok(value(&applied)),
            Err(kube::Error::Api(status)) => Err(status.message),
            Err(error) => panic!("{error}"),
        }
    }

    /// Applies a definition and waits until it is served.
    pub(crate) async fn define(&self, definition: &Value) -> Value {
        let applied = self.put(definition).await;
        let name = applied["metadata"]["name"].as_str().expect("a name").to_owned();
        self.active(&format!("ResourceGraphDefinition /{name}")).await
    }

    /// Applies an instance with that spec.
    pub(crate) async fn instance(&self, what: &str, spec: &str) -> Value {
        self.put(&instance(what, spec)).await
    }

    /// A merge patch, as a user.
    pub(crate) async fn merge(&self, what: &str, patch: Value) -> Value {
        let (api, name) = self.named(what);
        let parameters = PatchParams { field_manager: Some("user".to_owned()), ..PatchParams::default() };
        value(&api.patch(&name, &parameters, &Patch::Merge(patch)).await.expect("a patch"))
    }

    /// The same, or the words of the server that refuses it.
    pub(crate) async fn try_merge(&self, what: &str, patch: Value) -> Result<Value, String> {
        let (api, name) = self.named(what);
        match api.patch(&name, &PatchParams::default(), &Patch::Merge(patch)).await {
            Ok(patched) => Ok(value(&patched)),
            Err(kube::Error::Api(status)) => Err(status.message),
            Err(error) => panic!("{error}"),
        }
    }

    /// Writes an annotation, or takes it away.
    pub(crate) async fn annotate(&self, what: &str, key: &str, text: Option<&str>) -> Value {
        self.merge(what, json!({"metadata": {"annotations": {key: text}}})).await
    }

    /// What was told by Events, as reason and note.
    pub(crate) async fn told(&self) -> Vec<String> {
        let listed = self.api("events.k8s.io/v1", "Event", "").list(&ListParams::default()).await;
        let words = |it: &DynamicObject| {
            let event = value(it);
            let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
            format!("{} {}: {}", text("type"), text("reason"), text("note"))
        };
        listed.expect("a list").iter().map(words).collect()
    }

    /// A merge patch of a status, as whoever looks after such objects.
    pub(crate) async fn merge_status(&self, what: &str, patch: Value) -> Value {
        let (api, name) = self.named(what);
        let patch = Patch::Merge(json!({"status": patch}));
        value(&api.patch_status(&name, &PatchParams::default(), &patch).await.expect("a patch"))
    }

    pub(crate) async fn delete(&self, what: &str) {
        let (api, name) = self.named(what);
        api.delete(&name, &DeleteParams::default()).await.expect("a deletion");
    }

    pub(crate) async fn get(&self, what: &str) -> Option<Value> {
        let (api, name) = self.named(what);
        api.get_opt(&name).await.expect("an answer").map(|it| value(&it))
    }

    /// The names of the objects of a kind that a label selector selects, in all namespaces.
    pub(crate) async fn names(&self, kind: &str, labels: &str) -> Vec<String> {
        let (api_version, kind) = kind_of(kind);
        let listed = self.api(&api_version, kind, "").list(&ListParams::default().labels(labels)).await;
        let mut names: Vec<_> =
            listed.expect("a list").into_iter().filter_map(|it| it.metadata.name).collect();
        names.sort();
        names
    }

    /// All objects of a kind, without those that a server keeps for itself.
    pub(crate) async fn all(&self, kind: &str) -> Vec<Value> {
        let (api_version, kind) = kind_of(kind);
        let listed = self.api(&api_version, kind, "").list(&ListParams::default()).await.expect("a list");
        let complete = |it: &DynamicObject| {
            let mut object = value(it);
            object["apiVersion"] = json!(api_version);
            object["kind"] = json!(kind);
            object
        };
        let is_ours = |it: &&DynamicObject| it.metadata.namespace.as_deref() != Some("kube-system");
        listed.iter().filter(is_ours).map(complete).collect()
    }

    /// Waits until there is no such object.
    pub(crate) async fn gone(&self, what: &str) {
        let gone = timeout(self.place.patience(), self.watched(what, |it| it.is_none())).await.is_ok();
        assert!(gone, "{what} stays: {:#}", self.get(what).await.unwrap_or_default());
    }

    /// The object, when it is as wanted.
    pub(crate) async fn eventually(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let found = timeout(self.place.patience(), self.watched(what, |it| it.is_some_and(&wanted)))
            .await
            .ok()
            .flatten();
        match found {
            Some(found) => found,
            None => panic!("{what} is not as wanted: {:#}", self.get(what).await.unwrap_or_default()),
        }
    }

    /// What becomes of an object, as soon as it is wanted like that.
    async fn watched(&self, what: &str, wanted: impl Fn(Option<&Value>) -> bool) -> Option<Value> {
        let (api, name) = self.named(what);
        let (api_version, kind) = kind_of(what.split_once(' ').map_or(what, |(kind, _)| kind));
        // Items of lists come without.
        let whole = |it: &DynamicObject| {
            let mut object = value(it);
            (object["apiVersion"], object["kind"]) = (json!(api_version), json!(kind));
            object
        };
        let mut states = pin!(watch_object(api, &name).default_backoff());
        loop {
            let state = states.next().await.expect("an endless watch");
            let state = state.map(|it| it.as_ref().map(whole));
            if let Ok(state) = state
                && wanted(state.as_ref())
            {
                return state;
            }
        }
    }

    /// The object, when it is there.
    pub(crate) async fn there(&self, what: &str) -> Value {
        self.eventually(what, |_| true).await
    }

    /// The object, when it says that all of its newest form is done.
    pub(crate) async fn active(&self, what: &str) -> Value {
        self.eventually(what, |it| {
            let ready = condition(it, "Ready");
            ready["status"] == "True" && ready["observedGeneration"] == it["metadata"]["generation"]
        })
        .await
    }

    /// The object, when its state is that one.
    pub(crate) async fn state(&self, what: &str, state: &str) -> Value {
        self.eventually(what, |it| it["status"]["state"] == state).await
    }

    /// Waits until the controllers have dealt with all that has happened.
    pub(crate) async fn quiet(&self) {
        let quiet = timeout(self.place.patience(), self.controllers.quiet()).await;
        assert!(quiet.is_ok(), "the controllers do not come to rest: {:#?}", self.line.writes());
    }

    /// Waits until the controllers have dealt with all that has happened; another look at everything must ask for no change.
    pub(crate) async fn settled(&self) {
        let (before, version) = self.looked_at_again().await;
        self.nothing_asked_since(before);
        assert_eq!(self.version().await, version, "a settled world changes");
    }

    /// The same for a world in which workloads are simulated: those may change while the controllers are done.
    pub(crate) async fn settled_beside_workloads(&self) {
        let (before, _) = self.looked_at_again().await;
        self.nothing_asked_since(before);
    }

    fn nothing_asked_since(&self, before: usize) {
        let asked = &self.line.writes()[before..];
        assert!(asked.is_empty(), "a settled world is written to: {asked:#?}");
    }

    /// The same for a world with something in it that is refused each time: nothing changes, however often it is tried.
    pub(crate) async fn settled_in_vain(&self) {
        let (before, version) = self.looked_at_again().await;
        let asked = &self.line.writes()[before..];
        assert_eq!(self.version().await, version, "a settled world changes: {asked:#?}");
    }

    async fn looked_at_again(&self) -> (usize, String) {
        self.quiet().await;
        let before = (self.line.writes().len(), self.version().await);
        self.controllers.look_at_everything();
        self.quiet().await;
        before
    }

    /// The version of the whole cluster, which every change changes; of a real one, on which others write as well, the
    /// versions of all that concerns tests.
    async fn version(&self) -> String {
        if let Place::Real { users, .. } = &self.place {
            return real::versions(users).await;
        }
        let listed = self.api("v1", "Namespace", "").list(&ListParams::default()).await.expect("a list");
        listed.metadata.resource_version.expect("a version")
    }

    fn named(&self, what: &str) -> (Api<DynamicObject>, String) {
        let (kind, name) = what.split_once(' ').expect("a kind and a name");
        let home = if CLUSTER_WIDE.contains(&kind) { "" } else { "default" };
        let (namespace, name) = name.split_once('/').unwrap_or((home, name));
        let (api_version, kind) = kind_of(kind);
        (self.api(&api_version, kind, namespace), name.to_owned())
    }

    fn api(&self, api_version: &str, kind: &str, namespace: &str) -> Api<DynamicObject> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind));
        if namespace.is_empty() {
            return Api::all_with(self.client.clone(), &resource);
        }
        Api::namespaced_with(self.client.clone(), namespace, &resource)
    }
}

const CLUSTER_WIDE: [&str; 6] = [
    "ResourceGraphDefinition",
    "ResourceGraphDefinitionRevision",
    "CustomResourceDefinition",
    "Namespace",
    "ClusterRole",
    "Tenant",
];

fn kind_of(kind: &str) -> (String, &str) {
    let api_version = match kind {
        "ConfigMap" | "Secret" | "Namespace" | "Service" | "PersistentVolumeClaim" => "v1".to_owned(),
        "Deployment" => "apps/v1".to_owned(),
        "ClusterRole" => "rbac.authorization.k8s.io/v1".to_owned(),
        "CustomResourceDefinition" => "apiextensions.k8s.io/v1".to_owned(),
        other => format!("{}/v1alpha1", other.split_once('.').map_or("kro.run", |(_, group)| group)),
    };
    (api_version, kind.split_once('.').map_or(kind, |(kind, _)| kind))
}

fn run(line: &Line, options: Options) -> (Arc<Controllers>, JoinHandle<()>) {
    let controllers = controllers(line, options);
    let run = Arc::clone(&controllers);
    let running = tokio::spawn(async move { run.run(std::future::pending()).await.expect("a start") });
    (controllers, running)
}

fn controllers(line: &Line, options: Options) -> Arc<Controllers> {
    let client = Client::new(line.clone(), "default");
    Arc::new(Controllers::new(&client, Arc::new(BuiltIn), options))
}

/// A definition whose name is its kind in lower case; `schema` and `resources` are YAML.
pub(crate) fn definition(kind: &str, schema: &str, resources: &str) -> Value {
    let mut all = json!({"apiVersion": "v1alpha1", "kind": kind});
    let schema: Value = serde_saphyr::from_str(&format!("{{{schema}}}")).expect("a schema");
    all.as_object_mut().expect("a map").extend(schema.as_object().expect("a map").clone());
    let resources: Value = serde_saphyr::from_str(resources).expect("resources");
    json!({
        "apiVersion": "kro.run/v1alpha1",
        "kind": "ResourceGraphDefinition",
        "metadata": {"name": kind.to_lowercase()},
        "spec": {"schema": all, "resources": resources},
    })
}

/// A resource that is a `ConfigMap`, called after the instance and its own id; `more` is YAML of further fields.
pub(crate) fn config_map(id: &str, data: &str, more: &str) -> String {
    let name = format!("${{schema.metadata.name}}-{id}");
    let template =
        format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: '{name}'}}, data: {{{data}}}}}");
    let more = if more.is_empty() { String::new() } else { format!(", {more}") };
    format!("- {{id: {id}, template: {template}{more}}}\n")
}

/// An object of a defined kind; `spec` is YAML.
pub(crate) fn instance(what: &str, spec: &str) -> Value {
    let (kind, name) = what.split_once(' ').expect("a kind and a name");
    let (namespace, name) = name.split_once('/').unwrap_or(("default", name));
    let (api_version, kind) = kind_of(kind);
    let spec: Value = serde_saphyr::from_str(&format!("{{{spec}}}")).expect("a spec");
    let mut object =
        json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, "spec": spec});
    object["metadata"]["namespace"] = namespace.into();
    object
}

/// The condition of an object.
pub(crate) fn condition<'a>(object: &'a Value, condition_type: &str) -> &'a Value {
    let all = object["status"]["conditions"].as_array();
    all.and_then(|all| all.iter().find(|it| it["type"] == condition_type)).unwrap_or(&Value::Null)
}

/// The message of a condition.
pub(crate) fn message<'a>(object: &'a Value, condition_type: &str) -> &'a str {
    condition(object, condition_type)["message"].as_str().unwrap_or_default()
}

/// An object as JSON.
pub(crate) fn value(object: &DynamicObject) -> Value {
    serde_json::to_value(object).expect("an object")
}
