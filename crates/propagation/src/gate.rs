//! `propagateWhen` of a definition: expressions that let instances through.
//!
//! An expression is asked about each candidate, and there may be many thousands of them beside as many others to look at. So what is
//! the same for all candidates is taken out of it when it is compiled, and evaluated once for each decision.

mod ask;
mod compile;
mod functions;
mod hoist;
mod sight;
#[cfg(test)]
mod tests;
mod values;

use krono_cel::{Env, Program, Type};
use serde_json::Value;

use crate::decide::{Counts, Standing};
use crate::fleet::Fleet;
use crate::policy::FailurePolicy;
use crate::problem::Problem;

pub use ask::Asking;
use sight::Sight;

/// The expressions of a definition, compiled; without any, everybody passes.
#[derive(Clone, Debug, Default)]
pub struct Gates {
    all: Vec<Gate>,
    /// What they look at together.
    sight: Sight,
}

/// One expression.
#[derive(Clone, Debug)]
struct Gate {
    /// As it is written.
    whole: Part,
    /// What is the same for all candidates, to be evaluated first.
    shared: Vec<Part>,
    /// The expression with names in place of what is shared.
    rest: Part,
    /// What it looks at of instances.
    sight: Sight,
}

/// A part of an expression.
#[derive(Clone, Debug)]
struct Part {
    env: Env,
    program: Program,
    mentions: Mentions,
}

/// What an expression mentions of what is costly to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mentions {
    each: Each,
    instances: bool,
    definition: bool,
}

/// What an expression mentions of the candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Each {
    Nothing,
    /// Its index, and that only within `exponentialTarget`: many neighbours have the same.
    ExponentialTarget,
    /// Its index, and that only in steps of so many.
    LinearTarget(i64),
    Index,
    More,
}

/// What expressions are asked about.
#[derive(Clone, Copy, Debug)]
pub struct Round<'r> {
    /// The fleet.
    pub fleet: &'r Fleet<'r>,
    /// How each member stands.
    pub standings: &'r [Standing],
    /// Those who take part, in the order in which they move.
    pub ranks: &'r [usize],
    /// How many stand how.
    pub counts: Counts,
    /// What an error counts as.
    pub failure_policy: FailurePolicy,
}

/// Whether a candidate may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It may.
    Yes,
    /// The expression of this number is not true.
    No(usize),
    /// The expression of this number has no value.
    Error(usize),
    /// It was not asked, since those before it cost too much.
    Unasked,
}

impl Gates {
    /// From `spec.propagateWhen`, with the type of an instance's spec; tells everything that is wrong.
    ///
    /// ```
    /// use krono_cel::Type;
    /// use krono_propagation::gate::Gates;
    /// use serde_json::json;
    ///
    /// assert!(Gates::compile(&json!(["${exponentiallyUpdated(instances, each)}"]), &Type::Dyn).is_ok());
    /// let problems = Gates::compile(&json!(["${fleet.setled > 3}", "${each.index}"]), &Type::Dyn).unwrap_err();
    /// let told: Vec<String> = problems.iter().map(ToString::to_string).collect();
    /// assert_eq!(told, [
    ///     "spec.propagateWhen[0]: undefined field 'setled'; did you mean `settled`?",
    ///     "spec.propagateWhen[1]: returns type \"int\" but expected \"bool\"; compare it with something, as in `each.index < 10`",
    /// ]);
    /// ```
    pub fn compile(propagate_when: &Value, spec: &Type) -> Result<Self, Vec<Problem>> {
        compile::compile(propagate_when, spec)
    }

    /// Asks about a fleet: what is shared by all candidates is evaluated at once.
    pub fn ask<'r>(&'r self, round: Round<'r>) -> Asking<'r> {
        Asking::new(self, round)
    }

    /// The text of an expression.
    pub fn source(&self, at: usize) -> Option<&str> {
        self.all.get(at).map(|it| it.whole.program.source())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// What is wrong with expressions of single resources, from `spec.resources`: nobody is to be moved past those that are not asked.
///
/// ```
/// use krono_propagation::gate::of_resources;
/// use serde_json::json;
///
/// let problems = of_resources(&json!([{"id": "a", "propagateWhen": []}, {"id": "b", "propagateWhen": ["${true}"]}]));
/// assert_eq!(problems.len(), 1);
/// assert!(problems[0].to_string().starts_with("spec.resources[1].propagateWhen: "));
/// ```
pub fn of_resources(resources: &Value) -> Vec<Problem> {
    let is_said = |gates: &Value| !gates.is_null() && gates.as_array().is_none_or(|it| !it.is_empty());
    let resources = resources.as_array().map(Vec::as_slice).unwrap_or_default();
    let gated = resources.iter().enumerate().filter(|(_, it)| is_said(&it["propagateWhen"]));
    let message = "single resources cannot be held back yet";
    let advice = "remove it, and hold instances back with spec.propagateWhen";
    gated
        .map(|(at, _)| Problem::new(format!("spec.resources[{at}].propagateWhen"), message, advice))
        .collect()
}
