//! The parts that all work is done with.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use krono_graph::{KindName, Kinds};
use krono_planner::definition::crd_name;
use kube::Client;
use serde_json::Value;

use crate::cache::{Entry, Filter, Incomplete, KindCache};
use crate::caches::Caches;
use crate::catalogue::{Catalogue, Served, mentions_group};
use crate::claims::Claims;
use crate::events::Events;
use crate::metrics::Metrics;
use crate::options::Options;
use crate::queue::{Key, Outcome, Queue};
use crate::requests::Requests;
use crate::revisions::{self, Revisions};
use crate::router::Router;
use crate::serving::Serving;
use crate::{definition, instance};

/// How often a kind that should be served soon is asked for.
const MOST_PAUSES: usize = 10;

/// One per process.
pub(crate) struct Engine {
    pub(crate) requests: Requests,
    pub(crate) queue: Arc<Queue>,
    pub(crate) router: Arc<Router>,
    pub(crate) caches: Caches,
    pub(crate) catalogue: Catalogue,
    pub(crate) options: Options,
    pub(crate) metrics: Metrics,
    pub(crate) events: Events,
    pub(crate) claims: Claims,
    servings: RwLock<HashMap<Arc<str>, Arc<Serving>>>,
    definitions: OnceLock<Arc<KindCache>>,
    revisions: OnceLock<Arc<KindCache>>,
    /// By definition, the revisions that were last read.
    kept: Mutex<HashMap<Arc<str>, Arc<Revisions>>>,
}

impl Engine {
    pub(crate) fn new(
        client: &Client,
        built_in: Arc<dyn Kinds + Send + Sync>,
        options: Options,
        metrics: Metrics,
    ) -> Self {
        let requests = Requests::new(client.clone());
        let queue = Arc::new(Queue::default());
        let router = Arc::new(Router::new(Arc::clone(&queue)));
        Self {
            caches: Caches::new(client.clone(), Arc::clone(&router)),
            catalogue: Catalogue::new(requests.clone(), built_in),
            servings: RwLock::default(),
            definitions: OnceLock::new(),
            revisions: OnceLock::new(),
            kept: Mutex::default(),
            requests,
            queue,
            router,
            events: Events::new(client, options.condition_events),
            claims: Claims::default(),
            options,
            metrics,
        }
    }

    /// Looks at what a key stands for.
    pub(crate) async fn reconcile(&self, key: &Key) -> Outcome {
        match key {
            Key::Definition(name) => definition::reconcile(self, name).await,
            Key::Instance(key) => instance::reconcile(self, key).await,
        }
    }

    /// The definitions of the cluster.
    pub(crate) fn definitions(&self) -> &Arc<KindCache> {
        self.definitions.get_or_init(|| {
            let served = Served::without_schema(definition::kind(), definition::resource());
            self.caches.get(&served, Filter::All)
        })
    }

    /// The revisions of the cluster's definitions.
    pub(crate) fn revisions(&self) -> &Arc<KindCache> {
        self.revisions.get_or_init(|| {
            let served = Served::without_schema(revisions::kind(), revisions::resource());
            self.caches.get(&served, Filter::All)
        })
    }

    /// The revisions of one definition that are kept.
    pub(crate) fn revisions_of(&self, definition: &Arc<str>) -> Result<Arc<Revisions>, Incomplete> {
        let reading = self.revisions().read()?;
        let all: Vec<_> = reading.objects().all().map(Entry::object).collect();
        let own = all.iter().filter(|it| *revisions::definition_of(it) == **definition);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let before = kept.get(definition).map(AsRef::as_ref);
        let read = Arc::new(Revisions::read(Arc::clone(definition), own, before, self.options.graph));
        kept.insert(Arc::clone(definition), Arc::clone(&read));
        Ok(read)
    }

    /// Waits until the API server answers for a kind, which comes a while after its definition is established.
    pub(crate) async fn served(&self, kind: &KindName) -> kube::Result<()> {
        let mut pauses = crate::backoff::watch().take(MOST_PAUSES);
        while self.catalogue.find(&kind.api_version, &kind.kind).await?.is_none()
            && let Some(pause) = pauses.next()
        {
            tokio::time::sleep(pause).await;
        }
        Ok(())
    }

    /// Whether the definitions of the cluster and their revisions are known.
    pub(crate) fn is_ready(&self) -> bool {
        let is_known = |cache: &OnceLock<Arc<KindCache>>| cache.get().is_some_and(|it| it.read().is_ok());
        is_known(&self.definitions) && is_known(&self.revisions)
    }

    /// Counts what waits.
    pub(crate) fn measure(&self) {
        let kinds = self.servings.read().unwrap_or_else(PoisonError::into_inner).len();
        self.metrics.waiting(self.queue.len(), kinds);
    }

    /// The definition of that name.
    pub(crate) fn definition(&self, name: &str) -> Option<Value> {
        let reading = self.definitions().read().ok()?;
        reading.objects().get("", name).map(Entry::object)
    }

    /// A kind changed: `plural.group`. Definitions that make it, or may have been compiled against it, are looked at.
    pub(crate) fn kind_changed(&self, kind: &str) {
        self.catalogue.forget(kind);
        let Ok(reading) = self.definitions().read() else { return };
        for definition in reading.objects().all().map(Entry::object) {
            let makes = crd_name(&definition).is_some_and(|it| it == kind);
            if makes || mentions_group(&definition, kind.split_once('.').map_or("", |(_, group)| group)) {
                self.queue
                    .add(Key::Definition(definition["metadata"]["name"].as_str().unwrap_or_default().into()));
            }
        }
    }

    /// The definition of that name, if it is served.
    pub(crate) fn serving(&self, definition: &str) -> Option<Arc<Serving>> {
        self.servings.read().unwrap_or_else(PoisonError::into_inner).get(definition).cloned()
    }

    /// Serves a definition from now on, instead of what was served under that name.
    pub(crate) fn serve(&self, serving: Serving) {
        let name = Arc::clone(&serving.name);
        self.router.serve(&serving.instances.kind, Arc::clone(&name));
        let serving = Arc::new(serving);
        self.servings.write().unwrap_or_else(PoisonError::into_inner).insert(name, Arc::clone(&serving));
        self.enqueue_instances(&serving);
    }

    /// Serves a definition no longer.
    pub(crate) fn stop_serving(&self, definition: &str) {
        let serving = self.servings.write().unwrap_or_else(PoisonError::into_inner).remove(definition);
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).remove(definition);
        if let Some(serving) = serving {
            self.router.stop(&serving.instances.kind);
        }
    }

    /// Has everything looked at that is known.
    pub(crate) fn look_at_everything(&self) {
        if let Ok(reading) = self.definitions().read() {
            for (_, name) in reading.objects().names() {
                self.queue.add(Key::Definition(name.into()));
            }
        }
        let servings: Vec<_> =
            self.servings.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        for serving in &servings {
            self.enqueue_instances(serving);
        }
    }

    /// Those that are not known yet come with the cache.
    fn enqueue_instances(&self, serving: &Arc<Serving>) {
        let Ok(reading) = serving.instances.read() else { return };
        for (namespace, name) in reading.objects().names() {
            let definition = Arc::clone(&serving.name);
            self.queue.add(Key::Instance(crate::queue::InstanceKey { definition, namespace, name }));
        }
    }
}
