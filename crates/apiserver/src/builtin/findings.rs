//! What validation found, worded as the API server words it.

use krono_schema::{BadValue, ErrorKind, FieldError};
use serde_json::Value;

use super::place::Place;
use super::read;

/// Problems in the order they were found.
#[derive(Default)]
pub(super) struct Findings(Vec<FieldError>);

impl Findings {
    pub(super) fn into_errors(self) -> Vec<FieldError> {
        self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn push(&mut self, kind: ErrorKind, at: Place<'_>, value: BadValue, detail: impl Into<String>) {
        self.0.push(FieldError { kind, path: at.to_string(), value, detail: detail.into() });
    }

    pub(super) fn required(&mut self, at: Place<'_>, detail: impl Into<String>) {
        self.push(ErrorKind::Required, at, BadValue::Omitted, detail);
    }

    pub(super) fn forbidden(&mut self, at: Place<'_>, detail: impl Into<String>) {
        self.push(ErrorKind::Forbidden, at, BadValue::Omitted, detail);
    }

    pub(super) fn invalid(&mut self, at: Place<'_>, value: impl Into<Value>, detail: impl Into<String>) {
        self.push(ErrorKind::Invalid, at, BadValue::Value(value.into()), detail);
    }

    pub(super) fn duplicate(&mut self, at: Place<'_>, value: impl Into<Value>) {
        self.push(ErrorKind::Duplicate, at, BadValue::Value(value.into()), "");
    }

    /// A name that leads nowhere.
    pub(super) fn not_found(&mut self, at: Place<'_>, value: &str) {
        self.push(ErrorKind::NotFound, at, BadValue::Value(value.into()), "");
    }

    pub(super) fn too_long(&mut self, at: Place<'_>, limit: usize) {
        self.push(ErrorKind::TooLong, at, BadValue::Omitted, format!("may not be more than {limit} bytes"));
    }

    pub(super) fn unsupported(&mut self, at: Place<'_>, value: impl Into<Value>, supported: &[&str]) {
        let supported: Vec<String> = supported.iter().map(|it| format!("\"{it}\"")).collect();
        let detail = format!("supported values: {}", supported.join(", "));
        self.push(ErrorKind::NotSupported, at, BadValue::Value(value.into()), detail);
    }

    /// One problem per complaint about a text.
    pub(super) fn complaints(&mut self, at: Place<'_>, text: &str, complaints: Vec<String>) {
        for complaint in complaints {
            self.invalid(at, text, complaint);
        }
    }

    /// A text that must be there and one of a few.
    pub(super) fn choice(&mut self, at: Place<'_>, text: &str, supported: &[&str]) {
        if text.is_empty() {
            self.required(at, "");
        } else if !supported.contains(&text) {
            self.unsupported(at, text, supported);
        }
    }

    /// The number in this field of `object` must not be negative.
    pub(super) fn not_negative(&mut self, at: Place<'_>, object: &Value, field: &str) {
        if let Some(number) = read::integer(object, field).filter(|number| *number < 0) {
            self.invalid(at.field(field), number, "must be greater than or equal to 0");
        }
    }

    /// This field must be the same in both objects.
    pub(super) fn immutable(&mut self, at: Place<'_>, new: &Value, old: &Value, field: &str) {
        if !read::same(&new[field], &old[field]) {
            self.invalid(at.field(field), new[field].clone(), "field is immutable");
        }
    }
}
