//! What is written before anybody moves.

use krono_history::revision::Revision;
use serde_json::{Value, json};

use super::ledger::PROPAGATION;

/// Something to be written before anybody moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// A merge patch of the definition that names the version seen.
    PatchDefinition(Value),
    /// A merge patch of the definition's status that names the version seen.
    PatchDefinitionStatus(Value),
    /// A merge patch of a revision that names the object seen.
    PatchRevision {
        /// Which.
        name: String,
        /// What to change.
        patch: Value,
    },
}

pub(super) fn status_patch(definition: &Value, record: &Value) -> Value {
    let version = &definition["metadata"]["resourceVersion"];
    let before = &definition["status"][PROPAGATION];
    let record = if record.is_null() { Value::Null } else { crate::replacing(record, before) };
    json!({"metadata": {"resourceVersion": version}, "status": {PROPAGATION: record}})
}

pub(super) fn annotate_definition(definition: &Value, key: &str, text: Option<&str>) -> Step {
    let version = &definition["metadata"]["resourceVersion"];
    Step::PatchDefinition(json!({"metadata": {"resourceVersion": version, "annotations": {key: text}}}))
}

pub(super) fn annotate(revision: &Revision, key: &str, text: Option<&str>) -> Step {
    let (name, uid) = (revision.object.name.clone(), &revision.object.uid);
    Step::PatchRevision { name, patch: json!({"metadata": {"uid": uid, "annotations": {key: text}}}) }
}
