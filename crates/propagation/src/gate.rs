//! `propagateWhen`: expressions of a definition that let instances through, and what those of its resources may call.
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
mod view;

use std::sync::LazyLock;

use krono_cel::library::kro;
use krono_cel::{Env, Key, Map, Program, Text, Type, Val};
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
    /// Whether it may become another when somebody is admitted.
    admissions: bool,
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

impl Gate {
    /// Whether what is shared by all candidates may become another when one of them is admitted.
    fn shares_admissions(&self) -> bool {
        self.shared.iter().any(|it| it.mentions.admissions)
    }
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
        compile::compile(propagate_when, spec, None)
    }

    /// The same, where the author's own status fields are known: as the definition writes them, with their expressions.
    pub fn compile_for(propagate_when: &Value, spec: &Type, status: &Value) -> Result<Self, Vec<Problem>> {
        compile::compile(propagate_when, spec, Some(status))
    }

    /// Asks about a fleet: what is shared by all candidates is evaluated at once.
    pub fn ask<'r>(&'r self, round: Round<'r>) -> Asking<'r> {
        Asking::new(self, round)
    }

    /// The text of an expression.
    pub fn source(&self, at: usize) -> Option<&str> {
        self.all.get(at).map(|it| it.whole.program.source())
    }

    /// Each by itself, with its number.
    pub(crate) fn one_by_one(&self) -> impl Iterator<Item = (usize, Self)> {
        let alone = |gate: &Gate| Self { all: vec![gate.clone()], sight: gate.sight.clone() };
        self.all.iter().enumerate().map(move |(at, gate)| (at, alone(gate)))
    }

    /// Whether they look at nothing of instances but how far they have come.
    pub(crate) fn are_of_progress(&self) -> bool {
        self.sight.is_of_progress()
    }

    /// Whether any of them looks at the definition.
    pub(crate) fn mention_definition(&self) -> bool {
        self.all.iter().any(|it| it.whole.mentions.definition)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// Whether somebody wrote expressions.
///
/// ```
/// use krono_propagation::gate::is_said;
/// use serde_json::json;
///
/// assert!(is_said(&json!(["${true}"])) && is_said(&json!("true")));
/// assert!(!is_said(&json!([])) && !is_said(&json!(null)));
/// ```
pub fn is_said(expressions: &Value) -> bool {
    !expressions.is_null() && expressions.as_array().is_none_or(|it| !it.is_empty())
}

/// How often expressions, or parts of them, were evaluated on this thread.
#[cfg(test)]
pub(crate) fn evaluations() -> usize {
    ask::EVALUATIONS.with(std::cell::Cell::get)
}

/// What expressions of single resources may call; what they may name is declared by whoever compiles them.
pub fn resource_functions() -> &'static Env {
    static FUNCTIONS: LazyLock<Env> =
        LazyLock::new(|| kro::environment().library(functions::plain()).build());
    &FUNCTIONS
}

/// What functions know about a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceFacts {
    /// Whether it is what the instance asks for now.
    pub is_updated: bool,
    /// Whether it is ready.
    pub is_ready: bool,
    /// Whether the API server refused to have it changed.
    pub is_failed: bool,
}

/// The field in which functions find it, and what they find; one that is updated and ready has settled.
pub fn resource_facts(facts: ResourceFacts) -> (&'static str, Val<'static>) {
    let ResourceFacts { is_updated, is_ready, is_failed } = facts;
    let values = [is_updated, is_ready, is_failed, is_updated && is_ready];
    let entry = |(name, value): (&'static str, bool)| (Key::String(Text::Lent(name)), Val::Bool(value));
    let entries = functions::FACT_FUNCTIONS.into_iter().zip(values).map(entry).collect();
    (values::FACTS, Val::map(Map::last_wins(entries)))
}
