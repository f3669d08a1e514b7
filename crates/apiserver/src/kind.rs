//! What is served: one kind of object in one API version.

use std::fmt;
use std::sync::{Arc, OnceLock};

use krono_schema::{FieldError, Schema};
use serde_json::Value;

/// One kind of object in one API version, built in or from a custom resource definition.
#[derive(Debug)]
pub struct Kind {
    /// API group; empty for the core group.
    pub group: Arc<str>,
    /// API version, such as `v1`.
    pub version: Arc<str>,
    /// The kind, such as `Deployment`.
    pub kind: Arc<str>,
    /// The kind of its lists, such as `DeploymentList`.
    pub list_kind: Arc<str>,
    /// The resource name in URLs, such as `deployments`.
    pub plural: Arc<str>,
    /// The singular resource name, such as `deployment`.
    pub singular: Arc<str>,
    /// Short names, such as `deploy`.
    pub short_names: Vec<Arc<str>>,
    /// Categories, such as `all`.
    pub categories: Vec<Arc<str>>,
    /// Whether objects live in namespaces.
    pub scope: Scope,
    /// The `status` subresource is served, and the main resource ignores `.status`.
    pub has_status: bool,
    /// The `scale` subresource, where there is one.
    pub scale: Option<ScalePaths>,
    /// Columns of `kubectl get` that a custom resource definition asks for; those of built-in kinds are built in.
    pub columns: Vec<Column>,
    /// Fields that field selectors may name beside `metadata.name` and `metadata.namespace`, as JSON paths such as `.spec.nodeName`.
    pub selectable: Vec<Arc<str>>,
    /// Rules of this kind that no schema says.
    pub rules: Rules,
    /// The schema, made when it is first asked for.
    pub schema: LazySchema,
}

/// Where objects of a kind live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// In namespaces.
    Namespaced,
    /// In the cluster as a whole.
    Cluster,
}

/// Where the `scale` subresource finds its fields, as JSON paths such as `.spec.replicas`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalePaths {
    /// The wanted number of replicas.
    pub spec_replicas: Arc<str>,
    /// The observed number of replicas.
    pub status_replicas: Arc<str>,
    /// The label selector as text, where there is one.
    pub label_selector: Option<Arc<str>>,
}

/// A column of a table of custom resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub name: Arc<str>,
    /// OpenAPI type: `string`, `integer`, `number`, `boolean`, `date`.
    pub column_type: Arc<str>,
    /// OpenAPI format, often empty.
    pub format: Arc<str>,
    /// What the column shows.
    pub description: Arc<str>,
    /// 0 is always shown, higher ones with `-o wide`.
    pub priority: i32,
    /// Where the value is found, as a JSON path.
    pub path: Arc<str>,
}

/// What a kind demands beyond its schema. All are pure; `old` is the stored object on updates.
#[derive(Clone, Copy)]
pub struct Rules {
    /// Fills in what the API server fills in, on create and update, before validation.
    pub default: fn(object: &mut Value),
    /// What is wrong with a new object or a change: immutable fields and the like.
    pub validate: fn(new: &Value, old: Option<&Value>) -> Vec<FieldError>,
}

impl Rules {
    /// No rules beyond the schema.
    pub const NONE: Self = Self { default: |_| {}, validate: |_, _| Vec::new() };
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rules")
    }
}

/// A schema that is made when it is first asked for: a server starts with far more kinds than are used.
pub struct LazySchema {
    made: OnceLock<Arc<Schema>>,
    make: Box<dyn Fn() -> Schema + Send + Sync>,
}

impl LazySchema {
    /// The schema that `make` gives.
    pub fn new(make: impl Fn() -> Schema + Send + Sync + 'static) -> Self {
        Self { made: OnceLock::new(), make: Box::new(make) }
    }

    /// The schema.
    pub fn get(&self) -> &Arc<Schema> {
        self.made.get_or_init(|| Arc::new((self.make)()))
    }
}

impl fmt::Debug for LazySchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LazySchema").field(&self.made.get().is_some()).finish()
    }
}
