//! Asking the gates about candidates.

use std::collections::BTreeSet;

use krono_cel::{Bindings, EvalError, EvalErrorKind, Meter, Val};

use super::values::Common;
use super::{Answer, Each, Gate, Gates, Mentions, Part, Round, functions, values};
use crate::policy::FailurePolicy;

/// What all candidates of one decision may cost together, in the units of [`Meter`].
const BUDGET: u64 = 100_000;
/// More errors than these are of no help.
const MOST_ERRORS: usize = 10;

/// The gates of a definition, asked about one fleet.
pub struct Asking<'r> {
    round: Round<'r>,
    gates: Vec<Asked<'r>>,
    /// All instances, made only where somebody asks for them.
    instances: Option<Val<'r>>,
    common: Common<'r>,
    meter: Meter<'static>,
    /// By the number of the expression.
    errors: BTreeSet<(usize, String)>,
}

/// A gate with what is the same for all candidates.
struct Asked<'r> {
    part: &'r Part,
    bindings: Bindings<'r>,
    /// The answer to everybody, where it does not depend on the candidate.
    answer: Option<Answer>,
    /// The last answer to a step of ranks, where all of them are answered alike.
    step: Option<(i64, Answer)>,
}

impl<'r> Asking<'r> {
    pub(super) fn new(gates: &'r Gates, round: Round<'r>) -> Self {
        let needs = |it: &Part| it.mentions.instances;
        let needs_all = gates.all.iter().any(|it| needs(&it.rest) || it.shared.iter().any(needs));
        let common = Common::new(&gates.sight);
        let mut asking = Self {
            round,
            gates: Vec::with_capacity(gates.all.len()),
            instances: needs_all.then(|| Val::list(common.instances(&round))),
            common,
            meter: Meter::new(BUDGET),
            errors: BTreeSet::new(),
        };
        for (at, gate) in gates.all.iter().enumerate() {
            let asked = asking.prepared(at, gate);
            asking.gates.push(asked);
        }
        asking
    }

    fn prepared(&mut self, at: usize, gate: &'r Gate) -> Asked<'r> {
        let mut asked = self.with_shared(gate).unwrap_or_else(|| Asked {
            part: &gate.whole,
            bindings: self.bindings(&gate.whole),
            answer: None,
            step: None,
        });
        if asked.part.mentions.each == Each::Nothing {
            let value = asked.part.program.eval(&asked.bindings);
            asked.answer = Some(self.judged(at, value));
        }
        asked
    }

    /// The gate with its shared parts evaluated; nothing where one of them has no value, which may not matter.
    fn with_shared(&mut self, gate: &'r Gate) -> Option<Asked<'r>> {
        let mut bindings = self.bindings(&gate.rest);
        let names = gate.rest.env.variables().iter().skip(gate.whole.env.variables().len());
        for (part, variable) in gate.shared.iter().zip(names) {
            let value = part.program.eval(&self.bindings(part)).ok()?;
            bindings.set_val(&variable.name, value);
        }
        Some(Asked { part: &gate.rest, bindings, answer: None, step: None })
    }

    fn bindings(&self, part: &'r Part) -> Bindings<'r> {
        let mut bindings = part.env.bindings();
        bindings.set_val("fleet", values::fleet(&self.round.counts));
        if part.mentions.definition {
            bindings.set_val("rgd", values::definition(&self.round));
        }
        if let Some(instances) = self.instances.as_ref().filter(|_| part.mentions.instances) {
            bindings.set_val("instances", instances.clone());
        }
        bindings
    }

    /// Whether a candidate may move.
    pub fn answer(&mut self, rank: usize, member: usize) -> Answer {
        for at in 0..self.gates.len() {
            let answer = self.gates[at].answer.unwrap_or_else(|| self.asked(at, rank, member));
            if answer != Answer::Yes {
                return answer;
            }
        }
        Answer::Yes
    }

    /// Asks once for each step where ranks matter in steps alone.
    fn asked(&mut self, at: usize, rank: usize, member: usize) -> Answer {
        let gate = &self.gates[at];
        let step = gate.part.mentions.each.step(rank);
        let known = gate.step.filter(|(known, _)| Some(*known) == step);
        if let Some((_, answer)) = known {
            return answer;
        }
        let answer = self.evaluated(at, rank, member);
        self.gates[at].step = step.map(|it| (it, answer));
        answer
    }

    fn evaluated(&mut self, at: usize, rank: usize, member: usize) -> Answer {
        let mentions = self.gates[at].part.mentions;
        let each = self.candidate(mentions, rank, member);
        let gate = &mut self.gates[at];
        gate.bindings.set_val("each", each);
        let value = gate.part.program.eval_metered(&gate.bindings, &self.meter);
        match value {
            Err(error) if error.kind() == EvalErrorKind::BudgetExceeded => Answer::Unasked,
            value => self.judged(at, value),
        }
    }

    fn candidate(&self, mentions: Mentions, rank: usize, member: usize) -> Val<'r> {
        match (mentions.each, &self.instances) {
            (Each::Nothing | Each::ExponentialTarget | Each::LinearTarget(_) | Each::Index, _) => {
                values::only_index(rank)
            }
            (Each::More, Some(instances)) => {
                instances.as_list().and_then(|it| it.get(rank)).unwrap_or(Val::Null)
            }
            (Each::More, None) => self.common.instance(&self.round, member, Some(rank)),
        }
    }

    fn judged(&mut self, at: usize, value: Result<Val<'r>, EvalError>) -> Answer {
        let error = match value {
            Ok(Val::Bool(true)) => return Answer::Yes,
            Ok(Val::Bool(false)) => return Answer::No(at),
            Ok(other) => format!("the value is of type {}, not bool", other.type_of()),
            Err(error) => error.message().to_owned(),
        };
        if self.errors.len() < MOST_ERRORS {
            self.errors.insert((at, error));
        }
        match self.round.failure_policy {
            FailurePolicy::Closed => Answer::Error(at),
            FailurePolicy::Open => Answer::Yes,
        }
    }

    /// What went wrong, each once, with the number of the expression.
    pub fn errors(self) -> BTreeSet<(usize, String)> {
        self.errors
    }
}

impl Each {
    /// What is the same for all ranks that are answered alike.
    fn step(self, rank: usize) -> Option<i64> {
        let rank = i64::try_from(rank).ok()?;
        match self {
            Self::ExponentialTarget => functions::exponential_target(rank).ok(),
            Self::LinearTarget(step) => functions::linear_target(rank, step).ok(),
            Self::Nothing | Self::Index | Self::More => None,
        }
    }
}
