//! What a lineage needs next.

mod decide;
mod report;
#[cfg(test)]
mod tests;

use jiff::Timestamp;

use crate::answered::Answered;
use crate::hold::Wish;
use crate::number::Traces;
use crate::retention::{Freshness, Uses};
use crate::revision::{History, Lineage, ObjectVersion};
use crate::rollback::{Ending, Request};
use crate::{Digest, RevisionNumber};

pub use report::{CreateProblem, IssueReason, Named, Notice, Refusal, Report, Standing};

/// All that the next steps of one lineage are decided from.
#[derive(Clone, Debug)]
pub struct World<'a> {
    /// What it is of.
    pub lineage: &'a Lineage,
    /// The identity of the content that was read.
    pub spec: Digest,
    /// What was found out about that content, together with the change of the CRD that it needs.
    pub judgement: Judgement<'a>,
    /// How large its revision would be, in bytes.
    pub size: usize,
    /// The revisions that are there.
    pub history: &'a History,
    /// Where numbers have been seen; revisions that are there count without being named.
    pub traces: Traces,
    /// What the last issued number was taken for, until that revision has been told of.
    pub reserved: Option<Digest>,
    /// How edits become revisions.
    pub update_policy: UpdatePolicy,
    /// The text of a request to issue what is pending.
    pub create_request: Option<&'a str>,
    /// A request to have an older revision back.
    pub rollback: Option<Request<'a>>,
    /// The requests to roll back that were answered.
    pub answered: &'a Answered,
    /// The revision that a rollback has written back, until its content is issued.
    pub restoring: Option<RevisionNumber>,
    /// The tool that would put the spec back.
    pub keeper: Option<&'a str>,
    /// What should be served whatever the spec says.
    pub hold: Wish<'a>,
    /// What instances move to, as was last published.
    pub serving: Option<RevisionNumber>,
    /// What revisions are used for; what is current, held or restored is found here and need not be named.
    pub uses: &'a Uses,
    /// How many revisions are kept around the current one.
    pub history_limit: u64,
    /// Whether what has the lineage is there to stay.
    pub life: Life,
    /// Whether it may be behind.
    pub freshness: Freshness,
    /// The time.
    pub now: Timestamp,
}

/// What was found out about content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement<'a> {
    /// It compiles, and its kind can be served.
    Accepted,
    /// It compiles, and its kind is being made ready.
    Awaited,
    /// It does not, or cannot; all that is wrong.
    Refused(&'a str),
}

/// How edits become revisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpdatePolicy {
    /// At once.
    #[default]
    Automatic,
    /// When somebody asks for it.
    Manual,
}

/// Whether what has a lineage is there to stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It is.
    Living,
    /// It is on its way out.
    Ending,
}

/// The largest revision, in bytes; more is refused before a server does it halfway.
pub const LARGEST: usize = 1 << 20;

/// One step. Each can be repeated, and names what it has seen: a conflict means to observe again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// The number is taken, in the status of what has the lineage and only if that is still as it was seen.
    ///
    /// That a name is free does not show that its number is: a revision may have come and gone since the look.
    Reserve(RevisionNumber),
    /// Creation of a revision, if there is still none of that name.
    Create(NewRevision),
    /// The spec as a revision has it, policy left alone; the same write answers the request and says what is restored.
    RestoreSpec {
        /// The revision.
        from: RevisionNumber,
        /// The request, to be remembered as answered.
        request: String,
        /// What becomes of the hold.
        hold: Ending,
    },
    /// The end of a request to roll back: it goes, and its text is remembered as answered.
    AnswerRollback {
        /// Its text.
        request: String,
    },
    /// The end of a request to issue what is pending.
    AnswerCreate,
    /// The end of a rollback: its content is issued.
    FinishRestoring,
    /// What the status of a revision says about being superseded.
    SetSuperseded {
        /// The revision as it was seen.
        revision: ObjectVersion,
        /// Whether a newer one is current.
        superseded: bool,
    },
    /// A revision whose place other content took is noted to be that: what took it may be gone when somebody asks.
    NoteReplaced {
        /// The revision as it was seen.
        revision: ObjectVersion,
        /// When that was.
        at: Timestamp,
    },
    /// A revision gets the owner that has the lineage now.
    Adopt(ObjectVersion),
    /// A revision that nothing needs is marked.
    MarkUnused {
        /// The revision as it was seen.
        revision: ObjectVersion,
        /// The time of the mark.
        since: Timestamp,
    },
    /// The mark goes.
    Unmark(ObjectVersion),
    /// A revision is deleted, if it is still the one that was seen.
    Prune(ObjectVersion),
}

/// A revision to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRevision {
    /// The name of the object.
    pub name: String,
    /// The number.
    pub number: RevisionNumber,
    /// The identity of the content.
    pub digest: Digest,
    /// The revision whose content it is again.
    pub restored_from: Option<RevisionNumber>,
}

/// What to do next, and what to tell.
#[derive(Clone, Debug, PartialEq)]
pub struct Issue {
    /// To be done in order, up to the first that fails.
    pub actions: Vec<Action>,
    /// What people and other loops should know.
    pub report: Report,
}

/// Decides what a lineage needs next.
///
/// Content is judged first and issued then: what does not compile, or whose kind cannot be served, gets no number.
pub fn issue(world: &World<'_>) -> Issue {
    decide::decide(world)
}
