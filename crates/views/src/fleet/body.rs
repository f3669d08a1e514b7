//! One change of a resource, in lines.

use krono_history::diff::Diff;
use krono_model::names;
use krono_planner::preview::{Change, Effect};
use serde_json::{Map, Value, json};

/// Stands for what is secret.
const HIDDEN: &str = "***";

/// The lines that show a change; empty where its title says all.
pub(super) fn body(change: &Change) -> String {
    match change.effect {
        Effect::Delete | Effect::Release => String::new(),
        Effect::Create => {
            let hunks = diff(change).hunks();
            hunks.lines().skip(1).fold(String::new(), |text, line| text + line + "\n")
        }
        Effect::Update | Effect::Refused(_) => diff(change).hunks(),
    }
}

/// The differences between what is and what would be; secrets are hidden.
pub(super) fn diff(change: &Change) -> Diff {
    let nothing = json!({});
    let (before, after) = (change.before.as_ref(), change.after.as_ref());
    let (before, after) = hidden(before.unwrap_or(&nothing), after.unwrap_or(&nothing), change);
    match change.effect {
        Effect::Create => Diff::of_objects(&before, &authored(&after)),
        Effect::Delete | Effect::Release | Effect::Update | Effect::Refused(_) => {
            Diff::of_objects(&before, &after)
        }
    }
}

/// A new object without what its title says and without what krono puts on every object.
fn authored(object: &Value) -> Value {
    let fields = object.as_object().into_iter().flatten();
    let fields = fields.filter_map(|(name, value)| match name.as_str() {
        "apiVersion" | "kind" => None,
        "metadata" => authored_metadata(value).map(|it| (name.clone(), it)),
        _ => Some((name.clone(), value.clone())),
    });
    Value::Object(fields.collect())
}

fn authored_metadata(metadata: &Value) -> Option<Value> {
    let fields = metadata.as_object().into_iter().flatten();
    let fields = fields.filter_map(|(name, value)| match name.as_str() {
        "name" | "namespace" => None,
        "labels" | "annotations" => authored_marks(value).map(|it| (name.clone(), it)),
        _ => Some((name.clone(), value.clone())),
    });
    let fields: Map<_, _> = fields.collect();
    (!fields.is_empty()).then_some(Value::Object(fields))
}

fn authored_marks(marks: &Value) -> Option<Value> {
    let is_own = |key: &str| {
        key.starts_with(names::PREFIX)
            || key.starts_with(names::INTERNAL_PREFIX)
            || [names::APPLYSET_PART_OF_LABEL, names::MANAGED_BY_LABEL].contains(&key)
    };
    let marks = marks.as_object().into_iter().flatten().filter(|(key, _)| !is_own(key));
    let marks: Map<_, _> = marks.map(|(key, value)| (key.clone(), value.clone())).collect();
    (!marks.is_empty()).then_some(Value::Object(marks))
}

/// Both objects, with stars in place of the values of a Secret.
fn hidden(before: &Value, after: &Value, change: &Change) -> (Value, Value) {
    let (mut before, mut after) = (before.clone(), after.clone());
    if change.kind.kind == "Secret" && change.kind.api_version == "v1" {
        for field in ["data", "stringData"] {
            hide(&mut before, &mut after, field);
        }
    }
    (before, after)
}

fn hide(before: &mut Value, after: &mut Value, field: &str) {
    let original = before[field].clone();
    for (key, value) in after[field].as_object_mut().into_iter().flatten() {
        let changed = original.get(key).is_some_and(|it| it != value);
        *value = if changed { json!(format!("{HIDDEN} (after)")) } else { json!(HIDDEN) };
    }
    for (key, value) in before[field].as_object_mut().into_iter().flatten() {
        let changed = after[field].get(key).is_some_and(|it| it != HIDDEN);
        *value = if changed { json!(format!("{HIDDEN} (before)")) } else { json!(HIDDEN) };
    }
    for object in [before, after] {
        if object[field].is_null()
            && let Some(fields) = object.as_object_mut()
        {
            fields.remove(field);
        }
    }
}
