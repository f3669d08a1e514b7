//! Where an instance would be after an edit, and why not where the edit leads.

use krono_history::{Digest, RevisionNumber};
use krono_propagation::assignment::{Because, Remark, Verdict};

/// Where an instance would be after an edit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// The revision that it is made with.
    pub from: Option<RevisionNumber>,
    /// The revision that it would be made with.
    pub to: Option<RevisionNumber>,
    /// Why it is not made with the edit; nothing when it is.
    pub stays: Option<Stay>,
}

/// Why an instance does not go where its definition goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stay {
    /// In one word, as in a status.
    pub reason: &'static str,
    /// In words, to stand behind `stays at revision 2: `.
    pub words: String,
}

impl Course {
    /// Whether nothing is done for the instance at all.
    pub(super) fn is_paused(&self) -> bool {
        self.stays.as_ref().is_some_and(|it| it.reason == Because::Paused.as_str())
    }
}

/// The course of an instance, given what the rules say about it and the content of the edit.
pub(super) fn course(
    verdict: &Verdict,
    from: Option<RevisionNumber>,
    to: Option<RevisionNumber>,
    edit: Digest,
) -> Course {
    let follows = verdict.assignment.is_some_and(|it| it.digest == edit);
    Course { from, to, stays: (!follows).then(|| stay(verdict)) }
}

fn stay(verdict: &Verdict) -> Stay {
    let refused = verdict.remarks.iter().find(|it| matches!(it, Remark::SpecRefused { .. }));
    if let Some(refused) = refused {
        return Stay { reason: refused.reason(), words: refused.to_string() };
    }
    let told: Vec<String> = verdict.remarks.iter().map(ToString::to_string).collect();
    let words = if told.is_empty() { usual(verdict.because).to_owned() } else { told.join("; ") };
    Stay { reason: verdict.because.as_str(), words }
}

fn usual(because: Because) -> &'static str {
    match because {
        Because::Ending => "it is being deleted",
        Because::Paused => "it is left alone",
        Because::Minimum => "it is the lowest that is allowed",
        Because::InputHeld => "it is held at an older input",
        Because::Pinned => "it is pinned",
        Because::Approved => "nothing newer is approved of",
        Because::Manual => "it waits for approval",
        Because::Following => "the definition holds it",
        Because::AwaitingAdmission => "its turn has not come",
    }
}
