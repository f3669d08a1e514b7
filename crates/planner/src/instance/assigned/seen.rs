//! The spec that an instance is made with.

use krono_graph::CompiledGraph;
use krono_history::RevisionNumber;
use krono_history::input::{self, Inputs, SeenSpec, seen_through};
use krono_model::names;
use serde_json::Value;

use super::super::World;
use super::super::evidence::fit;
use super::Assigned;

/// The spec that an instance is made with, and where that comes from.
pub(super) struct Seen {
    /// As the assigned revision sees it.
    pub(super) spec: Value,
    /// Fields of today's spec that the assigned revision does not know.
    pub(super) ignored: Vec<String>,
    /// The input that the instance is held at.
    pub(super) held: Option<RevisionNumber>,
    /// Whether nobody knows the spec that its resources were made with, though it is to be held at one.
    pub(super) is_lost: bool,
}

impl Seen {
    fn stored(spec: Value, held: Option<RevisionNumber>) -> Self {
        Self { spec, ignored: Vec::new(), held, is_lost: false }
    }

    fn today(SeenSpec { spec, ignored }: SeenSpec) -> Self {
        Self { spec, ignored, held: None, is_lost: false }
    }
}

/// The spec as the assigned revision sees it, or the one that the instance is held at (V22).
///
/// A hold that cannot be had is never read as no hold: the newest input stands. Where that is lost, today's spec will do if the
/// resources are made of it already.
pub(super) fn seen(
    world: &World<'_>,
    graph: &CompiledGraph,
    assigned: &Assigned<'_>,
    inputs: &Inputs,
    applyset: &str,
) -> Seen {
    let content = assigned.definition.digest;
    let wish = world.instance["metadata"]["annotations"][names::HOLD_INPUT_ANNOTATION].as_str();
    let hold = wish.filter(|_| assigned.may_pin).map(|it| input::hold(it, inputs, assigned.kept));
    match hold {
        Some(Ok((input, spec))) if input.definition.digest == content => {
            Seen::stored(spec, Some(input.number))
        }
        Some(Err(_)) if let Some(spec) = inputs.standing_at(content) => Seen::stored(spec, None),
        hold => {
            let is_lost = matches!(hold, Some(Err(_))) && is_made_otherwise(world, graph, applyset);
            Seen { is_lost, ..Seen::today(today(world, graph, assigned)) }
        }
    }
}

/// Whether an instance has resources, and today's spec would make others.
fn is_made_otherwise(world: &World<'_>, graph: &CompiledGraph, applyset: &str) -> bool {
    let is_made = !world.cluster.members(applyset).is_empty();
    is_made && fit(world.instance, graph, world.policies, world.cluster).is_none()
}

fn today(world: &World<'_>, graph: &CompiledGraph, assigned: &Assigned<'_>) -> SeenSpec {
    let spec = &world.instance["spec"];
    let mut seen = seen_through(&graph.instance.spec, spec);
    if !seen.ignored.is_empty() && is_filled_in(&seen.spec, spec, assigned) {
        seen.ignored.clear();
    }
    seen
}

/// Whether a spec has nothing beyond what the assigned revision knows but what the API server fills in by the current schema:
/// nobody has asked for that.
fn is_filled_in(known: &Value, spec: &Value, assigned: &Assigned<'_>) -> bool {
    let current = assigned.current.and_then(|it| assigned.schemas.graph_of(it)?.ok());
    current.is_some_and(|it| seen_through(&it.instance.spec, known).spec == *spec)
}

/// The spec that stands for one that the assigned revision refuses, which an instance of newer ones may have, and why
/// it is refused (V15): the newest input is as good as it was. Nothing where the revision takes the spec, or where
/// nobody knows the one before.
pub(super) fn standing_for(
    spec: &Value,
    assigned: &Assigned<'_>,
    inputs: &Inputs,
) -> Option<(Value, String)> {
    let content = assigned.definition.digest;
    let stands = inputs.standing_at(content)?;
    Some((stands, assigned.schemas.refusal(content, spec)?))
}
