//! A new object made ready to be stored.

use krono_schema::{ErrorKind, FieldError};
use serde_json::Value;

use super::decode::cannot_be_handled;
use super::{Moment, generation, metadata};
use crate::object::Object;
use crate::resource::Resource;
use crate::status::Status;

/// Longest prefix of a generated name.
const MAX_GENERATED_PREFIX: usize = 63 - 5;

/// Gives the object its namespace, its name and what only the server sets. Changes the object.
pub(crate) fn prepare(
    resource: &Resource,
    object: &mut Object,
    namespace: Option<&str>,
    moment: &Moment,
) -> Result<(), Status> {
    metadata::ensure_namespace(resource, object, namespace)?;
    if !object.version().is_empty() {
        return Err(Status::unknown("resourceVersion should not be set on objects to be created"));
    }
    generate_name(object, &moment.suffix);
    for name in ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "resourceVersion"] {
        object.set_meta(name, None);
    }
    object.set_meta("uid", Some(moment.uid.as_str().into()));
    object.set_meta("creationTimestamp", Some(moment.now.as_str().into()));
    let first = generation::is_counted(resource).then(|| Value::from(1));
    object.set_meta("generation", first);
    if resource.kind.has_status {
        object.set("status", None);
        // A blank status is more than nothing: a pod is pending, a Service has no load balancer.
        (resource.kind.rules.default)(object.value_mut());
    }
    Ok(())
}

fn generate_name(object: &mut Object, suffix: &str) {
    let prefix = object.meta_text("generateName");
    if object.name().is_empty() && !prefix.is_empty() {
        let prefix: String = prefix.chars().take(MAX_GENERATED_PREFIX).collect();
        object.set_meta("name", Some(format!("{prefix}{suffix}").into()));
    }
}

/// Refuses an object that breaks rules. Changes nothing.
pub(crate) fn validate(resource: &Resource, object: &Object) -> Result<(), Status> {
    let mut errors = metadata::errors(resource, object);
    errors.extend(resource.validate(object, None));
    verdict(resource, object, &errors)
}

/// Refuses an object that is none of its kind, whatever its metadata says. Changes nothing.
pub(crate) fn validate_content(resource: &Resource, object: &Object) -> Result<(), Status> {
    verdict(resource, object, &resource.validate(object, None))
}

/// The server decodes built-in kinds into types; what does not fit is no object of the kind at all.
pub(super) fn verdict(resource: &Resource, object: &Object, errors: &[FieldError]) -> Result<(), Status> {
    if errors.is_empty() {
        return Ok(());
    }
    let mistyped = errors.iter().find(|error| error.kind == ErrorKind::TypeInvalid && !resource.is_custom());
    let Some(error) = mistyped else { return Err(Status::invalid(&resource.kind, object.name(), errors)) };
    let why = format!(
        "json: cannot unmarshal Go struct field {}.{}: {}",
        resource.kind.kind, error.path, error.detail
    );
    Err(cannot_be_handled(resource, &why))
}
