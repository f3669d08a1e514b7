//! A definition that is being served.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use krono_graph::{CompiledGraph, KindName, Subject};
use krono_model::applyset::{GroupKind, Inventory};
use krono_model::metadata::Owner;
use serde_json::{Value, json};

use crate::cache::{Filter, KindCache};
use crate::caches::Caches;
use crate::catalogue::{Catalogue, Mentioned, Served};

/// All that the instances of one definition are made with.
pub(crate) struct Serving {
    pub(crate) name: Arc<str>,
    /// What the graph was compiled from.
    definition: Value,
    mentioned: Mentioned,
    /// Or what instances are told instead.
    pub(crate) graph: Result<CompiledGraph, String>,
    pub(crate) instances: Arc<KindCache>,
    /// Of the kinds that the graph mentions.
    caches: Vec<Arc<KindCache>>,
    /// Of kinds that inventories mention and the graph does not; nothing for kinds that are no longer served.
    former: Mutex<BTreeMap<GroupKind, Option<Arc<KindCache>>>>,
}

impl Serving {
    pub(crate) fn new(
        name: Arc<str>,
        definition: &Value,
        graph: Result<CompiledGraph, String>,
        instances: &Served,
        mentioned: &Mentioned,
        caches: &Caches,
    ) -> Self {
        let filters = graph.as_ref().map(filters).unwrap_or_default();
        let served = |kind: &KindName| mentioned.kinds.get(&(kind.api_version.clone(), kind.kind.clone()));
        let held = filters.iter().filter_map(|(kind, filter)| Some(caches.get(served(kind)?, *filter)));
        Self {
            name,
            definition: json!({"uid": definition["metadata"]["uid"], "spec": compiled_part(definition)}),
            mentioned: mentioned.clone(),
            caches: held.collect(),
            instances: caches.get(instances, Filter::All),
            graph,
            former: Mutex::default(),
        }
    }

    pub(crate) fn owner(&self) -> Owner<'_> {
        let uid = self.definition["uid"].as_str().unwrap_or_default();
        Owner { definition_name: &self.name, definition_uid: uid }
    }

    /// Whether the graph is that of a definition, compiled against these kinds.
    pub(crate) fn is_of(&self, definition: &Value, mentioned: &Mentioned) -> bool {
        self.definition["uid"] == definition["metadata"]["uid"]
            && self.definition["spec"] == compiled_part(definition)
            && self.mentioned.is_same(mentioned)
    }

    /// The caches that show all of an instance's resources.
    pub(crate) async fn caches(
        &self,
        inventory: &Inventory,
        catalogue: &Catalogue,
        all: &Caches,
    ) -> kube::Result<Vec<Arc<KindCache>>> {
        let mut caches = self.caches.clone();
        for of in &inventory.group_kinds {
            let known = |it: &Arc<KindCache>| it.resource.group == of.group && it.kind.kind == of.kind;
            if !caches.iter().any(known) {
                caches.extend(self.former(of, catalogue, all).await?);
            }
        }
        Ok(caches)
    }

    /// The cache of a kind, whether the graph mentions it or not.
    pub(crate) fn cache<'c>(caches: &'c [Arc<KindCache>], kind: &KindName) -> Option<&'c Arc<KindCache>> {
        caches.iter().find(|it| it.kind == *kind)
    }

    async fn former(
        &self,
        of: &GroupKind,
        catalogue: &Catalogue,
        all: &Caches,
    ) -> kube::Result<Option<Arc<KindCache>>> {
        let lock = || self.former.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(of) {
            return Ok(known.clone());
        }
        let served = catalogue.find_any_version(of).await?;
        let cache = served.map(|served| all.get(&served, Filter::Owned));
        lock().insert(of.clone(), cache.clone());
        Ok(cache)
    }
}

/// What a graph is compiled from; the rest of a definition is policy.
fn compiled_part(definition: &Value) -> Value {
    let spec = &definition["spec"];
    json!({"schema": spec["schema"], "resources": spec["resources"]})
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
