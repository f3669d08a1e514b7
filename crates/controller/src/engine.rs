//! The parts that all work is done with.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use jiff::Timestamp;
use krono_graph::{KindName, Kinds};
use krono_planner::definition::crd_name;
use krono_planner::fleet::Leading;
use krono_planner::instance::input_kind;
use kube::Client;
use kube::api::{ApiResource, GroupVersionKind};
use serde_json::Value;
use tokio::time::Instant;

use crate::cache::{Entry, Filter, Incomplete, KindCache};
use crate::caches::Caches;
use crate::catalogue::{Catalogue, Served, mentions_group};
use crate::claims::Claims;
use crate::contests::Contests;
use crate::definition::Takeover;
use crate::events::Events;
use crate::fleet::{self, Fleets};
use crate::hindrances::Hindrances;
use crate::kept::Kept;
use crate::metrics::Metrics;
use crate::options::Options;
use crate::queue::{InstanceKey, Key, Outcome, Queue};
use crate::requests::Requests;
use crate::revisions::{self, Compiler, Revisions};
use crate::rooms::Rooms;
use crate::router::Router;
use crate::serving::Serving;
use crate::{definition, instance};

/// The reason of events about what the API server refuses.
const REFUSED: &str = "Refused";
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
    pub(crate) fleets: Fleets,
    pub(crate) contests: Contests,
    pub(crate) hindrances: Hindrances,
    pub(crate) rooms: Rooms,
    pub(crate) takeover: Takeover,
    leading: Mutex<Leading>,
    servings: RwLock<HashMap<Arc<str>, Arc<Serving>>>,
    definitions: OnceLock<Arc<KindCache>>,
    revisions: OnceLock<Arc<KindCache>>,
    inputs: OnceLock<Arc<KindCache>>,
    namespaces: OnceLock<Arc<KindCache>>,
    kept: Kept,
    /// By definition, when its instances were last counted in public.
    counted: Mutex<HashMap<Arc<str>, Instant>>,
    /// What was last told of a definition or an instance without anything being done.
    told: Mutex<HashMap<Key, Vec<String>>>,
    /// By whose work and what it is about: what the API server refused of late, where no status can tell it.
    refused: Mutex<HashMap<Key, HashMap<Key, String>>>,
}

impl Engine {
    pub(crate) fn new(
        client: &Client,
        built_in: Arc<dyn Kinds + Send + Sync>,
        options: Options,
        metrics: Metrics,
    ) -> Self {
        let requests = Requests::new(client.clone(), metrics.clone());
        let queue = Arc::new(Queue::default());
        let router = Arc::new(Router::new(Arc::clone(&queue), options.counts_every));
        Self {
            caches: Caches::new(client.clone(), Arc::clone(&router), metrics.clone()),
            catalogue: Catalogue::new(requests.clone(), built_in),
            servings: RwLock::default(),
            definitions: OnceLock::new(),
            revisions: OnceLock::new(),
            inputs: OnceLock::new(),
            namespaces: OnceLock::new(),
            kept: Kept::new(Compiler { options: options.graph, metrics: metrics.clone() }),
            counted: Mutex::default(),
            told: Mutex::default(),
            refused: Mutex::default(),
            requests,
            queue,
            router,
            events: Events::new(client, &options),
            claims: Claims::default(),
            fleets: Fleets::default(),
            contests: Contests::default(),
            hindrances: Hindrances::default(),
            rooms: Rooms::default(),
            takeover: Takeover::default(),
            leading: Mutex::new(Leading { since: crate::clock::timestamp(), vacant_from: None }),
            options,
            metrics,
        }
    }

    /// Looks at what a key stands for.
    pub(crate) async fn reconcile(&self, key: &Key) -> Outcome {
        let outcome = match key {
            Key::Definition(name) => definition::reconcile(self, name).await,
            Key::Fleet(definition) => fleet::reconcile(self, definition).await,
            Key::Instance(key) => instance::reconcile(self, key).await,
        };
        if matches!(outcome, Outcome::Done | Outcome::Later(_)) {
            self.refused.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
        }
        outcome
    }

    /// Tells by an event, once, what the API server refuses and no status can tell.
    pub(crate) async fn complain(&self, by: Key, about: (Key, &Value), words: String) {
        let (key, object) = about;
        let before = {
            let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
            refused.entry(by).or_default().insert(key, words.clone())
        };
        if before.as_ref() != Some(&words) {
            self.events.warn(object, REFUSED, words).await;
        }
    }

    /// Counts a look that broke off.
    pub(crate) fn broke_off(&self, key: &Key) {
        match key {
            Key::Definition(_) => self.metrics.broke_off(&definition::resource()),
            Key::Fleet(definition) | Key::Instance(InstanceKey { definition, .. }) => {
                if let Some(serving) = self.serving(definition) {
                    self.metrics.broke_off(&serving.instances.resource);
                }
            }
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

    /// The namespaces of the cluster; nobody watches them before somebody asks.
    pub(crate) fn namespaces(&self) -> &Arc<KindCache> {
        self.namespaces.get_or_init(|| {
            let kind =
                KindName { api_version: "v1".to_owned(), kind: "Namespace".to_owned(), namespaced: false };
            let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Namespace"));
            self.caches.get(&Served::without_schema(kind, resource), Filter::All)
        })
    }

    /// The inputs of instances that are objects of their own.
    pub(crate) fn inputs(&self) -> &Arc<KindCache> {
        self.inputs.get_or_init(|| {
            let served = Served::without_schema(input_kind(), revisions::input_resource());
            self.caches.get(&served, Filter::All)
        })
    }

    /// The revisions of one definition that are kept, as far as the cache knows.
    pub(crate) fn revisions_of(&self, definition: &Value) -> Result<Arc<Revisions>, Incomplete> {
        let reading = self.revisions().read()?;
        Ok(self.kept.cached(definition, reading.objects()))
    }

    /// The same, asked of the server; the cache learns them too, or the next look would know less than this one.
    pub(crate) async fn live_revisions_of(&self, definition: &Value) -> kube::Result<Arc<Revisions>> {
        let name = definition["metadata"]["name"].as_str().unwrap_or_default();
        let listed = self.requests.list(&revisions::resource(), Some(revisions::selector(name))).await?;
        let read = self.kept.listed(definition, &listed);
        self.revisions().learn(listed, &Key::Definition(name.into()));
        Ok(read)
    }

    /// The revisions that are kept have changed, and what is current has not.
    pub(crate) fn keep_serving(&self, definition: &str, revisions: &Arc<Revisions>) {
        let mut servings = self.servings.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(serving) = servings.get_mut(definition)
            && !serving.revisions().tells(revisions)
        {
            *serving = Arc::new(serving.keeping(Arc::clone(revisions)));
        }
    }

    /// Whether it is time to tell how many instances of a definition there are; if not, it is looked at again when it is.
    pub(crate) fn may_count(&self, definition: &Arc<str>) -> bool {
        let counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner).get(definition).copied();
        let Some(pause) = counted.and_then(|it| self.options.counts_every.checked_sub(it.elapsed())) else {
            return true;
        };
        if pause.is_zero() {
            return true;
        }
        self.queue.add_later(Key::Definition(Arc::clone(definition)), pause);
        false
    }

    /// It was told how many instances of a definition there are.
    pub(crate) fn counted(&self, definition: &Arc<str>) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        counted.insert(Arc::clone(definition), Instant::now());
    }

    /// Whether something about a definition or an instance is told for the first time; no words end what was told.
    pub(crate) fn is_news(&self, about: &Key, words: &[String]) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if words.is_empty() {
            told.remove(about);
            return false;
        }
        told.insert(about.clone(), words.to_vec()).is_none_or(|before| before != words)
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

    /// The definition of that name.
    pub(crate) fn definition(&self, name: &str) -> Option<Value> {
        let reading = self.definitions().read().ok()?;
        reading.objects().get("", name).map(Entry::object)
    }

    /// A kind changed: `plural.group`. Definitions that make it, or may have been compiled against it, are looked at.
    pub(crate) fn kind_changed(&self, kind: &str) {
        self.catalogue.forget(kind);
        let concerns_all = self.takeover.kind_changed(kind);
        let Ok(reading) = self.definitions().read() else { return };
        for definition in reading.objects().all().map(Entry::object) {
            let makes = crd_name(&definition).is_some_and(|it| it == kind);
            if concerns_all
                || makes
                || mentions_group(&definition, kind.split_once('.').map_or("", |(_, group)| group))
            {
                self.queue
                    .add(Key::Definition(definition["metadata"]["name"].as_str().unwrap_or_default().into()));
            }
        }
    }

    /// All definitions that are served.
    pub(crate) fn servings(&self) -> Vec<Arc<Serving>> {
        self.servings.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// How many revisions are kept, by what became of them.
    pub(crate) fn revision_states(&self) -> BTreeMap<&'static str, usize> {
        self.kept.states()
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
        let mut servings = self.servings.write().unwrap_or_else(PoisonError::into_inner);
        let before = servings.insert(name, Arc::clone(&serving));
        drop(servings);
        self.fleets.doubt(&serving.name);
        self.queue.add(Key::Fleet(Arc::clone(&serving.name)));
        if !before.is_some_and(|it| serving.is_next_of(&it)) {
            self.enqueue_instances(&serving);
        }
    }

    /// Serves a definition no longer.
    pub(crate) fn stop_serving(&self, definition: &str) {
        let serving = self.servings.write().unwrap_or_else(PoisonError::into_inner).remove(definition);
        self.kept.forget(definition);
        self.fleets.forget(definition);
        self.metrics.propagation().forget(definition);
        if let Some(serving) = serving {
            self.router.stop(&serving.instances.kind);
        }
    }

    /// Since when this process looks after the cluster.
    pub(crate) fn leading(&self) -> Leading {
        *self.leading.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It does from now on; whoever did before was last heard of then.
    pub(crate) fn begin_leading(&self, vacant_from: Option<Timestamp>) {
        let leading = Leading { since: crate::clock::timestamp(), vacant_from };
        *self.leading.lock().unwrap_or_else(PoisonError::into_inner) = leading;
    }

    /// Has everything looked at that is known.
    pub(crate) fn look_at_everything(&self) {
        if let Ok(reading) = self.definitions().read() {
            for (_, name) in reading.objects().names() {
                self.queue.add(Key::Definition(name.into()));
            }
        }
        for serving in &self.servings() {
            self.enqueue_instances(serving);
        }
    }

    /// Those that are not known yet come with the cache.
    fn enqueue_instances(&self, serving: &Arc<Serving>) {
        let Ok(reading) = serving.instances.read() else { return };
        for (namespace, name) in reading.objects().names() {
            let definition = Arc::clone(&serving.name);
            self.queue.add(Key::Instance(InstanceKey { definition, namespace, name }));
        }
    }
}
