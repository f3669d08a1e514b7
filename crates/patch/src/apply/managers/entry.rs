//! Entries of `managedFields`.

use std::borrow::Cow;

use krono_schema::go_text;
use serde_json::{Map, Value};

use super::super::field_set::FieldSet;
use super::super::fields_v1::FieldsV1Error;
use super::super::timestamp::{InvalidTimestamp, Timestamp};
use super::{Manager, ManagerId, Managers, Operation};

/// Why entries of `managedFields` cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManagedFieldsError {
    /// They are not a list of objects.
    #[error("managedFields must be a list of objects")]
    NotAList,
    /// A part of an entry is not a text.
    #[error("{field} must be a string in managed fields entry {position}")]
    NotAText {
        /// Which part.
        field: &'static str,
        /// Which entry, from zero.
        position: usize,
    },
    /// The operation is neither of the two.
    #[error("operation must be `Apply` or `Update`")]
    UnknownOperation,
    /// There is no API version.
    #[error("apiVersion must not be empty")]
    NoApiVersion,
    /// There is no fields type.
    #[error("missing fieldsType in managed fields entry {position}")]
    NoFieldsType {
        /// Which entry, from zero.
        position: usize,
    },
    /// The fields type is not known.
    #[error("invalid fieldsType {} in managed fields entry {position}", go_text::quote(found))]
    UnknownFieldsType {
        /// The type.
        found: String,
        /// Which entry, from zero.
        position: usize,
    },
    /// The time is not a time.
    #[error("managed fields entry {position}: {error}")]
    Time {
        /// Which entry, from zero.
        position: usize,
        /// Why not.
        error: InvalidTimestamp,
    },
    /// The fields are not a set.
    #[error("error decoding set: managed fields entry {position}: {error}")]
    Fields {
        /// Which entry, from zero.
        position: usize,
        /// Why not.
        error: FieldsV1Error,
    },
}

/// Whether these entries of `managedFields` can be read.
pub fn validate(entries: &Value) -> Result<(), ManagedFieldsError> {
    read(Some(entries)).map(drop)
}

pub(super) fn read(entries: Option<&Value>) -> Result<Managers<'_>, ManagedFieldsError> {
    let mut managers = Managers::default();
    let entries = match entries {
        None | Some(Value::Null) => return Ok(managers),
        Some(Value::Array(entries)) => entries,
        Some(_) => return Err(ManagedFieldsError::NotAList),
    };
    for (position, entry) in entries.iter().enumerate() {
        let manager =
            Reader { entry: entry.as_object().ok_or(ManagedFieldsError::NotAList)?, position }.read()?;
        // The last of several entries for one manager counts.
        managers.take(&manager.id);
        managers.0.push(manager);
    }
    Ok(managers)
}

struct Reader<'a> {
    entry: &'a Map<String, Value>,
    position: usize,
}

impl<'a> Reader<'a> {
    fn read(&self) -> Result<Manager<'a>, ManagedFieldsError> {
        let operation = self.operation()?;
        let api_version = self.text("apiVersion")?;
        if api_version.is_empty() {
            return Err(ManagedFieldsError::NoApiVersion);
        }
        self.check_fields_type()?;
        let version_of_id = if operation == Operation::Apply { "" } else { api_version };
        let id = ManagerId {
            name: Cow::Borrowed(self.text("manager")?),
            operation,
            api_version: Cow::Borrowed(version_of_id),
            subresource: Cow::Borrowed(self.text("subresource")?),
        };
        Ok(Manager { id, api_version: Cow::Borrowed(api_version), set: self.set()?, time: self.time()? })
    }

    fn text(&self, field: &'static str) -> Result<&'a str, ManagedFieldsError> {
        match self.entry.get(field) {
            None | Some(Value::Null) => Ok(""),
            Some(Value::String(text)) => Ok(text),
            Some(_) => Err(ManagedFieldsError::NotAText { field, position: self.position }),
        }
    }

    fn operation(&self) -> Result<Operation, ManagedFieldsError> {
        match self.text("operation")? {
            "Apply" => Ok(Operation::Apply),
            "Update" => Ok(Operation::Update),
            _ => Err(ManagedFieldsError::UnknownOperation),
        }
    }

    fn check_fields_type(&self) -> Result<(), ManagedFieldsError> {
        let position = self.position;
        match self.text("fieldsType")? {
            "FieldsV1" => Ok(()),
            "" => Err(ManagedFieldsError::NoFieldsType { position }),
            found => Err(ManagedFieldsError::UnknownFieldsType { found: found.to_owned(), position }),
        }
    }

    fn time(&self) -> Result<Option<Timestamp>, ManagedFieldsError> {
        let text = self.text("time")?;
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|error| ManagedFieldsError::Time { position: self.position, error })
    }

    fn set(&self) -> Result<FieldSet<'a>, ManagedFieldsError> {
        match self.entry.get("fieldsV1") {
            None | Some(Value::Null) => Ok(FieldSet::new()),
            Some(fields) => FieldSet::from_fields_v1(fields)
                .map_err(|error| ManagedFieldsError::Fields { position: self.position, error }),
        }
    }
}

/// Appliers come first, then the oldest.
pub(super) fn write(managers: &Managers<'_>) -> Option<Value> {
    let mut sorted: Vec<_> = managers.0.iter().collect();
    sorted.sort_by(|left, right| order(left).cmp(&order(right)));
    let entries: Vec<_> = sorted.into_iter().map(write_entry).collect();
    (!entries.is_empty()).then_some(Value::Array(entries))
}

fn order<'m>(manager: &'m Manager<'_>) -> (Operation, i64, &'m str, &'m str, &'m str) {
    let seconds = manager.time.map_or(0, Timestamp::seconds);
    let id = &manager.id;
    (id.operation, seconds, &id.name, &manager.api_version, &id.subresource)
}

fn write_entry(manager: &Manager<'_>) -> Value {
    let mut entry = Map::new();
    let mut put = |name: &str, text: &str| {
        if !text.is_empty() {
            entry.insert(name.to_owned(), Value::String(text.to_owned()));
        }
    };
    put("manager", &manager.id.name);
    put("operation", manager.id.operation.name());
    put("apiVersion", &manager.api_version);
    put("time", &manager.time.map(|it| it.to_string()).unwrap_or_default());
    put("fieldsType", "FieldsV1");
    put("subresource", &manager.id.subresource);
    entry.insert("fieldsV1".to_owned(), manager.set.to_fields_v1());
    Value::Object(entry)
}

impl Operation {
    /// The name in an entry.
    pub fn name(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

impl ManagerId<'_> {
    /// The text by which the API server sorts managers.
    pub(in super::super) fn sort_key(&self) -> String {
        let fields = [
            ("manager", self.name.as_ref()),
            ("operation", self.operation.name()),
            ("apiVersion", self.api_version.as_ref()),
            ("subresource", self.subresource.as_ref()),
        ];
        let fields = fields.into_iter().filter(|(_, text)| !text.is_empty());
        let fields: Vec<_> =
            fields.map(|(name, text)| format!("\"{name}\":{}", go_text::json(&text.into()))).collect();
        format!("{{{}}}", fields.join(","))
    }
}
