//! The types of `kro.run/v1alpha1`, as they are written and read.

mod revision;

pub use revision::{
    Author, DefinitionRevisionSpec, DefinitionRevisionStatus, InputRevisionSpec, InputRevisionStatus,
    InputRevisionSummary, ResourceGraphDefinitionRevision, ResourceGraphInputRevision, RevisionReference,
};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A definition: what an author keeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceGraphDefinition {
    /// `kro.run/v1alpha1`.
    pub api_version: String,
    /// `ResourceGraphDefinition`.
    pub kind: String,
    /// As of any object.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// What the author wrote.
    pub spec: Spec,
    /// What krono made of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
}

/// The kind, its resources, and policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Spec {
    /// The kind of the instances.
    pub schema: Schema,
    /// What each instance brings about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Vec<Resource>>,
    /// Policy: how revisions are issued and kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision_management: Option<Map<String, Value>>,
    /// Policy: expressions that must hold before an instance moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub propagate_when: Option<Vec<String>>,
    /// Policy: how a new revision reaches instances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub propagation: Option<Map<String, Value>>,
}

/// The kind of the instances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Schema {
    /// Such as `WebApp`.
    pub kind: String,
    /// Such as `v1alpha1`, without the group.
    pub api_version: String,
    /// The API group; `kro.run` when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// `Namespaced`, also when absent, or `Cluster`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The fields of an instance's spec.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<Map<String, Value>>,
    /// Types that those fields may name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub types: Option<Map<String, Value>>,
    /// The expressions of an instance's status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Map<String, Value>>,
    /// Columns of `kubectl get`, in place of krono's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub additional_printer_columns: Option<Vec<Map<String, Value>>>,
    /// Short names for `kubectl`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short_names: Option<Vec<String>>,
    /// Groups of kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub categories: Option<Vec<String>>,
    /// What the CRD carries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<SchemaMetadata>,
}

/// What the CRD of the kind carries beside krono's own labels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemaMetadata {
    /// Labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<BTreeMap<String, String>>,
    /// Annotations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<BTreeMap<String, String>>,
}

/// One resource, a collection of them, or resources that others make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// What expressions call it.
    pub id: String,
    /// The resource to make.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<Map<String, Value>>,
    /// Resources that others make.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_ref: Option<ExternalReference>,
    /// Expressions that must hold before dependents go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_when: Option<Vec<String>>,
    /// Expressions that must hold, or it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include_when: Option<Vec<String>>,
    /// Iterators and the expressions of their lists, one pair in each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_each: Option<Vec<BTreeMap<String, String>>>,
    /// Policy: expressions that must hold before a change of revision reaches it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub propagate_when: Option<Vec<String>>,
    /// Policy: `Delete` or `Retain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion_policy: Option<String>,
}

/// Resources that others make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExternalReference {
    /// Such as `apps/v1`.
    pub api_version: String,
    /// Their kind.
    pub kind: String,
    /// Which of them.
    pub metadata: ExternalMetadata,
}

/// Which resources are meant; exactly one of name and selector.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExternalMetadata {
    /// The name of a single one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// A label selector, or an expression that gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<Value>,
}

/// What krono made of a definition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Status {
    /// `Active` or `Inactive`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Ready and what it depends on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Value>,
    /// The ids of the resources in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub topological_order: Vec<String>,
    /// What needs what.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<ResourceStatus>,
    /// The highest revision number ever issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_issued_revision: Option<i64>,
    /// What the last issued number was taken for, until its revision is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserved_revision_hash: Option<String>,
    /// The generation that it was found in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The revision that instances move to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_revision: Option<i64>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_revision_name: Option<String>,
    /// The identity of its content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_revision_hash: Option<String>,
    /// The newest revision; another than the current one while held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latest_revision: Option<i64>,
    /// The identity of its content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latest_revision_hash: Option<String>,
    /// The revisions that are kept, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub revision_history: Vec<RevisionSummary>,
    /// How far the current revision has come on its way to instances, where they wait for their turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub propagation: Option<Map<String, Value>>,
}

/// A revision in the status of its definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RevisionSummary {
    /// Its number.
    pub revision: i64,
    /// When it was issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Whether instances move to it.
    pub current: bool,
    /// How many instances are assigned to its content.
    pub instance_count: i64,
    /// The revision whose content it is again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restored_from: Option<i64>,
}

/// A resource that needs others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceStatus {
    /// Its id.
    pub id: String,
    /// What it needs.
    pub dependencies: Vec<Dependency>,
}

/// A resource that is needed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// Its id.
    pub id: String,
}
