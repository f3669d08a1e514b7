//! What is wrong with a field, worded as the API server words it.

use std::fmt;

use serde_json::Value;

use crate::go_text;
use crate::path::Path;

/// One problem with one field.
///
/// `Display` prints the line the API server prints:
/// `spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"`.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldError {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The field, such as `spec.ports[0].name`; empty for the whole object.
    pub path: String,
    /// The value that is wrong.
    pub value: BadValue,
    /// More words.
    pub detail: String,
}

/// The value in an error.
#[derive(Clone, Debug, PartialEq)]
pub enum BadValue {
    /// The value is not printed.
    Omitted,
    /// The value is printed.
    Value(Value),
    /// The value as it is printed, where that is not its JSON.
    Printed(String),
}

/// The kind of a [`FieldError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorKind {
    /// A value is missing.
    Required,
    /// A value appears twice where it must be unique.
    Duplicate,
    /// The value breaks a rule.
    Invalid,
    /// The value has the wrong type.
    TypeInvalid,
    /// The value is not one of a list.
    NotSupported,
    /// The value names something that is not there.
    NotFound,
    /// The value may not be set here.
    Forbidden,
    /// The string is too long.
    TooLong,
    /// There are too many items.
    TooMany,
    /// Our own fault.
    Internal,
}

impl ErrorKind {
    /// The words a message starts with.
    pub fn title(self) -> &'static str {
        match self {
            Self::Required => "Required value",
            Self::Duplicate => "Duplicate value",
            Self::Invalid | Self::TypeInvalid => "Invalid value",
            Self::NotSupported => "Unsupported value",
            Self::NotFound => "Not found",
            Self::Forbidden => "Forbidden",
            Self::TooLong => "Too long",
            Self::TooMany => "Too many",
            Self::Internal => "Internal error",
        }
    }

    /// The reason in the causes of a Kubernetes `Status`.
    pub fn cause(self) -> &'static str {
        match self {
            Self::Required => "FieldValueRequired",
            Self::Duplicate => "FieldValueDuplicate",
            Self::Invalid => "FieldValueInvalid",
            Self::TypeInvalid => "FieldValueTypeInvalid",
            Self::NotSupported => "FieldValueNotSupported",
            Self::NotFound => "FieldValueNotFound",
            Self::Forbidden => "FieldValueForbidden",
            Self::TooLong => "FieldValueTooLong",
            Self::TooMany => "FieldValueTooMany",
            Self::Internal => "InternalError",
        }
    }

    /// Whether rules cannot be relied on once there is such an error.
    pub(crate) fn spoils_rules(self) -> bool {
        match self {
            Self::NotSupported | Self::Required | Self::TooLong | Self::TooMany | Self::TypeInvalid => true,
            Self::Duplicate | Self::Invalid | Self::NotFound | Self::Forbidden | Self::Internal => false,
        }
    }

    fn prints_value(self) -> bool {
        match self {
            Self::Required | Self::Forbidden | Self::TooLong | Self::Internal => false,
            Self::Duplicate
            | Self::Invalid
            | Self::TypeInvalid
            | Self::NotSupported
            | Self::NotFound
            | Self::TooMany => true,
        }
    }
}

impl FieldError {
    pub(crate) fn new(
        kind: ErrorKind,
        path: &impl ToString,
        value: BadValue,
        detail: impl Into<String>,
    ) -> Self {
        Self { kind, path: path.to_string(), value, detail: detail.into() }
    }

    pub(crate) fn required(path: &Path<'_>, detail: impl Into<String>) -> Self {
        Self::new(ErrorKind::Required, path, BadValue::Omitted, detail)
    }

    pub(crate) fn forbidden(path: &Path<'_>, detail: impl Into<String>) -> Self {
        Self::new(ErrorKind::Forbidden, path, BadValue::Omitted, detail)
    }

    pub(crate) fn invalid(path: &Path<'_>, value: impl Into<Value>, detail: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, path, BadValue::Value(value.into()), detail)
    }

    pub(crate) fn duplicate(path: &Path<'_>, value: impl Into<Value>) -> Self {
        Self::new(ErrorKind::Duplicate, path, BadValue::Value(value.into()), "")
    }

    pub(crate) fn not_supported<'v>(
        path: &Path<'_>,
        value: impl Into<Value>,
        supported: impl IntoIterator<Item = &'v str>,
    ) -> Self {
        let value = BadValue::Value(value.into());
        Self::new(ErrorKind::NotSupported, path, value, supported_values(supported))
    }

    /// The same error about a value that is itself inside another, at `path`.
    pub(crate) fn below(mut self, path: &Path<'_>) -> Self {
        let prefix = path.to_string();
        self.path = if self.path.is_empty() { prefix } else { format!("{prefix}.{}", self.path) };
        self
    }

    /// The message without the field, for a cause of a Kubernetes `Status`.
    pub fn body(&self) -> String {
        let mut text = self.kind.title().to_owned();
        let shown = match &self.value {
            BadValue::Value(value) if self.kind.prints_value() => Some(value_text(value)),
            BadValue::Printed(shown) if self.kind.prints_value() => Some(shown.clone()),
            BadValue::Omitted | BadValue::Value(_) | BadValue::Printed(_) => None,
        };
        if let Some(shown) = shown {
            text.push_str(": ");
            text.push_str(&shown);
        }
        if !self.detail.is_empty() {
            text.push_str(": ");
            text.push_str(&self.detail);
        }
        text
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "<nil>" } else { &self.path };
        write!(formatter, "{path}: {}", self.body())
    }
}

impl std::error::Error for FieldError {}

pub(crate) fn supported_values<'v>(supported: impl IntoIterator<Item = &'v str>) -> String {
    let values: Vec<String> = supported.into_iter().map(go_text::quote).collect();
    if values.is_empty() { String::new() } else { format!("supported values: {}", values.join(", ")) }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => go_text::quote(text),
        Value::Number(number) => match number.as_f64() {
            Some(double) if number.as_i64().is_none() => go_text::double(double),
            _ => number.to_string(),
        },
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => go_text::json(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lines() {
        let check = |error: FieldError, expect: &str| assert_eq!(error.to_string(), expect);
        let field = Path::ROOT.field("a");
        check(FieldError::required(&field, ""), "a: Required value");
        check(FieldError::required(&Path::ROOT, "must"), "<nil>: Required value: must");
        check(FieldError::invalid(&field, json!({"b": 1}), "is bad"), r#"a: Invalid value: {"b":1}: is bad"#);
        check(FieldError::duplicate(&field, "x"), r#"a: Duplicate value: "x""#);
        check(
            FieldError::not_supported(&field, 3, ["a", "b"]),
            r#"a: Unsupported value: 3: supported values: "a", "b""#,
        );
    }
}
