use serde_json::json;

use super::*;

const DEPENDENTS: &[&str] = &["First", "Second"];
const CREATED: &str = "2026-01-01T00:00:00Z";
const BEFORE: &str = "2026-01-02T00:00:00Z";
const NOW: &str = "2026-01-03T00:00:00Z";

fn read(conditions: &Value) -> Conditions {
    Conditions::read(Some(conditions), DEPENDENTS, 2, CREATED, NOW)
}

fn condition(condition_type: &str, status: &str, reason: &str, since: &str, generation: i64) -> Value {
    json!({
        "type": condition_type, "status": status, "reason": reason, "message": "",
        "lastTransitionTime": since, "observedGeneration": generation,
    })
}

/// One line per condition, in the order on the wire.
fn shown(conditions: Conditions) -> Vec<String> {
    let line = |it: Value| {
        let text = |key: &str| it[key].as_str().unwrap_or("-").to_owned();
        let since = text("lastTransitionTime")[..10].to_owned();
        format!("{} {} {} {since} {}", text("type"), text("status"), text("reason"), it["observedGeneration"])
    };
    conditions.into_values().into_iter().map(line).collect()
}

#[test]
fn what_is_missing_is_awaited_since_creation() {
    let conditions = Conditions::read(None, DEPENDENTS, 1, CREATED, NOW);
    assert!(!conditions.is_ready());
    assert_eq!(
        conditions.get("First").unwrap().message.as_deref(),
        Some("condition \"First\" is awaiting reconciliation")
    );
    assert_eq!(
        shown(conditions),
        [
            "First Unknown AwaitingReconciliation 2026-01-01 1",
            "Second Unknown AwaitingReconciliation 2026-01-01 1",
            "Ready Unknown AwaitingReconciliation 2026-01-01 1",
        ]
    );
}

#[test]
fn behaviour_34_ready_holds_when_all_do() {
    let mut conditions = Conditions::read(None, DEPENDENTS, 1, CREATED, NOW);
    conditions.set("First", Status::True, "Done", "all is done");
    assert!(!conditions.is_ready());
    conditions.set("Second", Status::True, "Done", "");
    assert!(conditions.is_ready());
    assert_eq!(
        shown(conditions),
        ["First True Done 2026-01-03 1", "Second True Done 2026-01-03 1", "Ready True Ready 2026-01-03 1"]
    );
}

#[test]
fn behaviour_34_false_goes_before_unknown_and_the_latest_before_others() {
    let wire = json!([
        condition("First", "False", "Old", CREATED, 2),
        condition("Second", "True", "Done", BEFORE, 2),
        condition("Ready", "False", "Old", CREATED, 2),
    ]);
    let mut conditions = read(&wire);
    conditions.set("Second", Status::Unknown, "Lost", "");
    assert_eq!(conditions.get(READY).unwrap().reason.as_deref(), Some("Old"));
    conditions.set("Second", Status::False, "New", "");
    assert_eq!(conditions.get(READY).unwrap().reason.as_deref(), Some("New"));
    assert_eq!(
        shown(conditions),
        ["First False Old 2026-01-01 2", "Second False New 2026-01-03 2", "Ready False New 2026-01-01 2"]
    );
}

#[test]
fn behaviour_34_a_settled_object_reads_and_writes_the_same() {
    let wire = json!([
        condition("Second", "True", "Done", CREATED, 2),
        condition("First", "True", "Done", BEFORE, 2),
        condition("Ready", "True", "Ready", BEFORE, 2),
    ]);
    let mut conditions = read(&wire);
    conditions.set("First", Status::False, "NotYet", "");
    conditions.set("First", Status::True, "Done", "");
    conditions.set("Second", Status::True, "Done", "");
    assert_eq!(Value::Array(conditions.into_values()), wire);
}

#[test]
fn ready_may_not_claim_a_generation_that_a_dependent_has_not_seen() {
    let wire = json!([
        condition("First", "True", "Done", BEFORE, 1),
        condition("Second", "True", "Done", BEFORE, 1),
        condition("Ready", "True", "Ready", BEFORE, 1),
    ]);
    let mut conditions = read(&wire);
    conditions.set("First", Status::True, "Done", "");
    assert!(!conditions.is_ready());
    assert_eq!(conditions.get(READY).unwrap().observed_generation, 1);
    conditions.mark_all_observed();
    assert!(conditions.is_ready());
}

#[test]
fn stale_types_and_malformed_entries_are_dropped() {
    let wire = json!([
        condition("ResourceGraphAccepted", "True", "Valid", CREATED, 1),
        condition("First", "True", "Done", BEFORE, 2),
        condition("First", "False", "Twice", BEFORE, 2),
        {"type": "Second", "status": "Perhaps"},
        7,
    ]);
    assert_eq!(
        shown(read(&wire)),
        [
            "Second Unknown AwaitingReconciliation 2026-01-01 2",
            "First True Done 2026-01-02 2",
            "Ready Unknown AwaitingReconciliation 2026-01-01 2",
        ]
    );
    assert_eq!(shown(Conditions::read(Some(&json!("none")), DEPENDENTS, 1, CREATED, NOW)).len(), 3);
}

#[test]
fn only_dependents_can_be_set() {
    let mut conditions = read(&json!([]));
    conditions.set(READY, Status::True, "Ready", "");
    conditions.set("Other", Status::True, "Ready", "");
    assert!(!conditions.is_ready());
    assert_eq!(conditions.get("Other"), None);
}

#[test]
fn a_condition_of_an_author_may_lack_words() {
    let wire = json!({"type": "Mine", "status": "True"});
    assert_eq!(Condition::from_value(&wire).unwrap().to_value(), wire);
}
