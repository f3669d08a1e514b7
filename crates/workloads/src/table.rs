//! Objects of one kind, by name and by owner.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::owner;

type Place = (String, String);

/// Objects of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Table<T> {
    by_place: BTreeMap<Place, Arc<T>>,
    /// From the uid of a controller to what it controls; what has none is under the empty uid.
    by_owner: BTreeMap<String, BTreeSet<Place>>,
    /// Set while a list is under way: what it has not held so far.
    unlisted: Option<BTreeSet<Place>>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { by_place: BTreeMap::new(), by_owner: BTreeMap::new(), unlisted: None }
    }
}

impl<T: kube::Resource<DynamicType = ()>> Table<T> {
    /// The object of this name; the namespace is empty for objects of the cluster.
    pub(crate) fn get(&self, namespace: &str, name: &str) -> Option<&Arc<T>> {
        self.by_place.get(&(namespace.to_owned(), name.to_owned()))
    }

    /// All objects, by namespace and name.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<T>> {
        self.by_place.values()
    }

    /// The objects of a namespace, by name.
    pub(crate) fn within(&self, namespace: &str) -> impl Iterator<Item = &Arc<T>> {
        let begin = (namespace.to_owned(), String::new());
        let inside = namespace.to_owned();
        let range = self.by_place.range(begin..);
        range.take_while(move |((namespace, _), _)| *namespace == inside).map(|(_, object)| object)
    }

    /// What the object with this uid controls, by name; what nobody controls for the empty uid.
    pub(crate) fn owned_by<'a>(&'a self, uid: &str) -> impl Iterator<Item = &'a Arc<T>> + use<'a, T> {
        let places = self.by_owner.get(uid).into_iter().flatten();
        places.filter_map(|place| self.by_place.get(place))
    }

    /// Takes an object in, unless a newer form of it is known.
    pub(crate) fn insert(&mut self, object: Arc<T>) {
        let place = place(object.meta());
        if let Some(unlisted) = &mut self.unlisted {
            unlisted.remove(&place);
        }
        if let Some(known) = self.by_place.get(&place) {
            if version(known.meta()) > version(object.meta()) {
                return;
            }
            self.disown(&place);
        }
        self.by_owner.entry(owner_uid(object.meta())).or_default().insert(place.clone());
        self.by_place.insert(place, object);
    }

    /// Forgets an object, unless another of the same name is known.
    pub(crate) fn remove(&mut self, metadata: &ObjectMeta) {
        let place = place(metadata);
        if self.by_place.get(&place).is_some_and(|known| known.meta().uid == metadata.uid) {
            self.forget(&place);
        }
    }

    pub(crate) fn begin_list(&mut self) {
        self.unlisted = Some(self.by_place.keys().cloned().collect());
    }

    /// Forgets and gives what the list did not hold.
    pub(crate) fn end_list(&mut self) -> Vec<Arc<T>> {
        let gone = self.unlisted.take().unwrap_or_default();
        gone.iter().filter_map(|place| self.forget(place)).collect()
    }

    fn forget(&mut self, place: &Place) -> Option<Arc<T>> {
        self.disown(place);
        self.by_place.remove(place)
    }

    fn disown(&mut self, place: &Place) {
        let Some(uid) = self.by_place.get(place).map(|known| owner_uid(known.meta())) else { return };
        if let Some(owned) = self.by_owner.get_mut(&uid) {
            owned.remove(place);
            if owned.is_empty() {
                self.by_owner.remove(&uid);
            }
        }
    }
}

fn owner_uid(metadata: &ObjectMeta) -> String {
    owner::controller(metadata).map(|it| it.uid.clone()).unwrap_or_default()
}

fn place(metadata: &ObjectMeta) -> Place {
    (metadata.namespace.clone().unwrap_or_default(), metadata.name.clone().unwrap_or_default())
}

/// Versions of both servers are numbers that grow.
fn version(metadata: &ObjectMeta) -> u64 {
    metadata.resource_version.as_deref().and_then(|it| it.parse().ok()).unwrap_or_default()
}
