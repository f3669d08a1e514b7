//! A changed object made ready to replace the stored one.

use krono_schema::FieldError;
use serde_json::Value;

use super::{create, generation, metadata, policy};
use crate::object::Object;
use crate::resource::Resource;
use crate::status::{Status, Subject};

/// Which part of an object a write changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The object, but not its status where that is a subresource.
    Main,
    /// The status alone.
    Status,
    /// Everything: what the server itself does.
    Whole,
}

/// Refuses what clashes with the stored object before anything is looked at: name, namespace and uid.
pub(crate) fn check_name(resource: &Resource, new: &mut Object, old: &Object) -> Result<(), Status> {
    let (given, name) = (new.name(), old.name());
    if given.is_empty() {
        let message =
            format!("the name of the object ({name} based on URL) was undeterminable: name must be provided");
        return Err(Status::bad_request(message));
    }
    if given != name {
        let message = format!("the name of the object ({given}) does not match the name on the URL ({name})");
        return Err(Status::bad_request(message));
    }
    metadata::ensure_namespace(resource, new, Some(old.namespace()))?;
    if new.uid().is_empty() {
        return Ok(());
    }
    metadata::check_preconditions(resource, old, Some(new.uid()), None)
}

/// Refuses what clashes with the version of the stored object, too.
pub(crate) fn check_identity(resource: &Resource, new: &mut Object, old: &Object) -> Result<(), Status> {
    check_name(resource, new, old)?;
    let version = new.version();
    if !version.is_empty() && version.parse::<u64>().is_err() {
        return Err(Status::unknown(format!("strconv.ParseUint: parsing {version:?}: invalid syntax")));
    }
    let unversioned = matches!(version, "" | "0");
    if unversioned && policy::needs_version(resource) {
        return Err(Status::version_needed(Subject::resource(&resource.kind), old.name()));
    }
    if !unversioned && new.version() != old.version() {
        return Err(Status::modified(Subject::resource(&resource.kind), old.name()));
    }
    Ok(())
}

/// Refuses a patch of what makes the object what it is. Changes nothing.
pub(crate) fn check_patched(resource: &Resource, new: &Object, old: &Object) -> Result<(), Status> {
    if new.uid().is_empty() || new.uid() == old.uid() {
        return Ok(());
    }
    let error = metadata::invalid("metadata.uid", new.uid(), "field is immutable");
    // The real server finds this twice.
    Err(Status::invalid(&resource.kind, old.name(), &[error.clone(), error]))
}

/// Keeps what this write may not change, and counts the generation. Changes the new object.
pub(crate) fn prepare(resource: &Resource, new: &mut Object, old: &Object, part: Part) {
    match part {
        Part::Status if resource.is_custom() => keep_all_but_status(new, old),
        Part::Status => keep_all_but_status_and_metadata(new, old),
        Part::Main if resource.kind.has_status => new.set("status", old.get("status").cloned()),
        Part::Main | Part::Whole => {}
    }
    for name in
        ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "resourceVersion"]
    {
        new.set_meta(name, old.meta(name).cloned());
    }
    new.set_meta("selfLink", None);
    match part {
        Part::Status => new.set_meta("generation", old.meta("generation").cloned()),
        Part::Main | Part::Whole => generation::carry(resource, new, old),
    }
}

fn keep_all_but_status(new: &mut Object, old: &Object) {
    let status = new.get("status").cloned();
    let managers = new.meta("managedFields").cloned();
    *new = old.clone();
    new.set("status", status);
    new.set_meta("managedFields", managers);
}

fn keep_all_but_status_and_metadata(new: &mut Object, old: &Object) {
    let status = new.get("status").cloned();
    let metadata = new.get("metadata").cloned();
    *new = old.clone();
    new.set("status", status);
    new.set("metadata", metadata);
    new.set_meta("labels", old.meta("labels").cloned());
}

/// Refuses a change that breaks rules. Changes nothing.
pub(crate) fn validate(resource: &Resource, new: &Object, old: &Object, part: Part) -> Result<(), Status> {
    let mut errors = metadata::update_errors(resource, new, old);
    errors.extend(resource.validate(new, Some(old)));
    if part == Part::Status && resource.is_custom() {
        for error in &mut errors {
            name_within_status(error);
        }
    }
    create::verdict(resource, new, &errors)
}

/// A custom status that is written alone is checked alone, and the words of its schema name fields from there.
fn name_within_status(error: &mut FieldError) {
    let words = error.detail.strip_prefix("status");
    if let Some(words) = words.filter(|it| it.contains(" in body ")) {
        error.detail = words.strip_prefix('.').unwrap_or(words).to_owned();
    }
}

/// Whether a write would change anything worth storing.
pub(crate) fn is_change(new: &Object, old: &Object) -> bool {
    without_times(new) != without_times(old)
}

/// The time of a manager's last write alone is no reason to write again.
fn without_times(object: &Object) -> Value {
    let mut value = object.value().clone();
    let managers = value.pointer_mut("/metadata/managedFields").and_then(Value::as_array_mut);
    for manager in managers.into_iter().flatten().filter_map(Value::as_object_mut) {
        manager.remove("time");
    }
    value
}
