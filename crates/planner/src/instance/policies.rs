//! What becomes of resources that are no longer wanted, as a definition says now (V25).
//!
//! A policy is no content: an edit of it is no revision, and acts on instances of every revision at once.

use std::collections::BTreeMap;

use krono_graph::{DeletionPolicy, Node};
use krono_model::{metadata, names};
use serde_json::Value;

use super::Member;

/// The policies of the resources that a definition has, by their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeletionPolicies(BTreeMap<String, Option<DeletionPolicy>>);

impl DeletionPolicies {
    /// As a definition says; a word that nobody knows says nothing, and neither does a reference, which makes nothing.
    pub fn of(definition: &Value) -> Self {
        let resources = definition["spec"]["resources"].as_array().into_iter().flatten();
        let policy = |it: &Value| {
            let (written, policy) = (&it["deletionPolicy"], read(it["deletionPolicy"].as_str()));
            let is_known = (written.is_null() || policy.is_some()) && it["externalRef"].is_null();
            let id = it["id"].as_str().filter(|_| is_known)?;
            Some((id.to_owned(), policy))
        };
        Self(resources.filter_map(policy).collect())
    }

    /// What is written on the resources of a node; those that the definition no longer has stay as their revision says.
    pub(super) fn of_node(&self, node: &Node) -> Option<DeletionPolicy> {
        self.0.get(&node.id).copied().unwrap_or(node.deletion)
    }

    /// Whether a resource stays when it is no longer wanted: as the definition says, or else what is written on it.
    pub(super) fn keep(&self, member: &Member<'_>) -> bool {
        let metadata = &member.object["metadata"];
        let id = metadata["labels"][names::NODE_ID_LABEL].as_str().unwrap_or_default();
        let written = || read(metadata["annotations"][names::DELETION_POLICY_ANNOTATION].as_str());
        match self.0.get(id).copied().unwrap_or_else(written) {
            Some(DeletionPolicy::Retain) => true,
            Some(DeletionPolicy::Delete) => false,
            None => metadata::is_retained_by_default(&member.kind.api_version, &member.kind.kind),
        }
    }
}

fn read(text: Option<&str>) -> Option<DeletionPolicy> {
    match text? {
        "Retain" => Some(DeletionPolicy::Retain),
        "Delete" => Some(DeletionPolicy::Delete),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use krono_graph::KindName;
    use serde_json::json;

    use super::*;

    #[test]
    fn v25_the_policy_of_the_definition_wins_for_what_it_still_has() {
        let definition = json!({"spec": {"resources": [
            {"id": "kept", "deletionPolicy": "Retain"}, {"id": "gone", "deletionPolicy": "Delete"}, {"id": "plain"},
            {"id": "dropped", "deletionPolicy": "Forget"}, {"id": "referred", "externalRef": {"kind": "ConfigMap"}},
        ]}});
        let policies = DeletionPolicies::of(&definition);
        let check = |kind: &str, id: &str, written: Option<&str>, expected: bool| {
            let object = json!({"metadata": {
                "labels": {names::NODE_ID_LABEL: id},
                "annotations": {names::DELETION_POLICY_ANNOTATION: written},
            }});
            let (api_version, kind) = ("v1".to_owned(), kind.to_owned());
            let kind = KindName { api_version, kind, namespaced: true };
            let member = Member { kind: &kind, object: &object };
            assert_eq!(policies.keep(&member), expected, "{id} {written:?}");
        };
        check("ConfigMap", "kept", None, true);
        check("ConfigMap", "kept", Some("Delete"), true);
        check("ConfigMap", "gone", Some("Retain"), false);
        check("PersistentVolumeClaim", "gone", None, false);
        check("ConfigMap", "plain", Some("Retain"), false);
        check("PersistentVolumeClaim", "plain", Some("Delete"), true);
        check("ConfigMap", "dropped", Some("Retain"), true);
        check("ConfigMap", "dropped", Some("Delete"), false);
        check("ConfigMap", "dropped", None, false);
        check("ConfigMap", "referred", Some("Retain"), true);
        check("ConfigMap", "referred", None, false);
        check("PersistentVolumeClaim", "dropped", None, true);
    }
}
