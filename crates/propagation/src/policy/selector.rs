//! Label selectors, as Kubernetes has them.

use serde_json::Value;

use crate::problem::Problem;

/// Chooses by labels; all of its requirements must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    operator: Operator,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Operator {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    DoesNotExist,
}

impl Selector {
    /// Whether labels, an object of texts or nothing, meet it.
    pub fn matches(&self, labels: &Value) -> bool {
        self.0.iter().all(|it| it.holds(labels.get(&it.key).and_then(Value::as_str)))
    }

    pub(super) fn read(selector: &Value, path: &str, problems: &mut Vec<Problem>) -> Self {
        let mut reader = Reader { path, problems };
        let mut requirements = reader.labels(&selector["matchLabels"]);
        requirements.extend(reader.expressions(&selector["matchExpressions"]));
        reader.unknown(selector);
        Self(requirements)
    }
}

impl Requirement {
    fn holds(&self, label: Option<&str>) -> bool {
        let is_among = |values: &[String]| label.is_some_and(|it| values.iter().any(|value| value == it));
        match &self.operator {
            Operator::In(values) => is_among(values),
            Operator::NotIn(values) => !is_among(values),
            Operator::Exists => label.is_some(),
            Operator::DoesNotExist => label.is_none(),
        }
    }
}

struct Reader<'r> {
    path: &'r str,
    problems: &'r mut Vec<Problem>,
}

impl Reader<'_> {
    fn report(&mut self, field: &str, message: String, advice: &str) {
        self.problems.push(Problem::new(format!("{}{field}", self.path), message, advice));
    }

    fn unknown(&mut self, selector: &Value) {
        const ADVICE: &str = "write matchLabels or matchExpressions";
        let Some(fields) = selector.as_object() else {
            return self.report("", format!("{selector} is not a label selector"), ADVICE);
        };
        let is_known = |it: &&String| ["matchLabels", "matchExpressions"].contains(&it.as_str());
        for field in fields.keys().filter(|it| !is_known(it)) {
            self.report(&format!(".{field}"), "a label selector has no such field".to_owned(), ADVICE);
        }
    }

    fn labels(&mut self, labels: &Value) -> Vec<Requirement> {
        let Some(labels) = labels.as_object() else {
            if !labels.is_null() {
                self.report(".matchLabels", format!("{labels} is not a map"), "write `key: value`");
            }
            return Vec::new();
        };
        let mut requirements = Vec::new();
        for (key, value) in labels {
            let Some(text) = value.as_str() else {
                let field = format!(".matchLabels[{key:?}]");
                self.report(&field, format!("{value} is not text"), "put the value in quotes");
                continue;
            };
            requirements
                .push(Requirement { key: key.clone(), operator: Operator::In(vec![text.to_owned()]) });
        }
        requirements
    }

    fn expressions(&mut self, expressions: &Value) -> Vec<Requirement> {
        match expressions {
            Value::Null => Vec::new(),
            Value::Array(list) => {
                list.iter().enumerate().filter_map(|(at, it)| self.expression(at, it)).collect()
            }
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                let advice = "write a list of {key, operator, values}";
                self.report(".matchExpressions", format!("{expressions} is not a list"), advice);
                Vec::new()
            }
        }
    }

    fn expression(&mut self, at: usize, expression: &Value) -> Option<Requirement> {
        let field = format!(".matchExpressions[{at}]");
        let Some(key) = expression["key"].as_str().filter(|it| !it.is_empty()) else {
            self.report(&field, "the key is missing".to_owned(), "write the name of a label, `key: tier`");
            return None;
        };
        let operator = self.operator(&field, expression)?;
        Some(Requirement { key: key.to_owned(), operator })
    }

    fn operator(&mut self, field: &str, expression: &Value) -> Option<Operator> {
        let all = || expression["values"].as_array().into_iter().flatten();
        for value in all().filter(|it| !it.is_string()) {
            self.report(
                &format!("{field}.values"),
                format!("{value} is not text"),
                "put the value in quotes",
            );
        }
        let values: Vec<String> = all().filter_map(Value::as_str).map(str::to_owned).collect();
        let wants_values = |values: Vec<String>| (!values.is_empty()).then_some(values);
        match expression["operator"].as_str() {
            Some("Exists") if values.is_empty() => return Some(Operator::Exists),
            Some("DoesNotExist") if values.is_empty() => return Some(Operator::DoesNotExist),
            Some(name @ ("In" | "NotIn")) => {
                let make = if name == "In" { Operator::In } else { Operator::NotIn };
                if let Some(values) = wants_values(values) {
                    return Some(make(values));
                }
                self.report(field, format!("{name} needs values"), "write `values: [a, b]`");
            }
            Some(name @ ("Exists" | "DoesNotExist")) => {
                self.report(field, format!("{name} takes no values"), "remove them, or write In or NotIn");
            }
            Some(_) | None => {
                let message = format!("{} is not an operator", expression["operator"]);
                self.report(field, message, "write In, NotIn, Exists or DoesNotExist");
            }
        }
        None
    }
}
