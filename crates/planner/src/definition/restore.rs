//! The spec of a definition as one of its revisions has it.

use krono_history::RevisionNumber;
use serde_json::{Map, Value, json};

use super::World;
use crate::replacing;

/// Fields of a resource that say how changes travel.
const POLICY: [&str; 2] = ["propagateWhen", "deletionPolicy"];

/// The merge patch of `spec` that writes back what a revision says; policy is left as it is.
pub(super) fn spec(world: &World<'_>, from: RevisionNumber) -> Value {
    let Some(revision) = world.past.objects.get(&from) else { return json!({}) };
    let (old, now) = (&revision["spec"], &world.definition["spec"]);
    json!({
        "schema": replacing(&old["schema"], &now["schema"]),
        "resources": resources(&old["resources"], &now["resources"]),
    })
}

/// Resources that are still there keep the policy that they have now.
fn resources(old: &Value, now: &Value) -> Value {
    let now = now.as_array().map(Vec::as_slice).unwrap_or_default();
    let restored = |it: &Value| {
        let Some(current) = now.iter().find(|now| now["id"] == it["id"]) else { return it.clone() };
        let mut restored: Map<String, Value> = it.as_object().cloned().unwrap_or_default();
        for field in POLICY {
            match current.get(field) {
                Some(policy) => drop(restored.insert(field.to_owned(), policy.clone())),
                None => drop(restored.remove(field)),
            }
        }
        Value::Object(restored)
    };
    old.as_array().map(|all| all.iter().map(restored).collect()).unwrap_or_default()
}
