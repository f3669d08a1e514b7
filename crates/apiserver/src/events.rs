//! Events of both APIs over one storage.

use serde_json::{Value, json};

use crate::kind::Kind;
use crate::object::Object;

/// The API that events are stored in.
pub(crate) const STORAGE: (&str, &str) = ("", "v1");
/// How long an event is kept after its last change, in seconds.
pub(crate) const LIFETIME: u64 = 60 * 60;
/// What the keys of events begin with.
pub(crate) const PREFIX: &str = "/events/";

/// Names of fields in the core group and in `events.k8s.io`.
const NAMES: [(&str, &str); 7] = [
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("reportingComponent", "reportingController"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
];

/// Whether objects of this kind are events.
pub(crate) fn is_event(kind: &Kind) -> bool {
    &*kind.kind == "Event" && matches!(&*kind.group, "" | "events.k8s.io")
}

/// The event in the API that `api_version` names.
pub(crate) fn convert(mut event: Object, api_version: &str) -> Object {
    let to_core = api_version == STORAGE.1;
    for (core, other) in NAMES {
        let (from, to) = if to_core { (other, core) } else { (core, other) };
        if let Some(value) = event.get(from).cloned() {
            event.set(from, None);
            event.set(to, Some(value));
        }
    }
    event.set("apiVersion", Some(api_version.into()));
    complete(&mut event, to_core);
    event
}

/// Fields that one API shows when they are empty, and the other leaves out.
fn complete(event: &mut Object, to_core: bool) {
    if to_core {
        for (name, empty) in
            [("source", json!({})), ("firstTimestamp", Value::Null), ("lastTimestamp", Value::Null)]
        {
            if event.get(name).is_none() {
                event.set(name, Some(empty));
            }
        }
        return;
    }
    for name in ["reportingController", "reportingInstance"] {
        if event.text(name).is_empty() {
            event.set(name, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let core = json!({
            "apiVersion": "v1", "kind": "Event", "metadata": {}, "message": "m", "involvedObject": {"name": "n"}, "count": 2,
            "source": {}, "firstTimestamp": null, "lastTimestamp": null,
        });
        let core = Object::new(core).unwrap();
        let other = convert(core.clone(), "events.k8s.io/v1");
        let expect = json!({
            "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {}, "note": "m",
            "regarding": {"name": "n"}, "deprecatedCount": 2, "deprecatedSource": {}, "deprecatedFirstTimestamp": null,
            "deprecatedLastTimestamp": null,
        });
        assert_eq!(other.value(), &expect);
        assert_eq!(convert(other, "v1"), core);
    }
}
