//! Ownership after a change: who gains, loses and keeps fields.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;

use super::conflict::{RawConflict, raw_conflicts};
use super::field_set::FieldSet;
use super::managers::{Manager, ManagerId, Managers};
use super::object_type::ObjectType;
use super::prune;
use super::typed::compare::{Comparison, compare};
use super::typed::merge::merge;
use super::typed::reconcile::reconcile;
use super::typed::to_set::to_set;
use super::typed::validate::{Duplicates, validate};
use super::versions::Versions;

/// The version of the request, and through it those of the managers.
#[derive(Clone, Copy)]
pub(super) struct Updater<'a> {
    pub(super) versions: &'a dyn Versions,
    pub(super) api_version: &'a str,
    pub(super) object_type: &'a ObjectType,
}

/// Why ownership cannot be worked out.
pub(super) enum UpdateFailure<'m> {
    /// Fields would be taken from other managers.
    Conflicts(Vec<RawConflict<'m>>),
    /// An object cannot be had in the version of a manager.
    Conversion(String),
}

impl<'a> Updater<'a> {
    /// Takes what `new` changes in `live` from all managers, and returns it.
    pub(super) fn update<'v, 'm>(
        self,
        live: &'v Value,
        new: &'v Value,
        managers: &mut Managers<'m>,
    ) -> Result<Comparison<'v>, UpdateFailure<'m>>
    where
        'a: 'v,
    {
        self.reconcile(live, managers).map_err(UpdateFailure::Conversion)?;
        self.take_over(live, new, managers, None, true)
    }

    /// Merges `config` into `live`, takes out what `id` applies no longer, and gives `id` what it applies.
    pub(super) fn apply<'m>(
        self,
        live: &Value,
        config: &'m Value,
        managers: &mut Managers<'m>,
        id: &ManagerId<'m>,
        force: bool,
    ) -> Result<Value, UpdateFailure<'m>>
    where
        'a: 'm,
    {
        self.reconcile(live, managers).map_err(UpdateFailure::Conversion)?;
        let merged = merge(self.object_type, live, config);
        let last = managers.take(id);
        let mut set = to_set(self.object_type, config);
        self.without_reset_fields(self.api_version, |reset| set.subtract_with_contents(reset));
        let (api_version, time) = (Cow::Borrowed(self.api_version), last.as_ref().and_then(|last| last.time));
        managers.0.push(Manager { id: id.clone(), api_version, set, time });
        let new = match &last {
            Some(last) if !prune::is_needless(&merged, managers, last) => {
                prune::prune(self, merged.value, managers, last).map_err(UpdateFailure::Conversion)?
            }
            Some(_) | None => merged.value,
        };
        self.take_over(live, &new, managers, Some(id), force)?;
        Ok(new)
    }

    /// Brings the fields of all managers up to date with the schemas; those of versions that are gone are forgotten.
    fn reconcile(self, live: &Value, managers: &mut Managers<'_>) -> Result<(), String> {
        managers.0.retain_mut(|manager| {
            let Some(object_type) = self.object_type(&manager.api_version) else { return false };
            reconcile(object_type, &mut manager.set);
            true
        });
        let versions = self.other_versions(managers, None);
        versions.iter().try_for_each(|version| self.convert(live, self.api_version, version).map(drop))
    }

    /// Takes what changed from all managers but `winner`.
    fn take_over<'v, 'm>(
        self,
        live: &'v Value,
        new: &'v Value,
        managers: &mut Managers<'m>,
        winner: Option<&ManagerId<'_>>,
        force: bool,
    ) -> Result<Comparison<'v>, UpdateFailure<'m>>
    where
        'a: 'v,
    {
        let changes = self.changes(self.api_version, self.object_type, live, new);
        let mut losses = losses(managers, winner, self.api_version, &changes);
        for version in self.other_versions(managers, winner) {
            let Some(object_type) = self.object_type(&version) else { continue };
            let live = self.convert(live, self.api_version, &version).map_err(UpdateFailure::Conversion)?;
            let new = self
                .convert(new, self.api_version, &version)
                .map_err(|it| UpdateFailure::Conversion(format!("failed to convert new object: {it}")))?;
            let changes = self.changes(&version, object_type, &live, &new);
            losses.extend(self::losses(managers, winner, &version, &changes));
        }
        if !force {
            let conflicts =
                raw_conflicts(losses.iter().map(|loss| (&managers.0[loss.manager].id, &loss.taken)));
            if !conflicts.is_empty() {
                return Err(UpdateFailure::Conflicts(conflicts));
            }
        }
        for loss in losses {
            let set = &mut managers.0[loss.manager].set;
            set.subtract(&loss.taken);
            set.subtract(&loss.removed);
        }
        managers.drop_empty();
        Ok(changes)
    }

    fn other_versions(self, managers: &Managers<'_>, winner: Option<&ManagerId<'_>>) -> BTreeSet<String> {
        let others = managers.0.iter().filter(|it| Some(&it.id) != winner);
        let versions = others.map(|it| it.api_version.as_ref()).filter(|it| *it != self.api_version);
        versions.map(str::to_owned).collect()
    }

    fn changes<'v>(
        self,
        api_version: &str,
        object_type: &'v ObjectType,
        live: &'v Value,
        new: &'v Value,
    ) -> Comparison<'v> {
        let mut changes = compare(object_type, live, new);
        self.without_reset_fields(api_version, |reset| changes.subtract_with_contents(reset));
        changes
    }

    /// The type of a version; none when it is not served any more.
    pub(super) fn object_type(self, api_version: &str) -> Option<&'a ObjectType> {
        if api_version == self.api_version {
            return Some(self.object_type);
        }
        self.versions.version(api_version).map(|version| version.object_type)
    }

    /// The object in another version that is served.
    pub(super) fn convert(self, object: &Value, from: &str, to: &str) -> Result<Value, String> {
        if from == to {
            return Ok(object.clone());
        }
        let converted = self.versions.convert(object, from, to).map_err(|it| it.to_string())?;
        if let Some(object_type) = self.object_type(to) {
            validate(object_type, &converted, Duplicates::Forbidden).map_err(|it| it.to_string())?;
        }
        Ok(converted)
    }

    pub(super) fn without_reset_fields(self, api_version: &str, subtract: impl FnOnce(&FieldSet<'static>)) {
        if let Some(reset) = self.versions.version(api_version).and_then(|version| version.reset_fields) {
            subtract(reset);
        }
    }
}

/// What one manager loses.
struct Loss<'m> {
    /// Its position among the managers.
    manager: usize,
    /// What somebody else set to another value.
    taken: FieldSet<'m>,
    /// What is not there any more.
    removed: FieldSet<'m>,
}

fn losses<'m>(
    managers: &Managers<'m>,
    winner: Option<&ManagerId<'_>>,
    api_version: &str,
    changes: &Comparison<'_>,
) -> Vec<Loss<'m>> {
    let set = changes.added.union(&changes.modified);
    let concerned = managers.0.iter().enumerate().filter(|(_, it)| it.api_version == api_version);
    let others = concerned.filter(|(_, it)| Some(&it.id) != winner);
    let losses = others.map(|(manager, it)| Loss {
        manager,
        taken: it.set.intersection(&set),
        removed: it.set.intersection(&changes.removed),
    });
    losses.filter(|loss| !loss.taken.is_empty() || !loss.removed.is_empty()).collect()
}
