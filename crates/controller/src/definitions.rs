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
                for News { kind, has_new_schema } in kinds.take(&event) {
                    if has_new_schema {
                        engine.caches.schema_changed(&kind);
                    }
                    engine.kind_changed(&kind);
                }
            }
            Err(error) => tracing::debug!(%error, "watch of kinds interrupted"),
        }
    }
}

/// The names of all kinds and the generations of their definitions, so that those that went or changed while the watch was
/// interrupted are missed.
#[derive(Default)]
struct Kinds {
    known: BTreeMap<String, Option<i64>>,
    /// What a list in progress has not mentioned yet.
    unlisted: BTreeSet<String>,
}

/// Something new about a kind: `plural.group`.
#[derive(Debug, PartialEq, Eq)]
struct News {
    kind: String,
    has_new_schema: bool,
}

impl Kinds {
    /// What an event says that is new.
    fn take<K: ResourceExt>(&mut self, event: &Event<K>) -> Vec<News> {
        let gone = |kind: String| News { kind, has_new_schema: false };
        match event {
            Event::Init => {
                self.unlisted = self.known.keys().cloned().collect();
                Vec::new()
            }
            Event::InitApply(definition) | Event::Apply(definition) => {
                let (kind, generation) = (definition.name_any(), definition.meta().generation);
                self.unlisted.remove(&kind);
                let before = self.known.insert(kind.clone(), generation);
                vec![News { kind, has_new_schema: before.is_some_and(|it| it != generation) }]
            }
            Event::Delete(definition) => {
                self.known.remove(&definition.name_any());
                vec![gone(definition.name_any())]
            }
            Event::InitDone => {
                let unlisted = std::mem::take(&mut self.unlisted);
                self.known.retain(|it, _| !unlisted.contains(it));
                unlisted.into_iter().map(gone).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use kube::core::ObjectMeta;

    use super::*;

    fn kind(name: &str, generation: i64) -> PartialObjectMeta<CustomResourceDefinition> {
        let metadata =
            ObjectMeta { name: Some(name.to_owned()), generation: Some(generation), ..ObjectMeta::default() };
        PartialObjectMeta { metadata, ..PartialObjectMeta::default() }
    }

    #[test]
    fn a_kind_has_a_new_schema_when_its_definition_has_another_generation() {
        let mut kinds = Kinds::default();
        let mut check = |event: Event<_>, expected: &[(&str, bool)]| {
            let found: Vec<(String, bool)> =
                kinds.take(&event).into_iter().map(|it| (it.kind, it.has_new_schema)).collect();
            let expected: Vec<_> = expected.iter().map(|(kind, new)| ((*kind).to_owned(), *new)).collect();
            assert_eq!(found, expected, "{event:?}");
        };
        check(Event::Init, &[]);
        check(Event::InitApply(kind("a", 1)), &[("a", false)]);
        check(Event::InitApply(kind("b", 1)), &[("b", false)]);
        check(Event::InitDone, &[]);
        check(Event::Apply(kind("a", 1)), &[("a", false)]);
        check(Event::Apply(kind("a", 2)), &[("a", true)]);
        check(Event::Apply(kind("c", 1)), &[("c", false)]);
        check(Event::Delete(kind("c", 1)), &[("c", false)]);
        // What happened while nobody watched.
        check(Event::Init, &[]);
        check(Event::InitApply(kind("a", 3)), &[("a", true)]);
        check(Event::InitDone, &[("b", false)]);
    }
}
