//! Labels, selectors and lists as text.

use serde_json::{Map, Value};

use super::Shown;

/// What stands for nothing.
pub(super) const NONE: &str = "<none>";
/// What stands for a setting that is not made.
pub(super) const UNSET: &str = "<unset>";
/// What stands for something nobody knows.
pub(super) const UNKNOWN: &str = "<unknown>";

/// Labels, such as `app=web,tier=front`.
pub(super) fn labels(labels: Option<&Map<String, Value>>) -> String {
    let mut terms: Vec<String> = labels.into_iter().flatten().map(equal).collect();
    terms.sort_unstable();
    or_none(terms.join(","))
}

fn equal((name, value): (&String, &Value)) -> String {
    format!("{name}={}", value.as_str().unwrap_or_default())
}

/// A label selector; what selects nothing and what selects everything are both shown as nothing.
pub(super) fn selector(selector: Option<&Value>, shown: &Shown<'_>) -> String {
    or_none(selector_text(selector, shown))
}

/// A label selector; empty when it selects nothing or everything.
pub(super) fn selector_text(selector: Option<&Value>, shown: &Shown<'_>) -> String {
    let Some(selector) = selector else { return String::new() };
    let selector = shown.part(selector);
    let labels = selector.map("/matchLabels").into_iter().flatten();
    let labels = labels.map(|(name, value)| (name.as_str(), equal((name, value))));
    let expressions = selector.parts("/matchExpressions").map(|it| (it.text("/key"), expression(&it)));
    let mut terms: Vec<_> = labels.chain(expressions).collect();
    terms.sort_by_key(|(key, _)| *key);
    terms.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(",")
}

fn expression(expression: &Shown<'_>) -> String {
    let key = expression.text("/key");
    let mut values = expression.texts("/values");
    values.sort_unstable();
    let values = values.join(",");
    match expression.text("/operator") {
        "In" => format!("{key} in ({values})"),
        "NotIn" => format!("{key} notin ({values})"),
        "DoesNotExist" => format!("!{key}"),
        _ => key.to_owned(),
    }
}

/// One field of each item, separated by commas.
pub(super) fn joined(items: &[Value], field: &str) -> String {
    let texts = items.iter().map(|item| item.get(field).and_then(Value::as_str).unwrap_or_default());
    texts.collect::<Vec<_>>().join(",")
}

/// The first of many, and how many more there are; `shown` is at most `limit` long.
pub(super) fn with_more(shown: &[String], count: usize, limit: usize, separator: &str) -> String {
    let text = shown.join(separator);
    if count > limit { format!("{text} + {} more...", count - limit) } else { text }
}

/// The text, or what stands for nothing.
pub(super) fn or_none(text: String) -> String {
    if text.is_empty() { NONE.to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn selectors() {
        let check = |value: Value, expect: &str| {
            let shown = Shown { object: &Value::Null, now: jiff::Timestamp::UNIX_EPOCH };
            assert_eq!(selector(Some(&value), &shown), expect);
        };
        check(json!({}), "<none>");
        check(json!({"matchLabels": {"b": "2", "a": "1"}}), "a=1,b=2");
        check(
            json!({"matchLabels": {"c": "3"}, "matchExpressions": [
                {"key": "z", "operator": "Exists"}, {"key": "a", "operator": "In", "values": ["y", "x"]},
                {"key": "b", "operator": "NotIn", "values": ["q"]}, {"key": "d", "operator": "DoesNotExist"},
            ]}),
            "a in (x,y),b notin (q),c=3,!d,z",
        );
    }

    #[test]
    fn label_lists() {
        let check = |value: Value, expect: &str| assert_eq!(labels(value.as_object()), expect);
        check(json!({}), "<none>");
        check(json!(null), "<none>");
        check(json!({"b": "2", "a": ""}), "a=,b=2");
    }
}
