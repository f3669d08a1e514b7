//! An API server with the controllers on it.

mod edits;
mod looks;
mod manifests;
mod naming;

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use krono_controller::{Controllers, Options};
use kube::Client;
use kube::api::ListParams;
use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::kinds::BuiltIn;
use crate::line::Line;
use crate::place::{Lease, Place};
use crate::real;

pub(crate) use crate::real::value;
pub(crate) use manifests::{condition, config_map, definition, instance, message};

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

/// Options with which nobody has to wait for counts.
pub(crate) fn prompt() -> Options {
    Options { counts_every: Duration::ZERO, ..Options::default() }
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
        Self::start_with(prompt()).await
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
        Self::unattended(place, lease, prompt())
    }

    fn unattended(place: Place, lease: Lease, options: Options) -> Self {
        let (client, line) = (place.client(), Line::new(place.clone()));
        let controllers = controllers(&line, options);
        let running = tokio::spawn(async {});
        Self { client, line, place, options, controllers, running, _lease: lease }
    }

    /// Further controllers beside those that are there, until they are dropped.
    pub(crate) fn rival(&self) -> Rival {
        let line = Line::new(self.place.clone());
        let (_, running) = run(&line, self.options, None);
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
        self.take_over(None);
    }

    /// The same, when those before were last heard of then.
    pub(crate) fn take_over(&mut self, last_heard: Option<Timestamp>) {
        self.kill_controllers();
        self.line = Line::new(self.place.clone());
        (self.controllers, self.running) = run(&self.line, self.options, last_heard);
    }

    /// What the controllers have counted, line by line.
    pub(crate) fn counted(&self) -> Vec<String> {
        self.controllers.metrics().lines().map(str::to_owned).collect()
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
}

fn run(line: &Line, options: Options, last_heard: Option<Timestamp>) -> (Arc<Controllers>, JoinHandle<()>) {
    let controllers = controllers(line, options);
    if last_heard.is_some() {
        controllers.succeed(last_heard);
    }
    let run = Arc::clone(&controllers);
    let running = tokio::spawn(async move { run.run(std::future::pending()).await.expect("a start") });
    (controllers, running)
}

fn controllers(line: &Line, options: Options) -> Arc<Controllers> {
    let client = Client::new(line.clone(), "default");
    Arc::new(Controllers::new(&client, Arc::new(BuiltIn), options))
}
