//! Replication controllers.

use crate::printers::heading::{container_images, container_names};
use crate::printers::{Heading, selector};

const CONTAINERS: &str = "/spec/template/spec/containers";

pub(super) const CONTROLLER: &[Heading] = &[
    Heading::NAME,
    Heading::number("Desired", "/spec/replicas"),
    Heading::number("Current", "/status/replicas"),
    Heading::number("Ready", "/status/readyReplicas"),
    Heading::AGE,
    Heading::containers(|it| container_names(it.list(CONTAINERS))).wide(),
    Heading::images(|it| container_images(it.list(CONTAINERS))).wide(),
    Heading::told("Selector", |it| selector::labels(it.map("/spec/selector"))).field("/spec/selector").wide(),
];

#[cfg(test)]
mod tests {
    use crate::printers::testing::check;
    use serde_json::json;

    #[test]
    fn rows() {
        let template =
            json!({"spec": {"containers": [{"name": "a", "image": "i:1"}, {"name": "b", "image": "i:2"}]}});
        check(
            ("", "ReplicationController"),
            json!({
                "metadata": {"name": "r", "creationTimestamp": "2026-01-01T00:00:00Z"},
                "spec": {"replicas": 2, "selector": {"app": "x"}, "template": template}, "status": {"replicas": 1},
            }),
            json!(["r", 2, 1, 0, "2m", "a,b", "i:1,i:2", "app=x"]),
        );
    }
}
