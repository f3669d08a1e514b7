//! An answer before it becomes HTTP.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, ETAG, HeaderName, HeaderValue, RETRY_AFTER, VARY, WARNING};
use http::{Response, StatusCode};
use serde_json::Value;

use crate::body::Body;
use crate::status::Status;

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    code: u16,
    content_type: &'static str,
    etag: Option<String>,
    warnings: Vec<String>,
    body: Body,
}

impl Reply {
    pub(crate) fn json(code: u16, bytes: impl Into<Bytes>) -> Self {
        let body = Body::whole(bytes);
        Self { code, content_type: "application/json", etag: None, warnings: Vec::new(), body }
    }

    pub(crate) fn value(code: u16, value: &Value) -> Self {
        Self::json(code, value.to_string())
    }

    pub(crate) fn text(code: u16, text: &'static str) -> Self {
        Self { content_type: "text/plain; charset=utf-8", ..Self::json(code, text) }
    }

    /// Without a body.
    pub(crate) fn bare(code: u16) -> Self {
        Self::json(code, Bytes::new()).with_content_type("")
    }

    pub(crate) fn stream(body: Body) -> Self {
        Self { body, ..Self::json(200, Bytes::new()) }
    }

    pub(crate) fn not_modified() -> Self {
        Self::json(304, Bytes::new())
    }

    pub(crate) fn with_content_type(self, content_type: &'static str) -> Self {
        Self { content_type, ..self }
    }

    pub(crate) fn with_etag(self, etag: String) -> Self {
        Self { etag: Some(etag), ..self }
    }

    pub(crate) fn with_warnings(mut self, warnings: Vec<String>) -> Self {
        self.warnings.extend(warnings);
        self
    }

    pub(crate) fn into_response(self) -> Response<Body> {
        let mut response = Response::new(self.body);
        *response.status_mut() = StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = response.headers_mut();
        if !self.content_type.is_empty() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.content_type));
        }
        headers
            .insert(HeaderName::from_static("cache-control"), HeaderValue::from_static("no-cache, private"));
        if let Some(etag) = self.etag.and_then(|etag| HeaderValue::try_from(etag).ok()) {
            headers.insert(ETAG, etag);
            headers.insert(VARY, HeaderValue::from_static("Accept"));
        }
        for warning in self.warnings.iter().filter_map(|text| warning_header(text)) {
            headers.append(WARNING, warning);
        }
        response
    }
}

impl From<Status> for Reply {
    fn from(status: Status) -> Self {
        Self::value(status.code, &status.to_value())
    }
}

/// The response of a failure, with `Retry-After` where there is advice.
pub(crate) fn failure(status: Status) -> Response<Body> {
    let retry = status.details.as_ref().map_or(0, |details| details.retry_after_seconds);
    let mut response = Reply::from(status).into_response();
    if retry > 0 {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(retry));
    }
    response
}

/// `299 - "text"`, with quotes and backslashes escaped and control characters left out.
fn warning_header(text: &str) -> Option<HeaderValue> {
    let mut value = String::from("299 - \"");
    for character in text.chars().filter(|character| !character.is_control()) {
        if matches!(character, '"' | '\\') {
            value.push('\\');
        }
        value.push(character);
    }
    value.push('"');
    HeaderValue::from_str(&value).ok()
}
