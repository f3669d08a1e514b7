//! Whether an instance asks for something new.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Definition, Input, Inputs, KeptSpec, Limit, Origin, PackedSpec, Standing};
use crate::number::{Exhausted, Traces};
use crate::{Digest, RevisionNumber};

/// All that the next input revision is decided from.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    /// The spec, as the assigned revision's schema sees it.
    pub spec: &'a Value,
    /// The assigned revision.
    pub definition: Definition,
    /// The input revisions that are known.
    pub inputs: &'a Inputs,
    /// Where numbers have been seen; input revisions that are known count without being named.
    pub traces: Traces,
    /// How many are kept.
    pub limit: Limit,
    /// Who changed the spec last, and why.
    pub origin: &'a Origin,
    /// Those that stay: the instance is held at one, or resources are.
    pub held: &'a BTreeSet<RevisionNumber>,
    /// The time, as Kubernetes writes it.
    pub now: &'a str,
}

/// What comes of what an instance asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// It is what the newest input revision says.
    Same(RevisionNumber),
    /// It is new; the newest of these is the new one.
    Issue(Inputs),
    /// It is new, and there is no number for it.
    Refused(Exhausted),
}

/// Decides whether an instance asks for something new.
///
/// A revision of the definition with another number and the same content asks for nothing new.
pub fn issue(world: &World<'_>) -> Decision {
    let digest = Digest::of_input(world.spec, world.definition.digest);
    if let Some(current) = world.inputs.current().filter(|it| it.digest == digest) {
        return Decision::Same(current.number);
    }
    let known = world.inputs.current().map(|it| it.number);
    let traces = Traces { last_issued: world.traces.last_issued.max(known), ..world.traces };
    let number = match traces.next() {
        Ok(number) => number,
        Err(exhausted) => return Decision::Refused(exhausted),
    };
    let before = world.inputs.current().and_then(Input::unpacked);
    let is_edited = before.is_none_or(|it| it != *world.spec);
    let newest = Input {
        number,
        definition: world.definition,
        digest,
        created_at: Some(world.now.to_owned()),
        restored_from: world.inputs.iter().find(|it| it.digest == digest).map(|it| it.number),
        origin: if is_edited { world.origin.clone() } else { Origin::default() },
        standing: Standing::InProgress,
        spec: KeptSpec::Packed(PackedSpec::pack(world.spec)),
    };
    Decision::Issue(world.inputs.with(newest, world.limit, world.held))
}
