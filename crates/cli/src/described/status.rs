//! The types of the expressions in a definition's status.

use std::collections::BTreeMap;

use krono_schema::Schema;
use krono_schema::crd::{Inference, InstanceSchema};
use serde_json::Value;

use super::Problem;

/// What checks the expressions of one definition, and remembers what is wrong with them.
pub(super) struct StatusChecker {
    inference: Inference,
    /// By expression.
    wrong: BTreeMap<String, String>,
}

impl StatusChecker {
    pub(super) fn new(definition: &Value, instance: &InstanceSchema) -> Self {
        Self { inference: Inference::new(definition, instance), wrong: BTreeMap::new() }
    }

    /// The schema of an expression's values; "any" where that is not known.
    pub(super) fn schema_of(&mut self, expression: &str) -> Schema {
        self.inference.check(expression).unwrap_or_else(|issues| {
            let messages: Vec<_> = issues.iter().map(|it| it.message.as_str()).collect();
            self.wrong.insert(expression.to_owned(), messages.join("; "));
            Schema::any()
        })
    }

    /// What was wrong with the expressions of this status, with paths that begin with `status`.
    pub(super) fn problems(&self, status: &Value) -> Vec<Problem> {
        let mut problems = Vec::new();
        if !self.wrong.is_empty() {
            self.collect(status, "status", &mut problems);
        }
        problems
    }

    fn collect(&self, value: &Value, path: &str, problems: &mut Vec<Problem>) {
        match value {
            Value::Object(fields) => {
                fields.iter().for_each(|(name, it)| self.collect(it, &format!("{path}.{name}"), problems));
            }
            Value::Array(items) => {
                let items = items.iter().enumerate();
                items.for_each(|(index, it)| self.collect(it, &format!("{path}[{index}]"), problems));
            }
            Value::String(text) => {
                let inside = text.strip_prefix("${").and_then(|it| it.strip_suffix('}'));
                if let Some(message) = inside.and_then(|it| self.wrong.get(it)) {
                    problems.push(Problem::new(path, message));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
