//! Revisions that outlived their definition.

use jiff::Timestamp;
use krono_history::retention::RESTORE_SECONDS;
use krono_model::names;
use serde_json::{Value, json};

/// What is known of the instances of a kind whose definition is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// There are some.
    Some,
    /// There are none.
    None,
    /// Nobody tells while the kind is not served.
    Unknown,
    /// The kind is gone, and they with it; of a backup, both may come after the revisions.
    Gone,
}

/// What becomes of a revision that a definition left for its instances.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// It stays.
    Stays,
    /// It stays, with this merge patch.
    Noted(Value),
    /// It goes.
    Goes,
}

/// Decides about a revision by the instances that are left; where their kind is gone it stays for an hour from when that was
/// noted.
pub fn fate(orphan: &Value, left: Left, now: Timestamp) -> Fate {
    let noted = orphan["metadata"]["annotations"][names::UNUSED_SINCE_ANNOTATION].as_str();
    let since = noted.and_then(|it| it.parse::<Timestamp>().ok());
    match (left, since) {
        (Left::None, _) => Fate::Goes,
        (Left::Gone, None) => Fate::Noted(note(orphan, &json!(now.to_string()))),
        (Left::Gone, Some(since)) if now.as_second() - since.as_second() > RESTORE_SECONDS => Fate::Goes,
        (Left::Some | Left::Unknown, _) if noted.is_some() => Fate::Noted(note(orphan, &Value::Null)),
        (Left::Some | Left::Unknown | Left::Gone, _) => Fate::Stays,
    }
}

fn note(orphan: &Value, since: &Value) -> Value {
    let metadata = &orphan["metadata"];
    json!({"metadata": {
        "annotations": {names::UNUSED_SINCE_ANNOTATION: since},
        "uid": metadata["uid"],
        "resourceVersion": metadata["resourceVersion"],
    }})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v13_what_was_left_for_instances_goes_with_them_and_waits_an_hour_for_their_kind() {
        let now: Timestamp = "2026-01-01T12:00:00Z".parse().unwrap();
        let orphan = |since: Option<&str>| {
            let mut orphan = json!({"metadata": {"uid": "u", "creationTimestamp": "2025-01-01T00:00:00Z"}});
            orphan["metadata"]["annotations"][names::UNUSED_SINCE_ANNOTATION] = json!(since);
            orphan
        };
        let check = |since: Option<&str>, left, expected: &str| {
            let told = match fate(&orphan(since), left, now) {
                Fate::Stays => "stays".to_owned(),
                Fate::Goes => "goes".to_owned(),
                Fate::Noted(patch) => {
                    assert_eq!(patch["metadata"]["uid"], "u");
                    let since = &patch["metadata"]["annotations"][names::UNUSED_SINCE_ANNOTATION];
                    since.as_str().unwrap_or("nothing").to_owned()
                }
            };
            assert_eq!(told, expected, "{since:?} {left:?}");
        };
        check(None, Left::Some, "stays");
        check(None, Left::Unknown, "stays");
        check(None, Left::None, "goes");
        check(None, Left::Gone, "2026-01-01T12:00:00Z");
        check(Some("2026-01-01T11:01:00Z"), Left::Gone, "stays");
        check(Some("2026-01-01T10:59:59Z"), Left::Gone, "goes");
        check(Some("2026-01-01T10:00:00Z"), Left::Some, "nothing");
        check(Some("2026-01-01T10:00:00Z"), Left::Unknown, "nothing");
        check(Some("garbage"), Left::Gone, "2026-01-01T12:00:00Z");
        check(Some("garbage"), Left::Some, "nothing");
    }
}
