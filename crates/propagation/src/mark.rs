//! The mark on a content that a propagation gave up.

use std::fmt;

use krono_history::Digest;
use krono_history::hold::Automatic;
use krono_history::revision::{Health, History, Revision};

use crate::assignment::Assignment;

/// What became of a propagation that was given up, and why; written on the revision, so that it outlives every status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// What became of it.
    pub outcome: Outcome,
    /// Why.
    pub reason: String,
}

/// What became of a propagation that was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nobody else is admitted.
    Halted,
    /// The fleet goes back to the last good revision.
    RolledBack,
}

const ROLLED_BACK: &str = "rolled back: ";
const HALTED: &str = "halted: ";

impl Mark {
    /// From the text of the annotation; whatever somebody wrote there halts.
    pub fn read(text: &str) -> Self {
        let (outcome, reason) = match text.strip_prefix(ROLLED_BACK) {
            Some(reason) => (Outcome::RolledBack, reason),
            None => (Outcome::Halted, text.strip_prefix(HALTED).unwrap_or(text)),
        };
        Self { outcome, reason: reason.to_owned() }
    }

    /// The mark of a revision, if it has one.
    pub fn of(revision: &Revision) -> Option<Self> {
        match &revision.health {
            Health::Failed(text) => Some(Self::read(text)),
            Health::Good | Health::DoesNotCompile(_) => None,
        }
    }
}

/// The text of the annotation.
impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = match self.outcome {
            Outcome::Halted => HALTED,
            Outcome::RolledBack => ROLLED_BACK,
        };
        write!(f, "{prefix}{}", self.reason)
    }
}

/// What instances move to while nobody holds the definition: the latest revision, or the last good one where the latest was rolled
/// back. The hold follows from the mark alone, and other content ends it.
pub fn current(history: &History, last_good: Option<Assignment>) -> Option<Assignment> {
    let latest = history.latest()?;
    // The same content issued again is the same failure, whichever number carries the mark.
    let mark = mark_of(history, latest.digest);
    let back = last_good.filter(|it| it.digest != latest.digest);
    match (mark, back) {
        (Some(Mark { outcome: Outcome::RolledBack, .. }), Some(back)) => Some(back),
        _ => Some(Assignment { number: latest.number, digest: latest.digest }),
    }
}

/// The way back that follows from marks, if there is one: to the last good revision, where the latest was rolled back.
pub fn way_back(history: &History) -> Option<Automatic> {
    let latest = history.latest()?;
    let current = current(history, last_good(history, |it| it.is_completed))?;
    let is_back = current.digest != latest.digest;
    is_back.then_some(Automatic { number: current.number, given_up: latest.number })
}

/// The mark on some content, whichever revision carries it.
pub fn mark_of(history: &History, content: Digest) -> Option<Mark> {
    history.given_up(content).map(|(_, text)| Mark::read(text))
}

/// The highest revision that was completed, whose content nobody gave up and that was not left by a rollback; where that content was
/// issued again, the newest with it.
pub fn last_good(history: &History, is_completed: impl Fn(&Revision) -> bool) -> Option<Assignment> {
    let live: Vec<&Revision> = history.live().collect();
    let is_marked = |it: &Revision| history.given_up(it.digest).is_some();
    let was_left = |at: usize| {
        // Who puts back what was given up leaves nothing by it: that reaches nobody.
        let back = live.get(at + 1).filter(|it| !is_marked(it)).and_then(|it| it.restored_from);
        back.is_some_and(|it| it < live[at].number)
    };
    let is_good = |at: &usize| is_completed(live[*at]) && !is_marked(live[*at]) && !was_left(*at);
    let found = (0..live.len()).rev().find(is_good)?;
    let digest = live[found].digest;
    live.iter().rfind(|it| it.digest == digest).map(|it| Assignment { number: it.number, digest })
}

#[cfg(test)]
mod tests;
