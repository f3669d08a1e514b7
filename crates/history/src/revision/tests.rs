//! Reading revisions, and what a history knows.

use serde_json::{Value, json};

use super::*;

/// A digest for each letter.
pub(crate) fn digest(letter: char) -> Digest {
    Digest::of_content("test", &json!(letter))
}

pub(crate) fn number(number: u64) -> RevisionNumber {
    RevisionNumber::new(number).unwrap()
}

/// A revision whose content is a letter.
pub(crate) fn revision(at: u64, letter: char) -> Revision {
    let name = format!("web-rev-{at}");
    let object = ObjectVersion { uid: format!("u-{at}"), resource_version: at.to_string(), name };
    Revision { object, ..Revision::new(number(at), digest(letter)) }
}

/// Revisions from 1 on, one for each letter; `.` for a number that is gone.
pub(crate) fn history(letters: &str) -> History {
    let revisions = (1..).zip(letters.chars()).filter(|(_, letter)| *letter != '.');
    History::new(revisions.map(|(at, letter)| revision(at, letter)).collect())
}

fn object() -> Value {
    json!({
        "apiVersion": "kro.run/v1alpha1",
        "kind": "ResourceGraphDefinitionRevision",
        "metadata": {
            "name": "web-rev-4", "uid": "u-4", "resourceVersion": "17", "creationTimestamp": "2026-01-03T00:00:00Z",
            "ownerReferences": [{"uid": "d-1"}],
            "annotations": {"krono.dev/failed": "3 of 10 failed", "krono.dev/unused-since": "2026-01-01T00:00:00Z",
                "krono.dev/completed": "2026-01-01T00:00:00Z", "krono.dev/replaced": "2026-01-02T00:00:00Z"},
        },
        "spec": {"revision": 4, "schema": {"kind": "Web", "apiVersion": "v1"}, "restoredFrom": 2, "digest": "wrong",
            "createdAt": "2026-01-01T00:00:00Z"},
        "status": {"superseded": true},
    })
}

#[test]
fn v3_all_that_matters_is_found_without_status_and_owners() {
    let read = definition_revision(&object(), "d-1").unwrap();
    let expected = Revision {
        number: number(4),
        digest: Digest::of_definition(&object()["spec"]),
        issued_at: Some("2026-01-01T00:00:00Z".parse().unwrap()),
        object_made_at: Some("2026-01-03T00:00:00Z".parse().unwrap()),
        replaced_at: Some("2026-01-02T00:00:00Z".parse().unwrap()),
        restored_from: Some(number(2)),
        is_rollback: false,
        health: Health::Failed("3 of 10 failed".to_owned()),
        is_completed: true,
        superseded: Some(true),
        unused_since: Some("2026-01-01T00:00:00Z".parse().unwrap()),
        presence: Presence::Live,
        ownership: Ownership::Own,
        object: ObjectVersion {
            name: "web-rev-4".to_owned(),
            uid: "u-4".to_owned(),
            resource_version: "17".to_owned(),
        },
    };
    assert_eq!(read, expected);

    let mut restored = object();
    restored.as_object_mut().unwrap().remove("status");
    restored["metadata"].as_object_mut().unwrap().remove("ownerReferences");
    let expected = Revision { superseded: None, ownership: Ownership::Orphan, ..expected };
    assert_eq!(definition_revision(&restored, "d-1").unwrap(), expected);
}

#[test]
fn what_is_no_revision_says_why() {
    let check = |pointer: &str, value: Value, expected: &str| {
        let mut object = object();
        *object.pointer_mut(pointer).unwrap() = value;
        assert_eq!(definition_revision(&object, "d-1").unwrap_err().to_string(), expected);
    };
    check("/spec/revision", json!(0), "web-rev-4 has the number 0, which no revision can have; delete it");
    let words = "web-rev-4 is no revision: invalid type: null, expected struct DefinitionRevisionSpec; delete it, the number stays taken";
    check("/spec", json!(null), words);
}

#[test]
fn v15_an_input_is_a_spec_and_the_content_it_is_for() {
    let spec = json!({"replicas": 5});
    let object = |reference: Value| {
        json!({
            "apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphInputRevision", "metadata": {"name": "a-input-rev-2"},
            "spec": {"inputRevision": 2, "rgdRevision": 3, "rgdRevisionRef": reference, "instanceSpec": spec},
        })
    };
    let reference = json!({"name": "web-rev-3", "digest": digest('a').to_string()});
    let read = input_revision(&object(reference), "i-1").unwrap();
    assert_eq!((read.number, read.digest), (number(2), Digest::of_input(&spec, digest('a'))));
    let words =
        "a-input-rev-2 does not say which content its input was for; it cannot be compared or restored";
    assert_eq!(input_revision(&object(json!({"name": "web-rev-3"})), "i-1").unwrap_err().to_string(), words);
}

#[test]
fn v9_a_number_whose_digest_differs_is_unknown() {
    let history = history("ab");
    assert_eq!(history.recall(number(2), digest('b')).map(|it| it.number), Some(number(2)));
    assert_eq!(history.recall(number(2), digest('a')), None);
    assert_eq!(history.recall(number(3), digest('a')), None);
}

#[test]
fn v24_and_v31_instances_count_at_the_newest_revision_with_their_content() {
    let counts = history("abac").counts(['a', 'a', 'b', 'x'].map(digest));
    let expected = [(1, 0), (2, 1), (3, 2), (4, 0)];
    assert_eq!(counts, expected.map(|(at, count)| (number(at), count)).into());
}

#[test]
fn v9_what_is_on_its_way_out_keeps_its_number_and_nothing_else() {
    let mut last = revision(3, 'c');
    last.presence = Presence::Terminating;
    let history = History::new(vec![last, revision(1, 'a'), revision(2, 'b')]);
    assert_eq!(history.highest(), Some(number(3)));
    assert_eq!(history.latest().map(|it| it.number), Some(number(2)));
    assert_eq!(history.find(number(3)), None);
    assert_eq!(history.newest_with(digest('c')), None);
}
