//! Events of both APIs.

use serde_json::Value;

use crate::printers::{Heading, Shown, age};

pub(super) const EVENT: &[Heading] = &[
    Heading::told("Last Seen", last_seen).said("The time at which the most recent occurrence of this event was recorded."),
    Heading::text("Type", "/type").said("Type of this event (Normal, Warning), new types could be added in the future"),
    Heading::text("Reason", "/reason").said(
        "This should be a short, machine understandable string that gives the reason for the transition into the object's current status.",
    ),
    Heading::told("Object", object).said("The object that this event is about."),
    Heading::told("Subobject", subobject).said(SUBOBJECT).wide(),
    Heading::told("Source", source)
        .said("The component reporting this event. Should be a short machine understandable string.")
        .wide(),
    Heading::told("Message", message).said("A human-readable description of the status of this operation."),
    Heading::told("First Seen", first_seen)
        .said("The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)")
        .wide(),
    Heading::computed("Count", count).said("The number of times this event has occurred.").wide(),
    Heading::NAME.wide(),
];

const SUBOBJECT: &str = "If referring to a piece of an object instead of an entire object, this string should contain a \
         valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, if \
         the object reference is to a container within a pod, this would take on a value like: \
         \"spec.containers{name}\" (where \"name\" refers to the name of the container that triggered the \
         event) or if no container name is specified \"spec.containers[2]\" (container with index 2 in this \
         pod). This syntax is chosen only to have some well-defined way of referencing a part of an object.";

/// What is at one of two places: the two APIs name fields differently.
fn either<'o>(shown: &Shown<'o>, core: &str, other: &str) -> Shown<'o> {
    shown.part(shown.at(core).or_else(|| shown.at(other)).unwrap_or(&Value::Null))
}

fn first_seen(shown: &Shown<'_>) -> String {
    let first = either(shown, "/firstTimestamp", "/deprecatedFirstTimestamp").time("");
    age(first.or_else(|| shown.time("/eventTime")), shown.now)
}

fn last_seen(shown: &Shown<'_>) -> String {
    if shown.at("/series").is_some() {
        return shown.since("/series/lastObservedTime");
    }
    match either(shown, "/lastTimestamp", "/deprecatedLastTimestamp").time("") {
        Some(last) => age(Some(last), shown.now),
        None => first_seen(shown),
    }
}

fn object(shown: &Shown<'_>) -> String {
    let about = either(shown, "/involvedObject", "/regarding");
    let kind = about.text("/kind").to_lowercase();
    match about.text("/name") {
        "" => kind,
        name => format!("{kind}/{name}"),
    }
}

fn subobject(shown: &Shown<'_>) -> String {
    either(shown, "/involvedObject", "/regarding").text("/fieldPath").to_owned()
}

fn source(shown: &Shown<'_>) -> String {
    let source = either(shown, "/source", "/deprecatedSource");
    let first =
        |texts: [&str; 2]| texts.into_iter().find(|text| !text.is_empty()).unwrap_or_default().to_owned();
    let controller = either(shown, "/reportingComponent", "/reportingController").text("");
    let component = first([source.text("/component"), controller]);
    match first([source.text("/host"), shown.text("/reportingInstance")]).as_str() {
        "" => component,
        instance => format!("{component}, {instance}"),
    }
}

fn message(shown: &Shown<'_>) -> String {
    either(shown, "/message", "/note").text("").trim().to_owned()
}

fn count(shown: &Shown<'_>) -> Value {
    if shown.at("/series").is_some() {
        return shown.number("/series/count").into();
    }
    either(shown, "/count", "/deprecatedCount").number("").max(1).into()
}

#[cfg(test)]
mod tests {
    use crate::printers::testing::check;
    use serde_json::json;

    #[test]
    fn of_the_core_group() {
        check(
            ("", "Event"),
            json!({
                "metadata": {"name": "e"}, "type": "Normal", "reason": "Started", "message": " hello\n", "count": 3,
                "involvedObject": {"kind": "Pod", "name": "p", "fieldPath": "spec.containers{c}"},
                "source": {"component": "kubelet", "host": "n1"},
                "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:01:00Z",
            }),
            json!([
                "60s",
                "Normal",
                "Started",
                "pod/p",
                "spec.containers{c}",
                "kubelet, n1",
                "hello",
                "2m",
                3,
                "e"
            ]),
        );
    }

    #[test]
    fn of_the_events_group() {
        let event = json!({
            "metadata": {"name": "e"}, "type": "Warning", "reason": "R", "note": "n",
            "regarding": {"kind": "Namespace"}, "reportingController": "c", "reportingInstance": "i",
            "eventTime": "2026-01-01T00:00:00.000000Z",
        });
        check(
            ("events.k8s.io", "Event"),
            event.clone(),
            json!(["2m", "Warning", "R", "namespace", "", "c, i", "n", "2m", 1, "e"]),
        );
        let mut series = event;
        series["series"] = json!({"count": 7, "lastObservedTime": "2026-01-01T00:01:58.000000Z"});
        check(
            ("events.k8s.io", "Event"),
            series,
            json!(["2s", "Warning", "R", "namespace", "", "c, i", "n", "2m", 7, "e"]),
        );
    }
}
