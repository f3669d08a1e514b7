//! Values checked by the rules of their schema.

use krono_cel::{EvalError, EvalErrorKind, Meter, Program, Val};
use serde_json::Value;

use super::node::{CompiledRule, RuleGroup, RuleNode, Rules};
use crate::error::{BadValue, ErrorKind, FieldError};
use crate::path::Path;
use crate::schema::{Reason, SchemaType, ValidationRule};
use crate::validate::correlation::{Correlated, OldItems};

/// What one rule may cost, in steps of evaluation.
const RULE_BUDGET: u64 = 1_000_000;
/// What all rules of an object may cost together.
const OBJECT_BUDGET: u64 = 10_000_000;
/// The longest message an expression may make, in bytes.
const MAX_MESSAGE: usize = 5 * 1024;

/// What a checked value replaces.
#[derive(Clone, Copy, Default)]
pub(crate) struct Change<'a> {
    /// What `oldSelf` is.
    pub(crate) old: Option<&'a Value>,
    /// What the value is compared with, where what did not change is tolerated.
    pub(crate) tolerated: Option<Correlated<'a>>,
}

/// Adds what the rules say about a value and, where it replaces one, about the change.
pub(crate) fn check(
    node: &RuleNode,
    value: &Value,
    change: Change<'_>,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    let mut checker = Checker { errors, budget: OBJECT_BUDGET, stopped: false };
    let place = Place { old: change.old, current: change.tolerated, nearest: None };
    checker.node(node, value, place, path);
}

/// What a value replaces.
#[derive(Clone, Copy)]
struct Place<'a> {
    /// The old value that `oldSelf` is.
    old: Option<&'a Value>,
    /// The old value for the purpose of tolerating what did not change.
    current: Option<Correlated<'a>>,
    /// The same for the nearest value around this one that has an old value; none at the root.
    nearest: Option<Correlated<'a>>,
}

impl<'a> Place<'a> {
    fn is_unchanged(&self) -> bool {
        self.current.or(self.nearest).is_some_and(|it| it.is_unchanged())
    }

    fn field(&self, name: &str) -> Self {
        let old = self.old.and_then(|old| old.get(name)).filter(|old| !old.is_null());
        match self.current {
            None => Self { old, ..*self },
            // The type of the root object is set by the server, so a change of it is not seen.
            Some(_) if self.nearest.is_none() && matches!(name, "apiVersion" | "kind") => {
                Self { old, current: None, nearest: None }
            }
            Some(current) => Self { old, current: current.field(name), nearest: Some(current) },
        }
    }

    fn item(&self, old: Option<&'a Value>, current: Option<Correlated<'a>>) -> Self {
        match self.current {
            None => Self { old, ..*self },
            Some(around) => Self { old, current, nearest: Some(around) },
        }
    }
}

struct Checker<'e> {
    errors: &'e mut Vec<FieldError>,
    budget: u64,
    /// Set when a budget is spent: no further rule is run.
    stopped: bool,
}

impl Checker<'_> {
    fn node<'a>(&mut self, node: &RuleNode, value: &'a Value, place: Place<'a>, path: &Path<'_>) {
        if value.is_null() || self.stopped {
            return;
        }
        self.rules(node, value, place, path);
        for branch in &node.all_of {
            self.node(branch, value, Place { current: None, ..place }, path);
        }
        match value {
            Value::Array(items) => self.items(node, items, place, path),
            Value::Object(fields) => {
                for (name, value) in fields {
                    if let Some(property) = node.properties.get(name) {
                        self.node(property, value, place.field(name), &path.field(name));
                    } else if let Some(additional) = &node.additional {
                        self.node(additional, value, place.field(name), &path.key(name));
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn items<'a>(&mut self, node: &RuleNode, items: &'a [Value], place: Place<'a>, path: &Path<'_>) {
        let Some(item_node) = &node.items else { return };
        let old = place.old.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let old_items = OldItems::new(&node.schema, old);
        let tolerated = place.current.map(|it| (it.schema.items.as_deref(), it.old_items()));
        for (index, item) in items.iter().enumerate() {
            let current = tolerated.as_ref().and_then(|(schema, old_items)| {
                Some(Correlated { schema: (*schema)?, value: item, old: old_items.get(item)? })
            });
            self.node(item_node, item, place.item(old_items.get(item), current), &path.index(index));
        }
    }

    fn rules<'a>(&mut self, node: &RuleNode, value: &'a Value, place: Place<'a>, path: &Path<'_>) {
        match &node.rules {
            Rules::None => {}
            Rules::Untyped => {
                let problem = "failed to convert to declType for CEL validation rules";
                self.about_rule(node, path, format!("rule compiler initialization error: {problem}"));
            }
            Rules::Compiled(group) => {
                for rule in &group.rules {
                    if self.stopped {
                        return;
                    }
                    self.rule(node, group, rule, Subject { value, place, path });
                }
            }
        }
    }

    fn rule(&mut self, node: &RuleNode, group: &RuleGroup, rule: &CompiledRule, subject: Subject<'_>) {
        let program = match &rule.program {
            None => return,
            Some(Err(problem)) => {
                return self.about_rule(node, subject.path, format!("rule compile error: {problem}"));
            }
            Some(Ok(program)) => program,
        };
        let optional = rule.rule.optional_old_self == Some(true);
        if rule.uses_old_self && subject.place.old.is_none() && !optional {
            return;
        }
        if self.budget == 0 {
            return self.out_of_budget(node, subject.path);
        }
        match self.run(group, rule, program, subject) {
            Ok(Outcome::Bool(true)) => {}
            Ok(Outcome::Bool(false) | Outcome::Text(_)) => self.failed(node, group, rule, subject),
            Err(error) => self.could_not_run(node, rule, &error, subject.path),
        }
    }

    /// Runs a rule or the expression of its message, and takes what it cost from the budget.
    fn run(
        &mut self,
        group: &RuleGroup,
        rule: &CompiledRule,
        program: &Program,
        subject: Subject<'_>,
    ) -> Result<Outcome, EvalError> {
        let meter = Meter::new(RULE_BUDGET.min(self.budget));
        let optional = rule.rule.optional_old_self == Some(true);
        let env = if optional { &group.optional_env } else { &group.env };
        let mut bindings = env.bindings().with("self", subject.value);
        match subject.place.old {
            Some(old) if optional => {
                let old_type = env.slot("self").map(|slot| &env.variables()[slot].ty);
                if let Some(ty) = old_type {
                    bindings.set_val("oldSelf", Val::some(Val::from_json(old, ty)));
                }
            }
            Some(old) => bindings.set("oldSelf", old),
            None if optional => bindings.set_val("oldSelf", Val::Optional(None)),
            None => {}
        }
        let result = program.eval_metered(&bindings, &meter).map(|value| outcome(&value));
        self.budget = self.budget.saturating_sub(meter.used());
        result
    }

    fn could_not_run(&mut self, node: &RuleNode, rule: &CompiledRule, error: &EvalError, path: &Path<'_>) {
        let (message, text) = (error.message(), rule_text(&rule.rule));
        let detail = match error.kind() {
            EvalErrorKind::NoSuchOverload => format!(
                "'{message}': call arguments did not match a supported operator, function or macro signature for rule: {text}"
            ),
            EvalErrorKind::BudgetExceeded => {
                self.stopped = true;
                format!(
                    "'{message}': no further validation rules will be run due to call cost exceeds limit for rule: {text}"
                )
            }
            EvalErrorKind::NoSuchKey
            | EvalErrorKind::NoSuchAttribute
            | EvalErrorKind::IndexOutOfBounds
            | EvalErrorKind::DivideByZero
            | EvalErrorKind::Overflow
            | EvalErrorKind::InvalidArgument
            | EvalErrorKind::Cancelled => format!("{message} evaluating rule: {text}"),
        };
        self.about_rule(node, path, detail);
    }

    /// The rule is false. What did not change is tolerated, unless the rule is about the change.
    fn failed(&mut self, node: &RuleNode, group: &RuleGroup, rule: &CompiledRule, subject: Subject<'_>) {
        if !rule.uses_old_self && subject.place.is_unchanged() {
            return;
        }
        let detail = self.message(group, rule, subject);
        let path = match &rule.field {
            Some(field) => subject.path.field(field).to_string(),
            None => subject.path.to_string(),
        };
        let value = match node.schema.schema_type {
            Some(SchemaType::Object | SchemaType::Array) => BadValue::Omitted,
            _ => BadValue::Value(subject.value.clone()),
        };
        let (kind, value, detail) = match rule.rule.reason {
            None | Some(Reason::FieldValueInvalid) => (ErrorKind::Invalid, value, detail),
            Some(Reason::FieldValueForbidden) => (ErrorKind::Forbidden, BadValue::Omitted, detail),
            Some(Reason::FieldValueRequired) => (ErrorKind::Required, BadValue::Omitted, detail),
            Some(Reason::FieldValueDuplicate) => (ErrorKind::Duplicate, value, String::new()),
        };
        self.errors.push(FieldError::new(kind, &path, value, detail));
    }

    fn message(&mut self, group: &RuleGroup, rule: &CompiledRule, subject: Subject<'_>) -> String {
        let fallback = || match &rule.rule.message {
            Some(message) => message.trim().to_owned(),
            None => format!("failed rule: {}", rule_text(&rule.rule)),
        };
        let Some(Ok(program)) = &rule.message else { return fallback() };
        match self.run(group, rule, program, subject) {
            Ok(Outcome::Text(text)) if is_message(text.trim()) => text.trim().to_owned(),
            _ => fallback(),
        }
    }

    fn out_of_budget(&mut self, node: &RuleNode, path: &Path<'_>) {
        self.stopped = true;
        let detail =
            "validation failed due to running out of cost budget, no further validation rules will be run";
        self.about_rule(node, path, detail.to_owned());
    }

    /// Adds an error about the rule itself, which shows the type in place of the value.
    fn about_rule(&mut self, node: &RuleNode, path: &Path<'_>, detail: String) {
        let shown = node.schema.schema_type.map_or("", SchemaType::name);
        self.errors.push(FieldError::invalid(path, shown, detail));
    }
}

/// What a rule is about.
#[derive(Clone, Copy)]
struct Subject<'a> {
    value: &'a Value,
    place: Place<'a>,
    path: &'a Path<'a>,
}

enum Outcome {
    Bool(bool),
    Text(String),
}

/// Rules give a boolean and messages a string: the compiler saw to it.
fn outcome(value: &Val<'_>) -> Outcome {
    if let Val::String(text) = value {
        return Outcome::Text(text.to_string());
    }
    Outcome::Bool(matches!(value, Val::Bool(true)))
}

fn is_message(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_MESSAGE && !text.contains('\n')
}

fn rule_text(rule: &ValidationRule) -> &str {
    rule.message.as_deref().unwrap_or(&rule.rule).trim()
}
