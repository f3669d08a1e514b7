//! How an object is, in one word.

use serde_json::Value;

/// How an object is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    /// In one or two words.
    pub word: String,
    /// Whether that is how it should be; nothing when it may become so.
    pub is_good: Option<bool>,
}

impl Health {
    fn new(word: impl Into<String>, is_good: Option<bool>) -> Self {
        Self { word: word.into(), is_good }
    }
}

/// How an object is, by what its kind usually says about itself.
pub fn health(object: &Value) -> Health {
    let status = &object["status"];
    if !object["metadata"]["deletionTimestamp"].is_null() {
        return Health::new("Terminating", None);
    }
    if let Some(state) = status["state"].as_str() {
        return of_state(state);
    }
    if let Some(count) = replicas(object) {
        return count;
    }
    if let Some(phase) = status["phase"].as_str() {
        return of_phase(phase);
    }
    of_conditions(status).unwrap_or_else(|| Health::new("Exists", Some(true)))
}

/// Of definitions and instances.
fn of_state(state: &str) -> Health {
    let is_good = match state {
        "ACTIVE" | "Active" => Some(true),
        "ERROR" | "FAILED" | "Inactive" => Some(false),
        _ => None,
    };
    Health::new(state, is_good)
}

fn replicas(object: &Value) -> Option<Health> {
    let wanted = object["spec"]["replicas"].as_i64()?;
    let ready = object["status"]["readyReplicas"].as_i64().unwrap_or(0);
    Some(Health::new(format!("{ready}/{wanted} ready"), (ready == wanted).then_some(true)))
}

fn of_phase(phase: &str) -> Health {
    let is_good = match phase {
        "Running" | "Succeeded" | "Bound" | "Active" | "Available" => Some(true),
        "Failed" | "Lost" => Some(false),
        _ => None,
    };
    Health::new(phase, is_good)
}

fn of_conditions(status: &Value) -> Option<Health> {
    let conditions = status["conditions"].as_array()?;
    let of = |ty: &str| conditions.iter().find(|it| it["type"] == ty).map(|it| it["status"] == "True");
    if of("Failed") == Some(true) {
        return Some(Health::new("Failed", Some(false)));
    }
    let [ready, complete] = ["Ready", "Complete"].map(of);
    match (complete, ready.or_else(|| of("Available")).or_else(|| of("Established"))) {
        (Some(true), _) => Some(Health::new("Complete", Some(true))),
        (_, Some(true)) => Some(Health::new("Ready", Some(true))),
        (_, Some(false)) => Some(Health::new("NotReady", None)),
        (_, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_word_for_every_kind() {
        let check = |object: Value, word: &str, is_good: Option<bool>| {
            assert_eq!(health(&object), Health::new(word, is_good), "{object}");
        };
        check(json!({}), "Exists", Some(true));
        check(
            json!({"metadata": {"deletionTimestamp": "now"}, "status": {"state": "ACTIVE"}}),
            "Terminating",
            None,
        );
        check(json!({"status": {"state": "IN_PROGRESS"}}), "IN_PROGRESS", None);
        check(json!({"status": {"state": "ERROR"}}), "ERROR", Some(false));
        check(json!({"spec": {"replicas": 2}, "status": {"readyReplicas": 1}}), "1/2 ready", None);
        check(json!({"spec": {"replicas": 2}, "status": {"readyReplicas": 2}}), "2/2 ready", Some(true));
        check(json!({"status": {"phase": "Pending"}}), "Pending", None);
        let conditions =
            |ty: &str, status: &str| json!({"status": {"conditions": [{"type": ty, "status": status}]}});
        check(conditions("Complete", "True"), "Complete", Some(true));
        check(conditions("Failed", "True"), "Failed", Some(false));
        check(conditions("Ready", "False"), "NotReady", None);
        check(conditions("Other", "True"), "Exists", Some(true));
    }
}
