//! Kinds of the group `scheduling.k8s.io`.

use super::{Heading, Sheet};

const PRIORITY_CLASS: &[Heading] = &[
    Heading::NAME,
    Heading::number("Value", "/value"),
    Heading::flag("Global-Default", "/globalDefault", false),
    Heading::AGE,
    Heading::text("PreemptionPolicy", "/preemptionPolicy"),
];

/// The sheet of a kind.
pub(super) fn sheet(kind: &str) -> Option<Sheet> {
    (kind == "PriorityClass").then_some(Sheet::of(PRIORITY_CLASS))
}

#[cfg(test)]
mod tests {
    use crate::printers::testing::check;
    use serde_json::json;

    #[test]
    fn classes() {
        check(
            ("scheduling.k8s.io", "PriorityClass"),
            json!({"metadata": {"name": "high"}, "value": 1000, "preemptionPolicy": "Never"}),
            json!(["high", 1000, false, "<unknown>", "Never"]),
        );
    }
}
