//! What two worlds must have in common.

use krono_model::names;
use serde_json::{Value, json};

/// How many revisions there were: who looks away while a definition or an instance changes twice sees one change.
const NUMBERED: [&str; 9] = [
    "currentRevision",
    "currentRevisionName",
    "lastIssuedRevision",
    "latestRevision",
    "revisionHistory",
    "currentInputRevision",
    "currentRGDRevision",
    "observedInputRevision",
    "observedRGDRevision",
];

/// An object without what may differ: times, versions, what others added, and labels that ride along.
pub fn comparable(object: &Value) -> Value {
    let mut object = object.clone();
    for (place, field) in [
        ("/metadata", "uid"),
        ("/metadata", "resourceVersion"),
        ("/metadata", "generation"),
        ("/metadata", "creationTimestamp"),
        ("/metadata", "managedFields"),
        ("/metadata/labels", names::COLLECTION_SIZE_LABEL),
        ("/metadata/annotations", "krono.dev/retained-from"),
        ("/metadata/annotations", names::RGD_REVISION),
        ("/metadata/annotations", names::INPUT_REVISION),
        ("/data", "extra"),
        ("/spec/values", "extra"),
    ] {
        remove(&mut object, place, field);
    }
    compare_inputs(&mut object);
    for field in NUMBERED {
        remove(&mut object, "/status", field);
    }
    if let Some(conditions) = object.pointer_mut("/status/conditions").and_then(Value::as_array_mut) {
        for condition in conditions.iter_mut().filter_map(Value::as_object_mut) {
            condition.remove("lastTransitionTime");
            if condition.get("type").is_some_and(|it| it == "GraphRevisionsResolved") {
                condition.remove("message");
            }
        }
        conditions.sort_by_key(|it| it["type"].as_str().map(str::to_owned));
    }
    object
}

/// Leaves the last input of an instance, and whether that is what was observed last.
fn compare_inputs(object: &mut Value) {
    let Some(status) = object.get_mut("status").filter(|it| it["inputRevisionHistory"].is_array()) else {
        return;
    };
    let is_observed = status["observedInputRevision"] == status["currentInputRevision"]
        && status["observedRGDRevision"] == status["currentRGDRevision"]
        && status["propagation"]["targetInputRevision"] == status["currentInputRevision"];
    let mut inputs = status["inputRevisionHistory"].as_array().into_iter().flatten();
    let last =
        inputs.find(|it| it["revision"] == status["currentInputRevision"]).cloned().unwrap_or_default();
    let fields = ["specHash", "rgdRevisionHash", "status"];
    let last: Vec<Value> = fields.iter().map(|it| last[it].clone()).collect();
    status["inputRevisionHistory"] = json!({"last": last, "isObserved": is_observed});
    for (place, field) in [
        ("/status/propagation", "targetInputRevision"),
        ("/status/propagation", "lastTransitionTime"),
        ("/status/propagation", "observedSince"),
        ("/status/propagation", "errorSince"),
        ("/status/propagation", "hindered"),
        ("/status/assignment", "revision"),
    ] {
        remove(object, place, field);
    }
}

fn remove(object: &mut Value, place: &str, field: &str) {
    if let Some(map) = object.pointer_mut(place).and_then(Value::as_object_mut) {
        map.remove(field);
    }
}
