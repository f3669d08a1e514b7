//! What a controller believes about the objects of one kind: what it was told so far.

use std::collections::{BTreeMap, BTreeSet};

use krono_graph::KindName;
use krono_model::names;
use krono_planner::digest::Digest;
use krono_planner::instance::ObjectName;
use serde_json::Value;

use crate::server::{Event, Server};
use crate::text::{label, metadata, name_of, version};

/// The objects of one kind, as a watch and the answers to writes told of them.
#[derive(Debug)]
pub struct Cache {
    kind: KindName,
    /// Whether it holds every object; otherwise those that krono made.
    whole: bool,
    entries: BTreeMap<ObjectName, Entry>,
    /// How many events were delivered.
    position: usize,
    /// The version of the last delivered event.
    delivered: u64,
    /// UIDs that an answer said are gone, until the watch says so too.
    dead: BTreeSet<String>,
}

/// An object in a cache.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Without managed fields.
    pub object: Value,
    /// The digest of what krono applied of it.
    pub live: Option<Digest>,
}

impl Entry {
    /// Trims an object and keeps what its managed fields say.
    pub fn of(object: &Value) -> Self {
        let live = Digest::of_applied(object, names::MANAGER_RESOURCES);
        let mut object = object.clone();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.remove("managedFields");
        }
        Self { object, live }
    }
}

impl Cache {
    /// All there is now.
    pub fn listed(server: &Server, kind: &KindName, whole: bool) -> Self {
        let mut cache = Self {
            kind: kind.clone(),
            whole,
            entries: BTreeMap::new(),
            position: server.events(kind).len(),
            delivered: server.version(),
            dead: BTreeSet::new(),
        };
        for (_, object) in server.list(kind) {
            cache.put(object);
        }
        cache
    }

    /// Whether the watch has more to tell.
    pub fn is_behind(&self, server: &Server) -> bool {
        self.position < server.events(&self.kind).len()
    }

    /// Takes the next event: the object before and after it.
    pub fn next(&mut self, server: &Server) -> Option<(Option<Value>, Value)> {
        let event = server.events(&self.kind).get(self.position)?;
        self.position += 1;
        self.delivered = event.version;
        let name = name_of(&self.kind, &event.object);
        let before = self.entries.get(&name).map(|it| it.object.clone());
        self.take(&name, event);
        Some((before, event.object.clone()))
    }

    fn take(&mut self, name: &ObjectName, event: &Event) {
        let uid = metadata(&event.object, "uid");
        if event.gone {
            self.dead.remove(uid);
            if self.entries.get(name).is_some_and(|it| metadata(&it.object, "uid") == uid) {
                self.entries.remove(name);
            }
        } else if self.entries.get(name).is_none_or(|it| version(&it.object) < event.version) {
            self.put(&event.object);
        }
    }

    /// Takes the answer to a write or a read; one that the watch has overtaken is ignored.
    pub fn answer(&mut self, object: &Value) {
        let name = name_of(&self.kind, object);
        let known = self.entries.get(&name).map_or(0, |it| version(&it.object));
        if version(object) > self.delivered.max(known) {
            self.put(object);
        }
    }

    /// Takes the answer that an object is gone.
    pub fn gone(&mut self, name: &ObjectName) {
        if let Some(entry) = self.entries.remove(name) {
            self.dead.insert(metadata(&entry.object, "uid").to_owned());
        }
    }

    fn put(&mut self, object: &Value) {
        if self.dead.contains(metadata(object, "uid")) {
            return;
        }
        let name = name_of(&self.kind, object);
        if self.whole || label(object, names::OWNED_LABEL) == Some("true") {
            self.entries.insert(name, Entry::of(object));
        } else {
            self.entries.remove(&name);
        }
    }

    /// The object of that name.
    pub fn get(&self, name: &ObjectName) -> Option<&Entry> {
        self.entries.get(name)
    }

    /// All objects.
    pub fn entries(&self) -> impl Iterator<Item = (&ObjectName, &Entry)> {
        self.entries.iter()
    }
}
