//! A kind as it is served: where its objects lie, and how they are read and checked.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use krono_patch::apply::ObjectType;
use krono_schema::{FieldError, Schema, Validator};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::autoscalers;
use crate::conversion::Converter;
use crate::events;
use crate::kind::{Kind, Scope};
use crate::object::Object;
use crate::protobuf;
use crate::scale;
use crate::status::Status;
use crate::stored::{self, Stored};
use crate::strategy::Strategy;

/// A kind as it is served.
#[derive(Debug)]
pub(crate) struct Resource {
    /// The kind.
    pub(crate) kind: Arc<Kind>,
    /// What the keys of its objects begin with: `{group}/{plural}/`, shared by all versions.
    pub(crate) prefix: String,
    /// `apiVersion` of objects in the store.
    pub(crate) storage_api_version: String,
    /// Whence the kind comes.
    pub(crate) origin: Origin,
    /// How the kind differs from others.
    pub(crate) strategy: Strategy,
    /// Marks records that need no work to be served as this kind.
    fingerprint: u64,
    /// The mark of records this kind writes; 0 where another version has to look at them.
    stored_as: u64,
    api_version: String,
    validator: OnceLock<Validator>,
    object_type: OnceLock<ObjectType>,
}

/// Whence a kind comes.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// Part of the server.
    BuiltIn,
    /// From a custom resource definition.
    Custom(Arc<Custom>),
}

/// What a custom resource definition says beyond the kind.
#[derive(Debug, Default)]
pub(crate) struct Custom {
    /// The name of the definition.
    pub(crate) definition: String,
    /// Its labels.
    pub(crate) labels: Value,
    /// The warning given on every request, for deprecated versions.
    pub(crate) deprecation: Option<String>,
    /// Converts between versions; none means that only `apiVersion` changes.
    pub(crate) converter: Option<Arc<dyn Converter>>,
    /// What each version knows, by `apiVersion`, where there are several.
    pub(crate) schemas: Arc<BTreeMap<String, Schema>>,
}

/// Built-in kinds that should no longer be used, and what is said of them.
const DEPRECATED: [(&str, &str); 2] = [
    ("ComponentStatus", "v1 ComponentStatus is deprecated in v1.19+"),
    ("Endpoints", "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"),
];

impl Resource {
    /// The warning given on every request, for kinds and versions that should no longer be used.
    pub(crate) fn deprecation(&self) -> Option<String> {
        if let Some(custom) = self.custom_part() {
            return custom.deprecation.clone();
        }
        let said =
            DEPRECATED.iter().find(|(kind, _)| self.kind.group.is_empty() && *kind == &*self.kind.kind);
        said.map(|(_, warning)| (*warning).to_owned())
    }

    /// A kind that is part of the server.
    pub(crate) fn built_in(kind: Kind) -> Self {
        let (group, version) = match &kind {
            event if events::is_event(event) => events::STORAGE,
            autoscaler if autoscalers::is_autoscaler(autoscaler) => autoscalers::STORAGE,
            other => (&*other.group, &*other.version),
        };
        let storage_api_version = api_version(group, version);
        let prefix = format!("{group}/{}/", kind.plural);
        let stored_as = fingerprint(&storage_api_version, &[]);
        let resource = Self::new(Arc::new(kind), storage_api_version, Origin::BuiltIn, &[]);
        Self { prefix, stored_as, ..resource }
    }

    /// A kind from a definition; `schema` is its text, by which a change is noticed.
    pub(crate) fn custom(kind: Kind, storage_version: &str, custom: Arc<Custom>, schema: &[u8]) -> Self {
        let storage_api_version = api_version(&kind.group, storage_version);
        Self::new(Arc::new(kind), storage_api_version, Origin::Custom(custom), schema)
    }

    fn new(kind: Arc<Kind>, storage_api_version: String, origin: Origin, schema: &[u8]) -> Self {
        let prefix = format!("{}/{}/", kind.group, kind.plural);
        let api_version = api_version(&kind.group, &kind.version);
        let fingerprint = fingerprint(&api_version, schema);
        let stored_as = if storage_api_version == api_version { fingerprint } else { 0 };
        let (strategy, validator, object_type) = (Strategy::of(&kind), OnceLock::new(), OnceLock::new());
        Self {
            kind,
            prefix,
            storage_api_version,
            origin,
            strategy,
            fingerprint,
            stored_as,
            api_version,
            validator,
            object_type,
        }
    }

    /// `apiVersion` of its objects.
    pub(crate) fn api_version(&self) -> &str {
        &self.api_version
    }

    /// Tells this kind from what it was before a change of its definition.
    pub(crate) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Whether objects live in namespaces.
    pub(crate) fn is_namespaced(&self) -> bool {
        self.kind.scope == Scope::Namespaced
    }

    /// Whether the kind comes from a definition.
    pub(crate) fn is_custom(&self) -> bool {
        matches!(self.origin, Origin::Custom(_))
    }

    /// The definition's part, for custom kinds.
    pub(crate) fn custom_part(&self) -> Option<&Custom> {
        match &self.origin {
            Origin::BuiltIn => None,
            Origin::Custom(custom) => Some(custom),
        }
    }

    /// What a version of this kind knows; its own version where that is the only one.
    pub(crate) fn schema_of(&self, api_version: &str) -> &Schema {
        let other = self.custom_part().and_then(|custom| custom.schemas.get(api_version));
        other.unwrap_or_else(|| self.kind.schema.get())
    }

    /// Whether a record can be served as it is.
    pub(crate) fn serves_as_is(&self, stored: &Stored) -> bool {
        stored.fingerprint() == self.fingerprint
    }

    /// The record of an object of this kind, in the storage version already.
    pub(crate) fn record(&self, object: &Object) -> Result<Bytes, Status> {
        stored::encode(object, self.stored_as).map_err(Status::internal)
    }

    /// How its objects are owned and merged.
    pub(crate) fn object_type(&self) -> &ObjectType {
        self.object_type.get_or_init(|| {
            let schema = self.kind.schema.get();
            let compiled = if self.is_custom() {
                ObjectType::custom_resource(schema)
            } else {
                ObjectType::built_in(schema)
            };
            compiled.unwrap_or_else(|_| ObjectType::deduced())
        })
    }

    /// Removes what the schema does not know; gives the paths.
    pub(crate) fn prune(&self, object: &mut Object) -> Vec<String> {
        krono_schema::prune_object(self.kind.schema.get(), object.value_mut())
    }

    /// Fills in defaults.
    pub(crate) fn default(&self, object: &mut Object) {
        if self.is_custom() {
            krono_schema::drop_nulls(self.kind.schema.get(), object.value_mut());
        }
        self.default_applied(object);
    }

    /// As [`Self::default`] for what an apply made: nulls in custom objects stay, and are complained of.
    pub(crate) fn default_applied(&self, object: &mut Object) {
        let schema = self.kind.schema.get();
        if !self.is_custom() {
            krono_schema::empty_null_texts(schema, object.value_mut());
            krono_schema::drop_nulls(schema, object.value_mut());
        }
        krono_schema::default(schema, object.value_mut());
        (self.kind.rules.default)(object.value_mut());
        self.strategy.default(object);
        self.normalise(object);
    }

    /// Gives an object the form in which Go would write it; of custom kinds Go knows the metadata alone.
    pub(crate) fn normalise(&self, object: &mut Object) {
        if self.is_custom() {
            protobuf::normalise_metadata(object.value_mut());
        } else {
            protobuf::normalise(&self.api_version, &self.kind.kind, object.value_mut());
        }
    }

    /// An object of this kind in which nobody has written anything yet.
    pub(crate) fn blank(&self) -> Value {
        let mut blank = if self.is_custom() { Value::Null } else { json!({}) };
        protobuf::normalise(&self.api_version, &self.kind.kind, &mut blank);
        blank
    }

    /// What the schema says; of built-in kinds only types are checked, when they are decoded.
    fn schema_errors(&self, new: &Object, old: Option<&Object>) -> Vec<FieldError> {
        if !self.is_custom() {
            return Vec::new();
        }
        let validator = self.validator.get_or_init(|| Validator::new(self.kind.schema.get()));
        let mut errors = match old {
            None => validator.validate(new.value()),
            Some(old) => validator.validate_update(new.value(), old.value()),
        };
        // Later versions of the real server say this in addition to the wrong type.
        errors.retain(|it| !it.path.is_empty() || !it.detail.starts_with("Checked value must be of type"));
        let unchecked =
            |it: &FieldError| it.path.is_empty() && it.detail.starts_with("some validation rules");
        let at = errors.iter().position(unchecked).unwrap_or(errors.len());
        let scale = self.kind.scale.iter().flat_map(|paths| scale::errors(paths, new.value()));
        errors.splice(at..at, scale);
        errors
    }

    /// What is wrong with an object, or with the change from `old`.
    pub(crate) fn validate(&self, new: &Object, old: Option<&Object>) -> Vec<FieldError> {
        let mut errors = self.schema_errors(new, old);
        errors.extend((self.kind.rules.validate)(new.value(), old.map(Object::value)));
        errors.extend(self.strategy.errors(new, old));
        errors
    }
}

/// `v1` in the core group, `apps/v1` elsewhere.
pub(crate) fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

fn fingerprint(api_version: &str, schema: &[u8]) -> u64 {
    let digest = Sha256::new().chain_update(api_version).chain_update([0]).chain_update(schema).finalize();
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&digest[..8]);
    // Zero is kept for records that nobody may serve as they are.
    u64::from_le_bytes(bytes).max(1)
}
