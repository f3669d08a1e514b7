//! A definition that is being served.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use krono_graph::KindName;
use krono_history::Digest;
use krono_history::issue::Named;
use krono_model::applyset::{GroupKind, Inventory};
use krono_model::metadata::Owner;
use serde_json::Value;

use crate::cache::{Filter, KindCache};
use crate::caches::Caches;
use crate::catalogue::{Catalogue, Mentioned, Served};
use crate::graphs::Graph;
use crate::revisions::{self, Revisions};

/// All that the instances of one definition are made with.
pub(crate) struct Serving {
    pub(crate) name: Arc<str>,
    /// The UID of the definition.
    uid: String,
    /// The kinds that the current graph mentions, as they were when it began to be served.
    pub(crate) mentioned: Mentioned,
    current: Current,
    revisions: Arc<Revisions>,
    pub(crate) instances: Arc<KindCache>,
    /// Of kinds that inventories mention and the graph does not; nothing for kinds that are no longer served.
    former: Mutex<BTreeMap<GroupKind, Option<Arc<KindCache>>>>,
}

/// What instances without an assignment are made with.
#[derive(Clone)]
pub(crate) struct Current {
    /// The revision, when it is one.
    pub(crate) revision: Option<Named>,
    /// Its graph, or what instances are told instead.
    pub(crate) graph: Result<Arc<Graph>, String>,
}

impl Serving {
    pub(crate) fn new(
        definition: &Value,
        current: Current,
        revisions: Arc<Revisions>,
        mentioned: Mentioned,
        instances: Arc<KindCache>,
    ) -> Self {
        Self {
            name: definition["metadata"]["name"].as_str().unwrap_or_default().into(),
            uid: definition["metadata"]["uid"].as_str().unwrap_or_default().to_owned(),
            mentioned,
            current,
            revisions,
            instances,
            former: Mutex::default(),
        }
    }

    /// What instances without an assignment are made with, or what they are told instead.
    pub(crate) fn current(&self) -> Result<&Arc<Graph>, &str> {
        self.current.graph.as_ref().map_err(String::as_str)
    }

    /// The revision that instances move to; nothing while none is issued.
    pub(crate) fn current_revision(&self) -> Option<&Named> {
        self.current.revision.as_ref()
    }

    /// Whether another revision is current and nothing else is new: instances are looked at as they are assigned to it.
    pub(crate) fn is_next_of(&self, before: &Self) -> bool {
        let digest = |it: &Self| it.current.revision.as_ref().map(|it| it.digest);
        let is_moved = digest(self).zip(digest(before)).is_some_and(|(now, then)| now != then);
        is_moved && self.uid == before.uid && Arc::ptr_eq(&self.instances, &before.instances)
    }

    /// The graph of some content that a kept revision has; nothing when there is none, or when it compiles no longer.
    pub(crate) fn graph_of(&self, digest: Digest) -> Option<Arc<Graph>> {
        self.graph_or_reason(digest).ok()
    }

    /// The same, or why there is none.
    pub(crate) fn graph_or_reason(&self, digest: Digest) -> Result<Arc<Graph>, String> {
        let pruned = || Err("no kept revision has this content".to_owned());
        revisions::graph(&self.revisions, digest).cloned().unwrap_or_else(pruned)
    }

    /// The revisions that are there.
    pub(crate) fn revisions(&self) -> &Revisions {
        &self.revisions
    }

    pub(crate) fn owner(&self) -> Owner<'_> {
        Owner { definition_name: &self.name, definition_uid: &self.uid }
    }

    /// The kinds that the current revision mentions.
    pub(crate) fn kinds(&self) -> &[(String, String)] {
        self.current
            .revision
            .as_ref()
            .map(|it| revisions::kinds(&self.revisions, it.digest))
            .unwrap_or_default()
    }

    /// Whether a definition is the very one that is served.
    pub(crate) fn is_of(&self, definition: &Value) -> bool {
        definition["metadata"]["uid"] == self.uid
    }

    /// The same with other revisions kept; what is current stays, under its newest number if that was the newest before.
    pub(crate) fn keeping(&self, revisions: Arc<Revisions>) -> Self {
        let mut current = self.current.clone();
        if let Some(named) = &mut current.revision
            && self.revisions.history.newest_with(named.digest).is_some_and(|it| it.number == named.number)
            && let Some(newest) = revisions.history.newest_with(named.digest)
        {
            (named.number, named.name) = (newest.number, newest.object.name.clone());
        }
        Self {
            name: Arc::clone(&self.name),
            uid: self.uid.clone(),
            mentioned: self.mentioned.clone(),
            current,
            revisions,
            instances: Arc::clone(&self.instances),
            former: Mutex::new(self.former.lock().unwrap_or_else(PoisonError::into_inner).clone()),
        }
    }

    /// The caches that show all resources of an instance that is made with a graph, or with none.
    pub(crate) async fn caches(
        &self,
        graph: Option<&Graph>,
        inventory: &Inventory,
        catalogue: &Catalogue,
        all: &Caches,
    ) -> kube::Result<Vec<Arc<KindCache>>> {
        let mut caches = match graph {
            Some(graph) => graph.caches(catalogue, all).await?,
            None => Vec::new(),
        };
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

/// The cache of the instances of a kind.
pub(crate) fn instances(served: &Served, caches: &Caches) -> Arc<KindCache> {
    caches.get(served, Filter::All)
}
