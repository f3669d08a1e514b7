//! Who owns which fields: the `managedFields` of an object.

pub(super) mod cap;
mod entry;
#[cfg(test)]
mod tests;
pub(super) mod times;

use std::borrow::Cow;

use serde_json::Value;

use super::field_set::FieldSet;
use super::timestamp::Timestamp;
pub use entry::{ManagedFieldsError, validate};

/// How a manager got its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// By applying a configuration.
    Apply,
    /// By creating, updating or patching.
    Update,
}

/// Who changes an object, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ManagerId<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) operation: Operation,
    /// Empty for the operation apply: an applier stays the same when it moves to another version.
    pub(super) api_version: Cow<'a, str>,
    pub(super) subresource: Cow<'a, str>,
}

/// A manager, its fields in some version of the API, and when they last changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Manager<'a> {
    pub(super) id: ManagerId<'a>,
    pub(super) api_version: Cow<'a, str>,
    pub(super) set: FieldSet<'a>,
    pub(super) time: Option<Timestamp>,
}

/// The managers of an object; each is there once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Managers<'a>(pub(super) Vec<Manager<'a>>);

impl<'a> ManagerId<'a> {
    /// Somebody without a name is unknown.
    pub(super) fn new(
        name: &'a str,
        operation: Operation,
        api_version: &'a str,
        subresource: &'a str,
    ) -> Self {
        let api_version = if operation == Operation::Apply { "" } else { api_version };
        Self {
            name: Cow::Borrowed(if name.is_empty() { "unknown" } else { name }),
            operation,
            api_version: Cow::Borrowed(api_version),
            subresource: Cow::Borrowed(subresource),
        }
    }
}

impl<'a> Managers<'a> {
    /// Reads the `managedFields` of an object; those that are absent are empty.
    pub(super) fn read(entries: Option<&'a Value>) -> Result<Self, ManagedFieldsError> {
        entry::read(entries)
    }

    /// The `managedFields` of an object; none when there are no managers.
    pub(super) fn write(&self) -> Option<Value> {
        entry::write(self)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn take(&mut self, id: &ManagerId<'_>) -> Option<Manager<'a>> {
        let at = self.0.iter().position(|it| it.id == *id)?;
        Some(self.0.remove(at))
    }

    /// Adds a manager that is not there yet, unless it owns nothing.
    pub(super) fn add(&mut self, manager: Manager<'a>) {
        if !manager.set.is_empty() {
            self.0.push(manager);
        }
    }

    pub(super) fn drop_empty(&mut self) {
        self.0.retain(|it| !it.set.is_empty());
    }
}
