//! A definition, read.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::conversion::{Webhook, WebhookAddress};
use crate::kind::{Column, ScalePaths, Scope};
use crate::object::Object;

/// What a definition says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Definition {
    pub(crate) name: String,
    pub(crate) labels: Value,
    pub(crate) group: String,
    pub(crate) scope: Option<Scope>,
    pub(crate) names: Names,
    /// The names it has been given.
    pub(crate) accepted: Names,
    pub(crate) conversion: Conversion,
    pub(crate) versions: Vec<Version>,
    pub(crate) preserves_unknown_fields: bool,
    pub(crate) stored_versions: Vec<String>,
    pub(crate) established: bool,
    pub(crate) deleting: bool,
}

/// How objects get from one version to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Conversion {
    /// Only `apiVersion` changes.
    None,
    /// A webhook converts; it understands reviews of these versions.
    Webhook { webhook: Webhook, review_versions: Vec<String> },
}

/// Names under which a kind is served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "they are the names of the wire format")]
pub(crate) struct Names {
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) kind: String,
    pub(crate) list_kind: String,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
}

/// One version of a kind.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "they are the switches of the wire format")]
pub(crate) struct Version {
    pub(crate) name: String,
    pub(crate) served: bool,
    pub(crate) storage: bool,
    pub(crate) deprecated: bool,
    pub(crate) deprecation_warning: Option<String>,
    pub(crate) schema: Option<Value>,
    pub(crate) has_status: bool,
    pub(crate) scale: Option<ScalePaths>,
    pub(crate) columns: Vec<Column>,
    pub(crate) selectable: Vec<String>,
}

impl Definition {
    /// Reads an object; what is missing or of the wrong type is empty, for validation to complain of.
    pub(crate) fn read(object: &Object) -> Self {
        let empty = Value::Null;
        let spec = object.get("spec").unwrap_or(&empty);
        let status = object.get("status").unwrap_or(&empty);
        Self {
            name: object.name().to_owned(),
            labels: object.meta("labels").cloned().unwrap_or_default(),
            group: text(spec, "group"),
            scope: scope(&text(spec, "scope")),
            names: Names::read(spec.get("names").unwrap_or(&empty)),
            accepted: Names::read(status.get("acceptedNames").unwrap_or(&empty)),
            conversion: Conversion::read(spec.get("conversion").unwrap_or(&empty)),
            versions: list(spec, "versions").iter().map(Version::read).collect(),
            preserves_unknown_fields: flag(spec, "preserveUnknownFields"),
            stored_versions: texts(status, "storedVersions"),
            established: is_true(status, "Established"),
            deleting: object.is_deleting(),
        }
    }

    /// The version objects are stored in.
    pub(crate) fn storage_version(&self) -> Option<&Version> {
        self.versions.iter().find(|version| version.storage)
    }
}

impl Conversion {
    fn read(conversion: &Value) -> Self {
        let empty = Value::Null;
        let settings = conversion.get("webhook").unwrap_or(&empty);
        let config = settings.get("clientConfig").filter(|_| text(conversion, "strategy") == "Webhook");
        let Some(config) = config else { return Self::None };
        let address = match config.get("service").filter(|it| it.is_object()) {
            None => WebhookAddress::Url(text(config, "url")),
            Some(service) => WebhookAddress::Service {
                namespace: text(service, "namespace"),
                name: text(service, "name"),
                port: service
                    .get("port")
                    .and_then(Value::as_u64)
                    .and_then(|it| it.try_into().ok())
                    .unwrap_or(443),
                path: text(service, "path"),
            },
        };
        let ca_bundle = STANDARD.decode(text(config, "caBundle")).unwrap_or_default();
        let review_versions = texts(settings, "conversionReviewVersions");
        Self::Webhook { webhook: Webhook { address, ca_bundle }, review_versions }
    }
}

impl Names {
    pub(crate) fn read(names: &Value) -> Self {
        Self {
            plural: text(names, "plural"),
            singular: text(names, "singular"),
            kind: text(names, "kind"),
            list_kind: text(names, "listKind"),
            short_names: texts(names, "shortNames"),
            categories: texts(names, "categories"),
        }
    }
}

impl Version {
    fn read(version: &Value) -> Self {
        let subresources = version.get("subresources");
        let scale = subresources.and_then(|it| it.get("scale")).filter(|it| it.is_object());
        let selectable = list(version, "selectableFields").iter().map(|field| text(field, "jsonPath"));
        Self {
            name: text(version, "name"),
            served: flag(version, "served"),
            storage: flag(version, "storage"),
            deprecated: flag(version, "deprecated"),
            deprecation_warning: version.get("deprecationWarning").and_then(Value::as_str).map(str::to_owned),
            schema: version.pointer("/schema/openAPIV3Schema").cloned(),
            has_status: subresources.and_then(|it| it.get("status")).is_some_and(|it| !it.is_null()),
            scale: scale.map(scale_paths),
            columns: list(version, "additionalPrinterColumns").iter().map(column).collect(),
            selectable: selectable.collect(),
        }
    }
}

fn scale_paths(scale: &Value) -> ScalePaths {
    ScalePaths {
        spec_replicas: text(scale, "specReplicasPath").into(),
        status_replicas: text(scale, "statusReplicasPath").into(),
        label_selector: Some(text(scale, "labelSelectorPath")).filter(|it| !it.is_empty()).map(Into::into),
    }
}

fn column(column: &Value) -> Column {
    let priority = column.get("priority").and_then(Value::as_i64).and_then(|it| i32::try_from(it).ok());
    Column {
        name: text(column, "name").into(),
        column_type: text(column, "type").into(),
        format: text(column, "format").into(),
        description: description(column).into(),
        priority: priority.unwrap_or(0),
        path: text(column, "jsonPath").into(),
    }
}

/// The real server describes a column without words by where its value comes from.
fn description(column: &Value) -> String {
    let said = text(column, "description");
    if said.is_empty() {
        format!("Custom resource definition column (in JSONPath format): {}", text(column, "jsonPath"))
    } else {
        said
    }
}

fn scope(text: &str) -> Option<Scope> {
    match text {
        "Namespaced" => Some(Scope::Namespaced),
        "Cluster" => Some(Scope::Cluster),
        _ => None,
    }
}

fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn flag(value: &Value, name: &str) -> bool {
    value.get(name).and_then(Value::as_bool).unwrap_or(false)
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn texts(value: &Value, name: &str) -> Vec<String> {
    list(value, name).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn is_true(status: &Value, condition: &str) -> bool {
    list(status, "conditions")
        .iter()
        .any(|it| it.get("type") == Some(&condition.into()) && it.get("status") == Some(&"True".into()))
}
