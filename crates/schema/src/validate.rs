//! Values checked against a schema, as the API server checks custom resources.

mod branches;
pub(crate) mod correlation;
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
use crate::rules::{self, Change, RuleNode};
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
    rules: Option<RuleNode>,
}

impl Validator {
    /// Compiles the schema: patterns, formats and rules. A pattern or rule that does not compile is reported
    /// for every value it is met with; [`structural::check`](crate::structural::check) finds it beforehand.
    pub fn new(schema: &Schema) -> Self {
        Self { schema: schema.clone(), root: Node::compile(schema), rules: RuleNode::compile_object(schema) }
    }

    /// What is wrong with a new value; nothing when it is valid.
    pub fn validate(&self, value: &Value) -> Vec<FieldError> {
        let mut errors = self.check(value, None);
        embedded::check(&self.schema, value, &Path::ROOT, &mut errors);
        list_type::check(&self.schema, value, &Path::ROOT, &mut errors);
        self.check_rules(value, None, &mut errors);
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
        self.check_rules(value, Some(old), &mut errors);
        errors
    }

    /// What is wrong with the schema's own default, which is at `path`. Rules see it as a new value and as one that
    /// did not change.
    pub(crate) fn validate_default(&self, default: &Value, path: &Path<'_>) -> Vec<FieldError> {
        let mut errors = Vec::new();
        embedded::check(&self.schema, default, path, &mut errors);
        if errors.is_empty() {
            errors = self.check(default, None).into_iter().map(|error| error.below(path)).collect();
        }
        let Some(rules) = RuleNode::compile(&self.schema).filter(|_| errors.is_empty()) else {
            return errors;
        };
        for old in [Some(default), None] {
            if errors.is_empty() {
                rules::check(&rules, default, Change { old, tolerated: None }, path, &mut errors);
            }
        }
        errors
    }

    /// Rules are left out when what they rely on is not given.
    fn check_rules(&self, value: &Value, old: Option<&Value>, errors: &mut Vec<FieldError>) {
        let Some(rules) = &self.rules else { return };
        if errors.iter().any(|error| error.kind.spoils_rules()) {
            let detail = "some validation rules were not checked because the object was invalid; \
                          correct the existing errors to complete validation";
            return errors.push(FieldError::invalid(&Path::ROOT, Value::Null, detail));
        }
        let change = Change { old, tolerated: self.correlated(value, old) };
        rules::check(rules, value, change, &Path::ROOT, errors);
    }

    fn correlated<'a>(&'a self, value: &'a Value, old: Option<&'a Value>) -> Option<Correlated<'a>> {
        old.map(|old| Correlated { schema: &self.schema, value, old })
    }

    fn check(&self, value: &Value, old: Option<&Value>) -> Vec<FieldError> {
        let mut findings = Findings::default();
        findings.check_correlated(&self.root, value, self.correlated(value, old), &Path::ROOT);
        without_repetition(findings.errors)
    }
}

// One validator serves many requests at once.
const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Validator>();
};

/// Branches of `allOf` and `anyOf` may complain of the same thing.
fn without_repetition(mut errors: Vec<FieldError>) -> Vec<FieldError> {
    let mut seen = HashSet::new();
    errors.retain(|error| seen.insert((error.kind, error.path.clone(), error.detail.clone())));
    errors
}
