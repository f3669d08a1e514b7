//! What the server demands of the metadata of every object.

use krono_schema::{BadValue, ErrorKind, FieldError};
use serde_json::Value;

use super::names::name_complaints;
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
    finalizers(object, &mut errors);
    owners(object, &mut errors);
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

/// Checks uid and version that a client expects an object to have.
pub(crate) fn check_preconditions(
    resource: &Resource,
    object: &Object,
    uid: Option<&str>,
    version: Option<&str>,
) -> Result<(), Status> {
    let conflict = |field: &str, expected: &str, found: &str| {
        let why = format!(
            "Precondition failed: {field} in precondition: {expected}, {field} in object meta: {found}"
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
        if !is_qualified_name(key) {
            errors.push(invalid("metadata.labels", key, QUALIFIED_NAME));
        }
        if !is_label_value(value) {
            errors.push(invalid("metadata.labels", value, LABEL_VALUE));
        }
    }
}

fn annotations(object: &Object, errors: &mut Vec<FieldError>) {
    let mut size = 0;
    for (key, value) in strings(object, "annotations") {
        if !is_qualified_name(&key.to_lowercase()) {
            errors.push(invalid("metadata.annotations", key, QUALIFIED_NAME));
        }
        size += key.len() + value.len();
    }
    if size > ANNOTATIONS_LIMIT {
        let detail = format!("may not be more than {ANNOTATIONS_LIMIT} bytes");
        let path = "metadata.annotations".to_owned();
        errors.push(FieldError { kind: ErrorKind::TooLong, path, value: BadValue::Omitted, detail });
    }
}

fn finalizers(object: &Object, errors: &mut Vec<FieldError>) {
    for name in object.finalizers().filter(|name| !is_qualified_name(name)) {
        errors.push(invalid("metadata.finalizers", name, QUALIFIED_NAME));
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
}

const QUALIFIED_NAME: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end \
     with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is \
     '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const LABEL_VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and \
     must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
     validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

fn is_qualified_name(text: &str) -> bool {
    let (prefix, name) = text.split_once('/').unwrap_or(("x", text));
    let prefixed = prefix.split('.').all(|part| !part.is_empty() && is_label_value(&part.to_lowercase()));
    prefix.len() <= 253 && prefixed && !name.is_empty() && is_label_value(name)
}

fn is_label_value(text: &str) -> bool {
    let bytes = text.as_bytes();
    let end = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_alphanumeric);
    text.len() <= 63
        && end(bytes.first())
        && end(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
}
