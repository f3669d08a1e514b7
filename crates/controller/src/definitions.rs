//! The watches on definitions, on their revisions and on the kinds of the cluster.

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
    while let Some(event) = events.next().await {
        match event {
            Ok(Event::InitApply(kind) | Event::Apply(kind) | Event::Delete(kind)) => {
                engine.kind_changed(&kind.name_any());
            }
            Ok(Event::Init | Event::InitDone) => {}
            Err(error) => tracing::debug!(%error, "watch of kinds interrupted"),
        }
    }
}
