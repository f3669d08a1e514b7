//! The versions of the API that an object is managed in.

use std::collections::BTreeMap;

use serde_json::Value;

use super::field_set::FieldSet;
use super::object_type::ObjectType;

/// The versions in which a kind is served, and how objects get from one to another.
pub trait Versions {
    /// What is known of a version, such as `apps/v1`; nothing when it is not served any more.
    fn version(&self, api_version: &str) -> Option<Version<'_>>;

    /// `object` in another version; both versions are served.
    fn convert(&self, object: &Value, from: &str, to: &str) -> Result<Value, ConversionFailed>;
}

/// What is known of one version of a kind.
#[derive(Clone, Copy, Debug)]
pub struct Version<'a> {
    /// How objects of the version are merged.
    pub object_type: &'a ObjectType,
    /// Fields that the endpoint does not store and therefore nobody can own through it, such as `status`.
    pub reset_fields: Option<&'a FieldSet<'static>>,
}

/// Why an object cannot be had in another version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConversionFailed(pub String);

/// Versions that differ in nothing but their name and what their schemas say.
#[derive(Debug, Default)]
pub struct SameShape {
    versions: BTreeMap<String, (ObjectType, Option<FieldSet<'static>>)>,
}

impl SameShape {
    /// A kind with one version.
    pub fn of(api_version: &str, object_type: ObjectType) -> Self {
        Self::default().and(api_version, object_type)
    }

    /// Adds a version.
    #[must_use]
    pub fn and(mut self, api_version: &str, object_type: ObjectType) -> Self {
        self.versions.insert(api_version.to_owned(), (object_type, None));
        self
    }

    /// Says which fields nobody can own, in every version.
    #[must_use]
    pub fn without(mut self, reset_fields: &FieldSet<'static>) -> Self {
        for (_, reset) in self.versions.values_mut() {
            *reset = Some(reset_fields.clone());
        }
        self
    }
}

impl Versions for SameShape {
    fn version(&self, api_version: &str) -> Option<Version<'_>> {
        let (object_type, reset_fields) = self.versions.get(api_version)?;
        Some(Version { object_type, reset_fields: reset_fields.as_ref() })
    }

    fn convert(&self, object: &Value, _from: &str, to: &str) -> Result<Value, ConversionFailed> {
        let mut converted = object.clone();
        if let Value::Object(fields) = &mut converted {
            fields.insert("apiVersion".to_owned(), Value::String(to.to_owned()));
        }
        Ok(converted)
    }
}
