//! Kinds of the group `node.k8s.io`.

use super::{Heading, Sheet};

const RUNTIME_CLASS: &[Heading] =
    &[Heading::NAME, Heading::text("Handler", "/handler").said(""), Heading::AGE];

/// The sheet of a kind.
pub(super) fn sheet(kind: &str) -> Option<Sheet> {
    (kind == "RuntimeClass").then_some(Sheet::of(RUNTIME_CLASS))
}

#[cfg(test)]
mod tests {
    use crate::printers::testing::check;
    use serde_json::json;

    #[test]
    fn classes() {
        let class = json!({"metadata": {"name": "r"}, "handler": "runc"});
        check(("node.k8s.io", "RuntimeClass"), class, json!(["r", "runc", "<unknown>"]));
    }
}
