//! Whether a pod may be evicted.

use serde_json::{Value, json};

use crate::rbac::selects;
use crate::status::{Cause, Status, Subject};

/// Evictions that a budget waits to see confirmed.
const MAX_UNCONFIRMED: usize = 2000;

/// Whether no budget has a say: the pod does not run, or goes already.
pub(crate) fn is_free(pod: &Value) -> bool {
    let phase = pod.pointer("/status/phase").and_then(Value::as_str).unwrap_or_default();
    let is_deleting = pod.pointer("/metadata/deletionTimestamp").is_some_and(|it| !it.is_null());
    is_deleting || matches!(phase, "Succeeded" | "Failed" | "Pending")
}

/// Whether a budget is for a pod.
pub(crate) fn is_for(budget: &Value, pod: &Value) -> bool {
    let labels = pod.pointer("/metadata/labels").unwrap_or(&Value::Null);
    budget.pointer("/spec/selector").is_some_and(|selector| selector.is_object() && selects(selector, labels))
}

/// Whether a pod that is not ready may go without counting: the budget says so, or holds without it.
pub(crate) fn is_unhealthy_and_free(budget: &Value, pod: &Value) -> bool {
    let policy = budget.pointer("/spec/unhealthyPodEvictionPolicy").and_then(Value::as_str);
    let (healthy, desired) = (number(budget, "currentHealthy"), number(budget, "desiredHealthy"));
    !is_ready(pod) && (policy == Some("AlwaysAllow") || healthy >= desired && desired > 0)
}

fn is_ready(pod: &Value) -> bool {
    let conditions = pod.pointer("/status/conditions").and_then(Value::as_array);
    conditions.into_iter().flatten().any(|it| it["type"] == "Ready" && it["status"] == "True")
}

fn number(budget: &Value, field: &str) -> i64 {
    budget["status"][field].as_i64().unwrap_or_default()
}

fn name(budget: &Value) -> &str {
    budget.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default()
}

/// Notes an eviction in the status of a budget, unless the budget does not allow it. Changes the budget.
pub(crate) fn count(budget: &mut Value, pod: &str, now: &str) -> Result<(), Status> {
    let generation = budget.pointer("/metadata/generation").and_then(Value::as_i64).unwrap_or_default();
    if number(budget, "observedGeneration") < generation {
        let message =
            format!("The disruption budget {} is still being processed by the server.", name(budget));
        return Err(violated(10, message));
    }
    let allowed = number(budget, "disruptionsAllowed");
    let unconfirmed = budget["status"]["disruptedPods"].as_object().map_or(0, serde_json::Map::len);
    let subject = Subject { group: "policy", resource: "poddisruptionbudget" };
    if allowed < 0 {
        return Err(Status::forbidden(subject, name(budget), "pdb disruptions allowed is negative"));
    }
    if unconfirmed > MAX_UNCONFIRMED {
        let why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
        return Err(Status::forbidden(subject, name(budget), why));
    }
    if allowed == 0 {
        return Err(violated(0, refusal(budget)));
    }
    budget["status"]["disruptionsAllowed"] = (allowed - 1).into();
    if !budget["status"]["disruptedPods"].is_object() {
        budget["status"]["disruptedPods"] = json!({});
    }
    budget["status"]["disruptedPods"][pod] = now.into();
    Ok(())
}

fn violated(retry_after_seconds: u32, message: String) -> Status {
    let text = "Cannot evict pod as it would violate the pod's disruption budget.";
    let mut status = Status::too_many_requests(text, retry_after_seconds);
    if let Some(details) = &mut status.details {
        details.causes.push(Cause { reason: "DisruptionBudget".to_owned(), message, ..Cause::default() });
    }
    status
}

fn refusal(budget: &Value) -> String {
    let (budget_name, conditions) = (name(budget), budget["status"]["conditions"].as_array());
    let found = conditions.into_iter().flatten().find(|it| it["type"] == "DisruptionAllowed");
    let text = |field: &str| found.and_then(|it| it[field].as_str()).unwrap_or_default();
    let is_told = text("status") == "False" && !text("message").is_empty();
    let (healthy, desired) = (number(budget, "currentHealthy"), number(budget, "desiredHealthy"));
    if is_told && text("reason") == "SyncFailed" {
        let message = text("message");
        format!(
            "The disruption budget {budget_name} does not allow evicting pods currently because it failed sync: {message}"
        )
    } else if healthy <= desired {
        format!(
            "The disruption budget {budget_name} needs {desired} healthy pods and has {healthy} currently"
        )
    } else if is_told {
        let (reason, message) = (text("reason"), text("message"));
        format!(
            "The disruption budget {budget_name} does not allow evicting pods currently ({reason}): {message}"
        )
    } else {
        format!("The disruption budget {budget_name} does not allow evicting pods currently")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget(status: &Value) -> Value {
        json!({
            "metadata": {"name": "b", "generation": 1}, "status": status,
            "spec": {"selector": {"matchLabels": {"app": "web"}}},
        })
    }

    #[test]
    fn budgets_count_evictions() {
        let mut open = budget(&json!({"observedGeneration": 1, "disruptionsAllowed": 1}));
        count(&mut open, "p", "now").unwrap();
        assert_eq!(open["status"]["disruptedPods"], json!({"p": "now"}));
        let check = |mut budget: Value, code: u16, cause: &str| {
            let status = count(&mut budget, "p", "now").unwrap_err();
            assert_eq!((status.code, &*status.details.unwrap().causes[0].message), (code, cause));
        };
        check(open, 429, "The disruption budget b needs 0 healthy pods and has 0 currently");
        let new = budget(&json!({"disruptionsAllowed": 1}));
        check(new, 429, "The disruption budget b is still being processed by the server.");
        let closed = json!({
            "observedGeneration": 1, "currentHealthy": 3, "desiredHealthy": 2,
            "conditions": [{"type": "DisruptionAllowed", "status": "False", "reason": "R", "message": "m"}],
        });
        let told = "The disruption budget b does not allow evicting pods currently (R): m";
        check(budget(&closed), 429, told);
    }

    #[test]
    fn whom_budgets_are_for() {
        let pod = json!({"metadata": {"labels": {"app": "web"}}, "status": {"phase": "Running"}});
        let one = budget(&json!({"currentHealthy": 2, "desiredHealthy": 2}));
        assert!(is_for(&one, &pod) && !is_free(&pod) && is_unhealthy_and_free(&one, &pod));
        assert!(!is_for(&json!({"spec": {}}), &pod));
        assert!(is_for(&json!({"spec": {"selector": {}}}), &pod));
        assert!(is_free(&json!({"status": {"phase": "Pending"}})));
    }
}
