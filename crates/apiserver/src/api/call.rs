//! One request about objects.

use std::sync::Arc;

use bytes::Bytes;
use http::request::Parts;
use serde_json::Value;

use crate::accept::{Form, negotiate};
use crate::input::{Format, Input};
use crate::protobuf;
use crate::query::Query;
use crate::rbac::User;
use crate::render::Renderer;
use crate::request::Target;
use crate::resource::Resource;
use crate::status::Status;
use crate::storage;
use crate::strategy::Strategy;
use crate::write::update::Part;

/// The part of an object a path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subresource {
    None,
    Status,
    Scale,
    Finalize,
    Binding,
}

impl Subresource {
    /// The name in paths; empty for the object itself.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Status => "status",
            Self::Scale => "scale",
            Self::Finalize => "finalize",
            Self::Binding => "binding",
        }
    }

    pub(crate) fn of(resource: &Resource, name: Option<&str>) -> Option<Self> {
        match name {
            None => Some(Self::None),
            Some("status") if resource.kind.has_status => Some(Self::Status),
            Some("scale") if resource.kind.scale.is_some() => Some(Self::Scale),
            Some("binding") if resource.strategy == Strategy::Pod => Some(Self::Binding),
            Some("finalize") if &*resource.kind.kind == "Namespace" => Some(Self::Finalize),
            Some(_) => None,
        }
    }
}

/// One request about objects of one kind.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) resource: Arc<Resource>,
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
    pub(crate) subresource: Subresource,
    pub(crate) query: Query,
    pub(crate) form: Form,
    pub(crate) body: Bytes,
    pub(crate) content_type: Option<String>,
    pub(crate) user_agent: String,
    pub(crate) user: Arc<User>,
}

impl Call {
    pub(crate) fn new(
        resource: Arc<Resource>,
        target: Target,
        subresource: Subresource,
        query: Query,
        user: Arc<User>,
        request: (&Parts, Bytes),
    ) -> Result<Self, Status> {
        let (parts, body) = request;
        let header = |name: http::HeaderName| {
            parts.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let accept = header(http::header::ACCEPT);
        Ok(Self {
            resource,
            namespace: target.namespace,
            name: target.name.unwrap_or_default(),
            subresource,
            query,
            form: negotiate(accept.as_deref(), &[Form::Object, Form::Table, Form::Metadata])?,
            body,
            content_type: header(http::header::CONTENT_TYPE),
            user_agent: header(http::header::USER_AGENT).unwrap_or_default(),
            user,
        })
    }

    /// How objects are written for this request.
    pub(crate) fn renderer(&self) -> Renderer<'_> {
        let (form, include) = (self.form, self.query.include_object);
        Renderer { resource: &self.resource, form, include, now: crate::world::now() }
    }

    /// The key of the object the path names.
    pub(crate) fn key(&self) -> String {
        storage::key(&self.resource, self.namespace.as_deref().unwrap_or_default(), &self.name)
    }

    /// What the keys of the collection begin with.
    pub(crate) fn collection(&self) -> String {
        storage::collection(&self.resource, self.namespace.as_deref())
    }

    pub(crate) fn part(&self) -> Part {
        match self.subresource {
            Subresource::Status => Part::Status,
            Subresource::None | Subresource::Scale | Subresource::Finalize | Subresource::Binding => {
                Part::Main
            }
        }
    }

    fn protobuf(&self) -> Result<Input, Status> {
        let decoded = protobuf::decode_as(&self.body, self.resource.api_version(), &self.resource.kind.kind);
        let mut value = decoded.map_err(|error| Status::bad_request(error.to_string()))?;
        drop_nulls(&mut value);
        Ok(Input { value, duplicates: Vec::new() })
    }

    /// The body, decoded.
    pub(crate) fn input(&self) -> Result<Input, Status> {
        match Format::of(self.content_type.as_deref()) {
            Some(Format::Json) => Input::json(&self.body),
            Some(Format::Yaml) => Input::yaml(&self.body),
            Some(Format::Protobuf) if !self.resource.is_custom() => self.protobuf(),
            Some(Format::Protobuf) | None => {
                Err(Status::unsupported_media_type(&["application/json", "application/yaml"]))
            }
        }
    }
}

/// Protobuf has no null: what is there is absent.
fn drop_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
