//! The watches on definitions, on their revisions and on the kinds of the cluster.

use std::collections::{BTreeMap, BTreeSet};
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
            Ok(event) => {
                for (kind, change) in kinds.take(&event) {
                    engine.kind_changed(&kind, change);
                }
            }
            Err(error) => tracing::debug!(%error, "watch of kinds interrupted"),
        }
    }
}

/// What is new about a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KindChange {
    /// Its objects may look different from now on, though nobody writes them.
    Form,
    /// Anything else.
    Other,
}

/// All kinds with their generations, so that those that went while the watch was interrupted are missed.
#[derive(Default)]
struct Kinds {
    known: BTreeMap<String, Option<i64>>,
    /// What a list in progress has not mentioned yet.
    unlisted: BTreeSet<String>,
}

impl Kinds {
    /// The kinds that an event says something new about.
    fn take<K: ResourceExt>(&mut self, event: &Event<K>) -> BTreeMap<String, KindChange> {
        match event {
            Event::Init => {
                self.unlisted = self.known.keys().cloned().collect();
                BTreeMap::new()
            }
            Event::InitApply(kind) | Event::Apply(kind) => {
                self.unlisted.remove(&kind.name_any());
                let generation = kind.meta().generation;
                let before = self.known.insert(kind.name_any(), generation);
                let is_other = before.is_some_and(|it| it != generation);
                BTreeMap::from([(
                    kind.name_any(),
                    if is_other { KindChange::Form } else { KindChange::Other },
                )])
            }
            Event::Delete(kind) => {
                self.known.remove(&kind.name_any());
                BTreeMap::from([(kind.name_any(), KindChange::Other)])
            }
            Event::InitDone => {
                let gone = std::mem::take(&mut self.unlisted);
                self.known.retain(|it, _| !gone.contains(it));
                gone.into_iter().map(|it| (it, KindChange::Other)).collect()
            }
        }
    }
}
