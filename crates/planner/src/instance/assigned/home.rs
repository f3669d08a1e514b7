//! Where krono's own fields stand in the status of an instance.

use krono_graph::CompiledGraph;
use krono_history::{Digest, RevisionNumber};
use serde_json::{Map, Value, json};

/// The generation that all conditions were found in, where kstatus looks for it.
const OBSERVED_GENERATION: &str = "observedGeneration";
pub(super) const CURRENT_INPUT: &str = "currentInputRevision";
pub(super) const CURRENT_REVISION: &str = "currentRGDRevision";
pub(super) const OBSERVED_INPUT: &str = "observedInputRevision";
pub(super) const OBSERVED_REVISION: &str = "observedRGDRevision";
pub(crate) const PROPAGATION: &str = "propagation";
/// In `status.propagation`, while the instance is in error: since when.
pub(crate) const ERROR_SINCE: &str = "errorSince";
/// In `status.propagation`: since when the observed content is that, where the last transition was another.
const OBSERVED_SINCE: &str = "observedSince";
pub(crate) const INPUT_HISTORY: &str = "inputRevisionHistory";
pub(super) const IGNORED_FIELDS: &str = "ignoredFields";
pub(crate) const ASSIGNMENT: &str = "assignment";
/// Under it stand fields whose names the author uses.
const KRONO: &str = "krono";

/// A field of krono's; that of the author is not it.
pub(super) fn own<'v>(status: &'v Value, graph: &CompiledGraph, name: &str) -> &'v Value {
    if is_authors(graph, name) { &status[KRONO][name] } else { &status[name] }
}

/// Puts a field of krono's where the author's own does not stand.
pub(super) fn put(status: &mut Map<String, Value>, graph: &CompiledGraph, name: &str, value: Value) {
    if !is_authors(graph, name) {
        status.insert(name.to_owned(), value);
        return;
    }
    let krono = status.entry(KRONO).or_insert_with(|| json!({}));
    if let Some(fields) = krono.as_object_mut() {
        fields.insert(name.to_owned(), value);
    }
}

/// Says which generation of an instance its conditions are about.
pub(in super::super) fn put_generation(
    status: &mut Map<String, Value>,
    graph: &CompiledGraph,
    instance: &Value,
) {
    if let Some(generation) = instance["metadata"].get("generation") {
        put(status, graph, OBSERVED_GENERATION, generation.clone());
    }
}

fn is_authors(graph: &CompiledGraph, name: &str) -> bool {
    graph.instance.status.get(name).is_some()
}

/// What the status of an instance says about its assignment: number, content, and what decided.
pub fn assignment(instance: &Value) -> Option<(RevisionNumber, Digest, &str)> {
    let assignment = of_krono(&instance["status"], ASSIGNMENT);
    let number = RevisionNumber::from_wire(assignment["revision"].as_i64()?)?;
    let digest = assignment["digest"].as_str()?.parse().ok()?;
    Some((number, digest, assignment["because"].as_str().unwrap_or_default()))
}

/// The content that an instance was last seen to be at, which it is on its way from.
pub(crate) fn observed_content(instance: &Value) -> Option<Digest> {
    let status = &instance["status"];
    let observed = of_krono(status, OBSERVED_INPUT).as_i64()?;
    let mut inputs = of_krono(status, INPUT_HISTORY).as_array()?.iter();
    inputs.find(|it| it["revision"] == observed)?["rgdRevisionHash"].as_str()?.parse().ok()
}

/// Since when that is so, whatever other inputs of the same content came after; from `status.propagation`.
pub(crate) fn observed_since(propagation: &Value) -> Option<&str> {
    let last = &propagation["lastTransitionTime"];
    propagation.get(OBSERVED_SINCE).filter(|it| !it.is_null()).unwrap_or(last).as_str()
}

/// Puts that into `status.propagation`.
pub(super) fn put_observed_since(propagation: &mut Value, since: Option<&str>) {
    if let Some(since) = since.filter(|it| propagation["lastTransitionTime"] != **it) {
        propagation[OBSERVED_SINCE] = json!(since);
    }
}

/// A field of krono's, where nobody knows which fields the author has.
pub(crate) fn of_krono<'v>(status: &'v Value, name: &str) -> &'v Value {
    let own = &status[KRONO][name];
    if own.is_null() { &status[name] } else { own }
}

/// A merge patch of an instance's status that assigns it, beside other news, for this very version of the instance.
pub(crate) fn assignment_patch(
    instance: &Value,
    graph: Option<&CompiledGraph>,
    assignment: &Value,
    mut news: Map<String, Value>,
) -> Value {
    let status = &instance["status"];
    if let Some(graph) = graph {
        let assignment = crate::replacing(assignment, own(status, graph, ASSIGNMENT));
        put(&mut news, graph, ASSIGNMENT, assignment);
    } else {
        news.insert(ASSIGNMENT.to_owned(), crate::replacing(assignment, &status[ASSIGNMENT]));
    }
    json!({"metadata": {"resourceVersion": instance["metadata"]["resourceVersion"]}, "status": news})
}
