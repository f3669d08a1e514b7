//! The lineage of what one instance asks for: its spec, together with the revision of the definition that it is evaluated by.

mod issue;
mod object;
mod packed;
mod rollback;
mod seen;
mod summary;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use krono_model::names;
use krono_model::wire::Author;
use serde_json::Value;

use crate::retention::{Restorable, restorable};
use crate::revision::{History, author_of_spec, change_cause};
use crate::witness::Notes;
use crate::{Digest, RevisionNumber};

pub use issue::{Decision, World, issue};
pub use object::{input_revision_object, input_revision_owner, read_object};
pub use packed::{PackedSpec, Unpackable};
pub use rollback::{HoldProblem, Pin, Refusal, Request, Scope, Situation, Verdict, held, hold, judge};
pub use seen::{SeenSpec, refusal, seen_by, seen_through};
pub use summary::{read, summaries};

/// How many inputs of an instance are kept unless said otherwise.
pub const HISTORY_LIMIT: usize = 5;

/// How many bytes the specs of one instance may take in its status.
pub const BUDGET: usize = 64 << 10;

/// How much of its past an instance keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// How many input revisions.
    pub count: usize,
    /// How many bytes their specs may take.
    pub bytes: usize,
}

impl Limit {
    /// In the status of the instance there is only so much room.
    pub fn inline(count: usize) -> Self {
        Self { count, bytes: BUDGET }
    }

    /// Objects of their own have room.
    pub fn objects(count: usize) -> Self {
        Self { count, bytes: usize::MAX }
    }
}

/// One input revision.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// Its number.
    pub number: RevisionNumber,
    /// The revision of the definition that it is evaluated by.
    pub definition: Definition,
    /// The identity of spec and definition content.
    pub digest: Digest,
    /// When it was issued, as Kubernetes writes it.
    pub created_at: Option<String>,
    /// The input revision whose content it is again.
    pub restored_from: Option<RevisionNumber>,
    /// Who made the change, and why; nothing where the definition did.
    pub origin: Origin,
    /// How far it has come.
    pub standing: Standing,
    /// The spec, as the revision's schema saw it.
    pub spec: KeptSpec,
}

/// Who changed a spec, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Whoever wrote it last.
    pub author: Option<Author>,
    /// Why, in the words of whoever made the change.
    pub change_cause: Option<String>,
}

impl Origin {
    /// As the managed fields and the annotations of an instance tell.
    ///
    /// krono writes a spec only for somebody who asked for a rollback: where nobody knows who that was, nobody is named.
    pub fn of(instance: &Value, notes: Notes) -> Self {
        let is_known = |it: &Author| it.user.is_some() || it.manager.as_deref() != Some(names::MANAGER_KRONO);
        let author = author_of_spec(instance, notes).filter(is_known);
        Self { author, change_cause: change_cause(instance) }
    }
}

/// Where the spec of an input revision is.
#[derive(Clone, Debug, PartialEq)]
pub enum KeptSpec {
    /// Here.
    Packed(PackedSpec),
    /// In an object of its own, which was looked at.
    Object(PackedSpec),
    /// In an object of its own.
    Elsewhere,
    /// Nowhere; there was no room for it, or somebody deleted it.
    Dropped,
}

/// The revision of a definition that an input is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Its number.
    pub number: RevisionNumber,
    /// The identity of its content.
    pub digest: Digest,
}

/// How far an input revision has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing was done yet.
    Pending,
    /// Resources are on their way.
    InProgress,
    /// All resources are at it and were ready.
    Completed,
    /// Something failed; it is tried again.
    Failed,
    /// It waits for somebody.
    Blocked,
    /// Another took its place.
    Superseded,
}

impl Standing {
    const ALL: [Self; 6] =
        [Self::Pending, Self::InProgress, Self::Completed, Self::Failed, Self::Blocked, Self::Superseded];

    /// As it stands on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "Pending",
            Self::InProgress => "InProgress",
            Self::Completed => "Completed",
            Self::Failed => "Failed",
            Self::Blocked => "Blocked",
            Self::Superseded => "Superseded",
        }
    }

    fn read(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == text)
    }
}

impl Input {
    /// Whether it can be restored, given the revisions of the definition that are kept.
    pub fn restorable(&self, definitions: &History) -> Restorable {
        restorable(definitions, self.definition.digest, self.spec != KeptSpec::Dropped)
    }

    /// Its spec, if that is here and can be read.
    pub fn unpacked(&self) -> Option<Value> {
        match &self.spec {
            KeptSpec::Packed(spec) | KeptSpec::Object(spec) => spec.unpack().ok(),
            KeptSpec::Elsewhere | KeptSpec::Dropped => None,
        }
    }

    /// The same, as an object of its own holds it.
    #[must_use]
    pub fn in_object(self) -> Self {
        match self.spec {
            KeptSpec::Packed(spec) => Self { spec: KeptSpec::Object(spec), ..self },
            KeptSpec::Object(_) | KeptSpec::Elsewhere | KeptSpec::Dropped => self,
        }
    }

    /// Its spec, if that takes room in the status.
    fn packed(&self) -> Option<&PackedSpec> {
        match &self.spec {
            KeptSpec::Packed(spec) => Some(spec),
            KeptSpec::Object(_) | KeptSpec::Elsewhere | KeptSpec::Dropped => None,
        }
    }
}

/// The input revisions of an instance that are known, newest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inputs(Vec<Input>);

impl Inputs {
    /// From input revisions in any order; of two with one number the first counts.
    pub fn new(mut inputs: Vec<Input>) -> Self {
        inputs.sort_by_key(|it| std::cmp::Reverse(it.number));
        inputs.dedup_by_key(|it| it.number);
        Self(inputs)
    }

    /// Newest first.
    pub fn iter(&self) -> impl Iterator<Item = &Input> {
        self.0.iter()
    }

    /// The newest.
    pub fn current(&self) -> Option<&Input> {
        self.0.first()
    }

    /// The spec of the newest, if that is for this content and can be read.
    pub fn standing_at(&self, content: Digest) -> Option<Value> {
        self.current().filter(|it| it.definition.digest == content)?.unpacked()
    }

    /// The one with that number.
    pub fn find(&self, number: RevisionNumber) -> Option<&Input> {
        self.0.iter().find(|it| it.number == number)
    }

    /// Whether some of their specs are not here, so that objects may hold them.
    pub fn have_gaps(&self) -> bool {
        self.0.iter().any(|it| it.packed().is_none())
    }

    /// The same with another as the newest, and no more than the limits allow; `held` stays whatever they say.
    fn with(&self, newest: Input, limit: Limit, held: &BTreeSet<RevisionNumber>) -> Self {
        Self(std::iter::once(newest).chain(self.superseded().0).collect()).limited(limit, held)
    }

    /// The same, with no more than the limits allow; `held` stays whatever they say.
    #[must_use]
    pub fn limited(self, limit: Limit, held: &BTreeSet<RevisionNumber>) -> Self {
        let Self(mut inputs) = self;
        let mut room = limit.count.max(1);
        inputs.retain(|it| {
            let kept = room > 0 || held.contains(&it.number);
            room = room.saturating_sub(1);
            kept
        });
        drop_oldest_specs(&mut inputs, limit.bytes, held);
        Self(inputs)
    }

    /// The same, with the specs in objects of their own.
    #[must_use]
    pub fn elsewhere(&self) -> Self {
        let moved = |input: &Input| match input.spec {
            KeptSpec::Packed(_) | KeptSpec::Object(_) | KeptSpec::Elsewhere => {
                Input { spec: KeptSpec::Elsewhere, ..input.clone() }
            }
            KeptSpec::Dropped => input.clone(),
        };
        Self(self.0.iter().map(moved).collect())
    }

    /// The same, with another to come.
    #[must_use]
    pub fn superseded(&self) -> Self {
        Self(self.0.iter().cloned().map(|it| Input { standing: Standing::Superseded, ..it }).collect())
    }

    /// The same, with the newest so far.
    #[must_use]
    pub fn with_standing(&self, standing: Standing) -> Self {
        let mut inputs = self.0.clone();
        if let Some(newest) = inputs.first_mut() {
            newest.standing = standing;
        }
        Self(inputs)
    }
}

/// Takes the specs away that are over the budget, the oldest first; what is held stays.
fn drop_oldest_specs(inputs: &mut [Input], budget: usize, held: &BTreeSet<RevisionNumber>) {
    let mut left = budget;
    for input in inputs {
        let size = input.packed().map_or(0, PackedSpec::size);
        let rest = left.checked_sub(size);
        if rest.is_none() && !held.contains(&input.number) {
            input.spec = KeptSpec::Dropped;
        }
        // What is older has no room either: a history has no holes but at its end.
        left = rest.unwrap_or(0);
    }
}
