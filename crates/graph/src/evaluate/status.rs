//! The author's status fields, as far as they have values.

use krono_cel::{Bindings, EvalError, Type, Val};
use serde_json::{Map, Value};

use super::resolve::at;
use super::{Evaluation, NodeState, Observed, Pass, without_status};
use crate::budget::Budget;
use crate::compile::INSTANCE;
use crate::expression::Expression;
use crate::graph::CompiledGraph;
use crate::shape::{FillError, Shape};

/// What a condition can say.
const STATUSES: [&str; 3] = ["True", "False", "Unknown"];

impl Pass<'_> {
    pub(super) fn status(&self) -> (Map<String, Value>, Vec<FillError>) {
        let status = &self.graph.status;
        let mut projection =
            Projection { bindings: self.bindings(&status.env), known: self, errors: Vec::new() };
        let fields = status.fields.iter();
        let fields = fields.filter_map(|(name, shape)| Some((name.clone(), projection.field(shape, name)?)));
        (fields.collect(), projection.errors)
    }

    /// Whether all that an expression mentions has been observed.
    fn knows(&self, expression: &Expression) -> bool {
        let mut nodes = expression.variables().iter().filter_map(|slot| slot.checked_sub(1));
        nodes.all(|node| self.values.get(node).is_some_and(Option::is_some))
    }
}

struct Projection<'p, 'a> {
    bindings: Bindings<'a>,
    known: &'p Pass<'a>,
    errors: Vec<FillError>,
}

impl<'a> Projection<'_, 'a> {
    /// The value of a field; none when it, or all that is in it, is missing.
    fn field(&mut self, shape: &'a Shape, path: &str) -> Option<Value> {
        if let Shape::Object(fields) = shape {
            let fields = fields
                .iter()
                .filter_map(|(name, it)| Some((name.clone(), self.field(it, &format!("{path}.{name}"))?)));
            return Some(fields.collect::<Map<_, _>>()).filter(|it| !it.is_empty()).map(Value::Object);
        }
        let mut known = true;
        shape.for_each_expression(&mut |it| known &= self.known.knows(it));
        if !known {
            return None;
        }
        match shape.fill(&self.bindings, &self.known.budget) {
            Ok(value) => value.filter(|it| !it.is_null()),
            Err(missing) if missing.error.is_missing_data() => None,
            Err(FillError { error, .. }) => {
                self.errors.push(at(path, error));
                None
            }
        }
    }
}

impl CompiledGraph {
    /// Whether the author wrote conditions, which then take the place of the usual ones.
    pub fn has_conditions(&self) -> bool {
        !self.status.conditions.is_empty()
    }

    /// The author's conditions, which take the place of the usual ones; none if the author wrote none.
    ///
    /// `instance` has the usual conditions in its status, for `runtime.condition(schema, …)`. A condition whose data
    /// is not there yet, or that cannot be made, is left out: what it said before still holds. `evaluation` is that of
    /// the same instance and the same observed objects.
    pub fn conditions(&self, instance: &Value, evaluation: &Evaluation, observed: &dyn Observed) -> Authored {
        let mut authored = Authored { conditions: Vec::new(), is_complete: true, errors: Vec::new() };
        if self.status.conditions.is_empty() {
            return authored;
        }
        let plain = without_status(instance);
        let mut pass = Pass::new(self, &plain, observed);
        pass.recall(evaluation);
        let mut bindings = pass.bindings(&self.status.env);
        bindings.set_val(INSTANCE, Val::from_json(instance, &Type::Dyn));
        for (index, expression) in self.status.conditions.iter().enumerate() {
            if !pass.knows(expression) {
                authored.is_complete = false;
                continue;
            }
            let made = expression.evaluate(&bindings, &pass.budget);
            let made = made.and_then(|it| conditions_in(&it, &pass.budget));
            authored.is_complete &= made.is_ok();
            match made.and_then(|it| authored.add(it)) {
                Err(error) if !error.is_missing_data() => {
                    authored.errors.push(at(&format!("conditions[{index}]"), error));
                }
                Ok(()) | Err(_) => {}
            }
        }
        authored
    }
}

impl Pass<'_> {
    /// Lets the names of nodes stand for what was observed of them, as at the end of a walk.
    pub(super) fn recall(&mut self, evaluation: &Evaluation) {
        for (index, state) in evaluation.nodes.iter().enumerate().take(self.values.len()) {
            if let NodeState::Resolved(resolved) = state {
                let found = self.find(&self.graph.nodes[index], &resolved.target);
                self.bind(index, &found);
            }
        }
    }
}

/// What the author's expressions say about conditions.
#[derive(Clone, Debug)]
pub struct Authored {
    /// The conditions, of each type one.
    pub conditions: Vec<Value>,
    /// Whether every expression had its say.
    pub is_complete: bool,
    /// What is wrong with those that had not, beside data that is not there yet.
    pub errors: Vec<FillError>,
}

impl Authored {
    /// Adds what one expression says; of two conditions of one type the first stays.
    fn add(&mut self, found: Vec<Value>) -> Result<(), EvalError> {
        let mut twice = None;
        for condition in found {
            if self.conditions.iter().any(|it| it["type"] == condition["type"]) {
                twice = twice.or(Some(condition["type"].clone()));
            } else {
                self.conditions.push(condition);
            }
        }
        let Some(of) = twice else { return Ok(()) };
        let words = format!("condition {of} is made twice, and the first one stays; make each in one entry");
        Err(EvalError::invalid(words))
    }
}

/// The conditions that a value is: one, or a list of them.
fn conditions_in(value: &Val<'_>, budget: &Budget) -> Result<Vec<Value>, EvalError> {
    let all = match value.as_list() {
        Some(list) => list.iter().map(|it| budget.write(&it)).collect::<Result<_, _>>()?,
        None => vec![budget.write(value)?],
    };
    all.into_iter().filter(|it| !says_nothing(it)).map(valid).collect()
}

/// What `runtime.condition` finds where there is none.
fn says_nothing(condition: &Value) -> bool {
    ["type", "status"].iter().all(|it| condition.get(it).is_some_and(|it| it == ""))
}

fn valid(condition: Value) -> Result<Value, EvalError> {
    let has_type = condition["type"].as_str().is_some_and(|it| !it.is_empty());
    if has_type && condition["status"].as_str().is_some_and(|it| STATUSES.contains(&it)) {
        return Ok(condition);
    }
    let (of, status) = (&condition["type"], &condition["status"]);
    let words =
        format!("a condition of type {of} and status {status}: it needs a type, and True, False or Unknown");
    Err(EvalError::invalid(words))
}
