//! A copy of the observed world in which things can be done without being done.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use krono_graph::KindName;
use krono_model::names;
use krono_schema::selector::selects;
use serde_json::Value;

use crate::digest::Digest;
use crate::instance::{Cluster, Member, ObjectName, Seen};

/// The objects that were observed.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    all: BTreeMap<ObjectName, Entry>,
    /// By `ApplySet` or instance, its members.
    members: BTreeMap<String, BTreeSet<ObjectName>>,
}

#[derive(Clone, Debug)]
struct Entry {
    /// With managed fields.
    whole: Value,
    /// Without.
    object: Value,
    live: Option<Digest>,
}

impl Entry {
    fn new(whole: Value, live: Option<Digest>) -> Self {
        let mut object = whole.clone();
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("managedFields");
        }
        Self { whole, object, live }
    }

    /// Resources belong to an `ApplySet`, inputs to an instance.
    fn part_of(&self) -> Option<&str> {
        let labels = &self.object["metadata"]["labels"];
        labels[names::APPLYSET_PART_OF_LABEL]
            .as_str()
            .or_else(|| labels[names::INPUT_REVISION_OF_LABEL].as_str())
    }
}

impl Objects {
    /// Adds an object, in place of what was known of it.
    pub fn add(&mut self, kind: KindName, object: Value) {
        let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default().to_owned();
        let namespace = if kind.namespaced { text("namespace") } else { String::new() };
        let name = ObjectName { namespace, name: text("name"), kind };
        let live = Digest::of_applied(&object, names::MANAGER_RESOURCES);
        let entry = Entry::new(object, live);
        if let Some(set) = entry.part_of() {
            self.members.entry(set.to_owned()).or_default().insert(name.clone());
        }
        self.all.insert(name, entry);
    }

    /// The object of that name, with its managed fields.
    pub fn get(&self, name: &ObjectName) -> Option<&Value> {
        self.all.get(name).map(|it| &it.whole)
    }
}

/// The observed world with changes that were only imagined.
#[derive(Clone, Debug)]
pub(super) struct Imagined<'o> {
    objects: Cow<'o, Objects>,
    /// Nothing for what is gone.
    changed: BTreeMap<ObjectName, Option<Entry>>,
}

impl<'o> Imagined<'o> {
    pub(super) fn of(objects: &'o Objects) -> Self {
        Self { objects: Cow::Borrowed(objects), changed: BTreeMap::new() }
    }

    /// The object with its managed fields.
    pub(super) fn whole(&self, name: &ObjectName) -> Option<&Value> {
        self.entry(name).map(|it| &it.whole)
    }

    pub(super) fn put(&mut self, name: ObjectName, whole: Value, live: Option<Digest>) {
        self.changed.insert(name, Some(Entry::new(whole, live)));
    }

    pub(super) fn remove(&mut self, name: ObjectName) {
        self.changed.insert(name, None);
    }

    fn entry(&self, name: &ObjectName) -> Option<&Entry> {
        match self.changed.get(name) {
            Some(changed) => changed.as_ref(),
            None => self.objects.all.get(name),
        }
    }

    fn all(&self) -> impl Iterator<Item = (&ObjectName, &Entry)> {
        let observed = self.objects.all.iter().filter(|(name, _)| !self.changed.contains_key(*name));
        observed.chain(self.changed.iter().filter_map(|(name, it)| Some((name, it.as_ref()?))))
    }
}

impl Cluster for Imagined<'_> {
    fn seen(&self, kind: &KindName, namespace: &str, name: &str) -> Option<Seen<'_>> {
        let of = ObjectName { kind: kind.clone(), namespace: namespace.to_owned(), name: name.to_owned() };
        self.entry(&of).map(|it| Seen { object: &it.object, live: it.live, applied: None })
    }

    fn selected(&self, kind: &KindName, namespace: Option<&str>, selector: &Value) -> Vec<&Value> {
        let fits = |(name, entry): &(&ObjectName, &Entry)| {
            name.kind == *kind
                && namespace.is_none_or(|it| it == name.namespace)
                && selects(selector, &entry.object["metadata"]["labels"])
        };
        let mut found: Vec<_> = self.all().filter(fits).collect();
        found.sort_by_key(|(name, _)| *name);
        found.into_iter().map(|(_, it)| &it.object).collect()
    }

    fn members(&self, applyset: &str) -> Vec<Member<'_>> {
        let observed = self.objects.members.get(applyset).into_iter().flatten();
        let names: BTreeSet<&ObjectName> = observed.chain(self.changed.keys()).collect();
        let member = |name: &'_ ObjectName| {
            let (name, entry) = match self.changed.get_key_value(name) {
                Some((name, changed)) => (name, changed.as_ref()?),
                None => self.objects.all.get_key_value(name)?,
            };
            (entry.part_of() == Some(applyset)).then_some(Member { kind: &name.kind, object: &entry.object })
        };
        names.into_iter().filter_map(member).collect()
    }
}
