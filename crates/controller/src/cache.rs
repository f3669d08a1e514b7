//! What is known of the objects of one kind.

mod packed;
mod sight;
mod watch;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use krono_model::names;
use krono_planner::digest::Digest;
use krono_planner::instance::Applied;
use serde_json::{Value, json};

use crate::live::Glimpse;

use sight::{fingerprint, number, version};

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

/// One object.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Of its managed fields only who wrote its spec is left, and that only of what was made for nobody.
    object: Packed,
    uid: Box<str>,
    /// The number of its spec, which is the same whatever the schema that it is seen through; 0 where there is none.
    generation: u64,
    /// Whether the server itself has answered with its spec or listed it. A watch that is older than the schema of a kind
    /// does not show all of one, and shows what is no longer part of one.
    told: bool,
    /// Its fingerprint.
    spec: u64,
    sight: Sight,
    pub(crate) live: Option<Digest>,
    pub(crate) applied: Option<Applied>,
}

impl Entry {
    pub(crate) fn object(&self) -> Value {
        self.object.unpack()
    }

    /// The same for as long as nothing more is seen of the object.
    pub(crate) fn sight(&self) -> Sight {
        self.sight
    }

    /// Whether the server itself has answered with this spec: only then is it certain to be all of it.
    pub(crate) fn is_told(&self) -> bool {
        self.told
    }

    pub(crate) fn labels(&self) -> Value {
        self.object.labels()
    }

    /// Its metadata and its status, which is cheaper.
    pub(crate) fn without_spec(&self) -> Value {
        self.object.without_spec()
    }

    /// An object as it was read; it loses most of its managed fields.
    pub(crate) fn read(object: &mut Value, sample: &mut Sample) -> Self {
        let live = Digest::of_applied(object, names::MANAGER_RESOURCES);
        let writers = writers_of_spec(object);
        if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("managedFields");
            if !writers.is_empty() {
                metadata.insert("managedFields".to_owned(), writers.into());
            }
        }
        Self {
            object: sample.pack(object),
            uid: uid(object).into(),
            generation: generation(object),
            told: false,
            spec: fingerprint(&object["spec"]),
            sight: Sight::of(object),
            live,
            applied: None,
        }
    }

    /// An object whose spec is certain to be whole.
    fn told(object: &mut Value, sample: &mut Sample) -> Self {
        Self { told: true, ..Self::read(object, sample) }
    }

    /// Whether a spec differs from the known one by the schema that it is seen through, if at all.
    fn has_spec_of(&self, object: &Value) -> bool {
        *self.uid == *uid(object) && self.generation > 0 && self.generation == generation(object)
    }
}

/// What became of an object that was told of.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Put {
    /// It was known, in this version or a newer one, or to be gone.
    Known,
    /// It is new, or newer, or gone; that is what it was before.
    Changed { before: Option<Value> },
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

    /// Takes in what a watch shows. For as long as nobody edits it, the spec of an instance that was told stays what it is.
    pub(crate) fn show(&mut self, object: &mut Value) -> Put {
        if !self.is_news(object) {
            return Put::Known;
        }
        let (namespace, name) = identity(object);
        let known =
            self.get(&namespace, &name).filter(|it| self.is_defined && it.told && it.has_spec_of(object));
        if let Some(known) = known.filter(|it| it.spec != fingerprint(&object["spec"])) {
            object["spec"] = known.object()["spec"].take();
        }
        let told = known.is_some();
        let entry = Entry { told, ..Entry::read(object, &mut self.sample) };
        self.insert(object, entry)
    }

    /// Takes in what was listed.
    pub(crate) fn list(&mut self, object: &mut Value) -> Put {
        let version = version(object);
        self.shown = self.shown.max(version);
        self.confirm(object);
        if (self.is_answered(object) && version > 0) || self.dead.contains(uid(object)) {
            return Put::Known;
        }
        let entry = Entry::told(object, &mut self.sample);
        self.insert(object, entry)
    }

    fn is_news(&mut self, object: &Value) -> bool {
        let sight = Sight::of(object);
        self.shown = self.shown.max(sight.version);
        let (namespace, name) = identity(object);
        let is_known = sight.version > 0 && self.get(&namespace, &name).is_some_and(|it| it.sight >= sight);
        !is_known && !self.dead.contains(uid(object))
    }

    /// Takes in what the server answered, unless the watch has shown what came after it; `desired` is what was applied.
    pub(crate) fn answer(&mut self, object: &mut Value, desired: Option<Digest>) -> Put {
        self.confirm(object);
        let is_answered = self.is_answered(object);
        if is_answered && desired.is_none() {
            return Put::Known;
        }
        let mut entry = Entry::told(object, &mut self.sample);
        entry.applied = desired.zip(entry.live).map(|(desired, live)| Applied { desired, live });
        let (namespace, name) = identity(object);
        let shown = self.shown;
        match self.get_mut(&namespace, &name) {
            Some(known) if is_answered => {
                known.applied = entry.applied.or(known.applied);
                Put::Known
            }
            Some(_) => self.insert(object, entry),
            None if entry.sight.version > shown => self.insert(object, entry),
            None => Put::Known,
        }
    }

    /// A spec that a watch has shown is told as soon as the server answers with the same.
    fn confirm(&mut self, object: &Value) {
        let (namespace, name) = identity(object);
        if let Some(known) = self.get_mut(&namespace, &name)
            && known.has_spec_of(object)
        {
            known.told |= known.spec == fingerprint(&object["spec"]);
        }
    }

    /// Whether all that the server answers is known already. What only a watch has shown gives way to an answer of the same
    /// version: the watch may show it through a schema that is no longer in force.
    fn is_answered(&self, object: &Value) -> bool {
        let (namespace, name) = identity(object);
        let sight = Sight::of(object);
        self.get(&namespace, &name).is_some_and(|known| {
            let may_differ = !known.told && known.has_spec_of(object) && known.sight.version == sight.version;
            !may_differ && known.sight >= sight
        })
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

    /// A watch shows that an object is gone; another may have its name by now.
    pub(crate) fn show_removed(&mut self, object: &Value) -> Put {
        self.shown = self.shown.max(version(object));
        if self.dead.remove(uid(object)) {
            return Put::Known;
        }
        let (namespace, name) = identity(object);
        let is_same = self.get(&namespace, &name).is_some_and(|it| *it.uid == *uid(object));
        Put::Changed { before: if is_same { self.remove(&namespace, &name) } else { None } }
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

/// What an object is a member of: an `ApplySet`, or the inputs of the instance with a UID.
fn applyset(object: &Value) -> Option<&str> {
    let labels = &object["metadata"]["labels"];
    labels[names::APPLYSET_PART_OF_LABEL].as_str().or_else(|| labels[names::INPUT_REVISION_OF_LABEL].as_str())
}

fn uid(object: &Value) -> &str {
    object["metadata"]["uid"].as_str().unwrap_or_default()
}

fn generation(object: &Value) -> u64 {
    object["metadata"]["generation"].as_u64().unwrap_or_default()
}

/// Who wrote the spec of an object that was not made for an instance, and when.
fn writers_of_spec(object: &Value) -> Vec<Value> {
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    let entries = entries.filter(|_| applyset(object).is_none());
    let of_spec = entries.filter(|it| !it["fieldsV1"]["f:spec"].is_null() && it.get("subresource").is_none());
    let told = |it: &Value| {
        let (manager, operation, time) = (&it["manager"], &it["operation"], &it["time"]);
        json!({"manager": manager, "operation": operation, "time": time, "fieldsV1": {"f:spec": {}}})
    };
    of_spec.map(told).collect()
}

/// Namespace and name; the namespace of cluster-wide objects is empty.
pub(crate) fn identity(object: &Value) -> (String, String) {
    let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default().to_owned();
    (text("namespace"), text("name"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(name: &str, version: u64, part_of: &str) -> Value {
        json!({"metadata": {"name": name, "namespace": "here", "resourceVersion": version.to_string(),
            "labels": {names::APPLYSET_PART_OF_LABEL: part_of}}})
    }

    fn version_of(objects: &Objects, name: &str) -> Option<u64> {
        objects.get("here", name).map(|it| it.sight.version)
    }

    #[test]
    fn an_answer_stands_until_the_watch_shows_more() {
        let mut objects = Objects::default();
        objects.answer(&mut object("a", 5, "x"), None);
        assert_eq!(objects.show(&mut object("a", 5, "x")), Put::Known);
        assert_eq!(objects.show(&mut object("a", 4, "x")), Put::Known);
        assert!(matches!(objects.show(&mut object("a", 6, "x")), Put::Changed { before: Some(_) }));
        assert_eq!(version_of(&objects, "a"), Some(6));
    }

    #[test]
    fn a_late_answer_does_not_bring_back_what_is_gone() {
        let mut objects = Objects::default();
        objects.show_removed(&object("a", 7, "x"));
        objects.answer(&mut object("a", 5, "x"), None);
        assert_eq!(version_of(&objects, "a"), None);
        objects.answer(&mut object("a", 8, "x"), None);
        assert_eq!(version_of(&objects, "a"), Some(8));
    }

    #[test]
    fn a_watch_that_hides_new_fields_does_not_hide_them_for_ever() {
        let hidden = || object("a", 5, "x");
        let shown = || {
            let mut object = object("a", 5, "x");
            object["status"] = json!({"assignment": {"revision": 1}});
            object
        };
        let status = |objects: &Objects| objects.get("here", "a").map(|it| it.object()["status"].clone());
        let full = Some(shown()["status"].clone());

        let mut objects = Objects::default();
        objects.show(&mut hidden());
        assert!(matches!(objects.answer(&mut shown(), None), Put::Changed { before: Some(_) }));
        assert_eq!(objects.show(&mut hidden()), Put::Known);
        assert_eq!(status(&objects), full);

        let mut objects = Objects::default();
        objects.answer(&mut hidden(), None);
        assert!(matches!(objects.show(&mut shown()), Put::Changed { before: Some(_) }));
        assert_eq!(objects.answer(&mut hidden(), None), Put::Known);
        assert_eq!(status(&objects), full);
    }

    /// An object whose spec is seen through an older or a newer schema.
    fn with_spec(version: u64, generation: u64, fields: &str) -> Value {
        let mut object = with_uid("first", version);
        object["metadata"]["generation"] = generation.into();
        object["spec"] = fields.chars().map(|it| (it.to_string(), json!(1))).collect();
        object
    }

    /// Takes an object in, and tells what is known of its spec then.
    fn after(objects: &mut Objects, put: Way, object: &Value) -> (String, bool) {
        put(objects, &mut object.clone());
        let entry = objects.get("here", "a").expect("an entry");
        let spec = entry.object()["spec"].clone();
        let fields = spec.as_object().into_iter().flatten().map(|(name, value)| match value {
            it if *it == 1 => name.clone(),
            other => format!("{name}{other}"),
        });
        (fields.collect(), entry.is_told())
    }

    type Way = fn(&mut Objects, &mut Value) -> Put;

    const ANSWER: Way = |objects, it| objects.answer(it, None);

    #[test]
    fn v15_a_watch_changes_nothing_of_a_spec_that_was_told() {
        let mut objects = Objects::new(true);
        let mut check = |put: Way, shown: Value, fields: &str, is_told: bool| {
            assert_eq!(after(&mut objects, put, &shown), (fields.to_owned(), is_told), "{shown}");
        };
        check(Objects::show, with_spec(1, 1, "x"), "x", false);
        check(ANSWER, with_spec(2, 1, "xy"), "xy", true);
        check(Objects::show, with_spec(2, 1, "x"), "xy", true);
        check(Objects::show, with_spec(2, 1, "xyz"), "xy", true);
        check(Objects::show, with_spec(3, 1, "xz"), "xy", true);
        check(Objects::show, with_spec(4, 2, "x"), "x", false);
        check(ANSWER, with_spec(4, 2, "x"), "x", true);
        check(Objects::show, with_spec(5, 2, "xz"), "x", true);
        check(Objects::list, with_spec(6, 2, "xz"), "xz", true);
        check(Objects::list, with_spec(7, 2, "x"), "x", true);
        check(Objects::show, with_spec(9, 3, "x"), "x", false);
        check(ANSWER, with_spec(8, 3, "xy"), "x", false);
        check(ANSWER, with_spec(8, 3, "x"), "x", true);
    }

    #[test]
    fn drift_is_seen_whatever_the_generation_says() {
        let mut objects = Objects::new(false);
        objects.answer(&mut with_spec(1, 1, "x"), None);
        assert_eq!(after(&mut objects, Objects::show, &with_spec(2, 1, "y")), ("y".to_owned(), false));
    }

    #[test]
    fn v15_a_spec_is_told_also_by_an_answer_through_another_schema() {
        let mut default = with_spec(1, 1, "x");
        default["spec"]["x"] = json!(2);
        let seen = ["x", "xy", "xyz"].map(|it| with_spec(1, 1, it)).into_iter().chain([default]);
        let seen = seen.flat_map(|it| {
            let mut more = it.clone();
            more["status"] = json!({"words": ["one", "two", "three"]});
            [it, more]
        });
        for seen in seen {
            for way in [ANSWER, Objects::list] {
                let mut objects = Objects::default();
                objects.show(&mut seen.clone());
                let answer = with_spec(1, 1, "xy");
                assert_eq!(after(&mut objects, way, &answer), ("xy".to_owned(), true), "{seen}");
            }
        }
    }

    fn with_uid(uid: &str, version: u64) -> Value {
        let mut object = object("a", version, "x");
        object["metadata"]["uid"] = uid.into();
        object
    }

    #[test]
    fn late_news_do_not_bring_back_what_is_gone() {
        let mut objects = Objects::default();
        objects.show(&mut with_uid("first", 1));
        assert_eq!(objects.bury("here", "a", "another"), None);
        assert!(objects.bury("here", "a", "first").is_some());
        assert_eq!(objects.show(&mut with_uid("first", 2)), Put::Known);
        assert_eq!(version_of(&objects, "a"), None);

        objects.answer(&mut with_uid("second", 5), None);
        assert_eq!(objects.show_removed(&with_uid("first", 4)), Put::Known);
        assert_eq!((version_of(&objects, "a"), objects.dead.len()), (Some(5), 0));
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
