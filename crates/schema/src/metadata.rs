//! Object metadata of embedded resources, checked and trimmed as the API server does.

pub mod names;
mod schema;

use serde_json::{Map, Value};

use crate::error::{BadValue, ErrorKind, FieldError};
use crate::go_text::json_kind;
use crate::path::Path;

pub(crate) use names::dns1035_label_complaint;
use names::{dns1123_label_complaint, label_key_complaints, label_value_complaints, path_segment_complaints};
pub use schema::{cluster_object_meta, object_meta};

/// Keys and values of all annotations together may have this many bytes.
const ANNOTATIONS_LIMIT: usize = 256 * 1024;

/// The fields of object metadata, and the type each has in Go's words.
pub(crate) const FIELDS: [(&str, Kind); 15] = [
    ("annotations", Kind::Strings),
    ("creationTimestamp", Kind::Text("Time")),
    ("deletionGracePeriodSeconds", Kind::Integer),
    ("deletionTimestamp", Kind::Text("Time")),
    ("finalizers", Kind::List("[]string")),
    ("generateName", Kind::Text("string")),
    ("generation", Kind::Integer),
    ("labels", Kind::Strings),
    ("managedFields", Kind::List("[]v1.ManagedFieldsEntry")),
    ("name", Kind::Text("string")),
    ("namespace", Kind::Text("string")),
    ("ownerReferences", Kind::List("[]v1.OwnerReference")),
    ("resourceVersion", Kind::Text("string")),
    ("selfLink", Kind::Text("string")),
    ("uid", Kind::Text("types.UID")),
];

/// The shape of a field of object metadata.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Text(&'static str),
    Integer,
    Strings,
    List(&'static str),
}

/// Adds what is wrong with the metadata of an embedded object.
pub(crate) fn check(metadata: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if let Some(complaint) = shape_complaint(metadata) {
        return errors.push(FieldError::invalid(path, metadata.clone(), complaint));
    }
    let Some(fields) = metadata.as_object() else { return };
    let mut checker = Checker { fields, path, errors };
    checker.text("generateName", |text| path_segment_complaints(text, true));
    checker.text("name", |text| path_segment_complaints(text, false));
    checker.text("namespace", |text| dns1123_label_complaint(text).into_iter().collect());
    checker.generation();
    checker.labels();
    checker.annotations();
    checker.owners();
    checker.finalizers();
}

/// Why the metadata does not decode, in Go's words.
fn shape_complaint(metadata: &Value) -> Option<String> {
    let fields = match metadata.as_object() {
        Some(fields) => fields,
        None if metadata.is_null() => return None,
        None => {
            return Some(format!(
                "json: cannot unmarshal {} into Go value of type v1.ObjectMeta",
                json_kind(metadata)
            ));
        }
    };
    FIELDS.iter().find_map(|(name, kind)| {
        let (found, expected) = mismatch(fields.get(*name)?, *kind)?;
        Some(format!(
            "json: cannot unmarshal {found} into Go struct field ObjectMeta.{name} of type {expected}"
        ))
    })
}

/// What was found instead of what.
fn mismatch(value: &Value, kind: Kind) -> Option<(&'static str, &'static str)> {
    let expected = match (kind, value) {
        (_, Value::Null) | (Kind::Text(_), Value::String(_)) | (Kind::List(_), Value::Array(_)) => {
            return None;
        }
        (Kind::Integer, Value::Number(number)) if number.is_i64() => return None,
        (Kind::Strings, Value::Object(entries)) => {
            let wrong = entries.values().find(|value| !value.is_string() && !value.is_null())?;
            return Some((json_kind(wrong), "string"));
        }
        (Kind::Text(expected) | Kind::List(expected), _) => expected,
        (Kind::Integer, _) => "int64",
        (Kind::Strings, _) => "map[string]string",
    };
    Some((json_kind(value), expected))
}

struct Checker<'a> {
    fields: &'a Map<String, Value>,
    path: &'a Path<'a>,
    errors: &'a mut Vec<FieldError>,
}

impl<'a> Checker<'a> {
    fn text(&mut self, name: &str, complaints: impl Fn(&str) -> Vec<String>) {
        let text = self.fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        for complaint in text.map(complaints).unwrap_or_default() {
            self.errors.push(FieldError::invalid(
                &self.path.field(name),
                text.unwrap_or_default(),
                complaint,
            ));
        }
    }

    fn generation(&mut self) {
        let generation = self.fields.get("generation").and_then(Value::as_i64);
        if let Some(negative) = generation.filter(|it| *it < 0) {
            let detail = "must be greater than or equal to 0";
            self.errors.push(FieldError::invalid(&self.path.field("generation"), negative, detail));
        }
    }

    fn strings(&self, name: &str) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let entries = self.fields.get(name).and_then(Value::as_object).into_iter().flatten();
        entries.map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default()))
    }

    fn labels(&mut self) {
        let at = self.path.field("labels");
        for (key, value) in self.strings("labels") {
            let keys = label_key_complaints(key).into_iter().map(|it| FieldError::invalid(&at, key, it));
            let values =
                label_value_complaints(value).into_iter().map(|it| FieldError::invalid(&at, value, it));
            self.errors.extend(keys.chain(values));
        }
    }

    fn annotations(&mut self) {
        let at = self.path.field("annotations");
        let mut size = 0;
        for (key, value) in self.strings("annotations") {
            let complaints = label_key_complaints(&key.to_lowercase());
            self.errors.extend(complaints.into_iter().map(|it| FieldError::invalid(&at, key, it)));
            size += key.len() + value.len();
        }
        if size > ANNOTATIONS_LIMIT {
            let detail = format!("may not be more than {ANNOTATIONS_LIMIT} bytes");
            self.errors.push(FieldError::new(ErrorKind::TooLong, &at, BadValue::Omitted, detail));
        }
    }

    fn list(&self, name: &str) -> &'a [Value] {
        self.fields.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    fn owners(&mut self) {
        let at = self.path.field("ownerReferences");
        let owners = self.list("ownerReferences");
        for owner in owners {
            for (name, detail) in [
                ("apiVersion", "version must not be empty"),
                ("kind", "must not be empty"),
                ("name", "must not be empty"),
                ("uid", "must not be empty"),
            ] {
                if owner.get(name).and_then(Value::as_str).is_none_or(str::is_empty) {
                    self.errors.push(FieldError::invalid(&at.field(name), "", detail));
                }
            }
        }
        self.controllers(owners, &at);
    }

    fn controllers(&mut self, owners: &[Value], at: &Path<'_>) {
        let text = |owner: &Value, name: &str| {
            owner.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let controllers: Vec<String> = owners
            .iter()
            .filter(|owner| owner.get("controller").and_then(Value::as_bool) == Some(true))
            .map(|owner| format!("{}/{}", text(owner, "kind"), text(owner, "name")))
            .collect();
        let [first, others @ ..] = controllers.as_slice() else { return };
        for other in others {
            let detail = format!(
                "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {other}"
            );
            self.errors.push(FieldError::invalid(at, owners.to_vec(), detail));
        }
    }

    fn finalizers(&mut self) {
        let at = self.path.field("finalizers");
        let finalizers = self.list("finalizers");
        for finalizer in finalizers.iter().filter_map(Value::as_str) {
            let complaints = label_key_complaints(finalizer).into_iter();
            self.errors.extend(complaints.map(|it| FieldError::invalid(&at, finalizer, it)));
        }
        let has = |name: &str| finalizers.iter().any(|finalizer| finalizer == name);
        if has("orphan") && has("foregroundDeletion") {
            let detail = "finalizer orphan and foregroundDeletion cannot be both set";
            self.errors.push(FieldError::invalid(&at, finalizers.to_vec(), detail));
        }
    }
}
