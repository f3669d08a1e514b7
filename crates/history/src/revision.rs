//! Revisions as a lineage knows them.

mod read;
mod write;

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::{Digest, RevisionNumber, names};

pub use read::{
    Unreadable, definition_revision, input_revision, is_of_same_kind, issued_at, known_definition_revision,
};
pub(crate) use write::change_cause;
pub use write::{author_of_spec, definition_revision_object, owner_reference};

/// What revisions are of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lineage {
    /// A definition.
    Definition {
        /// Its name.
        name: String,
    },
    /// What an instance asks for.
    Input {
        /// The kind of the instance.
        kind: String,
        /// The name of the instance.
        name: String,
        /// Whether an instance of another kind has the shorter names.
        is_prefixed: bool,
    },
}

impl Lineage {
    /// The name of the object that holds a revision.
    pub fn name_of(&self, number: RevisionNumber) -> String {
        match self {
            Self::Definition { name } => names::definition_revision(name, number),
            Self::Input { name, is_prefixed: false, .. } => names::input_revision(name, number),
            Self::Input { kind, name, is_prefixed: true } => {
                names::input_revision_of_kind(kind, name, number)
            }
        }
    }

    /// The name of what has the lineage.
    pub fn name(&self) -> &str {
        match self {
            Self::Definition { name } | Self::Input { name, .. } => name,
        }
    }
}

/// One revision that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// Its number.
    pub number: RevisionNumber,
    /// The identity of its content.
    pub digest: Digest,
    /// When it was issued.
    pub issued_at: Option<Timestamp>,
    /// When the object that holds it was made; a backup brings back an old revision in a new object.
    pub object_made_at: Option<Timestamp>,
    /// When other content took its place, if that is noted on it; [`History::replaced_at`] knows sooner.
    pub replaced_at: Option<Timestamp>,
    /// The revision whose content it is again.
    pub restored_from: Option<RevisionNumber>,
    /// Whether somebody asked for it by a rollback.
    pub is_rollback: bool,
    /// Whether it can be had back.
    pub health: Health,
    /// Whether it reached everybody who takes part, once.
    pub is_completed: bool,
    /// What its status says about being superseded; nothing when it says nothing.
    pub superseded: Option<bool>,
    /// Since when nothing needs it, if somebody has marked it.
    pub unused_since: Option<Timestamp>,
    /// Whether it is there to stay.
    pub presence: Presence,
    /// Whether its owner is the one that has the lineage now.
    pub ownership: Ownership,
    /// The object that holds it.
    pub object: ObjectVersion,
}

impl Revision {
    /// One that nothing is known about but its number and its content.
    pub fn new(number: RevisionNumber, digest: Digest) -> Self {
        Self {
            number,
            digest,
            issued_at: None,
            object_made_at: None,
            replaced_at: None,
            restored_from: None,
            is_rollback: false,
            health: Health::Good,
            is_completed: false,
            superseded: None,
            unused_since: None,
            presence: Presence::Live,
            ownership: Ownership::Own,
            object: ObjectVersion::default(),
        }
    }
}

/// Whether a revision can be had back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// Nothing is known against it.
    Good,
    /// A propagation gave it up; with the reason.
    Failed(String),
    /// It does not compile any longer; with the reason. No object says so: whoever compiles it does.
    DoesNotCompile(String),
}

/// Whether an object is there to stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It is.
    Live,
    /// It is on its way out: its number counts, its content is lost.
    Terminating,
}

/// Whether the owner of a revision is the one that has the lineage now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ownership {
    /// It is.
    Own,
    /// The owner is gone: deleted and created anew, or lost in a backup.
    Orphan,
}

/// One state of one object, for writes that name what they have seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectVersion {
    /// Its name.
    pub name: String,
    /// Its UID.
    pub uid: String,
    /// Its resource version.
    pub resource_version: String,
}

/// The revisions of one lineage that are there, in the order of their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History(Vec<Revision>);

impl History {
    /// From revisions in any order.
    pub fn new(mut revisions: Vec<Revision>) -> Self {
        revisions.sort_by_key(|it| it.number);
        Self(revisions)
    }

    /// All of them, oldest first.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = &Revision> {
        self.0.iter()
    }

    /// Those that are there to stay, oldest first.
    pub fn live(&self) -> impl DoubleEndedIterator<Item = &Revision> {
        self.0.iter().filter(|it| it.presence == Presence::Live)
    }

    /// The newest that is there to stay.
    pub fn latest(&self) -> Option<&Revision> {
        self.live().next_back()
    }

    /// The highest number, that of revisions on their way out included.
    pub fn highest(&self) -> Option<RevisionNumber> {
        self.0.last().map(|it| it.number)
    }

    /// A revision that is there to stay.
    pub fn find(&self, number: RevisionNumber) -> Option<&Revision> {
        self.live().find(|it| it.number == number)
    }

    /// A revision as a status names it: a number whose content is another is unknown.
    pub fn recall(&self, number: RevisionNumber, digest: Digest) -> Option<&Revision> {
        self.find(number).filter(|it| it.digest == digest)
    }

    /// The newest with that content.
    pub fn newest_with(&self, digest: Digest) -> Option<&Revision> {
        self.live().rfind(|it| it.digest == digest)
    }

    /// When other content took the place of a revision's; nothing while none has.
    pub fn replaced_at(&self, number: RevisionNumber) -> Option<Timestamp> {
        let revision = self.find(number)?;
        let next = || self.live().find(|it| it.number > number && it.digest != revision.digest);
        revision.replaced_at.or_else(|| next()?.issued_at)
    }

    /// The revision whose mark says that a propagation gave some content up, and why: the newest, where several do.
    ///
    /// The same content issued again is the same failure, whichever number carries the mark.
    pub fn given_up(&self, digest: Digest) -> Option<(&Revision, &str)> {
        let mut same = self.live().rev().filter(|it| it.digest == digest);
        same.find_map(|it| match &it.health {
            Health::Failed(reason) => Some((it, reason.as_str())),
            Health::Good | Health::DoesNotCompile(_) => None,
        })
    }

    /// How many of these contents are at each revision: at the newest that has it, whatever number they were assigned by.
    pub fn counts(&self, assigned: impl IntoIterator<Item = Digest>) -> BTreeMap<RevisionNumber, usize> {
        let mut counts: BTreeMap<_, _> = self.live().map(|it| (it.number, 0)).collect();
        let newest: BTreeMap<_, _> = self.live().map(|it| (it.digest, it.number)).collect();
        for number in assigned.into_iter().filter_map(|it| newest.get(&it)) {
            *counts.entry(*number).or_default() += 1;
        }
        counts
    }
}

#[cfg(test)]
pub(crate) mod tests;
