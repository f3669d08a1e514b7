//! Revisions of definitions and of what instances ask for.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One definition as it once was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceGraphDefinitionRevision {
    /// `kro.run/v1alpha1`.
    pub api_version: String,
    /// `ResourceGraphDefinitionRevision`.
    pub kind: String,
    /// As of any object.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// What never changes.
    pub spec: DefinitionRevisionSpec,
    /// What has become of it; all of it can be found again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<DefinitionRevisionStatus>,
}

/// What the definition said, and what is known about how it came to say so.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DefinitionRevisionSpec {
    /// The number.
    pub revision: i64,
    /// The kind of the instances, as it was.
    pub schema: Map<String, Value>,
    /// The resources, as they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Vec<Map<String, Value>>>,
    /// The identity of schema and resources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The revision whose content it is again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored_from: Option<i64>,
    /// When it was issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Who made the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Author>,
    /// Why, in the words of whoever made the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_cause: Option<String>,
    /// The schemas of the kinds that it was compiled against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interface: Option<Map<String, Value>>,
}

/// Who made a change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Author {
    /// The field manager that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manager: Option<String>,
    /// The user, where somebody told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// When it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
}

/// What has become of a definition's revision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DefinitionRevisionStatus {
    /// The identity of schema and resources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec_hash: Option<String>,
    /// When it was issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Whether a newer revision is current.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded: Option<bool>,
    /// How many instances are assigned to its content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_count: Option<i64>,
}

/// What one instance once asked for, and of which revision of its definition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceGraphInputRevision {
    /// `kro.run/v1alpha1`.
    pub api_version: String,
    /// `ResourceGraphInputRevision`.
    pub kind: String,
    /// As of any object.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// What never changes.
    pub spec: InputRevisionSpec,
    /// What has become of it; all of it can be found again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<InputRevisionStatus>,
}

/// An instance's spec together with the revision that it was evaluated by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InputRevisionSpec {
    /// The number.
    pub input_revision: i64,
    /// The number of the definition's revision.
    pub rgd_revision: i64,
    /// The definition's revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rgd_revision_ref: Option<RevisionReference>,
    /// The spec of the instance, as that revision's schema saw it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance_spec: Option<Map<String, Value>>,
    /// The identity of spec and definition content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The input revision whose content it is again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored_from: Option<i64>,
    /// When it was issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Who made the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Author>,
    /// Why, in the words of whoever made the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_cause: Option<String>,
}

/// A revision, by name and by content.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RevisionReference {
    /// Its name.
    pub name: String,
    /// The identity of its content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// What has become of an input revision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct InputRevisionStatus {
    /// The identity of spec and definition content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec_hash: Option<String>,
    /// When it was issued.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// `Pending`, `InProgress`, `Completed`, `Failed`, `Blocked` or `Superseded`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub propagation_status: Option<String>,
    /// How many resources are at this revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources_at_revision: Option<i64>,
    /// How many resources there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_resources: Option<i64>,
    /// Whether content and definition are kept, so that it can be restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restorable: Option<bool>,
}

/// An input revision in the status of its instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InputRevisionSummary {
    /// The number.
    pub revision: i64,
    /// The number of the definition's revision.
    pub rgd_revision: i64,
    /// When it was issued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// `Pending`, `InProgress`, `Completed`, `Failed`, `Blocked` or `Superseded`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The identity of spec and definition content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec_hash: Option<String>,
    /// The identity of the definition content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rgd_revision_hash: Option<String>,
    /// The input revision whose content it is again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored_from: Option<i64>,
    /// Who made the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Author>,
    /// Why, in the words of whoever made the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_cause: Option<String>,
    /// The spec, compressed; absent where there was no room for it, or where objects hold it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    /// `false` where it cannot be restored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restorable: Option<bool>,
}
