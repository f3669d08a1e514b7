//! Kinds of the group `coordination.k8s.io`.

use super::{Heading, Sheet};

const LEASE: &[Heading] = &[Heading::NAME, Heading::text("Holder", "/spec/holderIdentity"), Heading::AGE];

/// The sheet of a kind.
pub(super) fn sheet(kind: &str) -> Option<Sheet> {
    (kind == "Lease").then_some(Sheet::of(LEASE))
}

#[cfg(test)]
mod tests {
    use crate::printers::testing::check;
    use serde_json::json;

    #[test]
    fn leases() {
        let lease = json!({"metadata": {"name": "l"}, "spec": {"holderIdentity": "me"}});
        check(("coordination.k8s.io", "Lease"), lease, json!(["l", "me", "<unknown>"]));
    }
}
