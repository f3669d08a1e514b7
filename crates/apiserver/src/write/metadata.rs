//! What the server demands of the metadata of every object.

use krono_schema::{BadValue, ErrorKind, FieldError};
use serde_json::Value;

use super::names::name_complaints;
use crate::builtin;
use crate::object::Object;
use crate::resource::Resource;
use crate::status::{Status, Subject};

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

/// What is wrong with the metadata of an object.
pub(crate) fn errors(resource: &Resource, object: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let name = object.name();
    if name.is_empty() {
        errors.push(required("metadata.name", "name or generateName is required"));
    } else {
        let complaints = name_complaints(&resource.kind, name).into_iter();
        errors.extend(complaints.map(|it| invalid("metadata.name", name, it)));
    }
    labels(object, &mut errors);
    annotations(object, &mut errors);
    owners(object, &mut errors);
    finalizers(resource, object, &mut errors);
    errors
}

/// What may not change in the metadata of an object.
pub(crate) fn update_errors(new: &Object, old: &Object) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for name in ["name", "namespace", "uid", "creationTimestamp"] {
        if new.meta(name) != old.meta(name) {
            let value = new.meta(name).cloned().unwrap_or_default();
            errors.push(invalid(&format!("metadata.{name}"), value, "field is immutable"));
        }
    }
    if old.is_deleting() {
        let added: Vec<&str> =
            new.finalizers().filter(|it| !old.finalizers().any(|before| before == *it)).collect();
        if !added.is_empty() {
            let detail = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                added.iter().map(|it| format!("{it:?}")).collect::<Vec<_>>().join(", ")
            );
            errors.push(forbidden("metadata.finalizers", &detail));
        }
    }
    errors
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

fn strings<'a>(object: &'a Object, name: &str) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
    let entries = object.meta(name).and_then(Value::as_object).into_iter().flatten();
    entries.map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default()))
}

fn labels(object: &Object, errors: &mut Vec<FieldError>) {
    for (key, value) in strings(object, "labels") {
        errors.extend(builtin::key_complaints(key).into_iter().map(|it| invalid("metadata.labels", key, it)));
        if !is_label_value(value) {
            errors.push(invalid("metadata.labels", value, LABEL_VALUE));
        }
    }
}

fn annotations(object: &Object, errors: &mut Vec<FieldError>) {
    let mut size = 0;
    for (key, value) in strings(object, "annotations") {
        let complaints = builtin::key_complaints(&key.to_lowercase()).into_iter();
        errors.extend(complaints.map(|it| invalid("metadata.annotations", key, it)));
        size += key.len() + value.len();
    }
    if size > ANNOTATIONS_LIMIT {
        errors.push(too_long("metadata.annotations", ANNOTATIONS_LIMIT));
    }
}

fn finalizers(resource: &Resource, object: &Object, errors: &mut Vec<FieldError>) {
    for name in object.finalizers() {
        errors.extend(
            builtin::key_complaints(name).into_iter().map(|it| invalid("metadata.finalizers", name, it)),
        );
    }
    let standard = ["orphan", "foregroundDeletion", "kubernetes"];
    let unknown =
        object.finalizers().enumerate().filter(|(_, it)| !it.contains('/') && !standard.contains(it));
    for (index, name) in unknown.filter(|_| !resource.is_custom()) {
        let detail = "name is neither a standard finalizer name nor is it fully qualified";
        errors.push(invalid(&format!("metadata.finalizers[{index}]"), name, detail));
    }
}

fn owners(object: &Object, errors: &mut Vec<FieldError>) {
    for owner in object.owners() {
        for (name, detail) in [
            ("apiVersion", "version must not be empty"),
            ("kind", "must not be empty"),
            ("name", "must not be empty"),
            ("uid", "must not be empty"),
        ] {
            if owner.get(name).and_then(Value::as_str).is_none_or(str::is_empty) {
                let path = format!("metadata.ownerReferences.{name}");
                errors.push(invalid(&path, "", detail));
            }
        }
    }
    let controls = |it: &&Value| it.get("controller").and_then(Value::as_bool).unwrap_or(false);
    let controllers: Vec<&Value> = object.owners().filter(controls).collect();
    if let [first, second, ..] = controllers[..] {
        let text = |owner: &Value, field: &str| {
            owner.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let name = |owner: &Value| format!("{}/{}", text(owner, "kind"), text(owner, "name"));
        let detail = format!(
            "Only one reference can have Controller set to true. Found \"true\" in references for {} and {}",
            name(first),
            name(second)
        );
        let owners = object.meta("ownerReferences").cloned().unwrap_or_default();
        errors.push(invalid("metadata.ownerReferences", owners, detail));
    }
}

const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
     must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
     validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

fn is_label_value(text: &str) -> bool {
    text.len() <= 63 && is_made_of_name_characters(text)
}

fn is_made_of_name_characters(text: &str) -> bool {
    let bytes = text.as_bytes();
    let end = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_alphanumeric);
    end(bytes.first())
        && end(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}
