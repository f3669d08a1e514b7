//! What is known about all instances of a definition at one instant.
//!
//! Everything here is read from objects: whoever starts anew and reads them again comes to the same decision.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use krono_history::Digest;
use serde_json::Value;

use crate::assignment::Assignment;
use crate::mark::Mark;
use crate::policy::RollbackMode;

/// All instances of a definition, and how far it has come.
#[derive(Clone, Debug)]
pub struct Fleet<'a> {
    /// The instances, in any order.
    pub members: &'a [Member<'a>],
    /// What instances move to.
    pub target: Assignment,
    /// The last revision that was completed and that nobody gave up.
    pub last_good: Option<Assignment>,
    /// Whether that is a step forward.
    pub movement: Movement,
    /// How far it has come.
    pub progress: Progress,
    /// What people want.
    pub controls: Controls,
    /// When nobody could act.
    pub leadership: Leadership<'a>,
    /// The definition as it is served.
    pub definition: &'a Value,
}

impl Fleet<'_> {
    /// Whether it goes back and waits for nothing but room.
    pub(crate) fn is_instant(&self) -> bool {
        matches!(self.movement, Movement::Back { mode: RollbackMode::Instant, .. })
    }

    /// Whether a pause since then is obeyed: a rollback that is in a hurry passes over one that was there before it.
    pub(crate) fn obeys_pause(&self, since: Timestamp) -> bool {
        !self.is_instant() || since > self.progress.started
    }
}

/// Whether the target is a step forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement {
    /// It is.
    Forward,
    /// It is a step back.
    Back {
        /// Whether it waits as other changes do.
        mode: RollbackMode,
        /// Who wanted it.
        by: RollbackBy,
    },
}

/// Who wanted to go back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RollbackBy {
    /// A person.
    Person,
    /// The policy, because too many instances failed.
    Failures,
}

/// How far the propagation of the target has come; kept on the definition.
#[derive(Clone, Debug)]
pub struct Progress {
    /// When the target became what instances move to.
    pub started: Timestamp,
    /// Whether it was completed once: what fails later is its own affair.
    pub is_completed: bool,
    /// When somebody asked to try again; what went wrong before does not count.
    pub restarted: Option<Timestamp>,
    /// What became of it and why, if it was given up before: the mark on the target's content, for a step forward.
    pub mark: Option<Mark>,
    /// How many waves were told of: who was in them may be gone.
    pub waves: usize,
}

/// What people want of the propagation, as annotations of the definition say.
#[derive(Clone, Debug, Default)]
pub struct Controls {
    /// Since when it is paused, if it is.
    pub paused: Option<Timestamp>,
    /// Whether it was aborted.
    pub is_aborted: bool,
    /// The stages that somebody approved of for the target.
    pub approved_stages: BTreeSet<String>,
    /// What the target would delete or replace.
    pub deletions: Deletions,
}

/// Whether moving to the target deletes or replaces resources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deletions {
    /// It does not.
    #[default]
    None,
    /// It does, and nobody approved of that.
    Pending,
    /// It does, and somebody approved.
    Approved,
}

/// When nobody could act.
#[derive(Clone, Copy, Debug)]
pub struct Leadership<'a> {
    /// Since when the one who decides does.
    pub since: Timestamp,
    /// When the propagation stood still, the earliest first; none overlaps another.
    pub standstills: &'a [Standstill],
}

/// A time that is over in which the propagation stood still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standstill {
    /// When it began.
    pub from: Timestamp,
    /// When it ended.
    pub to: Timestamp,
    /// Why.
    pub cause: Cause,
}

/// Why a propagation stood still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// There was nobody to lead it.
    NoLeader,
    /// Somebody paused it.
    Paused,
}

/// One instance.
#[derive(Clone, Debug)]
pub struct Member<'a> {
    /// Its namespace; empty for kinds that have none.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
    /// When it was created.
    pub created: Timestamp,
    /// The content it should run; nothing for one that is new.
    pub assigned: Option<Digest>,
    /// How it came to it; nothing when it began with it.
    pub admission: Option<Admission>,
    /// The content that all of its resources had when they were last all ready.
    pub observed: Option<Observed>,
    /// How it is.
    pub health: Health,
    /// For how long since its admission something else held it up: gates of its resources, refusals of the API.
    pub hindered: SignedDuration,
    /// Whether it follows its definition.
    pub stance: Stance,
    /// When its turn is; the lowest comes first.
    pub order: i64,
    /// Whether its own spec was edited after its admission.
    pub is_edited: bool,
    /// Whether a failure of it is written down that counts: no later edit excuses that.
    pub has_failed: bool,
    /// The object.
    pub object: &'a Value,
    /// The labels of its namespace.
    pub namespace_labels: &'a Value,
}

/// How an instance came to the content that it should run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// When.
    pub at: Timestamp,
    /// What it ran before.
    pub from: Digest,
    /// Whether it was not well even before, so that its failure is told and not counted.
    pub is_excused: bool,
}

/// The content that was observed on all resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observed {
    /// The content.
    pub digest: Digest,
    /// Since when.
    pub since: Timestamp,
}

/// How an instance is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// Ready.
    Ready,
    /// Not ready, since then.
    Unready(Timestamp),
    /// In error, since then.
    Error(Timestamp),
}

/// Whether an instance follows its definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stance {
    /// It does.
    Auto,
    /// It is pinned, or held at an input.
    Pinned,
    /// It moves when somebody approves.
    Manual,
    /// It is left alone.
    Paused,
    /// It is on its way out.
    Deleting,
    /// The schema of the target refuses its spec.
    Refused,
}

impl Member<'_> {
    /// As people write it.
    pub fn full_name(&self) -> String {
        if self.namespace.is_empty() {
            self.name.to_owned()
        } else {
            format!("{}/{}", self.namespace, self.name)
        }
    }

    /// Whether it is ready.
    pub fn is_ready(&self) -> bool {
        self.health == Health::Ready
    }

    /// Whether it is ready and not on its way to this content: what it still says then is of before.
    pub(crate) fn is_ready_with(&self, target: Digest) -> bool {
        self.is_ready() && (self.assigned != Some(target) || self.has_observed(target))
    }

    /// Whether it has come to this content, and was not sent elsewhere or there anew since.
    pub fn has_observed(&self, content: Digest) -> bool {
        self.observed_since(content).is_some()
    }

    /// Since when that is so. What it was seen at before it was admitted is where it comes from, even where it goes back there.
    pub(crate) fn observed_since(&self, content: Digest) -> Option<Timestamp> {
        let observed = self.observed.filter(|it| it.digest == content)?.since;
        let is_past = self.admission.is_some_and(|it| it.is_after(observed));
        (!is_past).then_some(observed)
    }

    /// Whether it was at this content before it was admitted to what it should run, and not since.
    pub(crate) fn was_at(&self, content: Digest) -> bool {
        self.observed.is_some_and(|it| it.digest == content) && !self.has_observed(content)
    }
}

impl Admission {
    /// Whether something was seen before it. That is told in whole seconds: what was seen within the second came after.
    pub fn is_after(&self, seen: Timestamp) -> bool {
        self.at.as_second() > seen.as_second()
    }
}

impl Health {
    /// Since when it is not well, if it is not.
    pub(crate) fn unwell_since(self) -> Option<Timestamp> {
        match self {
            Self::Ready => None,
            Self::Unready(since) | Self::Error(since) => Some(since),
        }
    }
}

/// From the text of the annotation that says when an instance's turn is; nothing for a text that is no whole number.
pub fn read_order(text: &str) -> Option<i64> {
    text.trim().parse().ok()
}
