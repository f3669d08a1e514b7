//! Revisions that outlived their definition.

use jiff::Timestamp;
use krono_history::retention::{RESTORE_SECONDS, spared_until};
use krono_history::revision::issued_at;
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

/// Decides about a revision by the instances that are left. Where their kind is gone it stays for an hour from when that was
/// noted, and what came from a backup stays for an hour: both may be on their way back, a kind before its instances.
pub fn fate(orphan: &Value, left: Left, now: Timestamp) -> Fate {
    let metadata = &orphan["metadata"];
    let noted = &metadata["annotations"][names::UNUSED_SINCE_ANNOTATION];
    let made = time(&metadata["creationTimestamp"]);
    let spared = spared_until(issued_at(orphan), made);
    // A note that came with it tells of another cluster.
    let since = time(noted).filter(|it| spared.is_none() || Some(*it) >= made);
    let is_awaited = spared.is_some_and(|until| now < until)
        || since.is_some_and(|it| now.as_second() - it.as_second() <= RESTORE_SECONDS);
    match left {
        Left::Some | Left::Unknown if noted.is_string() => Fate::Noted(note(orphan, &Value::Null)),
        Left::Some | Left::Unknown => Fate::Stays,
        Left::Gone if since.is_none() => Fate::Noted(note(orphan, &json!(now.to_string()))),
        Left::Gone | Left::None if is_awaited => Fate::Stays,
        Left::Gone | Left::None => Fate::Goes,
    }
}

fn time(value: &Value) -> Option<Timestamp> {
    value.as_str()?.parse().ok()
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

    /// What becomes at noon of a revision that was issued at midnight: until when it is noted, if it is.
    fn told(made: &str, noted: Option<&str>, left: Left) -> String {
        let on_that_day = |it: &str| format!("2026-01-01T{it}Z");
        let noted = noted.map(|it| if it == "garbage" { it.to_owned() } else { on_that_day(it) });
        let mut orphan = json!({"metadata": {"uid": "u", "creationTimestamp": on_that_day(made)}});
        orphan["metadata"]["annotations"][names::UNUSED_SINCE_ANNOTATION] = json!(noted);
        orphan["spec"]["createdAt"] = json!(on_that_day("00:00:00"));
        match fate(&orphan, left, on_that_day("12:00:00").parse().unwrap()) {
            Fate::Stays => "stays".to_owned(),
            Fate::Goes => "goes".to_owned(),
            Fate::Noted(patch) => {
                assert_eq!(patch["metadata"]["uid"], "u");
                let since = &patch["metadata"]["annotations"][names::UNUSED_SINCE_ANNOTATION];
                since.as_str().unwrap_or("nothing").to_owned()
            }
        }
    }

    const NOON: &str = "2026-01-01T12:00:00Z";

    #[test]
    fn v13_what_was_left_for_instances_goes_with_them_and_waits_an_hour_for_their_kind() {
        let check = |noted: Option<&str>, left, expected: &str| {
            assert_eq!(told("00:00:00", noted, left), expected, "{noted:?} {left:?}");
        };
        check(None, Left::Some, "stays");
        check(None, Left::Unknown, "stays");
        check(None, Left::None, "goes");
        check(None, Left::Gone, NOON);
        check(Some("11:01:00"), Left::Gone, "stays");
        // The kind is back, and its instances may follow.
        check(Some("11:01:00"), Left::None, "stays");
        check(Some("10:59:59"), Left::Gone, "goes");
        check(Some("10:59:59"), Left::None, "goes");
        check(Some("10:00:00"), Left::Some, "nothing");
        check(Some("10:00:00"), Left::Unknown, "nothing");
        check(Some("garbage"), Left::Gone, NOON);
        check(Some("garbage"), Left::Some, "nothing");
    }

    #[test]
    fn v03_what_came_from_a_backup_waits_an_hour_for_its_instances() {
        let check = |made: &str, noted: Option<&str>, left, expected: &str| {
            assert_eq!(told(made, noted, left), expected, "{made} {noted:?} {left:?}");
        };
        check("11:01:00", None, Left::None, "stays");
        check("11:01:00", None, Left::Gone, NOON);
        check("10:59:59", None, Left::None, "goes");
        // A note that came with it.
        check("11:01:00", Some("03:00:00"), Left::None, "stays");
        check("10:59:59", Some("03:00:00"), Left::Gone, NOON);
    }
}
