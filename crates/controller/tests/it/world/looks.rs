//! What there is in a world, now or before long.

use std::pin::pin;

use futures_util::StreamExt;
use kube::api::{DynamicObject, ListParams};
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::watch_object;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::naming::kind_of;
use super::{World, condition, value};

impl World {
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

    /// Fails unless an Event of these words was told.
    pub(crate) async fn has_told(&self, expected: &str) {
        let events = self.told().await;
        assert!(events.iter().any(|it| it == expected), "{events:#?}");
    }

    /// How often these controllers have looked at an instance.
    pub(crate) fn looks_at_instances(&self) -> u64 {
        let text = self.controllers.metrics();
        let counts = text.lines().filter(|it| it.starts_with("instance_reconcile_total{"));
        counts.filter_map(|it| it.rsplit_once(' ')?.1.parse::<u64>().ok()).sum()
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

    /// Waits until the server itself answers so: what a schema makes of an object is no event.
    pub(crate) async fn answered(&self, what: &str, wanted: impl Fn(&Value) -> bool) {
        let asked = async { while !self.get(what).await.is_some_and(|it| wanted(&it)) {} };
        assert!(timeout(self.place.patience(), asked).await.is_ok(), "{what} is not as wanted");
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
}
