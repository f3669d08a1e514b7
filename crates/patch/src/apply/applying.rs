//! One apply, from the request to the object with its managed fields.

use std::cell::LazyCell;
use std::ops::Deref;

use serde_json::Value;

use super::conflict::{RawConflict, in_words};
use super::endpoint::Endpoint;
use super::error::ApplyError;
use super::last_applied;
use super::managers::{ManagerId, Managers, Operation};
use super::object::{
    equal_but_managed_fields, managed_fields, name_text, same_but_managed_fields, set_managed_fields,
};
use super::timestamp::Timestamp;
use super::typed::validate::{Duplicates, validate};
use super::updater::{UpdateFailure, Updater};
use super::updating::{NEVER_OWNED, Updating};
use crate::depth;

/// The manager as which `kubectl apply --server-side` applies.
const KUBECTL: &str = "kubectl";

/// Who owned what before anybody applied.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

/// Who applies, and how.
#[derive(Clone, Copy, Debug)]
pub struct Applier<'a> {
    /// The name of the field manager.
    pub manager: &'a str,
    /// Whether to take fields from others who disagree.
    pub force: bool,
    /// The time of the request.
    pub now: Timestamp,
}

/// Merges `config` into `live` (none when there is no object yet) and returns the object with its managed fields.
///
/// The fields of `config` belong to the applier from now on; those it applied last time and left out now are removed,
/// unless somebody else owns them too. The result is neither defaulted nor validated.
pub fn apply(
    endpoint: &Endpoint<'_>,
    live: Option<&Value>,
    config: &Value,
    applier: &Applier<'_>,
) -> Result<Value, ApplyError> {
    let blank = LazyCell::new(|| endpoint.blank_object());
    let live = live.unwrap_or_else(|| &blank);
    depth::check(live)?;
    depth::check(config)?;
    let updater = endpoint.updater().ok_or_else(|| ApplyError::NoType(endpoint.kind_text()))?;
    let applying = Applying { endpoint, updater, blank: &blank, live, config, applier };
    let mut object = applying.run()?;
    if applier.manager == KUBECTL {
        last_applied::refresh(&mut object, config);
    }
    Ok(object)
}

#[derive(Clone, Copy)]
struct Applying<'a> {
    endpoint: &'a Endpoint<'a>,
    updater: Updater<'a>,
    blank: &'a dyn Deref<Target = Value>,
    live: &'a Value,
    config: &'a Value,
    applier: &'a Applier<'a>,
}

/// Why an attempt failed: for good, or because others disagree.
enum Failure<'a> {
    Error(ApplyError),
    Conflicts(Vec<RawConflict<'a>>),
}

impl<'a> Applying<'a> {
    fn run(self) -> Result<Value, ApplyError> {
        let managers = self.managers()?;
        self.endpoint.check_config(self.config)?;
        match self.attempt(managers, self.applier.force) {
            Ok(object) => Ok(object),
            Err(Failure::Error(error)) => Err(error),
            Err(Failure::Conflicts(conflicts)) => self.settle(conflicts),
        }
    }

    fn managers(self) -> Result<Managers<'a>, ApplyError> {
        Managers::read(managed_fields(self.live)).map_err(ApplyError::ManagedFields)
    }

    /// Whoever moves from client-side to server-side apply does not conflict with what was applied before.
    fn settle(self, conflicts: Vec<RawConflict<'a>>) -> Result<Value, ApplyError> {
        let refused = |conflicts: &[RawConflict<'_>]| Err(ApplyError::Conflict(in_words(conflicts)));
        if self.applier.manager != KUBECTL {
            return refused(&conflicts);
        }
        let configuration = last_applied::configuration(self.live, self.endpoint.api_version);
        let allowed =
            configuration.as_ref().and_then(|it| last_applied::still_applied(self.updater, self.live, it));
        let Some(allowed) = allowed else { return refused(&conflicts) };
        let rest: Vec<_> = conflicts.into_iter().filter(|it| !allowed.contains(&it.path)).collect();
        if !rest.is_empty() {
            return refused(&rest);
        }
        self.attempt(self.managers()?, true).map_err(|failure| match failure {
            Failure::Error(error) => error,
            Failure::Conflicts(conflicts) => ApplyError::Conflict(in_words(&conflicts)),
        })
    }

    fn attempt(self, mut managers: Managers<'a>, force: bool) -> Result<Value, Failure<'a>> {
        if managers.is_empty() {
            let (endpoint, updater, now) = (self.endpoint, self.updater, self.applier.now);
            Updating { endpoint, updater, old: self.blank, new: self.live, manager: BEFORE_FIRST_APPLY, now }
                .note(&mut managers)
                .map_err(|it| Failure::Error(ApplyError::BeforeFirstApply(it)))?;
        }
        self.check_types().map_err(Failure::Error)?;
        let Endpoint { api_version, subresource, .. } = *self.endpoint;
        let id = ManagerId::new(self.applier.manager, Operation::Apply, api_version, subresource);
        let new = self.updater.apply(self.live, self.config, &mut managers, &id, force);
        let new = new.map_err(|failure| match failure {
            UpdateFailure::Conflicts(conflicts) => Failure::Conflicts(conflicts),
            UpdateFailure::Conversion(reason) => Failure::Error(ApplyError::Conversion(reason)),
        })?;
        Ok(self.finish(new, managers, &id))
    }

    fn check_types(self) -> Result<(), ApplyError> {
        let types = self.updater.object_type;
        validate(types, self.config, Duplicates::Forbidden)
            .map_err(|mistakes| ApplyError::Config { object: name_text(self.config), mistakes })?;
        validate(types, self.live, Duplicates::Allowed)
            .map_err(|mistakes| ApplyError::Live { object: name_text(self.live), mistakes })
    }

    /// The time of the manager is that of its last change to the object.
    fn finish(self, new: Value, mut managers: Managers<'a>, id: &ManagerId<'_>) -> Value {
        let unchanged = same_but_managed_fields(self.live, &new);
        if let Some(mut manager) = managers.take(id) {
            manager.set.subtract(&NEVER_OWNED);
            if !unchanged {
                manager.time = Some(self.applier.now);
            }
            managers.add(manager);
        }
        // What is the same may still be written differently, as 1 and 1.0 are.
        let mut object =
            if unchanged && !equal_but_managed_fields(self.live, &new) { self.live.clone() } else { new };
        set_managed_fields(&mut object, managers.write());
        object
    }
}
