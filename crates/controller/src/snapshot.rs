//! The world of one instance, while nobody changes it.

use std::collections::BTreeMap;

use krono_graph::KindName;
use krono_model::selector;
use krono_planner::instance::{Cluster, Member, ObjectName, Seen};
use serde_json::Value;

use crate::cache::{Entry, Incomplete, KindCache, Reading};

/// What the caches say, plus what was read beside them.
pub(crate) struct Snapshot<'c> {
    readings: Vec<(&'c KindName, Reading<'c>)>,
    beside: &'c BTreeMap<ObjectName, Entry>,
}

impl<'c> Snapshot<'c> {
    /// Refuses a cache that is not complete.
    pub(crate) fn of(
        caches: impl IntoIterator<Item = &'c KindCache>,
        beside: &'c BTreeMap<ObjectName, Entry>,
    ) -> Result<Self, Incomplete> {
        let readings = caches.into_iter().map(|cache| Ok((&cache.kind, cache.read()?)));
        Ok(Self { readings: readings.collect::<Result<_, _>>()?, beside })
    }

    fn reading(&self, kind: &KindName) -> Option<&Reading<'c>> {
        self.readings.iter().find(|(it, _)| *it == kind).map(|(_, reading)| reading)
    }
}

impl Cluster for Snapshot<'_> {
    fn seen(&self, kind: &KindName, namespace: &str, name: &str) -> Option<Seen<'_>> {
        let cached = self.reading(kind)?.objects().get(namespace, name);
        let beside = || {
            let of =
                ObjectName { kind: kind.clone(), namespace: namespace.to_owned(), name: name.to_owned() };
            self.beside.get(&of)
        };
        cached.or_else(beside).map(Entry::seen)
    }

    fn selected(&self, kind: &KindName, namespace: Option<&str>, selector: &Value) -> Vec<&Value> {
        let Some(reading) = self.reading(kind) else { return Vec::new() };
        let all = reading.objects().all(namespace);
        all.filter(|it| selector::selects(selector, &it["metadata"]["labels"])).collect()
    }

    fn members(&self, applyset: &str) -> Vec<Member<'_>> {
        self.readings
            .iter()
            .flat_map(|(kind, reading)| {
                reading.objects().members(applyset).map(|object| Member { kind, object })
            })
            .collect()
    }
}
