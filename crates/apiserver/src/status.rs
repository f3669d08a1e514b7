//! What went wrong (or well), as a Kubernetes `Status`, worded as the real server words it.

use krono_schema::FieldError;
use serde_json::{Map, Value, json};

use crate::kind::Kind;

/// A failure that becomes a `Status` on the wire.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Status {
    /// The HTTP status code.
    pub code: u16,
    /// The machine-readable reason; empty where the real server gives none.
    pub reason: &'static str,
    /// What happened, for people.
    pub message: String,
    /// What it happened to.
    pub details: Option<Box<Details>>,
}

/// What a [`Status`] is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// The name of the object.
    pub name: String,
    /// The API group.
    pub group: String,
    /// The resource, or the kind for invalid objects.
    pub kind: String,
    /// The uid of the object.
    pub uid: String,
    /// One entry per thing that is wrong.
    pub causes: Vec<Cause>,
    /// When to try again, in seconds; 0 for no advice.
    pub retry_after_seconds: u32,
}

/// One thing that is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// The machine-readable reason.
    pub reason: String,
    /// What is wrong, for people.
    pub message: String,
    /// The field to blame.
    pub field: String,
}

/// A resource as messages name it: `deployments.apps`, or `configmaps` in the core group.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The API group.
    pub group: &'a str,
    /// The resource (or kind).
    pub resource: &'a str,
}

impl<'a> Subject<'a> {
    /// The resource of a kind.
    pub fn resource(kind: &'a Kind) -> Self {
        Self { group: &kind.group, resource: &kind.plural }
    }

    fn qualified(self) -> String {
        if self.group.is_empty() {
            self.resource.to_owned()
        } else {
            format!("{}.{}", self.resource, self.group)
        }
    }

    fn details(self, name: &str) -> Details {
        Details {
            name: name.to_owned(),
            group: self.group.to_owned(),
            kind: self.resource.to_owned(),
            ..Details::default()
        }
    }
}

impl Status {
    fn new(code: u16, reason: &'static str, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), details: None }
    }

    fn with(self, details: Details) -> Self {
        Self { details: Some(Box::new(details)), ..self }
    }

    /// 404: there is no such object.
    pub fn not_found(subject: Subject<'_>, name: &str) -> Self {
        let message = format!("{} {name:?} not found", subject.qualified());
        Self::new(404, "NotFound", message).with(subject.details(name))
    }

    /// 409: the name is taken.
    pub fn already_exists(subject: Subject<'_>, name: &str) -> Self {
        let message = format!("{} {name:?} already exists", subject.qualified());
        Self::new(409, "AlreadyExists", message).with(subject.details(name))
    }

    /// 409: the object is not in the state the request supposes.
    pub fn conflict(subject: Subject<'_>, name: &str, why: &str) -> Self {
        let message = format!("Operation cannot be fulfilled on {} {name:?}: {why}", subject.qualified());
        Self::new(409, "Conflict", message).with(subject.details(name))
    }

    /// 409: the object was changed since it was read.
    pub fn modified(subject: Subject<'_>, name: &str) -> Self {
        let why =
            "the object has been modified; please apply your changes to the latest version and try again";
        Self::conflict(subject, name, why)
    }

    /// 409: other managers own fields that were applied.
    pub fn apply_conflict(message: impl Into<String>, causes: Vec<Cause>) -> Self {
        Self::new(409, "Conflict", message).with(Details { causes, ..Details::default() })
    }

    /// 422: the object breaks rules.
    pub fn invalid(kind: &Kind, name: &str, errors: &[FieldError]) -> Self {
        // Events of both APIs are one kind to the server.
        let group = if crate::events::is_event(kind) { "" } else { &kind.group };
        Self::invalid_as(Subject { group, resource: &kind.kind }, name, errors)
    }

    /// 422: the object, of the kind that `subject` names, breaks rules.
    pub fn invalid_as(subject: Subject<'_>, name: &str, errors: &[FieldError]) -> Self {
        let message = format!("{} {name:?} is invalid{}", subject.qualified(), aggregate(errors));
        let causes = errors.iter().map(cause).collect();
        Self::new(422, "Invalid", message).with(Details { causes, ..subject.details(name) })
    }

    /// 422: a replacement must name the version it replaces.
    pub fn version_needed(subject: Subject<'_>, name: &str) -> Self {
        let (field, why) = ("metadata.resourceVersion", "Invalid value: 0: must be specified for an update");
        let message = format!("{} {name:?} is invalid: {field}: {why}", subject.qualified());
        let cause = Cause {
            reason: "FieldValueInvalid".to_owned(),
            message: why.to_owned(),
            field: field.to_owned(),
        };
        Self::new(422, "Invalid", message).with(Details { causes: vec![cause], ..subject.details(name) })
    }

    /// 422: a patch does not fit the object.
    pub fn unprocessable() -> Self {
        let message = "the server rejected our request due to an error in our request";
        Self::new(422, "Invalid", message).with(Details::default())
    }

    /// 413: the request asks for too much.
    pub fn too_much(message: impl Into<String>) -> Self {
        Self::new(413, "RequestEntityTooLarge", message)
    }

    /// 422: a review breaks rules; the real server has forgotten its kind by then.
    pub fn invalid_review(group: &str, errors: &[FieldError]) -> Self {
        let message = format!(".{group} \"\" is invalid{}", aggregate(errors));
        let causes = errors.iter().map(cause).collect();
        let group = group.to_owned();
        Self::new(422, "Invalid", message).with(Details { group, causes, ..Details::default() })
    }

    /// 400: the request makes no sense.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(400, "BadRequest", message)
    }

    /// 422: options of a list or watch that do not go together.
    pub fn list_options_invalid(message: &str) -> Self {
        let kind = "ListOptions".to_owned();
        let group = "meta.k8s.io".to_owned();
        let field = message.split(':').next().unwrap_or_default().to_owned();
        let text = message.split_once(": ").map_or(message, |(_, text)| text).to_owned();
        let causes = vec![Cause { reason: "FieldValueForbidden".to_owned(), message: text, field }];
        let message = format!("ListOptions.meta.k8s.io \"\" is invalid: {message}");
        Self::new(422, "Invalid", message).with(Details { group, kind, causes, ..Details::default() })
    }

    /// 422: options of a request, such as `PatchOptions`, that break rules.
    pub fn invalid_options(kind: &str, errors: &[FieldError]) -> Self {
        let subject = Subject { group: "meta.k8s.io", resource: kind };
        let message = format!("{} \"\" is invalid{}", subject.qualified(), aggregate(errors));
        let causes = errors.iter().map(cause).collect();
        Self::new(422, "Invalid", message).with(Details { causes, ..subject.details("") })
    }

    /// 422: a patch makes something that is no object of its kind.
    pub fn invalid_patch(errors: &[FieldError]) -> Self {
        let causes = errors.iter().map(cause).collect();
        let message = format!(" \"\" is invalid{}", aggregate(errors));
        Self::new(422, "Invalid", message).with(Details { causes, ..Details::default() })
    }

    /// 404 where the group version is known but has no such resource.
    pub fn no_such_resource() -> Self {
        let message = "the server could not find the requested resource";
        Self::new(404, "NotFound", message).with(Details::default())
    }

    /// 415: a patch in a format that is none.
    pub fn unsupported_patch() -> Self {
        let message = "415: Unsupported Media Type";
        Self::new(415, "UnsupportedMediaType", message).with(Details::default())
    }

    /// 401: we do not know who asks.
    pub fn unauthorized() -> Self {
        Self::new(401, "Unauthorized", "Unauthorized")
    }

    /// 403: this is not allowed.
    pub fn forbidden(subject: Subject<'_>, name: &str, why: &str) -> Self {
        let message = if name.is_empty() {
            format!("{} is forbidden: {why}", subject.qualified())
        } else {
            format!("{} {name:?} is forbidden: {why}", subject.qualified())
        };
        Self::new(403, "Forbidden", message).with(subject.details(name))
    }

    /// 403: the roles of the user do not allow it.
    pub fn access_denied(group: &str, resource: &str, name: &str, message: String) -> Self {
        let subject = Subject { group, resource };
        Self::new(403, "Forbidden", message).with(subject.details(name))
    }

    /// 403 with a cause, as the namespace lifecycle gives it.
    pub fn forbidden_because(subject: Subject<'_>, name: &str, why: &str, cause: Cause) -> Self {
        let mut status = Self::forbidden(subject, name, why);
        if let Some(details) = &mut status.details {
            details.causes.push(cause);
        }
        status
    }

    /// 405: the resource has no such verb.
    pub fn method_not_allowed(subject: Subject<'_>, action: &str) -> Self {
        let message = format!("{action} is not supported on resources of kind {:?}", subject.qualified());
        Self::new(405, "MethodNotAllowed", message).with(subject.details(""))
    }

    /// 405 without a resource.
    pub fn method_not_allowed_here() -> Self {
        let message = "the server does not allow this method on the requested resource";
        Self::new(405, "MethodNotAllowed", message).with(Details::default())
    }

    /// 406: nothing we can write is acceptable.
    pub fn not_acceptable() -> Self {
        let message = "only the following media types are accepted: application/json, \
                       application/json;as=Table;g=meta.k8s.io;v=v1, \
                       application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
        Self::new(406, "NotAcceptable", message)
    }

    /// 415: the body is in a format we do not read.
    pub fn unsupported_media_type(accepted: &[&str]) -> Self {
        let message = format!(
            "the body of the request was in an unknown format - accepted media types include: {}",
            accepted.join(", ")
        );
        Self::new(415, "UnsupportedMediaType", message)
    }

    /// 413: the body is too large.
    pub fn too_large(limit: usize) -> Self {
        let message = format!("Request entity is too large: limit is {limit}");
        Self::new(413, "RequestEntityTooLarge", message)
    }

    /// 410: the version asked for is forgotten.
    pub fn expired(message: impl Into<String>) -> Self {
        Self::new(410, "Expired", message)
    }

    /// 429: try again in a moment.
    pub fn too_many_requests(message: impl Into<String>, retry_after_seconds: u32) -> Self {
        let details = Details { retry_after_seconds, ..Details::default() };
        Self::new(429, "TooManyRequests", message).with(details)
    }

    /// 504: the version asked for lies in the future.
    pub fn version_too_large(asked: u64, current: u64) -> Self {
        let message = format!("Timeout: Too large resource version: {asked}, current: {current}");
        let cause = Cause {
            reason: "ResourceVersionTooLarge".to_owned(),
            message: "Too large resource version".to_owned(),
            field: String::new(),
        };
        let details = Details { causes: vec![cause], retry_after_seconds: 1, ..Details::default() };
        Self::new(504, "Timeout", message).with(details)
    }

    /// 501: the server knows what is meant, but does not do it.
    pub fn not_implemented(message: impl Into<String>) -> Self {
        Self::new(501, "NotImplemented", message)
    }

    /// 500: our own fault.
    pub fn internal(why: impl std::fmt::Display) -> Self {
        let cause = Cause { message: why.to_string(), ..Cause::default() };
        let details = Details { causes: vec![cause], ..Details::default() };
        Self::new(500, "InternalError", format!("Internal error occurred: {why}")).with(details)
    }

    /// 500 without a reason: what the real server says of errors that its storage did not expect.
    pub fn unknown(message: impl Into<String>) -> Self {
        Self::new(500, "", message)
    }

    /// Of a refusal to take something for an object of a kind: why.
    pub(crate) fn reason_of_kind(&self) -> &str {
        let why = self.message.split_once(" cannot be handled as a ").map_or("", |(_, rest)| rest);
        why.split_once(": ").map_or(self.message.as_str(), |(_, why)| why)
    }

    /// The JSON of the `Status`.
    pub fn to_value(&self) -> Value {
        let mut fields = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": self.message, "code": self.code,
        });
        if !self.reason.is_empty() {
            fields["reason"] = self.reason.into();
        }
        if let Some(details) = &self.details {
            fields["details"] = details.to_value();
        }
        fields
    }
}

/// The `Status` of something done well, such as a deletion.
pub fn success(details: &Details) -> Value {
    json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details.to_value(),
    })
}

impl Details {
    fn to_value(&self) -> Value {
        let mut fields = Map::new();
        let texts = [("name", &self.name), ("group", &self.group), ("kind", &self.kind), ("uid", &self.uid)];
        for (name, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
            fields.insert(name.to_owned(), text.as_str().into());
        }
        if !self.causes.is_empty() {
            fields.insert("causes".to_owned(), self.causes.iter().map(Cause::to_value).collect());
        }
        if self.retry_after_seconds > 0 {
            fields.insert("retryAfterSeconds".to_owned(), self.retry_after_seconds.into());
        }
        Value::Object(fields)
    }
}

impl Cause {
    fn to_value(&self) -> Value {
        let texts = [("reason", &self.reason), ("message", &self.message), ("field", &self.field)];
        let present = texts.into_iter().filter(|(_, text)| !text.is_empty());
        present.map(|(name, text)| (name.to_owned(), Value::from(text.as_str()))).collect()
    }
}

fn cause(error: &FieldError) -> Cause {
    let field = if error.path.is_empty() { "<nil>" } else { &error.path };
    Cause { reason: error.kind.cause().to_owned(), message: error.body(), field: field.to_owned() }
}

/// Several errors stand in brackets, one stands alone; repetitions are said once.
fn aggregate(errors: &[FieldError]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in errors.iter().map(ToString::to_string) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    match lines.as_slice() {
        [] => String::new(),
        [line] => format!(": {line}"),
        lines => format!(": [{}]", lines.join(", ")),
    }
}
