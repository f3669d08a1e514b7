//! What is known of the objects of one kind.

mod entry;
mod news;
mod packed;
mod sight;
mod watch;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use crate::live::Glimpse;

use entry::{applyset, uid};
use sight::number;

pub(crate) use entry::Entry;
pub(crate) use news::Put;
pub(crate) use packed::{Packed, Sample};
pub(crate) use sight::Sight;
pub(crate) use watch::{Filter, Incomplete, KindCache, Reading};

/// The objects of one kind, by namespace and name.
///
/// Two sources feed it: a watch, in order, and the answers to our own writes, which may come before or after the event
/// of the same write.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    namespaces: BTreeMap<String, BTreeMap<String, Entry>>,
    /// By `ApplySet`, the names of its members.
    members: HashMap<String, BTreeSet<(String, String)>>,
    /// The newest version the watch has shown.
    shown: u64,
    /// UIDs that an answer said are gone: until the watch says so too, its news of them is old.
    dead: BTreeSet<String>,
    /// What they look like.
    sample: Sample,
    /// How often anything became different.
    changes: u64,
    /// Whether krono makes their schema: only a watch of such a kind is known to show a spec through an old one.
    is_defined: bool,
}

impl Objects {
    pub(crate) fn new(is_defined: bool) -> Self {
        Self { is_defined, ..Self::default() }
    }

    /// How often anything became different: what was found out since stays so while this does.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    pub(crate) fn get(&self, namespace: &str, name: &str) -> Option<&Entry> {
        self.namespaces.get(namespace)?.get(name)
    }

    /// All objects.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Entry> {
        self.within(None).map(|(_, _, entry)| entry)
    }

    /// The objects of one namespace or of all, with namespaces and names.
    pub(crate) fn within<'o, 'n>(
        &'o self,
        namespace: Option<&'n str>,
    ) -> impl Iterator<Item = (&'o str, &'o str, &'o Entry)> + use<'o, 'n> {
        let namespaces =
            self.namespaces.iter().filter(move |(it, _)| namespace.is_none_or(|only| only == *it));
        namespaces.flat_map(|(namespace, objects)| {
            objects.iter().map(|(name, entry)| (namespace.as_str(), name.as_str(), entry))
        })
    }

    /// The names of the members of an `ApplySet`, each with its namespace.
    pub(crate) fn members(&self, applyset: &str) -> impl Iterator<Item = &(String, String)> {
        self.members.get(applyset).into_iter().flatten()
    }

    /// Forgets an object that is gone; what it was.
    pub(crate) fn remove(&mut self, namespace: &str, name: &str) -> Option<Value> {
        let objects = self.namespaces.get_mut(namespace)?;
        let entry = objects.remove(name)?;
        self.changes += 1;
        if objects.is_empty() {
            self.namespaces.remove(namespace);
        }
        let object = entry.object();
        self.unlist(&object, namespace, name);
        Some(object)
    }

    /// Forgets an object of which an answer said that it is gone; what it was. Another may have its name by now.
    pub(crate) fn bury(&mut self, namespace: &str, name: &str, of: &str) -> Option<Value> {
        self.get(namespace, name).filter(|it| &*it.uid == of)?;
        let object = self.remove(namespace, name)?;
        self.dead.insert(uid(&object).to_owned());
        Some(object)
    }

    /// A watch has shown all there is.
    pub(crate) fn listed(&mut self) {
        self.dead.clear();
    }

    /// Whether these are all objects there are, each in the version that is known.
    pub(crate) fn are(&self, live: &[Glimpse]) -> bool {
        let is_known = |Glimpse { metadata }: &Glimpse| {
            let known = self.get(&metadata.namespace, &metadata.name);
            known.is_some_and(|it| it.sight.version == number(&metadata.resource_version))
        };
        self.count() == live.len() && live.iter().all(is_known)
    }

    /// How many objects there are.
    pub(crate) fn count(&self) -> usize {
        self.namespaces.values().map(BTreeMap::len).sum()
    }

    /// The names of all objects.
    pub(crate) fn names(&self) -> BTreeSet<(String, String)> {
        let all = self.namespaces.iter();
        all.flat_map(|(namespace, objects)| objects.keys().map(|name| (namespace.clone(), name.clone())))
            .collect()
    }

    fn get_mut(&mut self, namespace: &str, name: &str) -> Option<&mut Entry> {
        self.namespaces.get_mut(namespace)?.get_mut(name)
    }

    fn insert(&mut self, object: &Value, mut entry: Entry) -> Put {
        let (namespace, name) = identity(object);
        let before = self.namespaces.get_mut(&namespace).and_then(|it| it.remove(&name));
        if let Some(before) = &before {
            // An object made anew is not what was applied to the old one.
            if before.uid == entry.uid {
                entry.applied = entry.applied.or(before.applied);
            }
        }
        let before = before.map(|it| it.object());
        if let Some(before) = &before {
            self.unlist(before, &namespace, &name);
        }
        if let Some(applyset) = applyset(object) {
            let members = self.members.entry(applyset.to_owned()).or_default();
            members.insert((namespace.clone(), name.clone()));
        }
        self.namespaces.entry(namespace).or_default().insert(name, entry);
        self.changes += 1;
        Put::Changed { before }
    }

    fn unlist(&mut self, object: &Value, namespace: &str, name: &str) {
        let Some(applyset) = applyset(object) else { return };
        if let Some(members) = self.members.get_mut(applyset) {
            members.remove(&(namespace.to_owned(), name.to_owned()));
            if members.is_empty() {
                self.members.remove(applyset);
            }
        }
    }
}

/// Namespace and name; the namespace of cluster-wide objects is empty.
pub(crate) fn identity(object: &Value) -> (String, String) {
    let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default().to_owned();
    (text("namespace"), text("name"))
}

#[cfg(test)]
mod tests {
    use krono_model::names;
    use serde_json::json;

    use super::*;

    pub(super) fn object(name: &str, version: u64, part_of: &str) -> Value {
        json!({"metadata": {"name": name, "namespace": "here", "resourceVersion": version.to_string(),
            "labels": {names::APPLYSET_PART_OF_LABEL: part_of}}})
    }

    #[test]
    fn members_follow_their_label() {
        let mut objects = Objects::default();
        objects.show(&mut object("a", 1, "x"));
        objects.show(&mut object("b", 2, "x"));
        objects.show(&mut object("a", 3, "y"));
        let count = |applyset: &str| objects.members(applyset).count();
        assert_eq!((count("x"), count("y"), count("z")), (1, 1, 0));
        objects.remove("here", "b");
        assert_eq!(objects.members.len(), 1);
    }
}
