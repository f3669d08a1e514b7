//! Kinds of the group `apiregistration.k8s.io`.

use super::{Heading, Sheet, Shown};

const SERVICE: &[Heading] = &[
    Heading::NAME,
    Heading::told("Service", service).said("The reference to the service that hosts this API endpoint."),
    Heading::told("Available", available).said("Whether this service is available."),
    Heading::AGE,
];

/// The sheet of a kind.
pub(super) fn sheet(kind: &str) -> Option<Sheet> {
    (kind == "APIService").then_some(Sheet::of(SERVICE))
}

fn service(registered: &Shown<'_>) -> String {
    registered.at("/spec/service").map_or_else(
        || "Local".to_owned(),
        |_| {
            format!(
                "{}/{}",
                registered.text("/spec/service/namespace"),
                registered.text("/spec/service/name")
            )
        },
    )
}

fn available(registered: &Shown<'_>) -> String {
    let Some(condition) = registered.parts("/status/conditions").find(|it| it.text("/type") == "Available")
    else {
        return "Unknown".to_owned();
    };
    match (condition.text("/status"), condition.text("/reason")) {
        (status @ "True", _) | (status, "") => status.to_owned(),
        (status, reason) => format!("{status} ({reason})"),
    }
}

#[cfg(test)]
mod tests {
    use crate::printers::testing::check;
    use serde_json::{Value, json};

    #[test]
    fn services() {
        let check = |service: Value, conditions: Value, expect: [&str; 2]| {
            let object = json!({"metadata": {"name": "a"}, "spec": {"service": service}, "status": {"conditions": conditions}});
            check(
                ("apiregistration.k8s.io", "APIService"),
                object,
                json!(["a", expect[0], expect[1], "<unknown>"]),
            );
        };
        check(
            json!(null),
            json!([{"type": "Available", "status": "True", "reason": "Local"}]),
            ["Local", "True"],
        );
        let broken = json!([{"type": "Available", "status": "False", "reason": "MissingEndpoints"}]);
        check(json!({"namespace": "n", "name": "s"}), broken, ["n/s", "False (MissingEndpoints)"]);
        check(json!(null), json!([]), ["Local", "Unknown"]);
    }
}
