//! The watches on definitions, on their revisions and on the kinds of the cluster.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::{StreamExt, pin_mut};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::core::PartialObjectMeta;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{Config, Event, watcher};
use kube::{Api, Client, ResourceExt};
use tokio::task::JoinHandle;

use crate::engine::Engine;

/// Runs for as long as it is held.
pub(crate) struct Watches {
    kinds: JoinHandle<()>,
}

impl Drop for Watches {
    fn drop(&mut self) {
        self.kinds.abort();
    }
}

/// Starts all.
pub(crate) fn watch(engine: &Arc<Engine>) -> Watches {
    engine.definitions();
    engine.revisions();
    Watches { kinds: tokio::spawn(watch_kinds(engine.requests.client.clone(), Arc::clone(engine))) }
}

/// A kind that changed may be what a definition waits for, or was compiled against.
async fn watch_kinds(client: Client, engine: Arc<Engine>) {
    let api: Api<PartialObjectMeta<CustomResourceDefinition>> = Api::all(client);
    let events = watcher(api, Config::default()).backoff(crate::backoff::watch());
    pin_mut!(events);
    let mut kinds = Kinds::default();
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => kinds.take(&event).iter().for_each(|kind| engine.kind_changed(kind)),
            Err(error) => tracing::debug!(%error, "watch of kinds interrupted"),
        }
    }
}

/// The names of all kinds, so that those that went while the watch was interrupted are missed.
#[derive(Default)]
struct Kinds {
    known: BTreeSet<String>,
    /// What a list in progress has not mentioned yet.
    unlisted: BTreeSet<String>,
}

impl Kinds {
    /// The kinds that an event says something new about.
    fn take<K: ResourceExt>(&mut self, event: &Event<K>) -> BTreeSet<String> {
        match event {
            Event::Init => {
                self.unlisted = self.known.clone();
                BTreeSet::new()
            }
            Event::InitApply(kind) | Event::Apply(kind) => {
                self.unlisted.remove(&kind.name_any());
                self.known.insert(kind.name_any());
                BTreeSet::from([kind.name_any()])
            }
            Event::Delete(kind) => {
                self.known.remove(&kind.name_any());
                BTreeSet::from([kind.name_any()])
            }
            Event::InitDone => {
                let gone = std::mem::take(&mut self.unlisted);
                self.known.retain(|it| !gone.contains(it));
                gone
            }
        }
    }
}
