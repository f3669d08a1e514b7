//! Kinds of the group `flowcontrol.apiserver.k8s.io`.

use serde_json::Value;

use super::selector::NONE;
use super::{Heading, Sheet, Shown};

const SCHEMA: &[Heading] = &[
    Heading::NAME,
    Heading::text("PriorityLevel", "/spec/priorityLevelConfiguration/name"),
    Heading::number("MatchingPrecedence", "/spec/matchingPrecedence").typed("string"),
    Heading::text_or("DistinguisherMethod", "/spec/distinguisherMethod/type", NONE)
        .field("/spec/distinguisherMethod"),
    Heading::AGE,
    Heading::told("MissingPL", |it| it.condition("Dangling").unwrap_or("?").to_owned())
        .said("references a broken or non-existent PriorityLevelConfiguration"),
];

const LEVEL: &[Heading] = &[
    Heading::NAME,
    Heading::text("Type", "/spec/type"),
    limited("NominalConcurrencyShares", |it| number(it, "/spec/limited/nominalConcurrencyShares"))
        .field("/spec/limited/nominalConcurrencyShares"),
    limited("Queues", |it| number(it, "/spec/limited/limitResponse/queuing/queues"))
        .field("/spec/limited/limitResponse/queuing/queues"),
    limited("HandSize", |it| number(it, "/spec/limited/limitResponse/queuing/handSize"))
        .field("/spec/limited/limitResponse/queuing/handSize"),
    limited("QueueLengthLimit", |it| number(it, "/spec/limited/limitResponse/queuing/queueLengthLimit"))
        .field("/spec/limited/limitResponse/queuing/queueLengthLimit"),
    Heading::AGE,
];

/// The sheet of a kind.
pub(super) fn sheet(kind: &str) -> Option<Sheet> {
    match kind {
        "FlowSchema" => Some(Sheet { rank: precedence, ..Sheet::of(SCHEMA) }),
        "PriorityLevelConfiguration" => Some(Sheet::of(LEVEL)),
        _ => None,
    }
}

/// Schemas are listed in the order in which they are tried.
fn precedence(schema: &Value) -> i64 {
    schema.pointer("/spec/matchingPrecedence").and_then(Value::as_i64).unwrap_or(0)
}

const fn limited(name: &'static str, compute: fn(&Shown<'_>) -> Value) -> Heading {
    Heading::computed(name, compute)
}

fn number(level: &Shown<'_>, place: &str) -> Value {
    level.at(place).cloned().unwrap_or_else(|| NONE.into())
}

#[cfg(test)]
mod tests {
    use crate::printers::testing::check;
    use serde_json::json;

    const GROUP: &str = "flowcontrol.apiserver.k8s.io";

    #[test]
    fn schemas_and_levels() {
        check(
            (GROUP, "FlowSchema"),
            json!({
                "metadata": {"name": "f"},
                "spec": {"priorityLevelConfiguration": {"name": "l"}, "matchingPrecedence": 9, "distinguisherMethod": {"type": "ByUser"}},
                "status": {"conditions": [{"type": "Dangling", "status": "False"}]},
            }),
            json!(["f", "l", 9, "ByUser", "<unknown>", "False"]),
        );
        check(
            (GROUP, "PriorityLevelConfiguration"),
            json!({"metadata": {"name": "l"}, "spec": {"type": "Limited", "limited": {
                "nominalConcurrencyShares": 5, "limitResponse": {"queuing": {"queues": 64, "handSize": 6, "queueLengthLimit": 50}},
            }}}),
            json!(["l", "Limited", 5, 64, 6, 50, "<unknown>"]),
        );
        check(
            (GROUP, "PriorityLevelConfiguration"),
            json!({"metadata": {"name": "e"}, "spec": {"type": "Exempt"}}),
            json!(["e", "Exempt", "<none>", "<none>", "<none>", "<none>", "<unknown>"]),
        );
    }
}
