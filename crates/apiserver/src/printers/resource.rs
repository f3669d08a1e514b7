//! Kinds of the group `resource.k8s.io`.

use super::{Heading, Sheet, Shown};

const NAMED: &[Heading] = &[Heading::NAME, Heading::AGE];

const CLAIM: &[Heading] = &[
    Heading::NAME,
    Heading::told("State", state)
        .said("A summary of the current state (allocated, pending, reserved, etc.)."),
    Heading::AGE,
];

const SLICE: &[Heading] = &[
    Heading::NAME,
    Heading::text("Node", "/spec/nodeName"),
    Heading::text("Driver", "/spec/driver"),
    Heading::text("Pool", "/spec/pool/name"),
    Heading::AGE,
];

/// The sheet of a kind.
pub(super) fn sheet(kind: &str) -> Option<Sheet> {
    let headings = match kind {
        "DeviceClass" | "ResourceClaimTemplate" => NAMED,
        "ResourceClaim" => CLAIM,
        "ResourceSlice" => SLICE,
        _ => return None,
    };
    Some(Sheet::of(headings))
}

fn state(claim: &Shown<'_>) -> String {
    let allocated = claim.at("/status/allocation").is_some();
    let states = [
        (claim.is_deleting(), "deleted"),
        (!allocated && !claim.is_deleting(), "pending"),
        (allocated, "allocated"),
        (allocated && claim.count("/status/reservedFor") > 0, "reserved"),
    ];
    states.into_iter().filter_map(|(holds, state)| holds.then_some(state)).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printers::testing::{check, check_cell};
    use serde_json::json;

    #[test]
    fn claims() {
        check_cell(state, &json!({}), "pending");
        check_cell(state, &json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}), "deleted");
        check_cell(state, &json!({"status": {"allocation": {}, "reservedFor": [{}]}}), "allocated,reserved");
    }

    #[test]
    fn slices() {
        check(
            ("resource.k8s.io", "ResourceSlice"),
            json!({"metadata": {"name": "s"}, "spec": {"nodeName": "n", "driver": "d", "pool": {"name": "p"}}}),
            json!(["s", "n", "d", "p", "<unknown>"]),
        );
    }
}
