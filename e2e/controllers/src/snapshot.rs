//! All objects of a cluster at one moment.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::bail;
use serde_json::Value;

use crate::cluster::{Cluster, PATIENCE, name, namespace};
use crate::corpus::Manifests;

/// Kinds whose objects change by themselves.
const RESTLESS: [&str; 4] = ["Event", "Lease", "Node", "ComponentStatus"];
/// One of kro's examples sets an annotation that the Deployment controller takes back, and so on without end.
const FOUGHT_OVER_OBJECT: &str = "apps/v1 Deployment default/mynameis";
/// What the fight shows in.
const FOUGHT_OVER: [&str; 3] = [
    ".metadata.annotations.deployment.kubernetes.io/revision",
    ".metadata.generation",
    ".status.observedGeneration",
];
/// Longer than the counts of instances wait for more to count.
const LOOK_AGAIN_AFTER: Duration = Duration::from_secs(6);

/// The objects by kind, namespace and name.
pub(crate) struct Snapshot(pub(crate) BTreeMap<String, Value>);

impl Snapshot {
    pub(crate) async fn take(cluster: &Cluster) -> anyhow::Result<Self> {
        let mut objects = BTreeMap::new();
        for kind in cluster.kinds().await? {
            if RESTLESS.contains(&kind.resource.kind.as_str()) {
                continue;
            }
            for object in cluster.list(&kind).await? {
                objects.insert(
                    format!("{} {}", kind.resource.api_version, crate::cluster::shown(&object)),
                    object,
                );
            }
        }
        Ok(Self(objects))
    }

    /// A snapshot of a cluster in which nothing has changed for a while.
    pub(crate) async fn at_rest(cluster: &Cluster) -> anyhow::Result<Self> {
        let deadline = Instant::now() + PATIENCE;
        let mut before = Self::take(cluster).await?;
        loop {
            tokio::time::sleep(LOOK_AGAIN_AFTER).await;
            let after = Self::take(cluster).await?;
            let writes = before.writes_until(&after);
            if writes.is_empty() {
                return Ok(after);
            }
            if Instant::now() > deadline {
                bail!("the cluster does not come to rest; last written:\n  {}", writes.join("\n  "));
            }
            before = after;
        }
    }

    /// What was written between this snapshot and a later one, with the fields that differ.
    pub(crate) fn writes_until(&self, later: &Self) -> Vec<String> {
        let mut writes = Vec::new();
        for (key, after) in &later.0 {
            match self.0.get(key) {
                None => writes.push(format!("{key}: created")),
                Some(before) if version(before) != version(after) => {
                    let mut fields = Vec::new();
                    differences(before, after, String::new(), &mut fields);
                    if !is_fight(key, &fields) {
                        writes.push(format!("{key}: {}", fields.join(", ")));
                    }
                }
                Some(_) => {}
            }
        }
        let gone = self.0.keys().filter(|it| !later.0.contains_key(*it));
        writes.extend(gone.map(|key| format!("{key}: deleted")));
        writes
    }

    /// Objects that some instance brought about; endpoints have the labels of their service.
    pub(crate) fn children(&self) -> impl Iterator<Item = (&String, &Value)> {
        let is_member = |it: &Value| it["metadata"]["labels"]["applyset.kubernetes.io/part-of"].is_string();
        let copies = ["Endpoints", "EndpointSlice"];
        self.0.iter().filter(move |(_, it)| is_member(it) && !copies.iter().any(|copy| it["kind"] == *copy))
    }

    /// Objects that have children, or may have.
    pub(crate) fn instances(&self) -> impl Iterator<Item = &Value> {
        self.0.values().filter(|it| it["metadata"]["labels"]["applyset.kubernetes.io/id"].is_string())
    }

    /// Definitions and instances; an instance that is the child of another goes with it.
    pub(crate) fn manifests(&self) -> Manifests {
        let is_child = |it: &Value| it["metadata"]["labels"]["applyset.kubernetes.io/part-of"].is_string();
        let definitions = self.0.values().filter(|it| it["kind"] == "ResourceGraphDefinition");
        Manifests {
            definitions: definitions.cloned().collect(),
            instances: self.instances().filter(|it| !is_child(it)).cloned().collect(),
            others: Vec::new(),
        }
    }
}

fn is_fight(key: &str, fields: &[String]) -> bool {
    key == FOUGHT_OVER_OBJECT && fields.iter().all(|it| FOUGHT_OVER.contains(&it.as_str()))
}

fn version(object: &Value) -> &Value {
    &object["metadata"]["resourceVersion"]
}

/// Paths of the fields that differ; managed fields and versions tell nothing.
pub(crate) fn differences(before: &Value, after: &Value, path: String, found: &mut Vec<String>) {
    match (before, after) {
        _ if before == after || path == ".metadata.managedFields" || path == ".metadata.resourceVersion" => {}
        (Value::Object(left), Value::Object(right)) => {
            let mut names: Vec<_> = left.keys().chain(right.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                differences(&before[name], &after[name], format!("{path}.{name}"), found);
            }
        }
        _ => found.push(path),
    }
}

/// An object without what the server keeps about it.
pub(crate) fn content(object: &Value) -> Value {
    let mut content = object.clone();
    if let Some(fields) = content.as_object_mut() {
        fields.remove("metadata");
        fields.remove("status");
    }
    content["name"] = format!("{}/{}", namespace(object), name(object)).into();
    content
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn snapshot(objects: &[(&str, Value)]) -> Snapshot {
        Snapshot(objects.iter().map(|(key, object)| ((*key).to_owned(), object.clone())).collect())
    }

    #[test]
    fn writes_are_told_with_their_fields() {
        let object = |version: &str, a: u8| json!({"metadata": {"resourceVersion": version}, "data": {"a": a, "b": 1}});
        let before = snapshot(&[("x", object("1", 1)), ("y", object("1", 1)), ("z", object("1", 1))]);
        let after = snapshot(&[("w", object("4", 1)), ("x", object("1", 1)), ("y", object("2", 2))]);
        assert_eq!(before.writes_until(&after), ["w: created", "y: .data.a", "z: deleted"]);
        assert!(before.writes_until(&before).is_empty());
    }
}
