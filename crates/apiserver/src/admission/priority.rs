//! Which pods go first.

use serde_json::Value;

use super::text;

/// What a priority class gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Priority {
    /// The name of the class; empty without one.
    pub(crate) class: String,
    value: i64,
    preemption: Option<String>,
}

impl Priority {
    /// Of pods without a class, where none is the default.
    pub(crate) fn none() -> Self {
        Self { class: String::new(), value: 0, preemption: Some("PreemptLowerPriority".to_owned()) }
    }

    /// Of a class.
    pub(crate) fn of(class: &Value) -> Self {
        let name = class.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
        let preemption = class.get("preemptionPolicy").and_then(Value::as_str).map(str::to_owned);
        Self { class: name.to_owned(), value: class["value"].as_i64().unwrap_or_default(), preemption }
    }
}

/// The class of pods that name none: of several the one with the lowest value.
pub(crate) fn default_priority<'c>(classes: impl IntoIterator<Item = &'c Value>) -> Option<Priority> {
    let defaults = classes.into_iter().filter(|it| it.get("globalDefault") == Some(&Value::Bool(true)));
    defaults.map(Priority::of).min_by_key(|it| it.value)
}

/// Gives a new pod its priority; says what the pod may not say itself. Changes the spec.
pub(crate) fn give_priority(spec: &mut Value, priority: &Priority) -> Result<(), String> {
    let value = priority.value;
    if let Some(said) = spec["priority"].as_i64().filter(|said| *said != value) {
        return Err(format!(
            "the integer value of priority ({said}) must not be provided in pod spec; priority admission controller \
             computed {value} from the given PriorityClass name"
        ));
    }
    spec["priority"] = value.into();
    if !priority.class.is_empty() {
        spec["priorityClassName"] = priority.class.as_str().into();
    }
    let Some(policy) = &priority.preemption else { return Ok(()) };
    let said = text(spec, "preemptionPolicy");
    if !said.is_empty() && said != policy {
        return Err(format!(
            "the string value of PreemptionPolicy ({said}) must not be provided in pod spec; priority admission \
             controller computed {policy} from the given PriorityClass name"
        ));
    }
    spec["preemptionPolicy"] = policy.as_str().into();
    Ok(())
}

/// A pod that is changed keeps its priority. Changes the spec.
pub(crate) fn keep_priority(spec: &mut Value, old: &Value) {
    for field in ["priority", "preemptionPolicy"] {
        if spec[field].is_null() && !old[field].is_null() {
            spec[field] = old[field].clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn class(name: &str, value: i64, is_default: bool) -> Value {
        json!({
            "metadata": {"name": name}, "value": value, "globalDefault": is_default,
            "preemptionPolicy": "PreemptLowerPriority",
        })
    }

    #[test]
    fn priorities() {
        let classes = [class("a", 5, true), class("b", 3, true), class("c", 1, false)];
        let chosen = default_priority(&classes).unwrap();
        let mut spec = json!({});
        give_priority(&mut spec, &chosen).unwrap();
        let policy = "PreemptLowerPriority";
        assert_eq!(spec, json!({"priority": 3, "priorityClassName": "b", "preemptionPolicy": policy}));
        let mut plain = json!({});
        give_priority(&mut plain, &Priority::none()).unwrap();
        assert_eq!(plain, json!({"priority": 0, "preemptionPolicy": policy}));
        let refused = give_priority(&mut json!({"priority": 7}), &Priority::none()).unwrap_err();
        assert!(refused.starts_with("the integer value of priority (7) must not"), "{refused}");
        let refused =
            give_priority(&mut json!({"preemptionPolicy": "Never"}), &Priority::none()).unwrap_err();
        assert!(refused.starts_with("the string value of PreemptionPolicy (Never) must not"), "{refused}");
    }
}
