//! Conditions that changed, for people who read events.

use krono_model::condition::{Condition, Status, read_all};
use krono_model::definition::{
    DELETION_BLOCKED, GATE_NEVER_OPENS, HELD, HOLD_INVALID, MANAGEMENT_INVALID, PROPAGATION_INVALID,
    REVISION_DELETION_BLOCKED, REVISION_PENDING,
};
use serde_json::Value;

/// A condition that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Which.
    pub condition: String,
    /// From what to what, and why.
    pub note: String,
    /// Whether it is for the worse.
    pub is_warning: bool,
}

/// The conditions that differ between two statuses, in the order of the later one.
pub fn transitions(before: &Value, after: &Value) -> Vec<Transition> {
    let before = read_all(before.get("conditions"));
    let changed = |condition: Condition| {
        let old = before.iter().find(|it| it.condition_type == condition.condition_type);
        if old.is_some_and(|old| old.status == condition.status) {
            return None;
        }
        let from = old.map_or("none", |old| old.status.as_str());
        let reason = condition.reason.as_deref().unwrap_or_default();
        Some(Transition {
            note: format!("{from} -> {}: {reason}", condition.status.as_str()),
            is_warning: condition.status != Status::True,
            condition: condition.condition_type,
        })
    };
    read_all(after.get("conditions")).into_iter().filter_map(changed).collect()
}

/// What began or ceased to hold about a definition beside what it depends on, in the words of its conditions.
pub fn notes(before: &Value, after: &Value) -> Vec<Transition> {
    let told = |it: &Condition| TOLD.contains(&it.condition_type.as_str());
    let read =
        |status: &Value| read_all(status.get("conditions")).into_iter().filter(told).collect::<Vec<_>>();
    let (before, after) = (read(before), read(after));
    let is_in = |all: &[Condition], one: &Condition| {
        all.iter().any(|it| it.condition_type == one.condition_type && it.message == one.message)
    };
    let began = after.iter().filter(|it| !is_in(&before, it)).map(|it| Transition {
        condition: it.condition_type.clone(),
        note: it.message.clone().unwrap_or_default(),
        is_warning: !QUIET.contains(&it.condition_type.as_str()),
    });
    let is_over = |one: &&Condition| !after.iter().any(|it| it.condition_type == one.condition_type);
    let ceased = before.iter().filter(is_over).map(|it| Transition {
        condition: it.condition_type.clone(),
        note: format!("no longer {}", it.condition_type),
        is_warning: false,
    });
    began.chain(ceased).collect()
}

/// Conditions whose beginning and end is told.
const TOLD: [&str; 8] = [
    HELD,
    HOLD_INVALID,
    REVISION_PENDING,
    DELETION_BLOCKED,
    REVISION_DELETION_BLOCKED,
    MANAGEMENT_INVALID,
    PROPAGATION_INVALID,
    GATE_NEVER_OPENS,
];
/// Those of them that somebody wished for.
const QUIET: [&str; 2] = [HELD, REVISION_PENDING];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn status(conditions: &[(&str, &str, &str)]) -> Value {
        let condition = |(ty, status, reason): &(&str, &str, &str)| json!({"type": ty, "status": status, "reason": reason});
        json!({"conditions": conditions.iter().map(condition).collect::<Vec<_>>()})
    }

    #[test]
    fn only_what_changed_is_told() {
        let before = status(&[("Managed", "True", "Managed"), ("Ready", "False", "NotReady")]);
        let after = status(&[
            ("Managed", "True", "Again"),
            ("Ready", "True", "Ready"),
            ("New", "Unknown", "Waiting"),
        ]);
        let told = transitions(&before, &after);
        let told: Vec<_> =
            told.iter().map(|it| (it.condition.as_str(), it.note.as_str(), it.is_warning)).collect();
        assert_eq!(
            told,
            [("Ready", "False -> True: Ready", false), ("New", "none -> Unknown: Waiting", true)]
        );
    }
}
