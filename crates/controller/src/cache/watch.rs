//! A cache that a watch keeps current.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use futures_util::{StreamExt, pin_mut};
use krono_graph::KindName;
use krono_model::names;
use krono_planner::digest::Digest;
use krono_planner::fleet::Census;
use kube::api::ApiResource;
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, Config, Event, watcher};
use kube::{Api, Client};
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use super::{Entry, Objects, Put, identity};
use crate::catalogue::Served;
use crate::live::{Live, TOO_DEEP, is_cut};
use crate::metrics::{Change, Traffic};
use crate::queue::Key;
use crate::requests::Requests;
use crate::router::Router;

/// When the schema of a kind changed last.
pub(crate) type SchemaChange = watch::Receiver<Option<Instant>>;

/// How long a server may go on answering through the schema that a kind had before.
const SCHEMA_LAG: Duration = Duration::from_secs(5);

/// Which objects of a kind are of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Filter {
    /// Those that were made for an instance.
    Owned,
    /// All.
    All,
}

impl Filter {
    /// The label selector that asks for just these.
    pub(crate) fn labels(self) -> Option<String> {
        match self {
            Self::Owned => Some(format!("{}=true", names::OWNED_LABEL)),
            Self::All => None,
        }
    }

    /// Whether an object with these labels is one of them.
    pub(crate) fn takes(self, labels: &Value) -> bool {
        match self {
            Self::Owned => labels[names::OWNED_LABEL] == "true",
            Self::All => true,
        }
    }
}

/// The objects of one kind, kept current for as long as this lives.
#[derive(Debug)]
pub(crate) struct KindCache {
    pub(crate) kind: KindName,
    pub(crate) resource: ApiResource,
    pub(crate) filter: Filter,
    /// Whether the objects are instances of a definition.
    pub(crate) is_defined: bool,
    state: Arc<RwLock<State>>,
    /// What was counted last, after how many changes.
    counted: Mutex<Option<(u64, Arc<Census>)>>,
    router: Arc<Router>,
    task: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct State {
    objects: Objects,
    complete: bool,
    /// What the API server said about the watch last.
    complaint: Option<String>,
}

impl Drop for KindCache {
    /// Who waits for it would do so for ever.
    fn drop(&mut self) {
        self.task.abort();
        self.router.look_again(&self.kind);
    }
}

impl KindCache {
    pub(crate) fn start(
        client: Client,
        served: &Served,
        filter: Filter,
        router: Arc<Router>,
        traffic: Traffic,
        schema: SchemaChange,
    ) -> Self {
        let (kind, resource) = (served.kind.clone(), served.resource.clone());
        let (is_defined, counted) = (served.is_defined, Mutex::default());
        let state = State { objects: Objects::new(is_defined), ..State::default() };
        let state = Arc::new(RwLock::new(state));
        let watch = Watch {
            kind: kind.clone(),
            resource: resource.clone(),
            filter,
            state: Arc::clone(&state),
            router: Arc::clone(&router),
            traffic,
            began: Instant::now(),
        };
        let task = tokio::spawn(watch.run(client, schema));
        Self { kind, resource, filter, is_defined, state, counted, router, task }
    }

    /// The objects, if all of them are known.
    pub(crate) fn read(&self) -> Result<Reading<'_>, Incomplete> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        if state.complete {
            return Ok(Reading(state));
        }
        Err(Incomplete { kind: self.kind.clone(), complaint: state.complaint.clone() })
    }

    /// What the objects say about revisions, if they are instances of a definition; counted anew only when one of them has
    /// changed.
    pub(crate) fn census(&self) -> Result<Arc<Census>, Incomplete> {
        let reading = self.read()?;
        let changes = reading.objects().changes();
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, census)) = counted.as_ref().filter(|(at, _)| *at == changes) {
            return Ok(Arc::clone(census));
        }
        let census = Arc::new(Census::of(reading.objects().all().map(Entry::without_spec)));
        *counted = Some((changes, Arc::clone(&census)));
        Ok(census)
    }

    /// Whether it holds what the server has, in the same versions: told more quickly than all objects are read.
    pub(crate) async fn is_current(&self, requests: &Requests) -> kube::Result<bool> {
        let live = requests.glance(&self.resource, self.filter.labels()).await?;
        Ok(self.read().is_ok_and(|it| it.objects().are(&live)))
    }

    /// The labels of an object, if one of that name is known.
    pub(crate) fn labels_of(&self, namespace: &str, name: &str) -> Option<Value> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.objects.get(namespace, name).map(Entry::labels)
    }

    fn uid_of(&self, namespace: &str, name: &str) -> Option<Box<str>> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        state.objects.get(namespace, name).map(|it| it.uid.clone())
    }

    /// Takes in the answer to a write by somebody; everybody else is told at once, since the event of this write will
    /// be no news.
    pub(crate) fn answer(&self, mut object: Value, desired: Option<Digest>, by: &Key) {
        let (namespace, name) = identity(&object);
        if !self.filter.takes(&object["metadata"]["labels"]) {
            return self.forget(&namespace, &name, by);
        }
        let mut state = write(&self.state);
        if let Put::Changed { before } = state.objects.answer(&mut object, desired) {
            self.router.touch_all_but(by, &self.kind, before.as_ref(), Some(&object));
        }
    }

    /// Reads an object of which a watch may not have shown all.
    pub(crate) async fn ask(
        &self,
        requests: &Requests,
        (namespace, name): (&str, &str),
        by: &Key,
    ) -> kube::Result<()> {
        let known = self.uid_of(namespace, name);
        match (requests.get(&self.resource, namespace, name).await?, known) {
            (Some(object), _) => self.answer(object, None, by),
            (None, Some(uid)) => self.bury((namespace, name), &uid, by),
            (None, None) => {}
        }
        Ok(())
    }

    /// Takes in what somebody listed beside the watch, who must not know less at the next look.
    pub(crate) fn learn(&self, listed: Vec<Value>, by: &Key) {
        for mut object in listed {
            name_kind(&mut object, &self.resource);
            self.answer(object, None, by);
        }
    }

    /// Forgets an object that is of no interest any more.
    pub(crate) fn forget(&self, namespace: &str, name: &str, by: &Key) {
        let before = write(&self.state).objects.remove(namespace, name);
        self.router.touch_all_but(by, &self.kind, before.as_ref(), None);
    }

    /// Forgets the object of that UID, of which the API server told somebody that it is gone.
    pub(crate) fn bury(&self, (namespace, name): (&str, &str), uid: &str, by: &Key) {
        let before = write(&self.state).objects.bury(namespace, name, uid);
        self.router.touch_all_but(by, &self.kind, before.as_ref(), None);
    }
}

/// A cache whose first list is not complete.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the {} objects of the cluster are not known yet{}", .kind.kind, .complaint.as_ref().map(|it| format!(": {it}")).unwrap_or_default())]
pub(crate) struct Incomplete {
    pub(crate) kind: KindName,
    pub(crate) complaint: Option<String>,
}

/// The objects of a kind, while nobody changes them.
#[derive(Debug)]
pub(crate) struct Reading<'c>(RwLockReadGuard<'c, State>);

impl Reading<'_> {
    pub(crate) fn objects(&self) -> &Objects {
        &self.0.objects
    }
}

fn write(state: &RwLock<State>) -> RwLockWriteGuard<'_, State> {
    state.write().unwrap_or_else(PoisonError::into_inner)
}

/// Items of lists come without their kind.
fn name_kind(object: &mut Value, resource: &ApiResource) {
    object["apiVersion"] = resource.api_version.as_str().into();
    object["kind"] = resource.kind.as_str().into();
}

struct Watch {
    kind: KindName,
    resource: ApiResource,
    filter: Filter,
    state: Arc<RwLock<State>>,
    router: Arc<Router>,
    traffic: Traffic,
    began: Instant,
}

impl Watch {
    async fn run(self, client: Client, mut schema: SchemaChange) {
        loop {
            tokio::select! {
                () = self.follow(client.clone()) => return,
                () = outlived(Instant::now(), &mut schema) => {}
            }
        }
    }

    async fn follow(&self, client: Client) {
        let api: Api<Live> = Api::all_with(client, &self.resource);
        let config = match self.filter.labels() {
            Some(labels) => Config::default().labels(&labels),
            None => Config::default(),
        };
        let events = watcher(api, config).backoff(crate::backoff::watch());
        pin_mut!(events);
        // Names that a list in progress has not mentioned yet.
        let mut unlisted = BTreeSet::new();
        while let Some(event) = events.next().await {
            match event {
                Ok(event) => self.take(event, &mut unlisted),
                Err(error) => self.complain(&error),
            }
        }
    }

    /// What goes on is told once, and who waits for the objects looks why they do not come. A watch that breaks off is
    /// nothing special; a list that was never complete, or that one may not have any longer, is.
    fn complain(&self, error: &watcher::Error) {
        let (kind, words) = (&self.kind.kind, crate::refusal::words(error));
        let mut state = write(&self.state);
        let is_news = state.complaint.as_ref() != Some(&words);
        if is_news && (!state.complete || crate::refusal::is_forbidden(error)) {
            tracing::warn!(kind, api_version = self.kind.api_version, "objects cannot be listed: {words}");
        } else {
            tracing::debug!(kind, %error, "watch interrupted");
        }
        let is_first = state.complaint.replace(words).is_none() && !state.complete;
        drop(state);
        if is_first {
            self.router.look_again(&self.kind);
        }
    }

    fn take(&self, event: Event<Live>, unlisted: &mut BTreeSet<(String, String)>) {
        match event {
            Event::Init => *unlisted = write(&self.state).objects.names(),
            Event::InitApply(object) => {
                unlisted.remove(&identity(&object.value));
                self.show(object.value, Objects::list);
            }
            Event::Apply(object) => self.show(object.value, Objects::show),
            Event::Delete(object) => {
                let mut state = write(&self.state);
                self.traffic.shown(Change::Deleted);
                if let Put::Changed { before } = state.objects.show_removed(&object.value) {
                    self.touch(before.as_ref(), Some(&object.value));
                }
            }
            Event::InitDone => {
                for (namespace, name) in std::mem::take(unlisted) {
                    let mut state = write(&self.state);
                    let before = state.objects.remove(&namespace, &name);
                    self.traffic.shown(Change::Deleted);
                    self.touch(before.as_ref(), None);
                }
                let mut state = write(&self.state);
                state.objects.listed();
                let first = !state.complete;
                (state.complete, state.complaint) = (true, None);
                if first {
                    self.traffic.listed(self.began.elapsed());
                    // Whoever was told of an object before all were known could not read it.
                    for entry in state.objects.all() {
                        self.router.touch(&self.kind, None, Some(&entry.object()));
                    }
                }
                drop(state);
                self.router.look_again(&self.kind);
            }
        }
    }

    fn show(&self, mut object: Value, take: fn(&mut Objects, &mut Value) -> Put) {
        name_kind(&mut object, &self.resource);
        // Whoever finds the cache current finds those waiting in the queue whom its news concerns.
        let mut state = write(&self.state);
        let put = take(&mut state.objects, &mut object);
        let is_new = matches!(put, Put::Changed { before: None });
        self.traffic.shown(if is_new { Change::Added } else { Change::Updated });
        let Put::Changed { before } = put else { return };
        if is_cut(&object) && !before.as_ref().is_some_and(is_cut) {
            let (namespace, name) = identity(&object);
            tracing::warn!(kind = self.kind.kind, namespace, name, "{TOO_DEEP}");
        }
        self.touch(before.as_ref(), Some(&object));
    }

    fn touch(&self, before: Option<&Value>, after: Option<&Value>) {
        self.traffic.routed(self.router.touch(&self.kind, before, after));
    }
}

/// What began then shows everything through a schema that is no longer in force, and the server has taken in the new one.
async fn outlived(began: Instant, schema: &mut SchemaChange) {
    loop {
        let settled = schema.borrow_and_update().map(|changed| changed + SCHEMA_LAG).filter(|it| *it > began);
        let changed = match settled {
            Some(settled) => match timeout_at(settled, schema.changed()).await {
                Ok(changed) => changed,
                Err(_) => return,
            },
            None => schema.changed().await,
        };
        if changed.is_err() {
            return std::future::pending().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::time::sleep_until;

    use super::*;
    use crate::queue::{Outcome, Queue};

    /// A watch of definitions, and the cache that it keeps current.
    fn watched(queue: &Arc<Queue>) -> (Watch, KindCache) {
        let (kind, resource) = (crate::definition::kind(), crate::definition::resource());
        let router = Arc::new(Router::new(Arc::clone(queue), std::time::Duration::ZERO));
        let watch = Watch {
            kind: kind.clone(),
            resource: resource.clone(),
            filter: Filter::All,
            state: Arc::default(),
            router: Arc::clone(&router),
            traffic: crate::metrics::Metrics::default().traffic(&resource),
            began: Instant::now(),
        };
        let (state, task) = (Arc::clone(&watch.state), tokio::spawn(async {}));
        let (filter, counted) = (Filter::All, Mutex::default());
        (watch, KindCache { kind, resource, filter, is_defined: false, state, counted, router, task })
    }

    /// For how many seconds what began then lasts, when the schema changes at these seconds.
    async fn lasts(began: u64, changes: &[u64]) -> Option<u64> {
        let (start, (schema, mut seen)) = (Instant::now(), watch::channel(None));
        let after = |seconds: u64| start + Duration::from_secs(seconds);
        let course = async {
            for seconds in changes {
                sleep_until(after(*seconds)).await;
                schema.send_replace(Some(Instant::now()));
            }
            sleep_until(after(100)).await;
        };
        let ended = async {
            sleep_until(after(began)).await;
            outlived(Instant::now(), &mut seen).await;
            Instant::now()
        };
        tokio::select! {
            ended = ended => Some((ended - after(began)).as_secs()),
            () = course => None,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn v15_what_a_schema_outlives_begins_anew_once_the_server_has_taken_it_in() {
        let lag = SCHEMA_LAG.as_secs();
        assert_eq!(lasts(0, &[]).await, None);
        assert_eq!(lasts(0, &[20]).await, Some(20 + lag));
        assert_eq!(lasts(0, &[20, 24, 27]).await, Some(27 + lag), "each further change is waited for");
        assert_eq!(lasts(22, &[20]).await, Some(lag - 2), "the server may have shown the old one still");
        assert_eq!(lasts(20 + lag, &[20]).await, None);
    }

    fn live(name: &str, version: &str) -> Value {
        json!({"metadata": {"name": name, "uid": name, "resourceVersion": version}})
    }

    fn event(object: Value, of: fn(Live) -> Event<Live>) -> Event<Live> {
        of(serde_json::from_value(object).expect("an object"))
    }

    #[tokio::test]
    async fn what_somebody_listed_is_known_before_the_watch_tells_it() {
        let (watch, cache) = watched(&Arc::default());
        let mut unlisted = BTreeSet::new();
        for told in [Event::Init, event(live("a", "5"), Event::InitApply), Event::InitDone] {
            watch.take(told, &mut unlisted);
        }
        let reader = Key::Definition("b".into());
        let known = |name: &str| {
            let reading = cache.read().expect("all are known");
            reading.objects().get("", name).map(Entry::object)
        };
        cache.learn(vec![live("a", "4"), live("b", "7")], &reader);
        assert_eq!(known("a").expect("a")["metadata"]["resourceVersion"], "5");
        assert_eq!(known("b").expect("b")["kind"], "ResourceGraphDefinition");
        watch.take(event(live("b", "9"), Event::Delete), &mut unlisted);
        cache.learn(vec![live("b", "7")], &reader);
        assert_eq!(known("b"), None, "what is gone came back");
    }

    #[tokio::test]
    async fn objects_are_counted_again_when_one_has_changed() {
        let (watch, cache) = watched(&Arc::default());
        assert!(cache.census().is_err(), "not all are known");
        let mut unlisted = BTreeSet::new();
        let mut count_after = |told: Event<Live>| {
            watch.take(told, &mut unlisted);
            cache.census().map(|it| it.sizes.total).ok()
        };
        assert_eq!(count_after(Event::Init), None);
        assert_eq!(count_after(Event::InitDone), Some(0));
        assert_eq!(count_after(event(live("a", "5"), Event::Apply)), Some(1));
        assert_eq!(count_after(event(live("b", "6"), Event::Apply)), Some(2));
        assert_eq!(count_after(event(live("a", "7"), Event::Delete)), Some(1));
        let census = || cache.census().expect("a census");
        assert!(Arc::ptr_eq(&census(), &census()), "nothing has changed");
    }

    #[tokio::test]
    async fn what_was_looked_at_too_early_is_looked_at_again() {
        let queue = Arc::new(Queue::default());
        let (watch, _cache) = watched(&queue);
        let mut unlisted = BTreeSet::new();
        watch.take(Event::Init, &mut unlisted);
        watch.take(event(live("a", "1"), Event::InitApply), &mut unlisted);
        let early = queue.next().await;
        queue.finish(&early, Outcome::Done);
        assert!(queue.is_idle());
        watch.take(Event::InitDone, &mut unlisted);
        assert_eq!(queue.next().await, early);
    }
}
