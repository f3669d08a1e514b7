//! Asking the gates about candidates, one after another: each is asked about the fleet with those before it admitted.
//!
//! What is shared by all candidates would change with each who is admitted, and costs as much as there are instances. So it is taken
//! to be the same for a stretch of admissions and looked at again at its end. If it is another by then, those who were admitted since
//! it became so are asked again.

use std::collections::BTreeSet;

use krono_cel::{Bindings, EvalError, EvalErrorKind, Meter, Val};

use super::view::{Admitted, View, Viewer};
use super::{Answer, Each, Gate, Gates, Part, Round, functions, values};
use crate::decide::Counts;
use crate::policy::FailurePolicy;

/// What all candidates of one turn may cost together, in the units of [`Meter`].
const BUDGET: u64 = 100_000;
/// How often what is shared by all candidates is looked at again in one turn; finding one change takes a few dozen looks at most.
const MOST_VIEWS: usize = 100;
/// More errors than these are of no help.
const MOST_ERRORS: usize = 10;

/// The gates of a definition, asked about one fleet.
pub struct Asking<'r> {
    gates: &'r Gates,
    viewer: Viewer<'r>,
    asked: Vec<Asked<'r>>,
    /// Who has been admitted so far, and how many stand how with them.
    admitted: Vec<Admitted>,
    counts: Counts,
    stretch: Stretch,
    /// How often what is shared may be looked at again.
    views: usize,
    meter: Meter<'static>,
    /// By the number of the expression.
    errors: BTreeSet<(usize, String)>,
}

/// Admissions for which what is shared by all candidates is taken to be the same.
#[derive(Clone, Copy)]
struct Stretch {
    /// How many were admitted when it was looked at.
    from: usize,
    /// How many more are admitted before it is looked at again.
    length: usize,
}

/// A gate with what is the same for all candidates.
struct Asked<'r> {
    part: &'r Part,
    bindings: Bindings<'r>,
    /// The values of what is shared; nothing where one of them has none.
    shared: Option<Vec<Val<'r>>>,
    /// How many were admitted in the fleet that the bindings are of.
    seen: usize,
    /// The last answer, where others are answered alike.
    last: Option<Last>,
}

/// An answer that holds for a step of ranks, or for everybody.
#[derive(Clone, Copy)]
struct Last {
    step: i64,
    seen: usize,
    answer: Answer,
}

impl<'r> Asking<'r> {
    pub(super) fn new(gates: &'r Gates, round: Round<'r>) -> Self {
        let mut asking = Self {
            gates,
            viewer: Viewer::new(gates, round),
            asked: Vec::new(),
            admitted: Vec::new(),
            counts: round.counts,
            stretch: Stretch { from: 0, length: 1 },
            views: MOST_VIEWS,
            meter: Meter::new(BUDGET),
            errors: BTreeSet::new(),
        };
        let view = asking.viewer.view(&[]);
        asking.asked = gates.all.iter().map(|it| asking.prepared(it, &view)).collect();
        asking
    }

    /// The gate with its shared parts evaluated; as it is written where one of them has no value, which may not matter.
    fn prepared(&self, gate: &'r Gate, view: &View<'r>) -> Asked<'r> {
        let shared = self.shared(gate, view);
        let part = if shared.is_some() { &gate.rest } else { &gate.whole };
        let mut bindings = self.bindings(part, view);
        let names = gate.rest.env.variables().iter().skip(gate.whole.env.variables().len());
        for (value, variable) in shared.iter().flatten().zip(names) {
            bindings.set_val(&variable.name, value.clone());
        }
        Asked { part, bindings, shared, seen: self.admitted.len(), last: None }
    }

    fn shared(&self, gate: &'r Gate, view: &View<'r>) -> Option<Vec<Val<'r>>> {
        gate.shared
            .iter()
            .map(|part| part.value(&self.bindings(part, view), &Meter::default()).ok())
            .collect()
    }

    fn bindings(&self, part: &'r Part, view: &View<'r>) -> Bindings<'r> {
        let mut bindings = part.env.bindings();
        bindings.set_val("fleet", view.fleet.clone());
        if part.mentions.definition {
            bindings.set_val("rgd", values::definition(&self.viewer.round));
        }
        if let Some(instances) = view.instances.as_ref().filter(|_| part.mentions.instances) {
            bindings.set_val("instances", instances.clone());
        }
        bindings
    }

    /// Whether a candidate may move after those who were admitted.
    pub fn answer(&mut self, rank: usize, member: usize) -> Answer {
        for at in 0..self.asked.len() {
            let answer = self.asked(at, rank, member);
            if answer != Answer::Yes {
                return answer;
            }
        }
        Answer::Yes
    }

    /// Asks once for each step where ranks matter in steps alone.
    fn asked(&mut self, at: usize, rank: usize, member: usize) -> Answer {
        if self.views == 0 && self.gates.all[at].shares_admissions() {
            return Answer::Unasked;
        }
        let asked = &self.asked[at];
        let mentions = asked.part.mentions;
        let seen = if mentions.admissions { self.admitted.len() } else { asked.seen };
        let step = mentions.each.step(rank);
        if let Some(last) = asked.last.filter(|it| Some(it.step) == step && it.seen == seen) {
            return last.answer;
        }
        let answer = self.evaluated(at, rank, member);
        self.asked[at].last = step.map(|step| Last { step, seen, answer });
        answer
    }

    fn evaluated(&mut self, at: usize, rank: usize, member: usize) -> Answer {
        let value = self.refresh(at).and_then(|()| {
            let asked = &mut self.asked[at];
            let mentions = asked.part.mentions;
            asked.bindings.set_val("each", self.viewer.candidate(mentions, rank, member));
            if mentions.each == Each::Nothing {
                return asked.part.value(&asked.bindings, &Meter::default());
            }
            asked.part.value(&asked.bindings, &self.meter)
        });
        match value {
            Err(error) if error.kind() == EvalErrorKind::BudgetExceeded => Answer::Unasked,
            value => self.judged(at, value),
        }
    }

    /// Lets a gate see the fleet with all who were admitted, where that makes a difference.
    fn refresh(&mut self, at: usize) -> Result<(), EvalError> {
        let (asked, admitted) = (&mut self.asked[at], self.admitted.len());
        if !asked.part.mentions.admissions || asked.seen == admitted {
            return Ok(());
        }
        asked.bindings.set_val("fleet", values::fleet(&self.counts));
        if asked.part.mentions.instances {
            self.meter.charge(self.counts.total as u64)?;
            let instances = self.viewer.instances(&self.admitted);
            asked.bindings.set_val("instances", instances.unwrap_or(Val::Null));
        }
        asked.seen = admitted;
        Ok(())
    }

    /// How many have been admitted.
    pub fn admitted(&self) -> usize {
        self.admitted.len()
    }

    /// Takes in that a candidate is admitted.
    pub fn admit(&mut self, rank: usize, member: usize) {
        let admitted = Admitted { rank, member };
        self.viewer.count(&mut self.counts, admitted);
        self.admitted.push(admitted);
    }

    /// Whether what was answered is to be [confirmed](Self::confirm) before anybody else is asked.
    pub fn is_due(&self) -> bool {
        let is_shared = || self.gates.all.iter().any(Gate::shares_admissions);
        self.admitted.len() >= self.stretch.from.saturating_add(self.stretch.length) && is_shared()
    }

    /// Nothing where everybody was asked rightly; else how many are admitted for good, and whoever came after the last of them is to be
    /// asked again.
    pub fn confirm(&mut self) -> Option<usize> {
        let all = self.admitted.len();
        let is_shared = self.gates.all.iter().any(Gate::shares_admissions);
        if all == self.stretch.from || !is_shared || self.views > 0 && self.is_same(all) {
            self.stretch = Stretch { from: all, length: self.stretch.length.saturating_mul(2) };
            return None;
        }
        let (mut same, mut other) = (self.stretch.from, all);
        // Without a look the first alone is sure: it was asked when there were as many as then.
        if self.views == 0 {
            other = same + 1;
        }
        while other - same > 1 {
            let middle = same.midpoint(other);
            if self.is_same(middle) { same = middle } else { other = middle }
        }
        self.go_back_to(other);
        Some(other)
    }

    /// Whether what is shared was the same after so many admissions as it is taken to be.
    fn is_same(&mut self, admitted: usize) -> bool {
        self.views = self.views.saturating_sub(1);
        let view = self.viewer.view(&self.admitted[..admitted]);
        let mut gates = self.gates.all.iter().zip(&self.asked).filter(|(it, _)| it.shares_admissions());
        gates.all(|(gate, asked)| self.shared(gate, &view) == asked.shared)
    }

    fn go_back_to(&mut self, admitted: usize) {
        self.admitted.truncate(admitted);
        self.counts = self.viewer.counts(&self.admitted);
        self.stretch = Stretch { from: admitted, length: 1 };
        if self.views == 0 {
            return;
        }
        let view = self.viewer.view(&self.admitted);
        for (at, gate) in self.gates.all.iter().enumerate() {
            if gate.shares_admissions() {
                self.asked[at] = self.prepared(gate, &view);
            } else {
                // Others were admitted when it was last asked.
                (self.asked[at].seen, self.asked[at].last) = (usize::MAX, None);
            }
        }
    }

    /// Those who were not asked may be, at the same cost once more.
    pub fn go_on(&mut self) {
        self.meter = Meter::new(BUDGET);
        self.views = MOST_VIEWS;
        self.go_back_to(self.admitted.len());
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
        match self.viewer.round.failure_policy {
            FailurePolicy::Closed => Answer::Error(at),
            FailurePolicy::Open => Answer::Yes,
        }
    }

    /// What went wrong, each once, with the number of the expression.
    pub fn errors(self) -> BTreeSet<(usize, String)> {
        self.errors
    }
}

impl Part {
    fn value<'p>(&'p self, bindings: &Bindings<'p>, meter: &Meter<'_>) -> Result<Val<'p>, EvalError> {
        #[cfg(test)]
        EVALUATIONS.with(|it| it.set(it.get() + 1));
        self.program.eval_metered(bindings, meter)
    }
}

#[cfg(test)]
thread_local! {
    /// How many parts were evaluated.
    pub(super) static EVALUATIONS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl Each {
    /// What is the same for all ranks that are answered alike.
    fn step(self, rank: usize) -> Option<i64> {
        let rank = i64::try_from(rank).ok()?;
        match self {
            Self::Nothing => Some(0),
            Self::ExponentialTarget => functions::exponential_target(rank).ok(),
            Self::LinearTarget(step) => functions::linear_target(rank, step).ok(),
            Self::Index | Self::More => None,
        }
    }
}
