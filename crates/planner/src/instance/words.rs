//! Words that can wait: what a resource still lacks changes several times while it becomes ready.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::assigned::{PROPAGATION, of_krono};

/// How long an instance that is on its way to another input may say what it said at first.
const LONGEST: SignedDuration = SignedDuration::from_mins(1);

/// Until when a status can wait to be published (rule V16): the instance has just left for another input, and all that is new are the
/// words of conditions. Nothing when it cannot wait.
pub(super) fn can_wait_until(published: &Value, status: &Value) -> Option<Timestamp> {
    let propagation = of_krono(status, PROPAGATION);
    let is_under_way = ["Pending", "InProgress"].iter().any(|it| propagation["status"] == *it)
        && propagation["targetInputRevision"].as_u64().is_some_and(|it| it > 1);
    let since: Timestamp = propagation["lastTransitionTime"].as_str()?.parse().ok()?;
    let until = since.checked_add(LONGEST).ok()?;
    (is_under_way && is_same_but_for_words(published, status)).then_some(until)
}

fn is_same_but_for_words(published: &Value, status: &Value) -> bool {
    let (Some(before), Some(after)) = (published.as_object(), status.as_object()) else { return false };
    let is_same = |(name, value): (&String, &Value)| match name.as_str() {
        "conditions" => are_same_but_for_words(&before[name], value),
        _ => before[name] == *value,
    };
    before.len() == after.len() && after.keys().all(|it| before.contains_key(it)) && after.iter().all(is_same)
}

fn are_same_but_for_words(before: &Value, after: &Value) -> bool {
    let (Some(before), Some(after)) = (before.as_array(), after.as_array()) else { return false };
    let silent = |condition: &Value| {
        let mut condition = condition.clone();
        if let Some(fields) = condition.as_object_mut() {
            fields.remove("message");
        }
        condition
    };
    before.len() == after.len()
        && before.iter().zip(after).all(|(before, after)| silent(before) == silent(after))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn status(message: &str) -> Value {
        json!({
            "state": "IN_PROGRESS",
            "conditions": [{"type": "Ready", "status": "False", "reason": "NotReady", "message": message}],
            "propagation": {"status": "InProgress", "targetInputRevision": 2, "lastTransitionTime": "2026-01-01T00:00:00Z"},
        })
    }

    #[test]
    fn v16_words_alone_wait_for_a_minute() {
        let check = |pointer: &str, value: Value, expected: Option<&str>| {
            let mut after = status("later");
            *after.pointer_mut(pointer).unwrap() = value;
            let until = can_wait_until(&status("first"), &after).map(|it| it.to_string());
            assert_eq!(until.as_deref(), expected, "{pointer}");
        };
        check("/conditions/0/message", json!("another"), Some("2026-01-01T00:01:00Z"));
        check("/conditions/0/status", json!("True"), None);
        check("/conditions/0/reason", json!("ResourceDeleting"), None);
        check("/state", json!("ERROR"), None);
        check("/propagation/status", json!("Completed"), None);
        check("/propagation/targetInputRevision", json!(1), None);
        check("/conditions", json!([]), None);
        assert_eq!(can_wait_until(&json!(null), &status("first")), None);
    }

    #[test]
    fn v16_a_first_input_is_told_of_as_it_comes() {
        let mut first = status("first");
        first["propagation"]["targetInputRevision"] = json!(1);
        let mut later = first.clone();
        later["conditions"][0]["message"] = json!("later");
        assert_eq!(can_wait_until(&first, &later), None);
    }
}
