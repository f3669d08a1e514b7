//! Compiled graphs, with the caches that instances of each are made from.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use krono_graph::{CompiledGraph, KindName, Subject};
use krono_schema::Validator;

use crate::cache::{Filter, KindCache};
use crate::caches::Caches;
use crate::catalogue::Catalogue;

/// One compiled graph, shared by all instances that are made from it.
pub(crate) struct Graph {
    pub(crate) compiled: CompiledGraph,
    /// Of the kinds that the graph mentions.
    found: Mutex<Found>,
    /// Of an instance's spec.
    validator: OnceLock<Validator>,
}

/// Caches run for as long as they are held, also those of a graph that mentions a kind which is not served.
#[derive(Clone, Default)]
struct Found {
    caches: Vec<Arc<KindCache>>,
    are_all: bool,
}

impl Graph {
    pub(crate) fn new(compiled: CompiledGraph) -> Self {
        Self { compiled, found: Mutex::default(), validator: OnceLock::new() }
    }

    /// The caches of the kinds that the graph mentions, as far as the cluster serves them.
    pub(crate) async fn caches(
        &self,
        catalogue: &Catalogue,
        all: &Caches,
    ) -> kube::Result<Vec<Arc<KindCache>>> {
        let known = self.lock().clone();
        if known.are_all { Ok(known.caches) } else { self.find_caches(catalogue, all).await }
    }

    /// The same, looked for anew: kinds may not be what they were.
    pub(crate) async fn find_caches(
        &self,
        catalogue: &Catalogue,
        all: &Caches,
    ) -> kube::Result<Vec<Arc<KindCache>>> {
        let filters = filters(&self.compiled);
        let mut caches = Vec::new();
        for (kind, filter) in &filters {
            let served = catalogue.find(&kind.api_version, &kind.kind).await?;
            caches.extend(served.map(|served| all.get(&served, *filter)));
        }
        *self.lock() = Found { caches: caches.clone(), are_all: caches.len() == filters.len() };
        Ok(caches)
    }

    /// Checks specs of instances.
    pub(crate) fn validator(&self) -> &Validator {
        self.validator.get_or_init(|| Validator::new(&self.compiled.instance.spec))
    }

    fn lock(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The kinds that a graph mentions, and which of their objects matter to it.
fn filters(graph: &CompiledGraph) -> BTreeMap<KindName, Filter> {
    let mut filters = BTreeMap::new();
    for node in &graph.nodes {
        let filter = match node.subject {
            Subject::Template(_) => Filter::Owned,
            Subject::External(_) => Filter::All,
        };
        let known = filters.entry(node.subject.kind().clone()).or_insert(filter);
        *known = filter.max(*known);
    }
    filters
}
