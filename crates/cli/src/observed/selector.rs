//! Label selectors.

use serde_json::{Map, Value};

/// Whether a label selector selects an object; an empty one selects all.
pub(super) fn selects(selector: &Value, object: &Value) -> bool {
    let labels = object.pointer("/metadata/labels").and_then(Value::as_object);
    let wanted = selector.get("matchLabels").and_then(Value::as_object);
    let required = selector.get("matchExpressions").and_then(Value::as_array);
    wanted.into_iter().flatten().all(|(key, value)| label(labels, key) == Some(value))
        && required.into_iter().flatten().all(|it| fulfils(it, labels))
}

fn fulfils(requirement: &Value, labels: Option<&Map<String, Value>>) -> bool {
    let text = |name: &str| requirement.get(name).and_then(Value::as_str).unwrap_or_default();
    let value = label(labels, text("key"));
    let values = requirement.get("values").and_then(Value::as_array);
    let listed = || value.is_some_and(|value| values.is_some_and(|it| it.contains(value)));
    match text("operator") {
        "In" => listed(),
        "NotIn" => !listed(),
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        _ => false,
    }
}

fn label<'l>(labels: Option<&'l Map<String, Value>>, key: &str) -> Option<&'l Value> {
    labels.and_then(|it| it.get(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn labels_and_requirements() {
        let object = json!({"metadata": {"labels": {"app": "web", "tier": "front"}}});
        let check =
            |selector: Value, expect: bool| assert_eq!(selects(&selector, &object), expect, "{selector}");
        check(json!({}), true);
        check(json!({"matchLabels": {"app": "web"}}), true);
        check(json!({"matchLabels": {"app": "web", "tier": "back"}}), false);
        let requires = |operator: &str, key: &str, values: &[&str]| json!({"matchExpressions": [{"key": key, "operator": operator, "values": values}]});
        check(requires("In", "app", &["web", "api"]), true);
        check(requires("In", "app", &["api"]), false);
        check(requires("NotIn", "zone", &["a"]), true);
        check(requires("NotIn", "app", &["web"]), false);
        check(requires("Exists", "tier", &[]), true);
        check(requires("DoesNotExist", "tier", &[]), false);
    }
}
