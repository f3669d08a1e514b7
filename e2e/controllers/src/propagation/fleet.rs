//! The definition that changes, and its instances.

use serde_json::{Value, json};

/// The kind of instances.
pub(super) const KIND: &str = "Site";
/// Every so manyth instance is pinned: 5 %.
const PINNED: (usize, usize) = (20, 7);
/// Those that are not well before the change.
pub(super) const BROKEN: [usize; 3] = [1, 3, 5];

/// A Deployment with this edition in its image, and a `ConfigMap` that has nothing to do with it.
pub(super) fn definition(edition: &str) -> Value {
    let labels = json!({"app": "${schema.metadata.name}"});
    // The simulated node takes the end of a tag at its word.
    let image = format!("web:{edition}${{schema.spec.suffix}}");
    let pod =
        json!({"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": image}]}});
    let web = json!({
        "id": "web",
        "readyWhen": [
            "${web.status.observedGeneration == web.metadata.generation}", "${web.status.updatedReplicas == 1}",
            "${web.status.replicas == 1}", "${web.status.readyReplicas == 1}",
        ],
        "template": {
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "${schema.metadata.name}"},
            "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": pod},
        },
    });
    let note = json!({"id": "note", "template": {"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": "${schema.metadata.name}"}, "data": {"suffix": "${schema.spec.suffix}"}}});
    json!({
        "apiVersion": "kro.run/v1alpha1", "kind": "ResourceGraphDefinition", "metadata": {"name": "site"},
        "spec": {
            "schema": {"apiVersion": "v1alpha1", "kind": KIND, "spec": {"suffix": "string | default=\"\""}},
            "resources": [web, note],
            "propagateWhen": ["${exponentiallyUpdated(instances, each)}"],
            // Nobody is to be late, however slow the machine.
            "propagation": {"progressDeadlineSeconds": 1200, "maxInFlight": 100},
        },
    })
}

/// An instance of the fleet at first.
pub(super) fn instance(number: usize) -> Value {
    let suffix = if BROKEN.contains(&number) { "-hang" } else { "" };
    let mut object = plain(&name(number));
    object["spec"] = json!({"suffix": suffix});
    if is_pinned(number) {
        object["metadata"]["annotations"] = json!({"kro.run/rgd-revision": "1"});
    }
    object
}

/// An instance with nothing special about it.
pub(super) fn plain(name: &str) -> Value {
    json!({"apiVersion": "kro.run/v1alpha1", "kind": KIND,
        "metadata": {"name": name, "namespace": "default"}, "spec": {}})
}

pub(super) fn name(number: usize) -> String {
    format!("i{number:05}")
}

pub(super) fn is_pinned(number: usize) -> bool {
    number % PINNED.0 == PINNED.1
}

/// Those that are deleted on the way: so many, all over the fleet, neither pinned nor broken.
pub(super) fn doomed(instances: usize, count: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |it| (20 + it * (instances / count) / 2 * 2) % instances)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn who_is_deleted_is_plain() {
        for instances in [60, 100, 1000] {
            let doomed: BTreeSet<usize> = doomed(instances, 10).collect();
            assert_eq!(doomed.len(), 10, "{instances}");
            assert!(doomed.iter().all(|it| *it < instances && !is_pinned(*it) && !BROKEN.contains(it)));
        }
        assert_eq!((0..1000).filter(|it| is_pinned(*it)).count(), 50);
    }
}
