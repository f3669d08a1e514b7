//! Kinds of the group `policy`.

use super::{Heading, Sheet, Shown};

const BUDGET: &[Heading] = &[
    Heading::NAME,
    Heading::told("Min Available", |it| amount(it, "/spec/minAvailable"))
        .said("The minimum number of pods that must be available."),
    Heading::told("Max Unavailable", |it| amount(it, "/spec/maxUnavailable"))
        .said("The maximum number of pods that may be unavailable."),
    Heading::number("Allowed Disruptions", "/status/disruptionsAllowed")
        .said("Calculated number of pods that may be disrupted at this time."),
    Heading::AGE,
];

/// The sheet of a kind.
pub(super) fn sheet(kind: &str) -> Option<Sheet> {
    (kind == "PodDisruptionBudget").then_some(Sheet::of(BUDGET))
}

fn amount(budget: &Shown<'_>, place: &str) -> String {
    budget.amount(place).unwrap_or_else(|| "N/A".to_owned())
}

#[cfg(test)]
mod tests {
    use crate::printers::testing::check;
    use serde_json::json;

    #[test]
    fn budgets() {
        let budget = json!({"metadata": {"name": "b"}, "spec": {"minAvailable": "50%"}, "status": {"disruptionsAllowed": 1}});
        check(("policy", "PodDisruptionBudget"), budget, json!(["b", "50%", "N/A", 1, "<unknown>"]));
        let budget = json!({"metadata": {"name": "b"}, "spec": {"maxUnavailable": 2}});
        check(("policy", "PodDisruptionBudget"), budget, json!(["b", "N/A", "2", 0, "<unknown>"]));
    }
}
