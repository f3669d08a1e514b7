//! Requests to have an older revision back.

use crate::answered::Answered;
use crate::hold::Hold;
use crate::number::NotANumber;
use crate::revision::{Health, History};
use crate::writer::Writer;
use crate::{Digest, RevisionNumber};

/// A request to roll back, as it stands on an object or on a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// What was asked for.
    pub text: &'a str,
    /// Whoever asked, where managed fields tell.
    pub writer: Option<Writer>,
    /// Whether it is meant even though a tool would put the spec back.
    pub force: Force,
    /// What the API server said when it was asked to write the spec back and did not want to.
    pub rejected: Option<&'a str>,
}

/// Whether a tool that keeps the spec stands in the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Force {
    /// It does.
    #[default]
    No,
    /// It does not.
    Yes,
}

/// What a request is judged by.
#[derive(Clone, Copy, Debug)]
pub struct Situation<'a> {
    /// The name of what has the lineage, for commands that are printed.
    pub name: &'a str,
    /// The revisions that are there.
    pub history: &'a History,
    /// The highest number ever issued, as far as anybody knows.
    pub highest: Option<RevisionNumber>,
    /// The identity of what the spec says now.
    pub spec: Digest,
    /// What is served whatever the spec says.
    pub hold: &'a Hold,
    /// The tool that would put the spec back.
    pub keeper: Option<&'a str>,
    /// The requests that were answered.
    pub answered: &'a Answered,
}

/// What comes of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The spec is written back.
    Restore {
        /// The revision whose content it is.
        number: RevisionNumber,
        /// Whether that ends the hold.
        hold: Ending,
    },
    /// Nothing is changed but the request, which is answered.
    Refused(Refusal),
    /// A tool has put an answered request back; it is left alone until its text changes.
    PutBack {
        /// The tool.
        manager: String,
    },
}

/// What a rollback does to a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It ends: what was held is what the spec says.
    Ends,
    /// It stays as it is, or there is none.
    Stays,
}

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is no number.
    #[error(transparent)]
    NotANumber(#[from] NotANumber),
    /// That number was never issued.
    #[error("there is no revision {target} of {name}{}", known(*.highest))]
    Unknown {
        /// What has the lineage.
        name: String,
        /// What was asked for.
        target: RevisionNumber,
        /// The highest that was ever issued.
        highest: Option<RevisionNumber>,
    },
    /// It was there once.
    #[error("revision {target} of {name} was pruned{}", remaining(*.oldest))]
    Pruned {
        /// What has the lineage.
        name: String,
        /// What was asked for.
        target: RevisionNumber,
        /// The oldest that is kept.
        oldest: Option<RevisionNumber>,
    },
    /// It did not work.
    #[error("revision {target} of {name} failed: {reason}; roll back to another one")]
    Failed {
        /// What has the lineage.
        name: String,
        /// What was asked for.
        target: RevisionNumber,
        /// Why.
        reason: String,
    },
    /// It is what the spec says.
    #[error("{name} has the content of revision {target} already; there is nothing to roll back")]
    SameContent {
        /// What has the lineage.
        name: String,
        /// What was asked for.
        target: RevisionNumber,
    },
    /// A tool would put the spec back.
    #[error(
        "{keeper} keeps the spec of {name} and would undo the rollback; hold the revision instead: \
         krono rollback rgd/{name} --to-revision={target} --hold, or write the spec with --force"
    )]
    Kept {
        /// What has the lineage.
        name: String,
        /// What was asked for.
        target: RevisionNumber,
        /// The tool.
        keeper: String,
    },
    /// What has the lineage is on its way out.
    #[error("{name} is being deleted")]
    Ending {
        /// What has the lineage.
        name: String,
    },
    /// The API server does not take the spec.
    #[error("the API server does not take the spec of revision {target} for {name}: {words}")]
    Rejected {
        /// What has the lineage.
        name: String,
        /// What was asked for.
        target: RevisionNumber,
        /// What it said.
        words: String,
    },
}

fn known(highest: Option<RevisionNumber>) -> String {
    highest.map_or_else(|| "; none was issued yet".to_owned(), |it| format!("; the newest is {it}"))
}

fn remaining(oldest: Option<RevisionNumber>) -> String {
    oldest.map_or_else(|| "; none is kept".to_owned(), |it| format!("; the oldest that is kept is {it}"))
}

/// What comes of a request.
pub fn judge(request: &Request<'_>, situation: &Situation<'_>) -> Verdict {
    match situation.answered.put_back(request.text, request.writer.as_ref()) {
        Some(manager) => Verdict::PutBack { manager },
        None => checked(request, situation).unwrap_or_else(Verdict::Refused),
    }
}

fn checked(request: &Request<'_>, situation: &Situation<'_>) -> Result<Verdict, Refusal> {
    let target: RevisionNumber = request.text.parse()?;
    let name = || situation.name.to_owned();
    let Some(revision) = situation.history.find(target) else { return Err(missing(target, situation)) };
    let failure = match &revision.health {
        Health::DoesNotCompile(reason) => Some(reason.as_str()),
        Health::Good | Health::Failed(_) => {
            situation.history.given_up(revision.digest).map(|(_, reason)| reason)
        }
    };
    if let Some(reason) = failure {
        return Err(Refusal::Failed { name: name(), target, reason: reason.to_owned() });
    }
    let is_held = matches!(situation.hold, Hold::Held { number, .. } if *number == target);
    if revision.digest == situation.spec && !is_held {
        return Err(Refusal::SameContent { name: name(), target });
    }
    if let (Some(keeper), Force::No) = (situation.keeper, request.force) {
        return Err(Refusal::Kept { name: name(), target, keeper: keeper.to_owned() });
    }
    if let Some(words) = request.rejected {
        return Err(Refusal::Rejected { name: name(), target, words: words.to_owned() });
    }
    Ok(Verdict::Restore { number: target, hold: if is_held { Ending::Ends } else { Ending::Stays } })
}

fn missing(target: RevisionNumber, situation: &Situation<'_>) -> Refusal {
    let name = situation.name.to_owned();
    match situation.highest {
        Some(highest) if target <= highest => {
            let oldest = situation.history.live().next().map(|it| it.number);
            Refusal::Pruned { name, target, oldest }
        }
        highest => Refusal::Unknown { name, target, highest },
    }
}

#[cfg(test)]
mod tests;
