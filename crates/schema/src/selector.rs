//! Label selectors: whom they select, and those that select nothing, whatever there is.

use serde_json::Value;

use crate::names::{label_key_complaints, label_value_complaints};

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

/// Something that is wrong with a selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The field, such as `.matchExpressions[0].operator`.
    pub place: String,
    /// What is wrong with it.
    pub message: String,
    /// What to do.
    pub advice: &'static str,
}

/// What is wrong with a selector as an author wrote it; nobody knows yet what its expressions say.
pub fn flaws_as_written(selector: &Value) -> Vec<Flaw> {
    Judge { has_expressions: true, flaws: Vec::new() }.all(selector)
}

/// What is wrong with a selector whose expressions have values.
pub fn flaws(selector: &Value) -> Vec<Flaw> {
    Judge { has_expressions: false, flaws: Vec::new() }.all(selector)
}

/// Values of other types than they should have are not looked at: compiling told of them.
struct Judge {
    has_expressions: bool,
    flaws: Vec<Flaw>,
}

impl Judge {
    fn all(mut self, selector: &Value) -> Vec<Flaw> {
        for (key, value) in selector["matchLabels"].as_object().into_iter().flatten() {
            let place = format!(".matchLabels[{key}]");
            self.key(key, &place);
            self.value(value, &place);
        }
        let requirements = selector["matchExpressions"].as_array().into_iter().flatten().enumerate();
        for (index, requirement) in requirements.filter(|(_, it)| it.is_object()) {
            self.requirement(requirement, &format!(".matchExpressions[{index}]"));
        }
        self.flaws
    }

    fn requirement(&mut self, requirement: &Value, place: &str) {
        let (at_key, key) = (format!("{place}.key"), &requirement["key"]);
        if key.is_null() {
            self.report(at_key, "expected the key of a label", "write `key: app`, say");
        } else if let Some(key) = self.text(key) {
            self.key(key, &at_key);
        }
        self.operator(requirement, place);
        for (index, value) in requirement["values"].as_array().into_iter().flatten().enumerate() {
            self.value(value, &format!("{place}.values[{index}]"));
        }
    }

    fn operator(&mut self, requirement: &Value, place: &str) {
        let (operator, values) = (&requirement["operator"], &requirement["values"]);
        if !operator.is_null() && self.text(operator).is_none() {
            return;
        }
        let at_values = format!("{place}.values");
        match (operator.as_str(), has_elements(values)) {
            (Some("In" | "NotIn"), Some(false)) => {
                let message = "expected a list of values, which In and NotIn need";
                self.report(at_values, message, "write `values: [web]`, say");
            }
            (Some("Exists" | "DoesNotExist"), Some(true)) => {
                let message = "Exists and DoesNotExist have no values";
                self.report(at_values, message, "remove them, or write In or NotIn");
            }
            (Some("In" | "NotIn" | "Exists" | "DoesNotExist"), _) => {}
            (Some(_) | None, _) => {
                let message = "expected In, NotIn, Exists or DoesNotExist";
                self.report(format!("{place}.operator"), message, "write one of these, with capital letters");
            }
        }
    }

    fn key(&mut self, key: &str, place: &str) {
        if let Some(complaint) = label_key_complaints(key).into_iter().next() {
            let message = format!("{key:?} is no key of a label: {complaint}");
            self.report(place.to_owned(), message, "write it as it stands on the objects");
        }
    }

    fn value(&mut self, value: &Value, place: &str) {
        let Some(value) = self.text(value) else { return };
        if let Some(complaint) = label_value_complaints(value).into_iter().next() {
            let message = format!("{value:?} is no value of a label: {complaint}");
            self.report(place.to_owned(), message, "write it as it stands on the objects");
        }
    }

    /// A text whose value is known.
    fn text<'v>(&self, value: &'v Value) -> Option<&'v str> {
        value.as_str().filter(|it| !(self.has_expressions && it.contains("${")))
    }

    fn report(&mut self, place: String, message: impl Into<String>, advice: &'static str) {
        self.flaws.push(Flaw { place, message: message.into(), advice });
    }
}

/// Nothing when that is not known.
fn has_elements(values: &Value) -> Option<bool> {
    match values {
        Value::Null => Some(false),
        Value::Array(elements) => Some(!elements.is_empty()),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => None,
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

    #[test]
    fn what_selects_nothing_is_told() {
        let check = |selector: Value, expect: &[&str]| {
            let found = flaws(&selector);
            let told: Vec<String> = found.iter().map(|it| format!("{}: {}", it.place, it.message)).collect();
            assert_eq!(told.len(), expect.len(), "{told:#?}");
            assert!(told.iter().zip(expect).all(|(it, begin)| it.starts_with(begin)), "{told:#?}");
        };
        let requirement = |key: &str, operator: &str, values: Value| json!({"matchExpressions": [{"key": key, "operator": operator, "values": values}]});
        check(json!({}), &[]);
        check(Value::Null, &[]);
        check(json!({"matchLabels": {"acme.io/app": "Web_1.x", "none": ""}}), &[]);
        let key = ".matchLabels[bad key!]: \"bad key!\" is no key";
        check(
            json!({"matchLabels": {"bad key!": "x y"}}),
            &[key, ".matchLabels[bad key!]: \"x y\" is no value"],
        );
        check(requirement("app", "In", json!(["a", "b"])), &[]);
        check(requirement("app", "Exists", json!([])), &[]);
        check(requirement("app", "Exists", Value::Null), &[]);
        check(requirement("app", "Inn", json!(["a"])), &[".matchExpressions[0].operator: expected In"]);
        check(requirement("app", "NotIn", json!([])), &[".matchExpressions[0].values: expected"]);
        check(requirement("app", "DoesNotExist", json!(["a"])), &[".matchExpressions[0].values: Exists"]);
        check(
            requirement("a b", "In", json!(["c", "d e"])),
            &[".matchExpressions[0].key: \"a b\"", ".matchExpressions[0].values[1]: \"d e\""],
        );
        check(
            json!({"matchExpressions": [{}]}),
            &[".matchExpressions[0].key: expected", ".matchExpressions[0].operator: expected"],
        );
    }

    #[test]
    fn expressions_are_left_until_they_have_values() {
        let selector = json!({"matchLabels": {"app": "${a}"}, "matchExpressions": [
            {"key": "${a}", "operator": "${b}", "values": "${c}"}, {"key": "a", "operator": "In", "values": ["x-${d}"]}]});
        assert_eq!(flaws_as_written(&selector), []);
        assert_eq!(flaws(&selector).len(), 4);
    }
}
