//! What the server demands of the metadata of every object.

use krono_schema::{BadValue, ErrorKind, FieldError, go_text};
use serde_json::Value;

use crate::builtin::name_complaints;
use crate::builtin::names::{label_value, qualified};
use crate::object::Object;
use crate::resource::Resource;
use crate::status::{Status, Subject};
use crate::strategy::Strategy;

/// Keys and values of all annotations together may have this many bytes.
const ANNOTATIONS_LIMIT: usize = 256 * 1024;

/// An error in the words of the API server.
pub(crate) fn invalid(path: &str, value: impl Into<Value>, detail: impl Into<String>) -> FieldError {
    let (path, value) = (path.to_owned(), BadValue::Value(value.into()));
    FieldError { kind: ErrorKind::Invalid, path, value, detail: detail.into() }
}

/// A value that is none of those we know.
pub(crate) fn unsupported(path: &str, value: impl Into<Value>, supported: &[&str]) -> FieldError {
    let supported: Vec<String> = supported.iter().map(|it| format!("{it:?}")).collect();
    let detail = format!("supported values: {}", supported.join(", "));
    FieldError {
        kind: ErrorKind::NotSupported,
        path: path.to_owned(),
        value: BadValue::Value(value.into()),
        detail,
    }
}

/// A value of too many bytes.
pub(crate) fn too_long(path: &str, limit: usize) -> FieldError {
    let (path, detail) = (path.to_owned(), format!("may not be more than {limit} bytes"));
    FieldError { kind: ErrorKind::TooLong, path, value: BadValue::Omitted, detail }
}

/// A value that is missing.
pub(crate) fn required(path: &str, detail: &str) -> FieldError {
    let (path, detail) = (path.to_owned(), detail.to_owned());
    FieldError { kind: ErrorKind::Required, path, value: BadValue::Omitted, detail }
}

/// A value that may not be there.
pub(crate) fn forbidden(path: &str, detail: &str) -> FieldError {
    let (path, detail) = (path.to_owned(), detail.to_owned());
    FieldError { kind: ErrorKind::Forbidden, path, value: BadValue::Omitted, detail }
}

/// What is wrong with the metadata of a new object.
pub(crate) fn errors(resource: &Resource, object: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (name, prefix) = (object.name(), object.meta_text("generateName"));
    let complaints = |name: &str| name_complaints(&resource.kind.group, &resource.kind.kind, name);
    if !prefix.is_empty() {
        let found = complaints(&masked(prefix)).into_iter();
        errors.extend(found.map(|it| invalid("metadata.generateName", prefix, it)));
    }
    if name.is_empty() {
        errors.push(required("metadata.name", "name or generateName is required"));
    } else {
        let special = resource.strategy.name_complaint(object).map(str::to_owned);
        let found = complaints(name).into_iter().chain(special);
        errors.extend(found.map(|it| invalid("metadata.name", name, it)));
    }
    common(object, &mut errors);
    finalizers(object, &mut errors);
    managers(object, &mut errors);
    kube_finalizers(resource, object, &mut errors);
    errors
}

/// A prefix may end in a dash, since something follows.
fn masked(prefix: &str) -> String {
    match prefix.strip_suffix('-') {
        Some(rest) if !rest.is_empty() => {
            let mut kept: String = rest.to_owned();
            kept.pop();
            kept + "a"
        }
        _ => prefix.to_owned(),
    }
}

/// What may not change in the metadata of an object, and what is wrong with what may.
pub(crate) fn update_errors(resource: &Resource, new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errors = change_errors(new, old);
    // The real server looks twice: once for all kinds, and once for each kind.
    errors.extend(change_errors(new, old));
    kube_finalizers(resource, new, &mut errors);
    errors
}

fn change_errors(new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if old.is_deleting() {
        new_finalizers(new, old, &mut errors);
    }
    for name in ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp"] {
        if new.meta(name) != old.meta(name) {
            let value = new.meta(name).cloned().unwrap_or_default();
            errors.push(invalid(&format!("metadata.{name}"), value, "field is immutable"));
        }
    }
    common(new, &mut errors);
    managers(new, &mut errors);
    errors
}

fn new_finalizers(new: &Object, old: &Object, errors: &mut Vec<FieldError>) {
    let mut added: Vec<&str> =
        new.finalizers().filter(|it| !old.finalizers().any(|before| before == *it)).collect();
    added.sort_unstable();
    added.dedup();
    if !added.is_empty() {
        let detail = format!(
            "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
            added.iter().map(|it| go_text::quote(it)).collect::<Vec<_>>().join(", ")
        );
        errors.push(forbidden("metadata.finalizers", &detail));
    }
}

/// Warnings about new finalizers of custom resources that others could use as well.
pub(crate) fn finalizer_warnings(resource: &Resource, new: &Object, old: Option<&Object>) -> Vec<String> {
    let is_new = |name: &&str| old.is_none_or(|old| !old.finalizers().any(|before| before == *name));
    let is_plain = |name: &&str| !name.contains('/') && !STANDARD_FINALIZERS.contains(name);
    let mut plain: Vec<&str> =
        new.finalizers().filter(|_| resource.is_custom()).filter(is_new).filter(is_plain).collect();
    plain.sort_unstable();
    plain.dedup();
    let warning = |name: &str| {
        let path = if name.contains('.') { " including a path (/)" } else { "" };
        format!(
            "metadata.finalizers: {name:?}: prefer a domain-qualified finalizer name{path} to avoid accidental \
             conflicts with other finalizer writers"
        )
    };
    plain.into_iter().map(warning).collect()
}

/// Gives the object the namespace of the request, or refuses another one.
pub(crate) fn ensure_namespace(
    resource: &Resource,
    object: &mut Object,
    namespace: Option<&str>,
) -> Result<(), Status> {
    let namespace = namespace.filter(|_| resource.is_namespaced()).unwrap_or_default();
    if object.namespace().is_empty() {
        object.set_meta("namespace", (!namespace.is_empty()).then(|| namespace.into()));
        return Ok(());
    }
    if object.namespace() == namespace {
        return Ok(());
    }
    if namespace.is_empty() {
        object.set_meta("namespace", None);
        return Ok(());
    }
    let message = "the namespace of the provided object does not match the namespace sent on the request";
    Err(Status::bad_request(message))
}

/// The key under which the real server would keep the object.
fn storage_key(resource: &Resource, object: &Object) -> String {
    let (group, plural) = (&resource.kind.group, &resource.kind.plural);
    let group = if resource.is_custom() { format!("{group}/") } else { String::new() };
    let namespace = object.namespace();
    let namespace = if namespace.is_empty() { String::new() } else { format!("{namespace}/") };
    format!("/registry/{group}{plural}/{namespace}{}", object.name())
}

/// Checks uid and version that a client who deletes expects an object to have.
pub(crate) fn check_deletable(
    resource: &Resource,
    object: &Object,
    uid: Option<&str>,
    version: Option<&str>,
) -> Result<(), Status> {
    let subject = Subject { group: &resource.kind.group, resource: &resource.kind.kind };
    let conflict = |field: &str, expected: &str, found: &str, end: &str| {
        let why = format!(
            "the {field} in the precondition ({expected}) does not match the {field} in record ({found}). \
             The object might have been {end}"
        );
        Status::conflict(subject, object.name(), &why)
    };
    match (uid, version) {
        (Some(uid), _) if uid != object.uid() => {
            Err(conflict("UID", uid, object.uid(), "deleted and then recreated"))
        }
        (_, Some(version)) if version != object.version() => {
            Err(conflict("ResourceVersion", version, object.version(), "modified"))
        }
        _ => Ok(()),
    }
}

/// Checks uid and version that a client expects an object to have.
pub(crate) fn check_preconditions(
    resource: &Resource,
    object: &Object,
    uid: Option<&str>,
    version: Option<&str>,
) -> Result<(), Status> {
    let conflict = |field: &str, expected: &str, found: &str| {
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: {}, ResourceVersion: 0, AdditionalErrorMsg: \
             Precondition failed: {field} in precondition: {expected}, {field} in object meta: {found}",
            storage_key(resource, object)
        );
        Status::conflict(Subject::resource(&resource.kind), object.name(), &why)
    };
    match (uid, version) {
        (Some(uid), _) if uid != object.uid() => Err(conflict("UID", uid, object.uid())),
        (_, Some(version)) if version != object.version() => {
            Err(conflict("ResourceVersion", version, object.version()))
        }
        _ => Ok(()),
    }
}

fn common(object: &Object, errors: &mut Vec<FieldError>) {
    labels(object, errors);
    annotations(object, errors);
    owners(object, errors);
}

fn strings<'a>(object: &'a Object, name: &str) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
    let entries = object.meta(name).and_then(Value::as_object).into_iter().flatten();
    entries.map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default()))
}

fn labels(object: &Object, errors: &mut Vec<FieldError>) {
    for (key, value) in strings(object, "labels") {
        errors.extend(qualified(key).into_iter().map(|it| invalid("metadata.labels", key, it)));
        errors.extend(label_value(value).into_iter().map(|it| invalid("metadata.labels", value, it)));
    }
}

fn annotations(object: &Object, errors: &mut Vec<FieldError>) {
    let mut size = 0;
    for (key, value) in strings(object, "annotations") {
        let complaints = qualified(&key.to_lowercase()).into_iter();
        errors.extend(complaints.map(|it| invalid("metadata.annotations", key, it)));
        size += key.len() + value.len();
    }
    if size > ANNOTATIONS_LIMIT {
        errors.push(too_long("metadata.annotations", ANNOTATIONS_LIMIT));
    }
}

fn finalizers(object: &Object, errors: &mut Vec<FieldError>) {
    for name in object.finalizers() {
        errors.extend(qualified(name).into_iter().map(|it| invalid("metadata.finalizers", name, it)));
    }
    let has = |wanted: &str| object.finalizers().any(|it| it == wanted);
    if has("orphan") && has("foregroundDeletion") {
        let value = object.meta("finalizers").cloned().unwrap_or_default();
        let detail = "finalizer orphan and foregroundDeletion cannot be both set";
        errors.push(invalid("metadata.finalizers", value, detail));
    }
}

const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// Finalizers of built-in kinds belong to Kubernetes or to a domain.
fn kube_finalizers(resource: &Resource, object: &Object, errors: &mut Vec<FieldError>) {
    if resource.is_custom() || resource.strategy == Strategy::Definition {
        return;
    }
    for (index, name) in object.finalizers().enumerate() {
        if !name.contains('/') && !STANDARD_FINALIZERS.contains(&name) {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            errors.push(invalid(&format!("metadata.finalizers[{index}]"), name, detail));
        }
    }
}

fn owners(object: &Object, errors: &mut Vec<FieldError>) {
    let path = "metadata.ownerReferences";
    let mut controller = None;
    for owner in object.owners() {
        owner_errors(owner, path, errors);
        if owner.get("controller") != Some(&Value::Bool(true)) {
            continue;
        }
        let name = format!("{}/{}", field(owner, "kind"), field(owner, "name"));
        match &controller {
            None => controller = Some(name),
            Some(first) => {
                let value = BadValue::Printed(owners_text(object));
                let detail = format!(
                    "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {name}"
                );
                errors.push(FieldError { kind: ErrorKind::Invalid, path: path.to_owned(), value, detail });
            }
        }
    }
}

/// The owners as JSON, with their fields in the order in which the real server writes them.
fn owners_text(object: &Object) -> String {
    const FIELDS: [&str; 6] = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];
    let owner = |owner: &Value| {
        let fields = FIELDS.iter().filter_map(|name| Some(format!("\"{name}\":{}", owner.get(name)?)));
        format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
    };
    format!("[{}]", object.owners().map(owner).collect::<Vec<_>>().join(","))
}

fn owner_errors(owner: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let api_version = field(owner, "apiVersion");
    let details = [
        ("apiVersion", "version must not be empty"),
        ("kind", "must not be empty"),
        ("name", "must not be empty"),
        ("uid", "must not be empty"),
    ];
    for (name, detail) in details {
        if field(owner, name).is_empty() {
            errors.push(invalid(&format!("{path}.{name}"), "", detail));
        }
    }
    if api_version == "v1" && field(owner, "kind") == "Event" {
        errors.push(invalid(path, owner.clone(), "/v1, Kind=Event is disallowed from being an owner"));
    }
}

fn field<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Longest name of a manager, and of a subresource it writes.
const MAX_MANAGER: usize = 128;
const MAX_SUBRESOURCE: usize = 256;

fn managers(object: &Object, errors: &mut Vec<FieldError>) {
    let entries = object.meta("managedFields").and_then(Value::as_array).into_iter().flatten();
    for (index, entry) in entries.enumerate() {
        let path = format!("metadata.managedFields[{index}]");
        let operation = field(entry, "operation");
        if !matches!(operation, "Apply" | "Update") {
            let detail = "must be `Apply` or `Update`";
            errors.push(invalid(&format!("{path}.operation"), operation, detail));
        }
        let fields_type = field(entry, "fieldsType");
        if !matches!(fields_type, "" | "FieldsV1") {
            errors.push(invalid(&format!("{path}.fieldsType"), fields_type, "must be `FieldsV1`"));
        }
        for (name, limit) in [("manager", MAX_MANAGER), ("subresource", MAX_SUBRESOURCE)] {
            if field(entry, name).len() > limit {
                let detail = format!("may not be more than {limit} bytes");
                let (path, value) = (format!("{path}.{name}"), BadValue::Omitted);
                errors.push(FieldError { kind: ErrorKind::TooLong, path, value, detail });
            }
        }
    }
}
