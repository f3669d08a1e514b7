//! A new object made ready to be stored.

use krono_schema::FieldError;

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
    object.set_meta("resourceVersion", None);
    object.set_meta("uid", Some(moment.uid.as_str().into()));
    object.set_meta("creationTimestamp", Some(moment.now.as_str().into()));
    if generation::is_counted(resource) {
        object.set_meta("generation", Some(1.into()));
    }
    // Whoever registers a node says how it is.
    let keeps_status = (&*resource.kind.group, &*resource.kind.kind) == ("", "Node");
    if resource.kind.has_status && !keeps_status {
        object.set("status", None);
    }
    // Some defaults depend on what was set just now: a pod is pending, a Job selects by its uid.
    (resource.kind.rules.default)(object.value_mut());
    resource.normalise(object);
    Ok(())
}

/// Takes away what clients cannot say of new objects. Changes the object.
pub(crate) fn wipe_system_fields(object: &mut Object) {
    for name in ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "creationTimestamp"] {
        object.set_meta(name, None);
    }
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

pub(super) fn verdict(resource: &Resource, object: &Object, errors: &[FieldError]) -> Result<(), Status> {
    if errors.is_empty() {
        return Ok(());
    }
    Err(Status::invalid(&resource.kind, object.name(), errors))
}
