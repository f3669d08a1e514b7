//! `CustomResourceDefinition`, as far as a generated one goes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::plural::pluralize;
use crate::schema::Schema;

/// A `CustomResourceDefinition` of `apiextensions.k8s.io/v1`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomResourceDefinition {
    /// Always `apiextensions.k8s.io/v1`.
    pub api_version: String,
    /// Always `CustomResourceDefinition`.
    pub kind: String,
    /// Name, labels and annotations.
    pub metadata: Metadata,
    /// What is served.
    pub spec: CustomResourceSpec,
}

impl CustomResourceDefinition {
    /// A definition of the kind `names.kind` in `group`, called `<plural>.<group>`.
    pub fn new(group: &str, names: Names, scope: Scope, versions: Vec<Version>) -> Self {
        Self {
            api_version: "apiextensions.k8s.io/v1".to_owned(),
            kind: "CustomResourceDefinition".to_owned(),
            metadata: Metadata { name: format!("{}.{group}", names.plural), ..Metadata::default() },
            spec: CustomResourceSpec { group: group.to_owned(), names, scope, versions },
        }
    }
}

/// Metadata of a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Metadata {
    /// `<plural>.<group>`.
    pub name: String,
    /// Labels.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Annotations.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, String>,
}

/// What a definition serves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CustomResourceSpec {
    /// The API group.
    pub group: String,
    /// The names of the kind.
    pub names: Names,
    /// Whether objects live in namespaces.
    pub scope: Scope,
    /// The API versions.
    pub versions: Vec<Version>,
}

/// The names of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Names {
    /// Such as `WebApp`.
    pub kind: String,
    /// Such as `WebAppList`.
    pub list_kind: String,
    /// Such as `webapps`.
    pub plural: String,
    /// Such as `webapp`.
    pub singular: String,
    /// Short names for `kubectl`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub short_names: Vec<String>,
    /// Groups of kinds, such as `all`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
}

impl Names {
    /// The usual names of `kind`.
    pub fn of(kind: &str) -> Self {
        let singular = kind.to_lowercase();
        Self {
            kind: kind.to_owned(),
            list_kind: format!("{kind}List"),
            plural: pluralize(&singular),
            singular,
            ..Self::default()
        }
    }
}

/// Whether objects live in namespaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// In a namespace.
    #[default]
    Namespaced,
    /// In the cluster as a whole.
    Cluster,
}

/// One API version.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Version {
    /// Such as `v1alpha1`.
    pub name: String,
    /// Whether clients may use it.
    pub served: bool,
    /// Whether objects are stored in it.
    pub storage: bool,
    /// Its schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Validation>,
    /// `status` and `scale`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subresources: Option<Subresources>,
    /// Columns of `kubectl get`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub additional_printer_columns: Vec<PrinterColumn>,
}

impl Version {
    /// A version that is served, stored and has a status of its own.
    pub fn served(name: &str, schema: Schema, columns: Vec<PrinterColumn>) -> Self {
        Self {
            name: name.to_owned(),
            served: true,
            storage: true,
            schema: Some(Validation { open_api_v3_schema: Some(schema) }),
            subresources: Some(Subresources { status: Some(StatusSubresource {}) }),
            additional_printer_columns: columns,
        }
    }

    /// The schema, when there is one.
    pub fn schema(&self) -> Option<&Schema> {
        self.schema.as_ref().and_then(|validation| validation.open_api_v3_schema.as_ref())
    }

    /// Whether the status is a subresource.
    pub fn has_status(&self) -> bool {
        self.subresources.as_ref().is_some_and(|it| it.status.is_some())
    }
}

/// The schema of a version.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// `openAPIV3Schema`.
    #[serde(rename = "openAPIV3Schema", default, skip_serializing_if = "Option::is_none")]
    pub open_api_v3_schema: Option<Schema>,
}

/// The subresources of a version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subresources {
    /// `status`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<StatusSubresource>,
}

/// The status subresource, which has nothing to set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusSubresource {}

/// A column of `kubectl get`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PrinterColumn {
    /// The heading.
    pub name: String,
    /// The type, such as `string` or `date`.
    #[serde(rename = "type")]
    pub column_type: String,
    /// The format, such as `int32`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub format: String,
    /// What it means.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Above zero: shown by `-o wide` only.
    #[serde(skip_serializing_if = "is_zero")]
    pub priority: i32,
    /// Where the value is.
    pub json_path: String,
}

impl PrinterColumn {
    fn new(name: &str, column_type: &str, json_path: &str, description: &str) -> Self {
        Self {
            name: name.to_owned(),
            column_type: column_type.to_owned(),
            json_path: json_path.to_owned(),
            description: description.to_owned(),
            ..Self::default()
        }
    }

    /// State, readiness and age, which instances show unless the author chose other columns.
    pub fn instance_defaults() -> Vec<Self> {
        let state = "The state of a ResourceGraphDefinition instance";
        let ready = "Whether a ResourceGraphDefinition instance is ready";
        let ready_path = ".status.conditions[?(@.type==\"Ready\")].status";
        vec![
            Self::new("State", "string", ".status.state", state),
            Self::new("Ready", "string", ready_path, ready),
            Self::new("Age", "date", ".metadata.creationTimestamp", "Age of the resource"),
        ]
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(value: &i32) -> bool {
    *value == 0
}
