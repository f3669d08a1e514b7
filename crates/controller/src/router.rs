//! From what changed to what should be looked at.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use krono_graph::KindName;
use krono_model::{label, names};
use krono_planner::fleet::Needs;
use krono_planner::instance::{Interest, ObjectName};
use krono_schema::selector::selects;
use serde_json::Value;

use crate::cache::identity;
use crate::queue::{InstanceKey, Key, Queue};

/// Those who wait for their turn are looked at so much more often than all are counted.
const LOOKS_PER_COUNT: u32 = 12;
/// Looking takes one part of the time in so many, however many there are.
const PARTS: u32 = 5;

/// Knows who cares about which objects.
#[derive(Debug)]
pub(crate) struct Router {
    queue: Arc<Queue>,
    /// How long a definition may wait to hear of its instances.
    counts_every: Duration,
    routes: Mutex<Routes>,
}

#[derive(Debug, Default)]
struct Routes {
    /// By group, as labels say it, and kind, the definition of that kind.
    definitions: HashMap<(String, String), Arc<str>>,
    interests: HashMap<InstanceKey, Vec<Interest>>,
    named: HashMap<ObjectName, HashSet<InstanceKey>>,
    /// Those with an interest in a selection of that kind.
    selecting: HashMap<KindName, BTreeSet<InstanceKey>>,
    /// Instances whose names are too long for a label, by what their resources say instead.
    long_names: HashMap<InstanceKey, String>,
    /// Definitions whose instances wait for their turn, and how long to wait before they are looked at.
    followed: HashMap<Arc<str>, Duration>,
    /// Definitions to whose instances it matters which labels namespaces have.
    staged: HashSet<Arc<str>>,
    /// Those that wait for all objects of a kind to be known.
    waiting: HashMap<KindName, HashSet<Key>>,
}

impl Router {
    pub(crate) fn new(queue: Arc<Queue>, counts_every: Duration) -> Self {
        Self { queue, counts_every, routes: Mutex::default() }
    }

    /// Objects of a kind are instances of a definition from now on.
    pub(crate) fn serve(&self, kind: &KindName, definition: Arc<str>) {
        self.lock().definitions.insert(group_kind(kind), definition);
    }

    /// They are no longer.
    pub(crate) fn stop(&self, kind: &KindName) {
        self.lock().definitions.remove(&group_kind(kind));
    }

    /// Every change of its instances matters to a definition from now on, and a look at all of them takes so long; or none does.
    pub(crate) fn follow(&self, definition: &Arc<str>, takes: Option<Duration>) {
        let usual = self.counts_every / LOOKS_PER_COUNT;
        let pace = |takes: Duration| if usual.is_zero() { usual } else { usual.max(takes * PARTS) };
        let followed = &mut self.lock().followed;
        match takes {
            Some(takes) => followed.insert(Arc::clone(definition), pace(takes)),
            None => followed.remove(definition),
        };
    }

    /// The labels of namespaces matter to a definition from now on, or they do not.
    pub(crate) fn follow_namespaces(&self, definition: &Arc<str>, matter: bool) {
        let staged = &mut self.lock().staged;
        if matter {
            staged.insert(Arc::clone(definition))
        } else {
            staged.remove(definition)
        };
    }

    /// An instance depends on these objects of others, and on no more.
    pub(crate) fn set_interests(&self, key: &InstanceKey, interests: Vec<Interest>) {
        let mut routes = self.lock();
        if routes.interests.get(key).map_or(interests.is_empty(), |known| *known == interests) {
            return;
        }
        routes.forget(key);
        for interest in &interests {
            match interest {
                Interest::Named(name) => {
                    routes.named.entry(name.clone()).or_default().insert(key.clone());
                }
                Interest::Selected { kind, .. } => {
                    routes.selecting.entry(kind.clone()).or_default().insert(key.clone());
                }
            }
        }
        if !interests.is_empty() {
            routes.interests.insert(key.clone(), interests);
        }
    }

    /// A key is to be looked at when all objects of a kind are known.
    pub(crate) fn wait(&self, kind: &KindName, key: Key) {
        self.lock().waiting.entry(kind.clone()).or_default().insert(key);
    }

    /// All objects of a kind are known, or why they are not.
    pub(crate) fn look_again(&self, kind: &KindName) {
        let keys = self.lock().waiting.remove(kind);
        keys.into_iter().flatten().for_each(|key| self.queue.add(key));
    }

    /// An object changed; whether that concerns anybody.
    pub(crate) fn touch(&self, kind: &KindName, before: Option<&Value>, after: Option<&Value>) -> bool {
        let keys = self.touched(kind, before, after);
        let concerned = !keys.is_empty();
        for key in keys {
            self.queue.add(key);
        }
        concerned
    }

    /// An object was changed by somebody who knows.
    pub(crate) fn touch_all_but(
        &self,
        by: &Key,
        kind: &KindName,
        before: Option<&Value>,
        after: Option<&Value>,
    ) {
        for key in self.touched(kind, before, after).into_iter().filter(|it| it != by) {
            self.queue.add(key);
        }
    }

    /// Those who care about an object.
    fn touched(&self, kind: &KindName, before: Option<&Value>, after: Option<&Value>) -> HashSet<Key> {
        let mut routes = self.lock();
        if let Some(definition) = routes.counting(kind, before, after) {
            self.queue.add_later(definition, self.counts_every);
        }
        if let Some((definition, pace)) = routes.following(kind) {
            self.queue.add_later(definition, pace);
        }
        if is_relabelled(kind, before, after) {
            for (definition, pace) in routes.waiting_in_stages() {
                self.queue.add_later(definition, pace);
            }
        }
        routes.note_name(kind, before, after);
        let mut keys = HashSet::new();
        for object in before.into_iter().chain(after) {
            keys.extend(routes.itself(kind, object));
            keys.extend(routes.owner(object));
            keys.extend(routes.interested(kind, object));
        }
        keys
    }

    fn lock(&self) -> MutexGuard<'_, Routes> {
        self.routes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Routes {
    /// The object as a definition, as a revision of one, or as an instance of one.
    fn itself(&self, kind: &KindName, object: &Value) -> Option<Key> {
        let (namespace, name) = identity(object);
        if *kind == crate::definition::kind() {
            return Some(Key::Definition(name.into()));
        }
        if *kind == crate::revisions::kind() {
            return Some(Key::Definition(crate::revisions::definition_of(object).into()));
        }
        let definition = Arc::clone(self.definitions.get(&group_kind(kind))?);
        Some(Key::Instance(InstanceKey { definition, namespace, name }))
    }

    /// The definition that counts its instances, when there is one more or when one needs other revisions.
    fn counting(&self, kind: &KindName, before: Option<&Value>, after: Option<&Value>) -> Option<Key> {
        let definition = self.definitions.get(&group_kind(kind))?;
        let is_moved = before.is_none() || before.map(Needs::of) != after.map(Needs::of);
        is_moved.then(|| Key::Definition(Arc::clone(definition)))
    }

    /// The fleet whose instances wait for their turn.
    fn following(&self, kind: &KindName) -> Option<(Key, Duration)> {
        let definition = self.definitions.get(&group_kind(kind))?;
        let pace = self.followed.get(definition)?;
        Some((Key::Fleet(Arc::clone(definition)), *pace))
    }

    /// The fleets whose instances wait for their turn in a stage of namespaces.
    fn waiting_in_stages(&self) -> impl Iterator<Item = (Key, Duration)> {
        let waiting = self.followed.iter().filter(|(definition, _)| self.staged.contains(*definition));
        waiting.map(|(definition, pace)| (Key::Fleet(Arc::clone(definition)), *pace))
    }

    /// Keeps the name of an instance that is too long for a label, while there is such an instance.
    fn note_name(&mut self, kind: &KindName, before: Option<&Value>, after: Option<&Value>) {
        let Some(object) = after.or(before) else { return };
        let (namespace, name) = identity(object);
        let Cow::Owned(label) = label::value(&name) else { return };
        let Some(definition) = self.definitions.get(&group_kind(kind)).cloned() else { return };
        let labelled = InstanceKey { definition, namespace, name: label };
        match after {
            Some(_) => drop(self.long_names.insert(labelled, name)),
            None => drop(self.long_names.remove(&labelled)),
        }
    }

    /// The instance that the object was made for.
    fn owner(&self, object: &Value) -> Option<Key> {
        let label = |name: &str| object["metadata"]["labels"][name].as_str().unwrap_or_default().to_owned();
        let kind = (label(names::INSTANCE_GROUP_LABEL), label(names::INSTANCE_KIND_LABEL));
        let definition = Arc::clone(self.definitions.get(&kind)?);
        let (namespace, name) = (label(names::INSTANCE_NAMESPACE_LABEL), label(names::INSTANCE_NAME_LABEL));
        let labelled = InstanceKey { definition, namespace, name };
        let name = self.long_names.get(&labelled).unwrap_or(&labelled.name).clone();
        Some(Key::Instance(InstanceKey { name, ..labelled }))
    }

    fn interested<'r>(&'r self, kind: &'r KindName, object: &'r Value) -> impl Iterator<Item = Key> + 'r {
        let (namespace, name) = identity(object);
        let this = ObjectName { kind: kind.clone(), namespace: namespace.clone(), name };
        let named = self.named.get(&this).into_iter().flatten();
        let selecting = self.selecting.get(kind).into_iter().flatten();
        let selecting = selecting.filter(move |key| self.selects(key, kind, &namespace, object));
        named.chain(selecting).cloned().map(Key::Instance)
    }

    fn selects(&self, key: &InstanceKey, kind: &KindName, namespace: &str, object: &Value) -> bool {
        let mut interests = self.interests.get(key).into_iter().flatten();
        interests.any(|it| match it {
            Interest::Named(_) => false,
            Interest::Selected { kind: of, namespace: only, selector } => {
                of == kind
                    && only.as_deref().is_none_or(|only| only == namespace)
                    && selects(selector, &object["metadata"]["labels"])
            }
        })
    }

    fn forget(&mut self, key: &InstanceKey) {
        for interest in self.interests.remove(key).unwrap_or_default() {
            match interest {
                Interest::Named(name) => {
                    if let Some(keys) = self.named.get_mut(&name) {
                        keys.remove(key);
                        if keys.is_empty() {
                            self.named.remove(&name);
                        }
                    }
                }
                Interest::Selected { kind, .. } => {
                    if let Some(keys) = self.selecting.get_mut(&kind) {
                        keys.remove(key);
                    }
                }
            }
        }
    }
}

/// Whether the object is a namespace with other labels than before.
fn is_relabelled(kind: &KindName, before: Option<&Value>, after: Option<&Value>) -> bool {
    let labels = |it: Option<&Value>| it.map(|it| it["metadata"]["labels"].clone());
    kind.kind == "Namespace" && kind.api_version == "v1" && labels(before) != labels(after)
}

fn group_kind(kind: &KindName) -> (String, String) {
    (label::value(kind.group()).into_owned(), kind.kind.clone())
}
