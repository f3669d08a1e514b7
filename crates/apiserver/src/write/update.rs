//! A changed object made ready to replace the stored one.

use serde_json::Value;

use super::{create, generation, metadata};
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

/// Refuses what clashes with the stored object before anything is looked at: name, namespace, uid, version.
pub(crate) fn check_identity(resource: &Resource, new: &mut Object, old: &Object) -> Result<(), Status> {
    check_name(new, old.name())?;
    metadata::ensure_namespace(resource, new, Some(old.namespace()))?;
    if !new.uid().is_empty() {
        metadata::check_preconditions(resource, old, Some(new.uid()), None)?;
    }
    let version = new.version();
    if !version.is_empty() && version.parse::<u64>().is_err() {
        return Err(Status::unknown(format!("strconv.ParseUint: parsing {version:?}: invalid syntax")));
    }
    if !matches!(version, "" | "0") && version != old.version() {
        return Err(Status::modified(Subject::resource(&resource.kind), old.name()));
    }
    Ok(())
}

/// Refuses an object whose name is not the one in the path.
pub(crate) fn check_name(new: &Object, name: &str) -> Result<(), Status> {
    if new.name().is_empty() {
        let message = format!(
            "the name of the object ({} based on URL) was undeterminable: name must be provided",
            name
        );
        return Err(Status::bad_request(message));
    }
    if new.name() != name {
        let message =
            format!("the name of the object ({}) does not match the name on the URL ({})", new.name(), name);
        return Err(Status::bad_request(message));
    }
    Ok(())
}

/// Kinds whose objects are replaced only by who says which version of them.
const CONDITIONAL: &[(&str, &str)] = &[
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("coordination.k8s.io", "Lease"),
    ("node.k8s.io", "RuntimeClass"),
    ("policy", "PodDisruptionBudget"),
    ("storage.k8s.io", "CSIDriver"),
    ("storage.k8s.io", "CSINode"),
    ("storage.k8s.io", "CSIStorageCapacity"),
    ("storage.k8s.io", "VolumeAttachment"),
];

/// Refuses a replacement that does not say what it replaces, where the kind demands that. Changes nothing.
pub(crate) fn check_conditional(resource: &Resource, new: &Object) -> Result<(), Status> {
    let kind = &resource.kind;
    let demands = resource.is_custom() || CONDITIONAL.contains(&(&*kind.group, &*kind.kind));
    if !demands || !matches!(new.version(), "" | "0") {
        return Ok(());
    }
    let error = metadata::invalid("metadata.resourceVersion", 0, "must be specified for an update");
    Err(Status::invalid_subject(Subject::resource(kind), new.name(), &[error]))
}

/// Refuses a patch of what makes the object what it is. Changes nothing.
pub(crate) fn check_patched(resource: &Resource, new: &Object, old: &Object) -> Result<(), Status> {
    if new.uid().is_empty() || new.uid() == old.uid() {
        return Ok(());
    }
    let error = metadata::invalid("metadata.uid", new.uid(), "field is immutable");
    Err(Status::invalid(&resource.kind, old.name(), &[error]))
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
    if part == Part::Status {
        new.set_meta("generation", old.meta("generation").cloned());
    } else {
        generation::carry(resource, new, old);
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
pub(crate) fn validate(resource: &Resource, new: &Object, old: &Object) -> Result<(), Status> {
    // Said twice, as on the real server: once of every object, once of its kind.
    let mut errors = metadata::update_errors(new, old);
    errors.extend(metadata::update_errors(new, old));
    errors.extend(metadata::errors(resource, new));
    errors.extend(resource.validate(new, Some(old)));
    create::verdict(resource, new, &errors)
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
