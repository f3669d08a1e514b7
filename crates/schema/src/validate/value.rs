//! A value checked against one node and, through it, against the whole schema.
//!
//! Order, wording and the counting of matches follow the `OpenAPI` validator of Kubernetes, quirks included:
//! what it lets pass must pass here.

use serde_json::{Map, Value};

use super::correlation::Correlated;
use super::node::{Additional, Node};
use super::number;
use crate::error::{BadValue, ErrorKind, FieldError};
use crate::path::Path;
use crate::schema::SchemaType;

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) errors: Vec<FieldError>,
    /// How much of the schema the value matched; decides which failed branch of `anyOf` is reported.
    pub(super) matches: usize,
}

impl Findings {
    /// Checks a value; if it did not change, its errors are forgotten.
    pub(super) fn check_correlated(
        &mut self,
        node: &Node,
        value: &Value,
        correlated: Option<Correlated<'_>>,
        path: &Path<'_>,
    ) {
        let before = self.errors.len();
        self.check(node, value, correlated, path);
        if self.errors.len() > before && correlated.is_some_and(|it| it.is_unchanged()) {
            self.errors.truncate(before);
        }
    }

    /// Checks a value.
    pub(super) fn check(
        &mut self,
        node: &Node,
        value: &Value,
        correlated: Option<Correlated<'_>>,
        path: &Path<'_>,
    ) {
        if value.is_null() {
            self.check_type(node, value, path);
            return self.check_enum(node, value, path);
        }
        if !node.types.names().is_empty() || node.format.is_some() {
            self.check_type(node, value, path);
            self.matches += 1;
        }
        self.check_branches(node, value, path);
        self.matches += 1;
        match value {
            Value::Null | Value::Bool(_) | Value::Object(_) => {}
            Value::Number(number) => {
                number::check(self, node, number, path);
                self.matches += 2;
            }
            Value::String(text) => self.check_string(node, text, path),
            Value::Array(items) => {
                self.check_items(node, items, correlated, path);
                self.matches += 2;
            }
        }
        self.check_enum(node, value, path);
        self.matches += 1;
        if let Value::Object(fields) = value {
            self.check_fields(node, fields, correlated, path);
            self.matches += 1;
        }
        self.matches += 1;
    }

    fn check_type(&mut self, node: &Node, value: &Value, path: &Path<'_>) {
        match number::type_complaint(node, value) {
            None => self.matches += 1,
            Some((expected, found)) => self.type_error(expected, found.into(), path),
        }
    }

    fn type_error(&mut self, expected: &str, found: Value, path: &Path<'_>) {
        let shown = found.as_str().map(crate::go_text::quote).unwrap_or_default();
        let detail = format!("{} in body must be of type {expected}: {shown}", path.dotted());
        self.add(ErrorKind::TypeInvalid, path, found, detail);
    }

    fn check_string(&mut self, node: &Node, text: &str, path: &Path<'_>) {
        self.matches += 1;
        self.check_text(node, text, path);
        if let Some(format) = node.format.filter(|it| it.is_textual()) {
            self.matches += 1;
            if !format.accepts(text) {
                self.type_error(node.schema.format.as_deref().unwrap_or_default(), text.into(), path);
            }
        }
    }

    /// Length and pattern; only the first complaint is reported.
    fn check_text(&mut self, node: &Node, text: &str, path: &Path<'_>) {
        let schema = &node.schema;
        let length = || i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        if let Some(limit) = schema.max_length.filter(|limit| length() > *limit) {
            let unit = if limit == 1 { "byte" } else { "bytes" };
            let detail = match limit {
                0.. => format!("may not be more than {limit} {unit}"),
                _ => "value is too long".to_owned(),
            };
            return self.errors.push(FieldError::new(
                ErrorKind::TooLong,
                &field_path(path),
                BadValue::Omitted,
                detail,
            ));
        }
        if let Some(limit) = schema.min_length.filter(|limit| length() < *limit) {
            return self.invalid(path, text, &format!("should be at least {limit} chars long"));
        }
        let Some(pattern) = &node.pattern else { return };
        let source = schema.pattern.as_deref().unwrap_or_default();
        match pattern {
            Ok(regex) if regex.matches(text) => {}
            Ok(_) => self.invalid(path, text, &format!("should match '{source}'")),
            Err(complaint) => {
                self.invalid(
                    path,
                    text,
                    &format!("should match '{source}, but pattern is invalid: {complaint}'"),
                );
            }
        }
    }

    fn check_items(
        &mut self,
        node: &Node,
        items: &[Value],
        correlated: Option<Correlated<'_>>,
        path: &Path<'_>,
    ) {
        if let Some(item_node) = &node.items {
            let old_items = correlated.map(|it| (it.schema.items.as_deref(), it.old_items()));
            for (index, item) in items.iter().enumerate() {
                let item_correlated = old_items.as_ref().and_then(|(schema, old_items)| {
                    Some(Correlated { schema: (*schema)?, value: item, old: old_items.get(item)? })
                });
                self.check_correlated(item_node, item, item_correlated, &path.index(index));
            }
        }
        let (schema, size) = (&node.schema, i64::try_from(items.len()).unwrap_or(i64::MAX));
        if let Some(limit) = schema.min_items.filter(|limit| size < *limit) {
            self.invalid(path, size, &format!("should have at least {limit} items"));
        }
        if let Some(limit) = schema.max_items.filter(|limit| size > *limit) {
            self.too_many(path, size, limit);
        }
        if schema.unique_items && has_duplicates(items) {
            self.invalid(path, "", "shouldn't contain duplicates");
        }
    }

    fn check_fields(
        &mut self,
        node: &Node,
        fields: &Map<String, Value>,
        correlated: Option<Correlated<'_>>,
        path: &Path<'_>,
    ) {
        let (schema, size) = (&node.schema, i64::try_from(fields.len()).unwrap_or(i64::MAX));
        if let Some(limit) = schema.min_properties.filter(|limit| size < *limit) {
            self.invalid(path, size, &format!("should have at least {limit} properties"));
        }
        if let Some(limit) = schema.max_properties.filter(|limit| size > *limit) {
            self.too_many(path, size, limit);
        }
        for (name, value) in fields {
            // The type of the root object is set by the server, so a change of it is not seen.
            let is_type = path.is_root() && (name == "kind" || name == "apiVersion");
            let child = correlated.filter(|_| !is_type).and_then(|it| it.field(name));
            if let Some(property) = node.properties.get(name) {
                self.check_correlated(property, value, child, &path.field(name));
                continue;
            }
            match &node.additional {
                Additional::Anything => {}
                Additional::Forbidden => {
                    let detail = format!("{}.{name} in body is a forbidden property", path.dotted());
                    self.add(ErrorKind::Invalid, path, name.as_str().into(), detail);
                }
                Additional::Schema(values) => self.check_correlated(values, value, child, &path.key(name)),
            }
        }
        for name in schema.required.iter().filter(|name| !fields.contains_key(*name)) {
            let error = FieldError::required(&Path::ROOT, "");
            self.errors.push(FieldError { path: field_path(&path.field(name)), ..error });
        }
    }

    fn check_enum(&mut self, node: &Node, value: &Value, path: &Path<'_>) {
        let allowed = &node.schema.enumeration;
        if allowed.is_empty() || allowed.iter().any(|candidate| same_value(value, candidate)) {
            return;
        }
        let texts: Vec<String> = allowed
            .iter()
            .map(|it| it.as_str().map_or_else(|| crate::go_text::json(it), str::to_owned))
            .collect();
        let detail = crate::error::supported_values(texts.iter().map(String::as_str));
        self.add(ErrorKind::NotSupported, path, value.clone(), detail);
    }

    fn too_many(&mut self, path: &Path<'_>, size: i64, limit: i64) {
        let detail = match limit {
            1 => "must have at most 1 item".to_owned(),
            0.. => format!("must have at most {limit} items"),
            _ => "has too many items".to_owned(),
        };
        self.add(ErrorKind::TooMany, path, size.into(), detail);
    }

    /// Adds `<path> in body <complaint>`.
    pub(super) fn invalid(&mut self, path: &Path<'_>, value: impl Into<Value>, complaint: &str) {
        let detail = format!("{} in body {complaint}", path.dotted());
        self.add(ErrorKind::Invalid, path, value.into(), detail);
    }

    /// Adds a complaint that names its field itself; the API server prints these without a field.
    pub(super) fn fieldless(&mut self, detail: String) {
        self.errors.push(FieldError::new(ErrorKind::Invalid, &"", BadValue::Value("".into()), detail));
    }

    /// Adds a complaint that is worded already.
    pub(super) fn invalid_as_is(&mut self, path: &Path<'_>, value: Value, detail: String) {
        self.add(ErrorKind::Invalid, path, value, detail);
    }

    fn add(&mut self, kind: ErrorKind, path: &Path<'_>, value: Value, detail: String) {
        self.errors.push(FieldError::new(kind, &field_path(path), BadValue::Value(value), detail));
    }
}

fn field_path(path: &Path<'_>) -> String {
    let dotted = path.dotted();
    dotted.strip_prefix('.').map_or(dotted.clone(), str::to_owned)
}

/// Null is never in an enum, not even in one that lists it; and a value is converted to the type of the whole
/// number it is compared with, so 1.5 is in an enum of 1.
fn same_value(value: &Value, candidate: &Value) -> bool {
    match (value, candidate) {
        (Value::Null, _) => false,
        (Value::Number(left), Value::Number(right)) if right.is_i64() => {
            left.as_f64().map(f64::trunc) == right.as_f64()
        }
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (left, right) => left == right,
    }
}

fn has_duplicates(items: &[Value]) -> bool {
    let mut seen = std::collections::HashSet::new();
    !items.iter().all(|item| seen.insert(item.to_string()))
}

/// The JSON type of a value; whole numbers that do not fit 64 bits count as fractions.
pub(super) fn type_of(value: &Value) -> Option<SchemaType> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(_) => SchemaType::Boolean,
        Value::Number(number) if number.is_i64() => SchemaType::Integer,
        Value::Number(_) => SchemaType::Number,
        Value::String(_) => SchemaType::String,
        Value::Array(_) => SchemaType::Array,
        Value::Object(_) => SchemaType::Object,
    })
}
