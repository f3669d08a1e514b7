//! The caches of kinds, for as long as somebody needs them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use krono_planner::instance::ObjectName;
use kube::Client;
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::cache::{Filter, KindCache};
use crate::catalogue::Served;
use crate::metrics::Metrics;
use crate::router::Router;

/// The caches that somebody holds.
///
/// There may be several of a kind: in each of its API versions, and one of all objects beside one of those that were
/// made for instances, whose holders were there first.
pub(crate) struct Caches {
    client: Client,
    router: Arc<Router>,
    metrics: Metrics,
    running: Mutex<Vec<Weak<KindCache>>>,
    /// When the schema of a kind changed last, by `plural.group`.
    schemas: Mutex<HashMap<String, watch::Sender<Option<Instant>>>>,
}

impl Caches {
    pub(crate) fn new(client: Client, router: Arc<Router>, metrics: Metrics) -> Self {
        Self { client, router, metrics, running: Mutex::default(), schemas: Mutex::default() }
    }

    /// A cache of a kind that shows at least these objects; it runs until the last holder lets go.
    pub(crate) fn get(&self, served: &Served, filter: Filter) -> Arc<KindCache> {
        let mut running = self.lock();
        running.retain(|cache| cache.strong_count() > 0);
        let mut known = running.iter().filter_map(Weak::upgrade);
        // A kind may have become one of a definition since.
        let is_same = |it: &KindCache| {
            it.kind == served.kind && it.resource == served.resource && it.is_defined == served.is_defined
        };
        if let Some(cache) = known.find(|it| is_same(it) && it.filter >= filter) {
            return cache;
        }
        let (client, router) = (self.client.clone(), Arc::clone(&self.router));
        let traffic = self.metrics.traffic(&served.resource);
        let schema = self.schema(&format!("{}.{}", served.resource.plural, served.resource.group));
        let schema = schema.subscribe();
        let cache = Arc::new(KindCache::start(client, served, filter, router, traffic, schema));
        running.push(Arc::downgrade(&cache));
        cache
    }

    /// A kind has got another schema, in whatever API version: `plural.group`. Who watches its objects does so anew.
    pub(crate) fn schema_changed(&self, kind: &str) {
        self.schema(kind).send_replace(Some(Instant::now()));
    }

    fn schema(&self, kind: &str) -> watch::Sender<Option<Instant>> {
        let mut schemas = self.schemas.lock().unwrap_or_else(PoisonError::into_inner);
        schemas.entry(kind.to_owned()).or_default().clone()
    }

    /// Those that somebody holds.
    pub(crate) fn held(&self) -> Vec<Arc<KindCache>> {
        self.lock().iter().filter_map(Weak::upgrade).collect()
    }

    /// The labels of an object, as each cache of its kind shows them that has heard of it, in whatever API version.
    pub(crate) fn labels_of(&self, name: &ObjectName) -> Vec<Value> {
        let is_of_kind =
            |it: &Arc<KindCache>| it.kind.kind == name.kind.kind && it.resource.group == name.kind.group();
        let caches = self.held().into_iter().filter(is_of_kind);
        caches.filter_map(|it| it.labels_of(&name.namespace, &name.name)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Weak<KindCache>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
