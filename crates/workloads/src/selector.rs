//! Which labels are selected.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

type Labels = BTreeMap<String, String>;

/// Whether the labels hold all of these.
pub(crate) fn has_all(labels: Option<&Labels>, wanted: &Labels) -> bool {
    let get = |name: &String| labels.and_then(|labels| labels.get(name));
    wanted.iter().all(|(name, value)| get(name) == Some(value))
}

/// Whether the selector selects the labels; an empty one selects all.
pub(crate) fn matches(selector: &LabelSelector, labels: Option<&Labels>) -> bool {
    selector.match_labels.as_ref().is_none_or(|wanted| has_all(labels, wanted))
        && selector.match_expressions.iter().flatten().all(|it| fulfils(it, labels))
}

fn fulfils(requirement: &LabelSelectorRequirement, labels: Option<&Labels>) -> bool {
    let value = labels.and_then(|labels| labels.get(&requirement.key));
    let listed = || value.is_some_and(|value| requirement.values.iter().flatten().any(|it| it == value));
    match requirement.operator.as_str() {
        "In" => listed(),
        "NotIn" => !listed(),
        "Exists" => value.is_some(),
        "DoesNotExist" => value.is_none(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn check(selector: &Value, expect: bool) {
        let selector: LabelSelector = serde_json::from_value(selector.clone()).unwrap();
        let labels = [("app".to_owned(), "web".to_owned())].into();
        assert_eq!(matches(&selector, Some(&labels)), expect, "{selector:?}");
    }

    #[test]
    fn labels_and_expressions() {
        check(&json!({}), true);
        check(&json!({"matchLabels": {"app": "web"}}), true);
        check(&json!({"matchLabels": {"app": "db"}}), false);
        check(
            &json!({"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "db"]}]}),
            true,
        );
        check(&json!({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["web"]}]}), false);
        check(&json!({"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["web"]}]}), true);
        check(&json!({"matchExpressions": [{"key": "tier", "operator": "Exists"}]}), false);
        check(&json!({"matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]}), true);
    }
}
