//! Who asked for a change, noted on the object by whoever sees users (V11).
//!
//! The API server tells controllers which field manager wrote a field, and never which user did. Somebody who sees the request
//! has to say so: the embedded server does, and an admission webhook can, with the same rules. What they note is an annotation,
//! because it has to be read together with the change it is about, and has to survive a restart and a backup. It holds for the
//! generation that it names, so that a note which came with a backup to a cluster without a witness says nothing about the edits
//! made there. Whoever edits the note gets the old one back; whoever removes it may, and the author is then the manager alone.
//!
//! Where nobody sees to that, everybody who may edit an object can put a name there: notes count only for those who were told that
//! there is a witness.

use std::collections::BTreeMap;

use krono_model::names;
use serde_json::{Map, Value, json};

/// Requests that somebody is answerable for.
const REQUESTS: [&str; 2] = [names::ROLLBACK_ANNOTATION, names::INPUT_ROLLBACK_ANNOTATION];

/// What stands for as long as somebody wishes it; who ends it is answerable too.
const WISHES: [&str; 5] = [
    names::RGD_REVISION,
    names::ACTIVE_REVISION_ANNOTATION,
    names::HOLD_INPUT_ANNOTATION,
    names::APPROVE_REVISION_ANNOTATION,
    names::CREATE_REVISION_ANNOTATION,
];

/// Whether there is a witness, so that the notes on objects tell the truth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notes {
    /// Anybody may have written them.
    #[default]
    Doubted,
    /// A witness writes them and lets nobody else.
    Believed,
}

/// Whom a witness sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By<'a> {
    /// Somebody, by name.
    User(&'a str),
    /// krono's controllers, by their name; what they write in answer to a request is the change of whoever asked.
    Controllers(&'a str),
}

/// Notes on an object, which is about to be stored in place of an old one, who wanted it so.
pub fn note(by: By<'_>, object: &mut Value, old: Option<&Value>) {
    let generation = |it: &Value| it["metadata"]["generation"].as_i64();
    let (now, before) = (generation(object), old.and_then(generation));
    let is_edited = old.is_none() || now != before;
    let user = answerable(by, object, old);
    let changed_by = is_edited.then(|| format!("{} {user}", now.unwrap_or_default()));
    put(object, old, names::CHANGED_BY_ANNOTATION, changed_by);
    let wished_by = wished_by(&user, object, old);
    put(object, old, names::WISHED_BY_ANNOTATION, wished_by);
    let (now, before) = (requests(object), old.map(requests).unwrap_or_default());
    if now.iter().all(Option::is_none) {
        remove(object, names::REQUESTED_BY_ANNOTATION);
    } else {
        put(object, old, names::REQUESTED_BY_ANNOTATION, (now != before).then_some(user));
    }
}

/// Who wished for what, when a wish has changed; nothing when none has.
fn wished_by(user: &str, object: &Value, old: Option<&Value>) -> Option<String> {
    let of_old = |key: &str| old.and_then(|it| annotation(it, key));
    let changed: Vec<&str> =
        WISHES.into_iter().filter(|key| annotation(object, key) != of_old(key)).collect();
    if changed.is_empty() {
        return None;
    }
    let is_kept = annotation(object, names::WISHED_BY_ANNOTATION).is_some();
    let mut wishers = old.filter(|_| is_kept).map(wishers).unwrap_or_default();
    wishers.extend(changed.into_iter().map(|key| (key.to_owned(), user.to_owned())));
    serde_json::to_string(&wishers).ok()
}

/// Users by the annotation that they wrote or took away.
fn wishers(object: &Value) -> BTreeMap<String, String> {
    let note = annotation(object, names::WISHED_BY_ANNOTATION).unwrap_or_default();
    serde_json::from_str(note).unwrap_or_default()
}

/// Whoever is answerable for a change.
fn answerable(by: By<'_>, object: &Value, old: Option<&Value>) -> String {
    match by {
        By::User(user) => user.to_owned(),
        By::Controllers(name) => {
            let is_answered = requests(object).iter().all(Option::is_none);
            let asked =
                old.filter(|_| is_answered).and_then(|it| annotation(it, names::REQUESTED_BY_ANNOTATION));
            asked.unwrap_or(name).to_owned()
        }
    }
}

/// The user who wanted the spec as it is, where somebody saw it.
pub(crate) fn user_of_spec(object: &Value, notes: Notes) -> Option<String> {
    let note = annotation(object, names::CHANGED_BY_ANNOTATION).filter(|_| notes == Notes::Believed);
    let (generation, user) = note?.split_once(' ')?;
    (generation.parse().ok() == object["metadata"]["generation"].as_i64()).then(|| user.to_owned())
}

/// The user who asked for what stands on an object, where somebody saw it.
pub(crate) fn user_of_request(object: &Value, notes: Notes) -> Option<String> {
    let note = annotation(object, names::REQUESTED_BY_ANNOTATION).filter(|_| notes == Notes::Believed);
    note.map(str::to_owned)
}

/// The user who wrote an annotation that says what somebody wishes, or took it away, where somebody saw it.
pub(crate) fn user_of_wish(object: &Value, key: &str, notes: Notes) -> Option<String> {
    wishers(object).remove(key).filter(|_| notes == Notes::Believed)
}

fn requests(object: &Value) -> [Option<String>; 2] {
    REQUESTS.map(|key| annotation(object, key).map(str::to_owned))
}

/// Writes a note that is new; one that is not stays as it was, unless it was taken away.
fn put(object: &mut Value, old: Option<&Value>, key: &str, new: Option<String>) {
    let kept = old.and_then(|it| annotation(it, key)).filter(|_| annotation(object, key).is_some());
    match new.or_else(|| kept.map(str::to_owned)) {
        Some(text) => {
            let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return };
            let annotations = metadata.entry("annotations").or_insert_with(|| Value::Object(Map::new()));
            if let Some(annotations) = annotations.as_object_mut() {
                annotations.insert(key.to_owned(), json!(text));
            }
        }
        None => remove(object, key),
    }
}

fn remove(object: &mut Value, key: &str) {
    let annotations = object.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut);
    if let Some(annotations) = annotations {
        annotations.remove(key);
    }
}

fn annotation<'v>(object: &'v Value, key: &str) -> Option<&'v str> {
    object["metadata"]["annotations"][key].as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANGED: &str = names::CHANGED_BY_ANNOTATION;
    const REQUESTED: &str = names::REQUESTED_BY_ANNOTATION;
    const WISHED: &str = names::WISHED_BY_ANNOTATION;

    fn object(generation: i64, annotations: &Value) -> Value {
        json!({"metadata": {"generation": generation, "annotations": annotations}})
    }

    #[test]
    fn v11_whoever_changes_the_spec_is_noted() {
        let check = |new: (i64, Value), old: Option<(i64, Value)>, expected: Value| {
            let old = old.map(|(generation, annotations)| object(generation, &annotations));
            let mut noted = object(new.0, &new.1);
            note(By::User("alice"), &mut noted, old.as_ref());
            assert_eq!(noted["metadata"]["annotations"], expected, "{new:?}");
        };
        check((1, json!({})), None, json!({CHANGED: "1 alice"}));
        check((1, json!({CHANGED: "1 bob"})), None, json!({CHANGED: "1 alice"}));
        check(
            (3, json!({"a": "b"})),
            Some((2, json!({CHANGED: "2 bob"}))),
            json!({"a": "b", CHANGED: "3 alice"}),
        );
        // An edit of anything else changes nothing, least of all the note.
        check(
            (2, json!({CHANGED: "2 bob"})),
            Some((2, json!({CHANGED: "2 bob"}))),
            json!({CHANGED: "2 bob"}),
        );
        check(
            (2, json!({CHANGED: "2 eve"})),
            Some((2, json!({CHANGED: "2 bob"}))),
            json!({CHANGED: "2 bob"}),
        );
        check((2, json!({CHANGED: "2 eve"})), Some((2, json!({}))), json!({}));
        check((2, json!({})), Some((2, json!({CHANGED: "2 bob"}))), json!({}));
    }

    #[test]
    fn v11_whoever_asks_for_a_rollback_is_noted_until_it_is_answered() {
        let check = |new: Value, old: Value, expected: Option<&str>| {
            let mut noted = object(1, &new);
            note(By::User("alice"), &mut noted, Some(&object(1, &old)));
            assert_eq!(annotation(&noted, REQUESTED), expected, "{new}");
        };
        let asked = |text: &str, by: &str| json!({names::ROLLBACK_ANNOTATION: text, REQUESTED: by});
        check(json!({names::ROLLBACK_ANNOTATION: "2"}), json!({}), Some("alice"));
        check(asked("2", "bob"), asked("2", "bob"), Some("bob"));
        check(asked("2", "eve"), asked("2", "bob"), Some("bob"));
        check(asked("3", "bob"), asked("2", "bob"), Some("alice"));
        check(json!({REQUESTED: "bob"}), asked("2", "bob"), None);
    }

    #[test]
    fn v11_whoever_wishes_for_something_is_noted_and_whoever_ends_it() {
        const PIN: &str = names::RGD_REVISION;
        const HOLD: &str = names::HOLD_INPUT_ANNOTATION;
        let check = |new: Value, old: Option<Value>, expected: [Option<&str>; 2]| {
            let mut noted = object(1, &new);
            note(By::User("alice"), &mut noted, old.map(|it| object(1, &it)).as_ref());
            let told = [PIN, HOLD].map(|key| user_of_wish(&noted, key, Notes::Believed));
            assert_eq!(told.each_ref().map(Option::as_deref), expected, "{new}");
            assert_eq!(user_of_wish(&noted, PIN, Notes::Doubted), None);
        };
        let by = |pin: &str| json!({PIN: pin}).to_string();
        let pinned = |to: &str, note: &str| json!({PIN: to, WISHED: note});
        check(json!({PIN: "2"}), Some(json!({})), [Some("alice"), None]);
        check(json!({PIN: "2"}), None, [Some("alice"), None]);
        check(json!({}), Some(json!({})), [None, None]);
        check(pinned("2", &by("bob")), Some(pinned("2", &by("bob"))), [Some("bob"), None]);
        check(pinned("2", &by("eve")), Some(pinned("2", &by("bob"))), [Some("bob"), None]);
        check(pinned("3", &by("bob")), Some(pinned("2", &by("bob"))), [Some("alice"), None]);
        check(json!({WISHED: by("bob")}), Some(pinned("2", &by("bob"))), [Some("alice"), None]);
        let both = json!({PIN: "2", HOLD: "1", WISHED: by("eve")});
        check(both, Some(pinned("2", &by("bob"))), [Some("bob"), Some("alice")]);
        // Whoever takes the note away may.
        check(json!({PIN: "2"}), Some(pinned("2", &by("bob"))), [None, None]);
        check(json!({PIN: "2", WISHED: by("eve")}), Some(json!({PIN: "2"})), [None, None]);
    }

    #[test]
    fn v11_and_v22_a_pin_that_controllers_write_in_answer_is_of_whoever_asked() {
        let asked = json!({names::INPUT_ROLLBACK_ANNOTATION: "2", REQUESTED: "bob"});
        let mut answered = object(2, &json!({names::RGD_REVISION: "1"}));
        note(By::Controllers("krono"), &mut answered, Some(&object(1, &asked)));
        assert_eq!(user_of_wish(&answered, names::RGD_REVISION, Notes::Believed).as_deref(), Some("bob"));
    }

    #[test]
    fn v11_what_controllers_write_in_answer_is_the_change_of_whoever_asked() {
        let check = |new: (i64, Value), old: Value, expected: &str| {
            let mut noted = object(new.0, &new.1);
            note(By::Controllers("krono"), &mut noted, Some(&object(1, &old)));
            assert_eq!(annotation(&noted, CHANGED), Some(expected), "{new:?}");
        };
        let asked = |key: &str| json!({key: "2", REQUESTED: "bob", CHANGED: "1 alice"});
        let gone = || json!({CHANGED: "1 alice"});
        check((2, gone()), asked(names::ROLLBACK_ANNOTATION), "2 bob");
        check((2, gone()), asked(names::INPUT_ROLLBACK_ANNOTATION), "2 bob");
        check((1, gone()), asked(names::ROLLBACK_ANNOTATION), "1 alice");
        check((2, asked(names::ROLLBACK_ANNOTATION)), asked(names::ROLLBACK_ANNOTATION), "2 krono");
        check((2, gone()), gone(), "2 krono");
        let mut taken_away = object(2, &gone());
        note(By::User("eve"), &mut taken_away, Some(&object(1, &asked(names::ROLLBACK_ANNOTATION))));
        assert_eq!(annotation(&taken_away, CHANGED), Some("2 eve"));
    }

    #[test]
    fn v11_a_note_holds_for_its_generation() {
        let check = |generation: i64, text: &str, expected: Option<&str>| {
            let object = object(generation, &json!({CHANGED: text}));
            assert_eq!(user_of_spec(&object, Notes::Believed).as_deref(), expected, "{text}");
            assert_eq!(user_of_spec(&object, Notes::Doubted), None, "{text}");
        };
        check(3, "3 alice", Some("alice"));
        check(3, "3 system:serviceaccount:ci:bot of ours", Some("system:serviceaccount:ci:bot of ours"));
        check(4, "3 alice", None);
        check(3, "alice", None);
    }
}
