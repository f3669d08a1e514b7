//! One instance: which revision it should run, and why.

mod decide;
mod remark;
mod report;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use krono_history::revision::{History, Revision};
use krono_history::{Digest, RevisionNumber};

use crate::limits::Limits;

pub use remark::Remark;
pub use report::{Report, Told, report};

/// The revision that an instance should run, by number and content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The number, as it was when the instance was assigned.
    pub number: RevisionNumber,
    /// The identity of the content, which is what counts.
    pub digest: Digest,
}

impl Assignment {
    fn of(revision: &Revision) -> Self {
        Self { number: revision.number, digest: revision.digest }
    }
}

/// What is the same for all instances of a definition.
#[derive(Clone, Copy, Debug)]
pub struct Fleet<'a> {
    /// The revisions of the definition that are there.
    pub history: &'a History,
    /// What instances move to.
    pub current: Option<Assignment>,
    /// Whether they do.
    pub movement: Movement<'a>,
    /// The highest number ever issued, which tells what was pruned from what never was.
    pub highest: Option<RevisionNumber>,
    /// What the platform owner allows.
    pub limits: &'a Limits,
    /// The time.
    pub now: Timestamp,
}

impl Fleet<'_> {
    /// When the next pin ends, if any does.
    pub fn next_end_of_pins(&self) -> Option<Timestamp> {
        let ends = self.history.live().filter_map(|it| self.limits.end_of_pin(self.history, it.number));
        ends.filter(|it| *it > self.now).min()
    }
}

/// Whether instances move to what is current.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement<'a> {
    /// They do; the current revision is the latest.
    Free,
    /// They do; the current revision is held.
    Held,
    /// Nobody does, for this reason.
    Stopped(&'a str),
}

/// One instance.
#[derive(Clone, Copy)]
pub struct Instance<'a> {
    /// What it was assigned to, as its status says.
    pub assigned: Option<Assignment>,
    /// Whether it is there to stay.
    pub life: Life,
    /// What its owner wants.
    pub wishes: Wishes<'a>,
    /// What its spec and its resources tell.
    pub evidence: &'a dyn Evidence,
}

/// Whether an instance is there to stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It is.
    Living,
    /// It is on its way out.
    Ending,
}

/// What the owner of an instance wants, as its annotations say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wishes<'a> {
    /// Whether it is to be left alone, in kro's words.
    pub suspended: bool,
    /// How it follows its definition.
    pub policy: Option<&'a str>,
    /// The revision that it stays at.
    pub pin: Option<&'a str>,
    /// The revision that it may move to.
    pub approval: Option<&'a str>,
    /// The input that it stays at.
    pub hold: Option<HeldInput<'a>>,
    /// When its turn is.
    pub order: Option<&'a str>,
}

/// The input that an instance is held at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldInput<'a> {
    /// It is for this content of the definition.
    Of(Digest),
    /// It cannot be had, for this reason.
    Unusable(&'a str),
}

/// What is found out about an instance only when it matters.
pub trait Evidence {
    /// Why the schema of a revision refuses the spec, if it does.
    fn refusal(&self, revision: &Revision) -> Option<String>;

    /// Why a revision cannot be served, if it cannot.
    fn unusable(&self, revision: &Revision) -> Option<String>;

    /// How much of its resources this content accounts for; nothing where there are none, or some would become others.
    fn fit(&self, content: Digest) -> Option<usize>;

    /// The content that its newest input was for, where objects that are left of its history tell.
    fn recorded(&self) -> Option<Digest>;

    /// The highest number of a revision on its resources.
    fn highest_stamp(&self) -> Option<RevisionNumber>;
}

/// What stands between an instance that follows its definition and the current revision.
pub trait Gate {
    /// Whether the instance may move now.
    fn admits(&self, from: Option<Assignment>, to: Assignment) -> bool;
}

/// Lets everybody through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Open;

impl Gate for Open {
    fn admits(&self, _: Option<Assignment>, _: Assignment) -> bool {
        true
    }
}

/// Lets nobody through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Closed;

impl Gate for Closed {
    fn admits(&self, _: Option<Assignment>, _: Assignment) -> bool {
        false
    }
}

/// What an instance should run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Nothing while it has to wait for its first one.
    pub assignment: Option<Assignment>,
    /// What decided.
    pub because: Because,
    /// What people should know about it.
    pub remarks: Vec<Remark>,
}

/// What decided about an assignment; the first in this order that has something to say does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Because {
    /// The instance is being deleted.
    Ending,
    /// It is to be left alone.
    Paused,
    /// It would be below what the platform owner allows.
    Minimum,
    /// It is held at an input.
    InputHeld,
    /// It is pinned.
    Pinned,
    /// Somebody approved of the revision.
    Approved,
    /// It stays until somebody approves of a revision.
    Manual,
    /// It follows its definition.
    Following,
    /// It follows its definition, and its turn has not come.
    AwaitingAdmission,
}

impl Because {
    /// As it stands in a status.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ending => "Deleting",
            Self::Paused => "Paused",
            Self::Minimum => "MinimumRevision",
            Self::InputHeld => "InputHeld",
            Self::Pinned => "Pinned",
            Self::Approved => "Approved",
            Self::Manual => "Manual",
            Self::Following => "Following",
            Self::AwaitingAdmission => "AwaitingAdmission",
        }
    }
}

/// Decides which revision an instance should run.
///
/// Equal contents are the same assignment: an instance that has the content keeps the number it has.
pub fn decide(fleet: &Fleet<'_>, instance: &Instance<'_>, gate: &dyn Gate) -> Verdict {
    decide::decide(fleet, instance, gate)
}
