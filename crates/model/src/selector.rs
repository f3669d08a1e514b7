//! Label selectors.

use serde_json::Value;

/// Whether a `LabelSelector` selects an object with these labels; an empty one selects all.
pub fn selects(selector: &Value, labels: &Value) -> bool {
    let exact = selector["matchLabels"].as_object().into_iter().flatten();
    let requirements = selector["matchExpressions"].as_array().into_iter().flatten();
    exact.into_iter().all(|(key, value)| labels.get(key) == Some(value))
        && requirements.into_iter().all(|it| holds(it, labels))
}

/// An operator nobody knows selects nothing.
fn holds(requirement: &Value, labels: &Value) -> bool {
    let label = requirement["key"].as_str().and_then(|key| labels.get(key));
    let values = requirement["values"].as_array().map(Vec::as_slice).unwrap_or_default();
    let listed = label.is_some_and(|it| values.contains(it));
    match requirement["operator"].as_str() {
        Some("In") => listed,
        Some("NotIn") => !listed,
        Some("Exists") => label.is_some(),
        Some("DoesNotExist") => label.is_none(),
        Some(_) | None => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn labels_and_expressions() {
        let labels = json!({"app": "web", "tier": "front"});
        let check =
            |selector: Value, expect: bool| assert_eq!(selects(&selector, &labels), expect, "{selector}");
        check(json!({}), true);
        check(Value::Null, true);
        check(json!({"matchLabels": {"app": "web"}}), true);
        check(json!({"matchLabels": {"app": "db"}}), false);
        let requirement = |key: &str, operator: &str, values: Value| json!({"matchExpressions": [{"key": key, "operator": operator, "values": values}]});
        check(requirement("app", "In", json!(["web", "db"])), true);
        check(requirement("app", "NotIn", json!(["web"])), false);
        check(requirement("other", "NotIn", json!(["web"])), true);
        check(requirement("tier", "Exists", json!([])), true);
        check(requirement("tier", "DoesNotExist", json!([])), false);
        check(requirement("tier", "Near", json!([])), false);
    }
}
