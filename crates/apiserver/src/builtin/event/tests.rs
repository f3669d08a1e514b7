//! Tables of defaults and rules.

use serde_json::{Value, json};

use super::{CORE_EVENT, EVENT};
use crate::builtin::testing::{changes, complaints, defaulted, with};

fn event() -> Value {
    json!({"metadata": {"name": "e", "namespace": "n"}, "eventTime": "2026-01-01T00:00:00.000000Z", "type": "Normal",
        "reportingController": "example.com/c", "reportingInstance": "i", "action": "a", "reason": "r",
        "regarding": {"namespace": "n"}})
}

#[test]
fn core_events() {
    let event = json!({"metadata": {"namespace": "n"}, "involvedObject": {"namespace": "n"}});
    assert_eq!(complaints(CORE_EVENT, event.clone()), [""; 0]);
    assert_eq!(defaulted(CORE_EVENT, event.clone())["eventTime"], Value::Null);
    assert_eq!(
        complaints(CORE_EVENT, with(&event, "/involvedObject/namespace", json!("m"))),
        ["involvedObject.namespace: Invalid value: \"m\": does not match event.namespace"]
    );
}

#[test]
fn events() {
    assert_eq!(complaints(EVENT, event()), [""; 0]);
    assert_eq!(
        complaints(EVENT, with(&with(&event(), "/action", json!("")), "/type", json!("Odd"))),
        ["action: Required value", "type: Invalid value: \"\": has invalid value: Odd"]
    );
    let series = json!({"count": 2, "lastObservedTime": "2026-01-01T00:00:00.000000Z"});
    assert_eq!(changes(EVENT, event(), with(&event(), "/series", series)), [""; 0]);
    assert_eq!(
        changes(EVENT, event(), with(&event(), "/reason", json!("other"))),
        ["reason: Invalid value: \"other\": field is immutable"; 2]
    );
}
