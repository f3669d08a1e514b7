//! One update: an object changed in any other way than by applying.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::endpoint::Endpoint;
use super::error::UpdateError;
use super::field_set::FieldSet;
use super::managers::{Manager, ManagerId, Managers, Operation};
use super::object::{managed_fields, metadata_text, name_text, set_managed_fields, take_managed_fields};
use super::timestamp::Timestamp;
use super::typed::validate::{Duplicates, validate};
use super::updater::{UpdateFailure, Updater};
use crate::depth;

/// Fields of every object that belong to nobody.
pub(super) static NEVER_OWNED: LazyLock<FieldSet<'static>> = LazyLock::new(|| {
    FieldSet::of_fields([
        &["apiVersion"],
        &["kind"],
        &["metadata"],
        &["metadata", "name"],
        &["metadata", "namespace"],
        &["metadata", "creationTimestamp"],
        &["metadata", "selfLink"],
        &["metadata", "uid"],
        &["metadata", "clusterName"],
        &["metadata", "generation"],
        &["metadata", "managedFields"],
        &["metadata", "resourceVersion"],
    ])
});

/// Notes in the managed fields of `new` what `manager` changed since `live` (none when the object is created).
///
/// The request may rewrite the managed fields of the object itself; an empty list resets them. When ownership cannot
/// be worked out, `new` is left without managed fields and the error is for the log: the change itself counts.
pub fn update(
    endpoint: &Endpoint<'_>,
    live: Option<&Value>,
    new: &mut Value,
    manager: &str,
    now: Timestamp,
) -> Result<(), UpdateError> {
    let given = take_managed_fields(new);
    let blank = LazyCell::new(|| endpoint.blank_object());
    let old = live.unwrap_or_else(|| &blank);
    let mut managers = managers_of(endpoint, old, given.as_ref());
    let untracked = managers.is_empty() && !metadata_text(old, "uid").is_empty();
    if untracked {
        return Ok(());
    }
    let updater = endpoint.updater().ok_or_else(|| UpdateError::NoType(endpoint.kind_text()))?;
    Updating { endpoint, updater, old, new, manager, now }.note(&mut managers)?;
    let entries = managers.write();
    set_managed_fields(new, entries);
    Ok(())
}

/// Those of the request when it has some, else those of the object. What cannot be read does not count, and neither do
/// those of a request to a subresource.
fn managers_of<'v>(endpoint: &Endpoint<'_>, live: &'v Value, given: Option<&'v Value>) -> Managers<'v> {
    let of_live = || Managers::read(managed_fields(live)).unwrap_or_default();
    if !endpoint.subresource.is_empty() {
        return of_live();
    }
    if given.is_some_and(resets) {
        return Managers::default();
    }
    match Managers::read(given) {
        Ok(managers) if !managers.is_empty() => managers,
        Ok(_) | Err(_) => of_live(),
    }
}

/// An empty list, or a list of one empty entry.
fn resets(entries: &Value) -> bool {
    let blank = |entry: &Map<String, Value>| entry.values().all(|it| it.is_null() || it == "");
    match entries.as_array().map(Vec::as_slice) {
        Some([]) => true,
        Some([only]) => only.as_object().is_some_and(blank),
        _ => false,
    }
}

/// A change of which the author is known.
pub(super) struct Updating<'a> {
    pub(super) endpoint: &'a Endpoint<'a>,
    pub(super) updater: Updater<'a>,
    pub(super) old: &'a Value,
    pub(super) new: &'a Value,
    pub(super) manager: &'a str,
    pub(super) now: Timestamp,
}

impl<'a> Updating<'a> {
    /// Gives what changed to the manager.
    pub(super) fn note(&self, managers: &mut Managers<'a>) -> Result<(), UpdateError> {
        self.check()?;
        let changes = self.updater.update(self.old, self.new, managers).map_err(|it| self.failure(&it))?;
        let mut set = changes.modified;
        set.unite(changes.added);
        set.subtract(&NEVER_OWNED);
        if !set.is_empty() {
            self.give(managers, set);
        }
        managers.cap();
        Ok(())
    }

    fn check(&self) -> Result<(), UpdateError> {
        depth::check(self.new)?;
        depth::check(self.old)?;
        let types = self.updater.object_type;
        validate(types, self.new, Duplicates::Allowed)
            .map_err(|mistakes| UpdateError::New { object: name_text(self.new), mistakes })?;
        validate(types, self.old, Duplicates::Allowed)
            .map_err(|mistakes| UpdateError::Live { object: name_text(self.old), mistakes })
    }

    fn failure(&self, failure: &UpdateFailure<'_>) -> UpdateError {
        let reason = match failure {
            UpdateFailure::Conversion(reason) => reason.clone(),
            UpdateFailure::Conflicts(_) => "an update takes what it changes".to_owned(),
        };
        UpdateError::Conversion { object: name_text(self.new), reason }
    }

    fn give(&self, managers: &mut Managers<'a>, mut set: FieldSet<'a>) {
        let Endpoint { api_version, subresource, .. } = *self.endpoint;
        let id = ManagerId::new(self.manager, Operation::Update, api_version, subresource);
        if let Some(previous) = managers.take(&id) {
            set.unite(previous.set);
        }
        managers.0.push(Manager { id, api_version: Cow::Borrowed(api_version), set, time: Some(self.now) });
    }
}
