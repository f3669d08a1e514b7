//! What objects are changed through.

use serde_json::{Map, Value};

use super::error::ApplyError;
use super::object::{kind_text, managed_fields, text};
use super::updater::Updater;
use super::versions::Versions;

/// What objects are changed through: a kind in some version, or a subresource of it.
#[derive(Clone, Copy)]
pub struct Endpoint<'a> {
    /// The version of the request, such as `apps/v1`.
    pub api_version: &'a str,
    /// The kind.
    pub kind: &'a str,
    /// The subresource, such as `status`; empty for the object itself.
    pub subresource: &'a str,
    /// The versions of the kind.
    pub versions: &'a dyn Versions,
    /// What an object of the kind looks like before anything is set, without `apiVersion` and `kind`.
    ///
    /// A built-in kind has fields that are always there, such as `spec: {}`; nobody comes to own those by creating an
    /// object. Null for a custom resource.
    pub blank: &'a Value,
}

impl<'a> Endpoint<'a> {
    pub(super) fn updater(&self) -> Option<Updater<'a>> {
        let version = self.versions.version(self.api_version)?;
        Some(Updater {
            versions: self.versions,
            api_version: self.api_version,
            object_type: version.object_type,
        })
    }

    pub(super) fn kind_text(&self) -> String {
        kind_text(self.api_version, self.kind)
    }

    /// An object in which nothing is set.
    pub(super) fn blank_object(&self) -> Value {
        let mut fields = self.blank.as_object().cloned().unwrap_or_else(Map::new);
        for (name, text) in [("apiVersion", self.api_version), ("kind", self.kind)] {
            fields.insert(name.to_owned(), Value::String(text.to_owned()));
        }
        Value::Object(fields)
    }

    pub(super) fn check_config(&self, config: &Value) -> Result<(), ApplyError> {
        let (api_version, kind) = (text(config, "apiVersion"), text(config, "kind"));
        if (api_version, kind) != (self.api_version, self.kind) {
            return Err(ApplyError::WrongKind { found: kind_text(api_version, kind) });
        }
        match managed_fields(config) {
            Some(Value::Array(_)) => Err(ApplyError::ManagedFieldsInConfig),
            _ => Ok(()),
        }
    }
}
