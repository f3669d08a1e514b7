//! Label selectors.

use serde_json::Value;

/// Whether a label selector selects an object; an empty one selects everything.
pub fn selects(selector: &Value, object: &Value) -> bool {
    let labels = &object["metadata"]["labels"];
    let pairs = selector["matchLabels"].as_object().into_iter().flatten();
    let rules = selector["matchExpressions"].as_array().into_iter().flatten();
    pairs.into_iter().all(|(name, value)| labels[name] == *value)
        && rules.into_iter().all(|it| holds(it, labels))
}

fn holds(rule: &Value, labels: &Value) -> bool {
    let label = labels.get(rule["key"].as_str().unwrap_or_default());
    let listed = || rule["values"].as_array().is_some_and(|it| label.is_some_and(|label| it.contains(label)));
    match rule["operator"].as_str().unwrap_or_default() {
        "In" => listed(),
        "NotIn" => !listed(),
        "Exists" => label.is_some(),
        "DoesNotExist" => label.is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn labels_and_expressions() {
        let object = json!({"metadata": {"labels": {"app": "web", "tier": "1"}}});
        let check =
            |selector: Value, expect: bool| assert_eq!(selects(&selector, &object), expect, "{selector}");
        check(json!({}), true);
        check(json!({"matchLabels": {"app": "web"}}), true);
        check(json!({"matchLabels": {"app": "db"}}), false);
        let rule = |operator: &str, values: Value| json!({"matchExpressions": [{"key": "tier", "operator": operator, "values": values}]});
        check(rule("In", json!(["1", "2"])), true);
        check(rule("NotIn", json!(["1", "2"])), false);
        check(rule("Exists", Value::Null), true);
        check(rule("DoesNotExist", Value::Null), false);
    }
}
