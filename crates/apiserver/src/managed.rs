//! Who owns which fields: the bridge from requests to server-side apply.

use std::sync::{Arc, LazyLock};

use krono_patch::apply::{
    Applier, ApplyError, ConversionFailed, Endpoint, FieldSet, Timestamp, Version, Versions,
    apply as apply_fields, keep_times, update as update_fields,
};
use serde_json::Value;

use crate::object::Object;
use crate::resource::Resource;
use crate::status::{Cause, Status};

/// Longest name of a manager that is taken from a `User-Agent`.
const MAX_MANAGER: usize = 128;

static MAIN_RESET: LazyLock<FieldSet<'static>> = LazyLock::new(|| FieldSet::of_fields([&["status"]]));
static STATUS_RESET: LazyLock<FieldSet<'static>> =
    LazyLock::new(|| FieldSet::of_fields([&["metadata", "labels"], &["spec"]]));
static CUSTOM_STATUS_RESET: LazyLock<FieldSet<'static>> =
    LazyLock::new(|| FieldSet::of_fields([&["metadata"], &["spec"]]));

/// One write as the managers of fields see it.
#[derive(Debug)]
pub(crate) struct Managing<'a> {
    resource: &'a Resource,
    subresource: &'a str,
    manager: String,
    now: Timestamp,
    versions: KindVersions,
    blank: Value,
}

/// All versions of one kind that are served.
#[derive(Debug)]
struct KindVersions {
    resources: Vec<Arc<Resource>>,
    reset: Option<&'static FieldSet<'static>>,
}

impl Versions for KindVersions {
    fn version(&self, api_version: &str) -> Option<Version<'_>> {
        let resource = self.resources.iter().find(|it| it.api_version() == api_version)?;
        Some(Version { object_type: resource.object_type(), reset_fields: self.reset })
    }

    fn convert(&self, object: &Value, _from: &str, to: &str) -> Result<Value, ConversionFailed> {
        let mut converted = object.clone();
        if let Some(fields) = converted.as_object_mut() {
            fields.insert("apiVersion".to_owned(), to.into());
        }
        Ok(converted)
    }
}

impl<'a> Managing<'a> {
    /// A write to `resource`, one of `versions`, by a manager.
    pub(crate) fn new(
        resource: &'a Resource,
        versions: Vec<Arc<Resource>>,
        subresource: &'a str,
        manager: String,
        seconds: i64,
    ) -> Self {
        let reset = reset_fields(resource, subresource);
        let versions = KindVersions { resources: versions, reset };
        Self {
            resource,
            subresource,
            manager,
            now: Timestamp::from_seconds(seconds),
            versions,
            blank: resource.blank(),
        }
    }

    fn endpoint(&self) -> Endpoint<'_> {
        Endpoint {
            api_version: self.resource.api_version(),
            kind: &self.resource.kind.kind,
            subresource: self.subresource,
            versions: &self.versions,
            blank: &self.blank,
        }
    }

    /// Notes who changed what. Where that cannot be worked out the object goes without, as on the real server.
    pub(crate) fn note(&self, new: &mut Object, old: Option<&Object>) {
        let old = old.map(Object::value);
        drop(update_fields(&self.endpoint(), old, new.value_mut(), &self.manager, self.now));
        if let Some(old) = old {
            keep_times(old, new.value_mut());
        }
    }

    /// What applying a configuration makes of an object.
    pub(crate) fn apply(&self, old: Option<&Object>, config: &Value, force: bool) -> Result<Value, Status> {
        let who = Applier { manager: &self.manager, force, now: self.now };
        let mut applied = apply_fields(&self.endpoint(), old.map(Object::value), config, &who)
            .map_err(|it| refusal(&it))?;
        if let Some(old) = old {
            keep_times(old.value(), &mut applied);
        }
        Ok(applied)
    }
}

fn reset_fields(resource: &Resource, subresource: &str) -> Option<&'static FieldSet<'static>> {
    match subresource {
        "status" if resource.is_custom() => Some(&CUSTOM_STATUS_RESET),
        "status" => Some(&STATUS_RESET),
        _ if resource.kind.has_status => Some(&MAIN_RESET),
        _ => None,
    }
}

fn refusal(error: &ApplyError) -> Status {
    match error {
        ApplyError::WrongKind { .. } | ApplyError::ManagedFieldsInConfig | ApplyError::TooDeep(_) => {
            Status::bad_request(error.to_string())
        }
        ApplyError::Conflict(conflicts) => {
            let cause = |it: &krono_patch::apply::Conflict| Cause {
                reason: "FieldManagerConflict".to_owned(),
                message: it.message(),
                field: it.field.clone(),
            };
            Status::apply_conflict(error.to_string(), conflicts.0.iter().map(cause).collect())
        }
        ApplyError::Config { .. }
        | ApplyError::Live { .. }
        | ApplyError::ManagedFields(_)
        | ApplyError::BeforeFirstApply(_)
        | ApplyError::Conversion(_)
        | ApplyError::NoType(_) => Status::unknown(error.to_string()),
    }
}

/// The manager a request names, or else what its `User-Agent` begins with.
pub(crate) fn manager_name(field_manager: &str, user_agent: &str) -> String {
    let from_agent = || user_agent.split('/').next().unwrap_or_default().chars().take(MAX_MANAGER).collect();
    let name: String = if field_manager.is_empty() { from_agent() } else { field_manager.to_owned() };
    if name.is_empty() { "unknown".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn managers() {
        let check =
            |manager: &str, agent: &str, expect: &str| assert_eq!(manager_name(manager, agent), expect);
        check("me", "kubectl/v1.35 (linux)", "me");
        check("", "kubectl/v1.35 (linux)", "kubectl");
        check("", "", "unknown");
    }
}
