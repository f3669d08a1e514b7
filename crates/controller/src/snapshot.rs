//! The world of one instance, while nobody changes it.

use std::collections::BTreeMap;

use elsa::FrozenMap;
use krono_graph::KindName;
use krono_planner::instance::{Cluster, Member, ObjectName, Seen};
use krono_schema::selector::selects;
use serde_json::Value;

use crate::cache::{Entry, Incomplete, KindCache, Reading};

/// What the caches say, plus what was read beside them.
pub(crate) struct Snapshot<'c> {
    readings: Vec<(&'c KindName, Reading<'c>)>,
    beside: &'c BTreeMap<ObjectName, Entry>,
    /// What has been asked for.
    unpacked: FrozenMap<ObjectName, Box<Value>>,
}

impl<'c> Snapshot<'c> {
    /// Refuses a cache that is not complete.
    pub(crate) fn of(
        caches: impl IntoIterator<Item = &'c KindCache>,
        beside: &'c BTreeMap<ObjectName, Entry>,
    ) -> Result<Self, Incomplete> {
        let readings = caches.into_iter().map(|cache| Ok((&cache.kind, cache.read()?)));
        Ok(Self { readings: readings.collect::<Result<_, _>>()?, beside, unpacked: FrozenMap::new() })
    }

    fn reading(&self, kind: &KindName) -> Option<&Reading<'c>> {
        self.readings.iter().find(|(it, _)| *it == kind).map(|(_, reading)| reading)
    }

    fn unpacked(&self, of: ObjectName, entry: &Entry) -> &Value {
        self.unpacked.get(&of).unwrap_or_else(|| self.unpacked.insert(of, Box::new(entry.object())))
    }
}

impl Cluster for Snapshot<'_> {
    fn seen(&self, kind: &KindName, namespace: &str, name: &str) -> Option<Seen<'_>> {
        let cached = self.reading(kind)?.objects().get(namespace, name);
        let of = object_name(kind, namespace, name);
        let entry = cached.or_else(|| self.beside.get(&of))?;
        Some(Seen { object: self.unpacked(of, entry), live: entry.live, applied: entry.applied })
    }

    fn selected(&self, kind: &KindName, namespace: Option<&str>, selector: &Value) -> Vec<&Value> {
        let Some(reading) = self.reading(kind) else { return Vec::new() };
        let all = reading.objects().within(namespace);
        let selected = all.filter(|(_, _, it)| selects(selector, &it.labels()));
        selected.map(|(namespace, name, it)| self.unpacked(object_name(kind, namespace, name), it)).collect()
    }

    fn members(&self, applyset: &str) -> Vec<Member<'_>> {
        let mut members = Vec::new();
        for (kind, reading) in &self.readings {
            for (namespace, name) in reading.objects().members(applyset) {
                members.extend(self.seen(kind, namespace, name).map(|it| Member { kind, object: it.object }));
            }
        }
        members
    }
}

fn object_name(kind: &KindName, namespace: &str, name: &str) -> ObjectName {
    ObjectName { kind: kind.clone(), namespace: namespace.to_owned(), name: name.to_owned() }
}
