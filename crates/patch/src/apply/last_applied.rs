//! The annotation of client-side apply, for objects that move to server-side apply.

use krono_schema::go_text;
use serde_json::{Map, Value};

use super::field_set::FieldSet;
use super::object::{annotation, text};
use super::typed::compare::compare;
use super::typed::to_set::to_set;
use super::typed::validate::{Duplicates, validate};
use super::updater::Updater;
use crate::depth;

/// Where client-side apply keeps the configuration it applied last.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The most bytes of all annotations of an object, names included.
const MAX_ANNOTATION_BYTES: usize = 256 * 1024;

/// The configuration in the annotation, when it is one of this version.
pub(super) fn configuration(live: &Value, api_version: &str) -> Option<Value> {
    let configuration: Value = serde_json::from_str(annotation(live, LAST_APPLIED)?).ok()?;
    let usable = configuration.is_object()
        && text(&configuration, "apiVersion") == api_version
        && depth::check(&configuration).is_ok();
    usable.then_some(configuration)
}

/// The fields that client-side apply set last and that nobody changed since: whoever applies on the server's side as
/// the same tool may take them.
pub(super) fn still_applied<'v>(
    updater: Updater<'v>,
    live: &'v Value,
    configuration: &'v Value,
) -> Option<FieldSet<'v>> {
    let types = updater.object_type;
    validate(types, live, Duplicates::Forbidden).ok()?;
    validate(types, configuration, Duplicates::Forbidden).ok()?;
    let changes = compare(types, configuration, live);
    let mut fields = to_set(types, configuration);
    for changed in [changes.modified, changes.added, changes.removed] {
        fields.subtract(&changed);
    }
    Some(fields)
}

/// Brings the annotation up to date with what was applied on the server's side, if there is one.
pub(super) fn refresh(object: &mut Value, applied: &Value) {
    if annotation(object, LAST_APPLIED).is_none() {
        return;
    }
    let Some(Value::Object(annotations)) = object.pointer_mut("/metadata/annotations") else { return };
    annotations.insert(LAST_APPLIED.to_owned(), Value::String(encode(applied)));
    if size(annotations) > MAX_ANNOTATION_BYTES {
        annotations.remove(LAST_APPLIED);
    }
}

fn size(annotations: &Map<String, Value>) -> usize {
    annotations.iter().map(|(name, value)| name.len() + value.as_str().map_or(0, str::len)).sum()
}

/// The configuration without the annotation itself, as the server's encoder ends it: with a newline.
fn encode(applied: &Value) -> String {
    let mut applied = applied.clone();
    if let Some(Value::Object(annotations)) = applied.pointer_mut("/metadata/annotations") {
        annotations.remove(LAST_APPLIED);
    }
    let mut text = go_text::json(&applied);
    text.push('\n');
    text
}
