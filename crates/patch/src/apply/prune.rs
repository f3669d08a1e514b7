//! Fields that nobody applies any more.

mod walk;

use std::collections::BTreeMap;

use serde_json::Value;

use super::field_set::FieldSet;
use super::managers::{Manager, Managers};
use super::object_type::ObjectType;
use super::typed::merge::Merged;
use super::typed::named_fields::with_named_fields;
use super::typed::remove::remove;
use super::typed::to_set::to_set;
use super::updater::Updater;

/// Whether nothing can be taken out because the last of the managers applies all that it did last time.
///
/// Then every part that was in the last configuration is owned, and so are the map entries and list elements around it.
/// Only a part in which the configuration has nothing may come to hold nothing that is owned.
pub(super) fn is_needless(merged: &Merged, managers: &Managers<'_>, last: &Manager<'_>) -> bool {
    let applies_all =
        |manager: &Manager<'_>| manager.api_version == last.api_version && last.set.is_subset(&manager.set);
    !merged.keeps_content_of_empty && managers.0.last().is_some_and(applies_all)
}

/// Takes out of `merged` what was in the `last` configuration of a manager, is not in its present one, and belongs
/// to nobody else.
pub(super) fn prune(
    updater: Updater<'_>,
    mut merged: Value,
    managers: &Managers<'_>,
    last: &Manager<'_>,
) -> Result<Value, String> {
    let Some(types) = updater.object_type(&last.api_version) else { return Ok(merged) };
    if last.set.is_empty() {
        return Ok(merged);
    }
    let pruning = Pruning { updater, managers, last, types };
    if pruning.one_version() {
        let owned: Vec<_> = managers.0.iter().map(|manager| &manager.set).collect();
        if let Some(gone) = walk::gone(types, &merged, &last.set, &owned) {
            remove(types, &mut merged, &gone);
            return Ok(merged);
        }
    }
    pruning.prune(&merged).map_err(|it| format!("failed to prune fields: {it}"))
}

struct Pruning<'a> {
    updater: Updater<'a>,
    managers: &'a Managers<'a>,
    last: &'a Manager<'a>,
    /// The type of the version of the last configuration.
    types: &'a ObjectType,
}

impl<'a> Pruning<'a> {
    /// Whether the request and all managers, then and now, use the same version.
    fn one_version(&self) -> bool {
        let version = self.updater.api_version;
        self.last.api_version == version && self.managers.0.iter().all(|it| it.api_version == version)
    }

    fn prune(&self, merged: &Value) -> Result<Value, String> {
        let (request_version, last_version) = (self.updater.api_version, self.last.api_version.as_ref());
        let merged = self
            .updater
            .convert(merged, request_version, last_version)
            .map_err(|it| format!("failed to convert merged object to last applied version: {it}"))?;
        let last = with_named_fields(self.types, &self.last.set);
        let pruned = self.add_back_owned(&merged, without(self.types, &merged, &last))?;
        let gone = everything(self.types, &merged).difference(&everything(self.types, &pruned));
        let result = without(self.types, &merged, &gone.intersection(&last));
        self.updater.convert(&result, last_version, request_version)
    }

    /// Adds back to `pruned` what anybody owns, version by version, that of the last configuration first: another
    /// version may need fields that only this one brings back.
    fn add_back_owned(&self, merged: &Value, pruned: Value) -> Result<Value, String> {
        let last_version = self.last.api_version.as_ref();
        let mut owned = self.owned_by_version();
        let first = owned.remove(last_version).map(|set| (last_version, set));
        let (mut at, mut merged, mut pruned) = (last_version, merged.clone(), pruned);
        for (version, owned) in first.into_iter().chain(owned) {
            let Some(types) = self.updater.object_type(version) else { continue };
            let converted = |object: &Value, name: &str| {
                let failed = |it| {
                    format!(
                        "failed add back owned items: failed to convert {name} object at version {version}: {it}"
                    )
                };
                self.updater.convert(object, at, version).map_err(failed)
            };
            (merged, pruned) = (converted(&merged, "merged")?, converted(&pruned, "pruned")?);
            at = version;
            let mut unowned = everything(types, &merged);
            unowned.subtract(&everything(types, &pruned));
            unowned.subtract(&with_named_fields(types, &owned));
            pruned = without(types, &merged, &unowned);
        }
        self.updater.convert(&pruned, at, last_version)
    }

    fn owned_by_version(&self) -> BTreeMap<&'a str, FieldSet<'a>> {
        let mut owned: BTreeMap<&str, FieldSet<'_>> = BTreeMap::new();
        for manager in &self.managers.0 {
            owned.entry(manager.api_version.as_ref()).or_default().unite(manager.set.clone());
        }
        owned
    }
}

fn everything<'v>(types: &'v ObjectType, value: &'v Value) -> FieldSet<'v> {
    with_named_fields(types, &to_set(types, value))
}

fn without(types: &ObjectType, value: &Value, set: &FieldSet<'_>) -> Value {
    let mut value = value.clone();
    remove(types, &mut value, set);
    value
}
