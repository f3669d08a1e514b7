//! The lineage of what one instance asks for: its spec, together with the revision of the definition that it is evaluated by.

mod issue;
mod object;
mod packed;
mod rollback;
mod seen;
mod summary;
#[cfg(test)]
mod tests;

use serde_json::Value;

use crate::retention::{Restorable, restorable};
use crate::revision::History;
use crate::{Digest, RevisionNumber};

pub use issue::{Decision, World, issue};
pub use object::{input_revision_object, read_object};
pub use packed::{PackedSpec, Unpackable};
pub use rollback::{HoldProblem, Pin, Refusal, Request, Scope, Situation, Verdict, hold, judge};
pub use seen::{SeenSpec, refusal, seen_through};
pub use summary::{read, summaries};

/// How many inputs of an instance are kept unless said otherwise.
pub const HISTORY_LIMIT: usize = 5;

/// How many bytes the specs of one instance may take in its status.
pub const BUDGET: usize = 64 << 10;

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
    /// How far it has come.
    pub standing: Standing,
    /// The spec, as the revision's schema saw it; nothing where it was dropped.
    pub spec: Option<PackedSpec>,
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
        restorable(definitions, self.definition.digest, self.spec.is_some())
    }

    /// Its spec, if that was kept and can be read.
    pub fn unpacked(&self) -> Option<Value> {
        self.spec.as_ref()?.unpack().ok()
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

    /// The one with that number.
    pub fn find(&self, number: RevisionNumber) -> Option<&Input> {
        self.0.iter().find(|it| it.number == number)
    }

    /// The same with another as the newest, and no more than the limits allow; `held` stays whatever they say.
    fn with(&self, newest: Input, limit: usize, held: Option<RevisionNumber>) -> Self {
        let superseded = self.0.iter().cloned().map(|it| Input { standing: Standing::Superseded, ..it });
        let mut inputs: Vec<Input> = std::iter::once(newest).chain(superseded).collect();
        let mut room = limit.max(1);
        inputs.retain(|it| {
            let kept = room > 0 || Some(it.number) == held;
            room = room.saturating_sub(1);
            kept
        });
        drop_oldest_specs(&mut inputs, held);
        Self(inputs)
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

/// Takes the specs away that are over the budget, the oldest first; what is held goes last.
fn drop_oldest_specs(inputs: &mut [Input], held: Option<RevisionNumber>) {
    let mut left = BUDGET;
    let is_held = |it: &Input| Some(it.number) == held;
    let (first, others): (Vec<_>, Vec<_>) = inputs.iter_mut().partition(|it| is_held(it));
    for input in first.into_iter().chain(others) {
        let size = input.spec.as_ref().map_or(0, PackedSpec::size);
        let rest = left.checked_sub(size);
        if rest.is_none() {
            input.spec = None;
        }
        // What is older has no room either: a history has no holes but at its end.
        left = rest.unwrap_or(0);
    }
}
