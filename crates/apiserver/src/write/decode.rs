//! A body turned into an object of the kind it was sent to.

use krono_schema::go_text::json_kind;
use serde_json::Value;

use super::{metadata, types};
use crate::input::Input;
use crate::object::Object;
use crate::query::FieldValidation;
use crate::resource::Resource;
use crate::status::{Status, Subject};

/// How much of a body is shown to who sent it.
const SHOWN: usize = 30;

/// An object, and what its author should know.
#[derive(Debug)]
pub(crate) struct Decoded {
    /// The object, without fields its kind does not know, with its defaults.
    pub(crate) object: Object,
    /// Warnings for the client.
    pub(crate) warnings: Vec<String>,
}

/// Turns a body into an object of this kind.
pub(crate) fn decode(
    resource: &Resource,
    input: Input,
    validation: FieldValidation,
) -> Result<Decoded, Status> {
    if !resource.is_custom()
        && let Some(mistake) = types::mistake(resource.kind.schema.get(), &input.value)
    {
        return Err(cannot_be_handled(resource, &mistake));
    }
    decode_untyped(resource, input, validation)
}

/// Turns a body into an object of this kind whose types are checked elsewhere.
pub(crate) fn decode_untyped(
    resource: &Resource,
    input: Input,
    validation: FieldValidation,
) -> Result<Decoded, Status> {
    let mut object = as_object(resource, input.value)?;
    check_kind(resource, &mut object)?;
    let unknown = resource.prune(&mut object);
    let duplicates = input.duplicates.iter().map(|path| format!("duplicate field {path:?}"));
    let complaints: Vec<String> =
        duplicates.chain(unknown.iter().map(|path| krono_schema::unknown_field(path))).collect();
    if validation == FieldValidation::Strict && !complaints.is_empty() {
        return Err(strict_error(resource, &complaints));
    }
    resource.default(&mut object);
    let warnings = if validation == FieldValidation::Warn { complaints } else { Vec::new() };
    Ok(Decoded { object, warnings })
}

/// Turns what an apply made into an object of this kind.
pub(crate) fn applied(resource: &Resource, value: Value) -> Result<Object, Status> {
    let mut object = as_object(resource, value)?;
    check_kind(resource, &mut object)?;
    resource.prune(&mut object);
    resource.default_applied(&mut object);
    Ok(object)
}

/// Refuses or warns of fields that are given twice.
pub(crate) fn duplicates(
    resource: &Resource,
    input: &Input,
    validation: FieldValidation,
) -> Result<Vec<String>, Status> {
    let complaints: Vec<String> =
        input.duplicates.iter().map(|path| format!("duplicate field {path:?}")).collect();
    match validation {
        FieldValidation::Strict if !complaints.is_empty() => Err(strict_error(resource, &complaints)),
        FieldValidation::Warn => Ok(complaints),
        FieldValidation::Strict | FieldValidation::Ignore => Ok(Vec::new()),
    }
}

fn as_object(resource: &Resource, value: Value) -> Result<Object, Status> {
    let found = json_kind(&value);
    Object::new(value).ok_or_else(|| {
        let why = format!("json: cannot unmarshal {found} into Go value of type v1.{}", resource.kind.kind);
        cannot_be_handled(resource, &why)
    })
}

/// Built-in kinds may leave out what the path says already; custom ones may not.
fn check_kind(resource: &Resource, object: &mut Object) -> Result<(), Status> {
    for (name, expected) in [("kind", &*resource.kind.kind), ("apiVersion", resource.api_version())] {
        if object.text(name).is_empty() {
            if resource.is_custom() && name == "kind" {
                return Err(missing_kind(resource, object));
            }
            object.set(name, Some(expected.into()));
        }
    }
    if object.text("apiVersion") != resource.api_version() {
        let message = format!(
            "the API version in the data ({}) does not match the expected API version ({})",
            object.text("apiVersion"),
            resource.api_version()
        );
        return Err(Status::bad_request(message));
    }
    let kind = object.text("kind");
    if kind != &*resource.kind.kind && resource.is_custom() {
        let error = metadata::invalid("kind", kind, format!("must be {}", resource.kind.kind));
        let subject = Subject { group: &resource.kind.group, resource: kind };
        return Err(Status::invalid_as(subject, object.name(), &[error]));
    }
    if kind != &*resource.kind.kind {
        let message = format!(
            "{kind} in version {:?} cannot be handled as a {}",
            resource.kind.version, resource.kind.kind
        );
        return Err(Status::bad_request(message));
    }
    Ok(())
}

fn missing_kind(resource: &Resource, object: &Object) -> Status {
    let text = object.value().to_string();
    let mut start: String = text.chars().take(SHOWN).collect();
    if start.len() < text.len() {
        start.push_str(" ...");
    }
    Status::bad_request(format!(
        "the object provided is unrecognized (must be of type {}): Object 'Kind' is missing in '{text}' ({start})",
        resource.kind.kind
    ))
}

fn strict_error(resource: &Resource, complaints: &[String]) -> Status {
    cannot_be_handled(resource, &format!("strict decoding error: {}", complaints.join(", ")))
}

/// The body is no object of the kind.
fn cannot_be_handled(resource: &Resource, why: &str) -> Status {
    let kind = &resource.kind;
    Status::bad_request(format!(
        "{} in version {:?} cannot be handled as a {}: {why}",
        kind.kind, kind.version, kind.kind
    ))
}
