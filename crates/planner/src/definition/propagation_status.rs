//! What the conditions of a definition say about its propagation.

use krono_model::condition::Conditions;
use krono_model::definition::{
    APPROVAL_INVALID, DELETION_PENDING, GATE_NEVER_OPENS, PROPAGATING, PROPAGATION_HALTED,
    PROPAGATION_INVALID,
};
use krono_model::instance::RESOURCE_GATED;
use serde_json::Value;

use super::{World, lineage, metadata};
use crate::fleet;

/// Notes what holds, and drops what does not.
pub(super) fn note(world: &World<'_>, conditions: &mut Conditions) {
    let told = &world.definition["status"]["propagation"];
    let phase = told["phase"].as_str().unwrap_or_default();
    let is_given_up = matches!(phase, "Halted" | "RolledBack" | "Aborted");
    let is_under_way = matches!(phase, "Propagating" | "Paused") && told["instances"].is_object();
    let is_pending = fleet::are_deletions_pending(world.definition, &world.past);
    let notes = [
        (DELETION_PENDING, "DeletesNeedApproval", is_pending.then(|| deletion_pending(world))),
        (PROPAGATION_INVALID, "PolicyInvalid", invalid(world)),
        (GATE_NEVER_OPENS, "NobodyCanBegin", never_opens(world)),
        (APPROVAL_INVALID, "ApprovalInvalid", fleet::approval_problems(world.definition)),
        (PROPAGATING, phase, is_under_way.then(|| under_way(told))),
        (PROPAGATION_HALTED, phase, is_given_up.then(|| given_up(world, told))),
    ];
    for (condition_type, reason, message) in notes {
        match message {
            Some(message) => conditions.note(condition_type, reason, &message),
            None => conditions.drop_note(condition_type),
        }
    }
}

/// What is wrong with how a new revision should reach instances; nobody moves before it is put right.
fn invalid(world: &World<'_>) -> Option<String> {
    let wrong = fleet::problems(world.definition, world.compiled.ok(), lineage::now(world))?;
    Some(format!("no instance moves to another revision: {wrong}"))
}

/// Gates that let nobody begin; told before somebody waits for them.
fn never_opens(world: &World<'_>) -> Option<String> {
    let closed = fleet::closed_gate(world.definition, world.compiled.ok());
    let is_told = |gate: &str| closed.as_ref().is_some_and(|it| it.starts_with(gate));
    let valueless = valueless_gates(world).filter(|it| !is_told(it.split(": ").next().unwrap_or(it)));
    let all: Vec<String> = closed.iter().cloned().chain(valueless).collect();
    (!all.is_empty())
        .then(|| format!("no instance would begin to move to a new revision: {}", all.join("; ")))
}

/// Gates that have no value for any of the instances there are; what is told while some are under way is of those who wait.
fn valueless_gates<'w>(world: &'w World<'_>) -> impl Iterator<Item = String> + use<'w> {
    let told = &world.definition["status"]["propagation"];
    let errors = told["gateErrors"].as_array().filter(|_| told["phase"] == "Completed").into_iter().flatten();
    errors.filter_map(Value::as_str).map(|it| format!("spec.{it}"))
}

fn under_way(told: &Value) -> String {
    let instances = &told["instances"];
    let progress = format!(
        "revision {} has settled at {} of {} instances, {} on their way",
        told["revision"], instances["settled"], instances["eligible"], instances["inFlight"]
    );
    let waiting = told["waiting"].as_array().into_iter().flatten();
    let waiting =
        waiting.map(|it| format!("{} wait: {}", it["count"], it["message"].as_str().unwrap_or_default()));
    let blocked = told["blocked"]["count"]
        .as_u64()
        .map(|it| format!("{it} have resources that wait, as their condition {RESOURCE_GATED} says"));
    let parts: Vec<String> = std::iter::once(progress).chain(waiting).chain(blocked).collect();
    parts.join("; ")
}

fn deletion_pending(world: &World<'_>) -> String {
    format!(
        "what the revision that was rolled back has added stays in place; run `krono propagation approve rgd/{} --deletes` \
         to have it deleted",
        metadata(world.definition, "name")
    )
}

fn given_up(world: &World<'_>, told: &Value) -> String {
    let why = told["reason"].as_str().unwrap_or("somebody aborted it");
    format!(
        "revision {} reaches nobody else: {why}; edit the definition, or run `krono propagation retry rgd/{}`",
        told["revision"],
        metadata(world.definition, "name")
    )
}
