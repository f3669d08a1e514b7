//! Who owns which fields: the bridge from requests to server-side apply.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use krono_patch::apply::{
    Applier, ApplyError, ConversionFailed, Endpoint, FieldSet, ObjectType, ReplicasPaths, SameShape,
    Timestamp, Version, Versions, apply as apply_fields, keep_times, update as update_fields,
};
use serde_json::Value;

use crate::conversion::convert;
use crate::object::Object;
use crate::resource::Resource;
use crate::scale;
use crate::status::{Cause, Status};

/// Longest name of a manager that is taken from a `User-Agent`.
const MAX_MANAGER: usize = 128;

static MAIN_RESET: LazyLock<FieldSet<'static>> = LazyLock::new(|| FieldSet::of_fields([&["status"]]));
static STATUS_RESET: LazyLock<FieldSet<'static>> =
    LazyLock::new(|| FieldSet::of_fields([&["metadata", "labels"], &["spec"]]));
static CUSTOM_STATUS_RESET: LazyLock<FieldSet<'static>> = LazyLock::new(|| FieldSet::of_fields([&["spec"]]));

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
    conversions: Mutex<Conversions>,
}

/// Working out who owns what cannot wait for a converter, so that it is done again once an answer is known.
#[derive(Debug, Default)]
struct Conversions {
    known: Vec<(Wanted, Result<Value, String>)>,
    wanted: Option<Wanted>,
}

/// An object, and the version it is wanted in.
#[derive(Clone, Debug, PartialEq)]
struct Wanted {
    object: Value,
    api_version: String,
}

impl KindVersions {
    fn conversions(&self) -> std::sync::MutexGuard<'_, Conversions> {
        self.conversions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn relabelled(object: &Value, api_version: &str) -> Value {
        let mut converted = object.clone();
        if let Some(fields) = converted.as_object_mut() {
            fields.insert("apiVersion".to_owned(), api_version.into());
        }
        converted
    }
}

impl Versions for KindVersions {
    fn version(&self, api_version: &str) -> Option<Version<'_>> {
        let resource = self.resources.iter().find(|it| it.api_version() == api_version)?;
        Some(Version { object_type: resource.object_type(), reset_fields: self.reset })
    }

    fn convert(&self, object: &Value, _from: &str, to: &str) -> Result<Value, ConversionFailed> {
        let has_converter = |it: &Arc<Resource>| it.custom_part().is_some_and(|it| it.converter.is_some());
        if !self.resources.iter().any(has_converter) {
            return Ok(Self::relabelled(object, to));
        }
        let mut conversions = self.conversions();
        let known = conversions.known.iter().find(|(it, _)| it.api_version == to && it.object == *object);
        if let Some((_, answer)) = known {
            return answer.clone().map_err(ConversionFailed);
        }
        conversions.wanted = Some(Wanted { object: object.clone(), api_version: to.to_owned() });
        Err(ConversionFailed("the conversion is not known yet".to_owned()))
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
        let versions = KindVersions { resources: versions, reset, conversions: Mutex::default() };
        Self {
            resource,
            subresource,
            manager,
            now: Timestamp::from_seconds(seconds),
            versions,
            blank: resource.blank(),
        }
    }

    /// Does the work, and does it again as long as it lacks a conversion.
    pub(crate) async fn settled<T>(&self, mut work: impl FnMut(&Self) -> T) -> T {
        loop {
            let done = work(self);
            let Some(wanted) = self.versions.conversions().wanted.take() else { return done };
            let converted = match Object::new(wanted.object.clone()) {
                Some(object) => convert(self.resource, object, &wanted.api_version).await,
                None => return done,
            };
            let answer = converted.map(Object::into_value).map_err(|status| status.message);
            self.versions.conversions().known.push((wanted, answer));
        }
    }

    /// The object once its scale is what `change` makes of it.
    pub(crate) fn scaled(
        &self,
        old: &Object,
        change: impl Fn(Value) -> Result<Value, Status>,
    ) -> Result<Object, Status> {
        let before = self.scale_before(old)?;
        let mut after = change(before.clone())?;
        drop(update_fields(&scale_endpoint(), Some(&before), &mut after, &self.manager, self.now));
        self.scale_after(old, &after)
    }

    /// The object once a configuration is applied to its scale.
    pub(crate) fn scale_applied(&self, old: &Object, config: &Value, force: bool) -> Result<Object, Status> {
        let before = self.scale_before(old)?;
        let who = Applier { manager: &self.manager, force, now: self.now };
        let after =
            apply_fields(&scale_endpoint(), Some(&before), config, &who).map_err(|it| refusal(&it))?;
        self.scale_after(old, &after)
    }

    fn scale_before(&self, old: &Object) -> Result<Value, Status> {
        let mut before = scale::of(self.resource, old);
        let entries = self.replicas_paths().to_scale(old.meta("managedFields")).map_err(Status::internal)?;
        if let Some(entries) = entries {
            before["metadata"]["managedFields"] = entries;
        }
        Ok(before)
    }

    fn scale_after(&self, old: &Object, after: &Value) -> Result<Object, Status> {
        let mut object = scale::applied(self.resource, old, after)?;
        let (owned, scaled) = (old.meta("managedFields"), after.pointer("/metadata/managedFields"));
        let entries = self.replicas_paths().to_object(owned, scaled, self.resource.api_version());
        object.set_meta("managedFields", entries.map_err(Status::internal)?);
        keep_times(old.value(), object.value_mut());
        Ok(object)
    }

    fn replicas_paths(&self) -> ReplicasPaths {
        self.versions.resources.iter().fold(ReplicasPaths::default(), |paths, resource| {
            let path = resource.kind.scale.as_ref().map(|it| it.spec_replicas.trim_start_matches('.'));
            let path: Option<Vec<&str>> = path.map(|it| it.split('.').collect());
            paths.and(resource.api_version(), path.as_deref())
        })
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

    /// The object with who changed what. Where that cannot be worked out the object goes without, as on the real server.
    pub(crate) fn noted(&self, new: &Object, old: Option<&Object>) -> Object {
        let mut new = new.clone();
        let old = old.map(Object::value);
        drop(update_fields(&self.endpoint(), old, new.value_mut(), &self.manager, self.now));
        if let Some(old) = old {
            keep_times(old, new.value_mut());
        }
        new
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

/// How scales are merged.
static SCALES: LazyLock<SameShape> = LazyLock::new(|| SameShape::of("autoscaling/v1", ObjectType::deduced()));

fn scale_endpoint() -> Endpoint<'static> {
    Endpoint {
        api_version: "autoscaling/v1",
        kind: "Scale",
        subresource: "scale",
        versions: &*SCALES,
        blank: &Value::Null,
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
