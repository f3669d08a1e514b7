//! The revisions of definitions as they were last read, so that only what has changed is read again.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::cache::{Objects, Sight};
use crate::revisions::{self, Compiler, Revisions};

/// By the name of a definition, its revisions.
#[derive(Default)]
pub(crate) struct Kept {
    readings: Mutex<HashMap<Arc<str>, Reading>>,
    compiler: Compiler,
}

struct Reading {
    /// What is read of an object depends on this part of the definition.
    owner: Owner,
    /// By the names of objects, how much of them was seen; nothing when they were not read from the cache.
    sights: HashMap<String, Sight>,
    revisions: Arc<Revisions>,
}

struct Owner {
    uid: Value,
    schema: Value,
}

impl Kept {
    pub(crate) fn new(compiler: Compiler) -> Self {
        Self { readings: Mutex::default(), compiler }
    }

    /// Of all revisions that the cache knows, those of a definition.
    pub(crate) fn cached(&self, definition: &Value, all: &Objects) -> Arc<Revisions> {
        let name = name(definition);
        let own = all.within(None).filter(|(_, it, _)| revisions::may_be_of(it, name));
        let own: Vec<_> = own.map(|(_, name, entry)| (name, entry)).collect();
        let sights = own.iter().map(|(name, entry)| ((*name).to_owned(), entry.sight())).collect();
        let mut kept = self.lock();
        let before = kept.get(name);
        if let Some(before) = before.filter(|it| it.sights == sights && it.owner.is(definition)) {
            return Arc::clone(&before.revisions);
        }
        let known = |name: &str, sight: Sight| {
            before.filter(|it| it.sights.get(name) == Some(&sight))?.revisions.object(name)
        };
        let objects: Vec<Cow<'_, Value>> = own
            .iter()
            .map(|(name, entry)| match known(name, entry.sight()) {
                Some(object) => Cow::Borrowed(object),
                None => Cow::Owned(entry.object()),
            })
            .collect();
        let read = read(definition, objects.iter().map(AsRef::as_ref), before, &self.compiler);
        keep(&mut kept, definition, sights, read)
    }

    /// Of revisions that somebody listed, those of a definition.
    pub(crate) fn listed(&self, definition: &Value, all: &[Value]) -> Arc<Revisions> {
        let mut kept = self.lock();
        let read = read(definition, all, kept.get(name(definition)), &self.compiler);
        // Lists show more than is to be kept: who manages which field.
        keep(&mut kept, definition, HashMap::new(), read)
    }

    /// How many revisions are kept, by what became of them.
    pub(crate) fn states(&self) -> BTreeMap<&'static str, usize> {
        let mut states = BTreeMap::new();
        for reading in self.lock().values() {
            for state in revisions::states(&reading.revisions) {
                *states.entry(state).or_default() += 1;
            }
        }
        states
    }

    /// A definition is no longer served.
    pub(crate) fn forget(&self, definition: &str) {
        self.lock().remove(definition);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Reading>> {
        self.readings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Owner {
    fn is(&self, definition: &Value) -> bool {
        self.uid == definition["metadata"]["uid"] && self.schema == definition["spec"]["schema"]
    }

    fn of(definition: &Value) -> Self {
        Self { uid: definition["metadata"]["uid"].clone(), schema: definition["spec"]["schema"].clone() }
    }
}

fn read<'o>(
    definition: &Value,
    objects: impl IntoIterator<Item = &'o Value>,
    before: Option<&Reading>,
    compiler: &Compiler,
) -> Revisions {
    let own = objects.into_iter().filter(|it| revisions::definition_of(it) == name(definition));
    revisions::read(definition, own, before.map(|it| &*it.revisions), compiler)
}

fn keep(
    kept: &mut HashMap<Arc<str>, Reading>,
    definition: &Value,
    sights: HashMap<String, Sight>,
    read: Revisions,
) -> Arc<Revisions> {
    let revisions = Arc::new(read);
    let reading = Reading { owner: Owner::of(definition), sights, revisions: Arc::clone(&revisions) };
    kept.insert(name(definition).into(), reading);
    revisions
}

fn name(definition: &Value) -> &str {
    definition["metadata"]["name"].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use krono_history::RevisionNumber;
    use krono_history::revision::Ownership;
    use krono_model::names;
    use serde_json::json;

    use super::*;

    fn definition(uid: &str) -> Value {
        json!({"metadata": {"name": "app", "uid": uid}, "spec": {"schema": {"kind": "App", "apiVersion": "v1"}}})
    }

    fn revision(number: u64, version: u64) -> Value {
        json!({
            "metadata": {"name": format!("app-{number}"), "uid": format!("uid-{number}"),
                "resourceVersion": version.to_string(), "labels": {names::REVISION_OF_LABEL: "app"},
                "ownerReferences": [{"kind": "ResourceGraphDefinition", "uid": "first", "controller": true}]},
            "spec": {"revision": number, "schema": {"kind": "App", "spec": {"field": number}}},
        })
    }

    fn with_mark(mut revision: Value) -> Value {
        revision["metadata"]["annotations"] = json!({names::FAILED_ANNOTATION: "why"});
        revision
    }

    #[test]
    fn only_what_has_changed_is_read_again() {
        let (kept, mut objects) = (Kept::default(), Objects::default());
        for mut object in [revision(1, 11), revision(2, 12)] {
            objects.show(&mut object);
        }
        let read = |objects: &Objects, uid: &str| kept.cached(&definition(uid), objects);
        let first = read(&objects, "first");
        assert!(Arc::ptr_eq(&first, &read(&objects, "first")), "nothing has changed");

        objects.show(&mut with_mark(revision(2, 13)));
        let second = read(&objects, "first");
        let fresh = Kept::default().cached(&definition("first"), &objects);
        assert_eq!(second.history, fresh.history);
        assert!(second.kept().eq(first.kept()), "the contents are the same");
        assert_eq!(second.objects(None), fresh.objects(None));

        let of_another = read(&objects, "second");
        let one =
            of_another.history.find(RevisionNumber::from_wire(1).expect("a number")).expect("revision 1");
        assert_eq!(one.ownership, Ownership::Orphan);
    }

    #[test]
    fn what_was_listed_is_read_from_the_cache_once_more() {
        let (kept, mut objects) = (Kept::default(), Objects::default());
        let listed = kept.listed(&definition("first"), &[revision(1, 11)]);
        objects.show(&mut with_mark(revision(1, 12)));
        let cached = kept.cached(&definition("first"), &objects);
        assert!(listed.kept().eq(cached.kept()));
        assert_ne!(listed.history, cached.history);
    }
}
