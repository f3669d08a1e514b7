//! Values checked against a schema, as the API server checks custom resources.

mod branches;
mod correlation;
mod embedded;
mod format;
mod list_type;
mod node;
mod number;
mod value;

use std::collections::HashSet;

use serde_json::Value;

use crate::error::FieldError;
use crate::path::Path;
use crate::schema::Schema;

use correlation::Correlated;
use node::Node;
use value::Findings;

/// A schema made ready to check many values, from any thread.
///
/// ```
/// use krono_schema::{Schema, Validator};
/// use serde_json::json;
/// let schema = json!({"type": "object", "properties": {"replicas": {"type": "integer"}}});
/// let validator = Validator::new(&Schema::from_value(&schema)?);
/// assert!(validator.validate(&json!({"replicas": 3})).is_empty());
/// assert_eq!(
///     validator.validate(&json!({"replicas": "3"}))[0].to_string(),
///     r#"replicas: Invalid value: "string": replicas in body must be of type integer: "string""#,
/// );
/// # Ok::<(), krono_schema::InvalidSchema>(())
/// ```
#[derive(Debug)]
pub struct Validator {
    schema: Schema,
    root: Node,
}

impl Validator {
    /// Compiles the schema: patterns, formats and rules. A pattern or rule that does not compile is reported
    /// for every value it is met with; [`structural::check`](crate::structural::check) finds it beforehand.
    pub fn new(schema: &Schema) -> Self {
        Self { schema: schema.clone(), root: Node::compile(schema) }
    }

    /// What is wrong with a new value; nothing when it is valid.
    pub fn validate(&self, value: &Value) -> Vec<FieldError> {
        let mut errors = self.check(value, None);
        embedded::check(&self.schema, value, &Path::ROOT, &mut errors);
        list_type::check(&self.schema, value, &Path::ROOT, &mut errors);
        errors
    }

    /// What is wrong with a value that replaces `old`; what was wrong before and did not change is tolerated.
    pub fn validate_update(&self, value: &Value, old: &Value) -> Vec<FieldError> {
        let mut errors = self.check(value, Some(old));
        embedded::check(&self.schema, value, &Path::ROOT, &mut errors);
        let mut before = Vec::new();
        list_type::check(&self.schema, old, &Path::ROOT, &mut before);
        if before.is_empty() {
            list_type::check(&self.schema, value, &Path::ROOT, &mut errors);
        }
        errors
    }

    fn check(&self, value: &Value, old: Option<&Value>) -> Vec<FieldError> {
        let correlated = old.map(|old| Correlated { schema: &self.schema, value, old });
        let mut findings = Findings::default();
        findings.check_correlated(&self.root, value, correlated, &Path::ROOT);
        without_repetition(findings.errors)
    }
}

/// Branches of `allOf` and `anyOf` may complain of the same thing.
fn without_repetition(mut errors: Vec<FieldError>) -> Vec<FieldError> {
    let mut seen = HashSet::new();
    errors.retain(|error| seen.insert((error.kind, error.path.clone(), error.detail.clone())));
    errors
}
