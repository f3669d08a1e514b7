//! What the server demands of the metadata of every object.

use krono_schema::{BadValue, ErrorKind, FieldError};
use serde_json::Value;

use crate::object::Object;
use crate::resource::Resource;
use crate::status::{Status, Subject};

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
