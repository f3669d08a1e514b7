//! One cache per kind, for as long as somebody needs it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use krono_graph::KindName;
use kube::Client;

use crate::cache::{Filter, KindCache};
use crate::catalogue::Served;
use crate::router::Router;

/// The caches that somebody holds.
pub(crate) struct Caches {
    client: Client,
    router: Arc<Router>,
    running: Mutex<HashMap<KindName, Weak<KindCache>>>,
}

impl Caches {
    pub(crate) fn new(client: Client, router: Arc<Router>) -> Self {
        Self { client, router, running: Mutex::default() }
    }

    /// The cache of a kind that shows at least these objects; it runs until the last holder lets go.
    pub(crate) fn get(&self, served: &Served, filter: Filter) -> Arc<KindCache> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|_, cache| cache.strong_count() > 0);
        let known = running.get(&served.kind).and_then(Weak::upgrade);
        if let Some(cache) = known.filter(|it| it.filter >= filter) {
            return cache;
        }
        let cache = Arc::new(KindCache::start(self.client.clone(), served, filter, Arc::clone(&self.router)));
        running.insert(served.kind.clone(), Arc::downgrade(&cache));
        cache
    }

    /// Those that somebody holds.
    pub(crate) fn held(&self) -> Vec<Arc<KindCache>> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.values().filter_map(Weak::upgrade).collect()
    }
}
