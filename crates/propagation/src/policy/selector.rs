//! Label selectors of stages.

use krono_schema::selector::{flaws, selects};
use serde_json::Value;

use crate::problem::Problem;

/// Chooses by labels; all of its requirements must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector(Value);

impl Selector {
    /// Whether labels, an object of texts or nothing, meet it.
    pub fn matches(&self, labels: &Value) -> bool {
        selects(&self.0, labels)
    }

    pub(super) fn read(selector: &Value, path: &str, problems: &mut Vec<Problem>) -> Self {
        let mut shape = Shape { path, problems };
        shape.fields(selector);
        shape.labels(&selector["matchLabels"]);
        shape.expressions(&selector["matchExpressions"]);
        let flaws = flaws(selector).into_iter();
        problems.extend(flaws.map(|it| Problem::new(format!("{path}{}", it.place), it.message, it.advice)));
        Self(selector.clone())
    }
}

/// Finds values of other types than they should have.
struct Shape<'r> {
    path: &'r str,
    problems: &'r mut Vec<Problem>,
}

impl Shape<'_> {
    fn report(&mut self, field: &str, message: String, advice: &str) {
        self.problems.push(Problem::new(format!("{}{field}", self.path), message, advice));
    }

    fn fields(&mut self, selector: &Value) {
        const ADVICE: &str = "write matchLabels or matchExpressions";
        let Some(fields) = selector.as_object() else {
            return self.report("", format!("{selector} is not a label selector"), ADVICE);
        };
        let is_known = |it: &&String| ["matchLabels", "matchExpressions"].contains(&it.as_str());
        for field in fields.keys().filter(|it| !is_known(it)) {
            self.report(&format!(".{field}"), "a label selector has no such field".to_owned(), ADVICE);
        }
    }

    fn labels(&mut self, labels: &Value) {
        match labels {
            Value::Null => {}
            Value::Object(labels) => {
                labels.iter().for_each(|(key, value)| self.text(value, &format!(".matchLabels[{key}]")));
            }
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                self.report(".matchLabels", format!("{labels} is not a map"), "write `key: value`");
            }
        }
    }

    fn expressions(&mut self, expressions: &Value) {
        match expressions {
            Value::Null => {}
            Value::Array(list) => {
                for (at, expression) in list.iter().enumerate() {
                    self.expression(expression, &format!(".matchExpressions[{at}]"));
                }
            }
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                let advice = "write a list of {key, operator, values}";
                self.report(".matchExpressions", format!("{expressions} is not a list"), advice);
            }
        }
    }

    fn expression(&mut self, expression: &Value, place: &str) {
        if !expression.is_object() {
            return self.report(place, format!("{expression} is not a map"), "write {key, operator, values}");
        }
        self.text(&expression["key"], &format!("{place}.key"));
        match &expression["values"] {
            Value::Null => {}
            Value::Array(values) => {
                values
                    .iter()
                    .enumerate()
                    .for_each(|(at, it)| self.text(it, &format!("{place}.values[{at}]")));
            }
            values @ (Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)) => {
                self.report(
                    &format!("{place}.values"),
                    format!("{values} is not a list"),
                    "write `values: [a, b]`",
                );
            }
        }
    }

    /// A text, or nothing.
    fn text(&mut self, value: &Value, place: &str) {
        if !value.is_string() && !value.is_null() {
            self.report(place, format!("{value} is not text"), "put the value in quotes");
        }
    }
}
