//! How objects come to be known: watches show them, and the server lists them and answers with them.

use krono_planner::digest::Digest;
use krono_planner::instance::Applied;
use serde_json::Value;

use super::entry::uid;
use super::sight::{Sight, fingerprint, version};
use super::{Entry, Objects, identity};

/// What became of an object that was told of.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Put {
    /// It was known, in this version or a newer one, or to be gone.
    Known,
    /// It is new, or newer, or gone; that is what it was before.
    Changed { before: Option<Value> },
}

impl Objects {
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

    /// Takes in what was listed: what is known of the same version gives way, for a watch begins anew when its kind gets
    /// another schema, and the server may have answered through the old one.
    pub(crate) fn list(&mut self, object: &mut Value) -> Put {
        let version = version(object);
        self.shown = self.shown.max(version);
        self.confirm(object);
        let is_known = version > 0 && self.knows(object, |_| true);
        if is_known || self.dead.contains(uid(object)) {
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
        // What only a watch has shown gives way: it may show it through a schema that is no longer in force.
        let is_known = self.knows(object, |known| !known.told);
        if is_known && desired.is_none() {
            return Put::Known;
        }
        let mut entry = Entry::told(object, &mut self.sample);
        entry.applied = desired.zip(entry.live).map(|(desired, live)| Applied { desired, live });
        let (namespace, name) = identity(object);
        let is_gone = entry.sight.version <= self.shown || self.dead.contains(&*entry.uid);
        match self.get_mut(&namespace, &name) {
            Some(known) if is_known => {
                known.applied = entry.applied.or(known.applied);
                Put::Known
            }
            None if is_gone => Put::Known,
            Some(_) | None => self.insert(object, entry),
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

    /// Whether all that the server says of an object is known already; what `yields` does so to the same seen otherwise.
    fn knows(&self, object: &Value, yields: fn(&Entry) -> bool) -> bool {
        let (namespace, name) = identity(object);
        self.get(&namespace, &name).is_some_and(|known| {
            known.sight >= Sight::of(object) && !(yields(known) && known.is_seen_otherwise(object))
        })
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
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cache::tests::object;

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
    fn v15_what_was_answered_through_an_old_schema_gives_way_to_a_list() {
        let mut objects = Objects::new(true);
        let mut old = with_spec(2, 1, "x");
        old["spec"]["n"] = json!("many");
        let seen = |objects: &mut Objects, put: Way, object: &Value| after(objects, put, object).0;
        assert_eq!(seen(&mut objects, ANSWER, &old), "n\"many\"x");
        assert_eq!(seen(&mut objects, ANSWER, &with_spec(2, 1, "x")), "n\"many\"x");
        assert_eq!(seen(&mut objects, Objects::show, &with_spec(3, 1, "x")), "n\"many\"x");
        assert_eq!(seen(&mut objects, Objects::list, &with_spec(2, 1, "x")), "n\"many\"x");
        assert_eq!(seen(&mut objects, Objects::list, &with_spec(3, 1, "x")), "x");
        assert_eq!(objects.list(&mut with_spec(3, 1, "x")), Put::Known);
        assert_eq!(seen(&mut objects, Objects::show, &old), "x");
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
        assert_eq!(objects.answer(&mut with_uid("first", 3), None), Put::Known);
        assert_eq!(version_of(&objects, "a"), None);

        objects.answer(&mut with_uid("second", 5), None);
        assert_eq!(objects.show_removed(&with_uid("first", 4)), Put::Known);
        assert_eq!((version_of(&objects, "a"), objects.dead.len()), (Some(5), 0));
    }
}
