//! Resources that are at an earlier input than the current one.

use std::collections::BTreeSet;

use krono_history::input::{Input, Inputs, Standing};
use krono_history::{Digest, RevisionNumber};
use krono_model::names;
use krono_propagation::fleet::Movement;
use krono_propagation::policy::RollbackMode;
use serde_json::Value;

use super::super::desired::{Desired, Standing as Where};
use super::super::{PropagationGates, World};
use super::stamps::input_of;
use super::{Asked, Assigned};

impl<'p> Asked<'p> {
    pub(in super::super) fn assigned(&self) -> &'p Assigned<'p> {
        self.assigned
    }

    pub(in super::super) fn gates(&self) -> &'p PropagationGates {
        self.assigned.gates
    }

    /// The content of the assigned revision.
    pub(in super::super) fn content(&self) -> Digest {
        self.assigned.definition.digest
    }

    /// Whether resources may have to wait for the current input: what was observed once does not wait again.
    pub(in super::super) fn may_wait(&self) -> bool {
        self.inputs.current().is_some_and(|it| it.standing != Standing::Completed)
            && self.inputs.iter().nth(1).is_some()
    }

    /// Whether a resource is there and not yet what it should become.
    pub(in super::super) fn is_behind(&self, resource: &Desired<'_>) -> bool {
        matches!(resource.standing, Where::Different { exists: true, .. }) && !self.is_at(resource)
    }

    /// Whether nothing holds a resource back that is at an input.
    pub(in super::super) fn passes(&self, input: &Input) -> bool {
        let is_instant = matches!(self.assigned.way, Movement::Back { mode: RollbackMode::Instant, .. });
        let is_going_back = self.assigned.current == Some(self.content());
        is_instant && is_going_back && input.definition.digest != self.content()
    }

    /// The input that a resource is at; nothing where it is kept no longer.
    pub(in super::super) fn input_at(&self, object: &Value) -> Option<&Input> {
        let current = self.inputs.current()?.number;
        input_at(&self.inputs, input_of(object)).filter(|it| it.number < current)
    }
}

/// A resource is not written for inputs that want nothing else of it, so that it is at all inputs from the one that it was
/// written for to the one that it has to wait for: the first of those that is kept will do.
fn input_at(inputs: &Inputs, written_for: Option<RevisionNumber>) -> Option<&Input> {
    inputs.iter().filter(|it| written_for.is_none_or(|at| it.number >= at)).last()
}

/// The inputs that must be kept: `first`, and those that resources may have to wait at.
pub(super) fn needed(
    world: &World<'_>,
    assigned: &Assigned<'_>,
    inputs: &Inputs,
    applyset: &str,
    first: impl Iterator<Item = RevisionNumber>,
) -> BTreeSet<RevisionNumber> {
    let mut needed: BTreeSet<RevisionNumber> = first.collect();
    if assigned.gates.is_empty() {
        return needed;
    }
    for member in world.cluster.members(applyset) {
        let node = member.object["metadata"]["labels"][names::NODE_ID_LABEL].as_str().unwrap_or_default();
        if assigned.gates.has(node) {
            needed.extend(input_at(inputs, input_of(member.object)).map(|it| it.number));
        }
    }
    needed
}
