//! What requests do to objects.

use krono_patch::apply::{Applier, ApplyError, Endpoint, apply, keep_times, update};
use krono_patch::merge;
use krono_planner::instance::ObjectName;
use serde_json::{Map, Value, json};

use super::{Answer, Refusal, Served, Server};
use crate::text::{is_terminating, metadata};

/// What only the server writes.
const SERVERS_OWN: [&str; 5] =
    ["uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp"];

impl Server {
    pub(super) fn create(&mut self, name: &ObjectName, object: &Value) -> Result<Answer, Refusal> {
        if self.objects.contains_key(name) {
            return Err(Refusal::Exists);
        }
        let (served, now) = (self.served(name)?, self.now());
        let mut object = object.clone();
        update(&served.endpoint(name, ""), None, &mut object, "user", now).map_err(|it| invalid(&it))?;
        Ok(self.keep(name, None, object))
    }

    pub(super) fn apply(
        &mut self,
        name: &ObjectName,
        config: &Value,
        manager: &str,
        force: bool,
    ) -> Result<Answer, Refusal> {
        let (served, live) = (self.served(name)?, self.objects.get(name).cloned());
        check_identity(config, live.as_ref())?;
        let applier = Applier { manager, force, now: self.now() };
        let merged = apply(&served.endpoint(name, ""), live.as_ref(), config, &applier);
        let mut object = merged.map_err(|error| {
            if let ApplyError::Conflict(conflicts) = error {
                Refusal::Conflict(conflicts.to_string())
            } else {
                invalid(&error)
            }
        })?;
        object = self.spelled(&name.kind, &object);
        if let Some(live) = &live {
            check_finalizers(live, &object)?;
            keep_times(live, &mut object);
        }
        Ok(self.keep(name, live.as_ref(), object))
    }

    pub(super) fn merge(
        &mut self,
        name: &ObjectName,
        patch: &Value,
        manager: &str,
    ) -> Result<Answer, Refusal> {
        let (served, live) = (self.served(name)?, self.existing(name)?);
        check_identity(patch, Some(&live))?;
        let mut object = merge::apply(live.clone(), patch.clone()).map_err(|it| invalid(&it))?;
        check_finalizers(&live, &object)?;
        restore(&mut object, &live);
        update(&served.endpoint(name, ""), Some(&live), &mut object, manager, self.now())
            .map_err(|it| invalid(&it))?;
        keep_times(&live, &mut object);
        Ok(self.keep(name, Some(&live), object))
    }

    pub(super) fn put_status(
        &mut self,
        name: &ObjectName,
        status: &Value,
        uid: Option<&str>,
    ) -> Result<Answer, Refusal> {
        let (served, live) = (self.served(name)?, self.existing(name)?);
        check_uid(&live, uid)?;
        let mut object = live.clone();
        object["status"] = status.clone();
        update(&served.endpoint(name, "status"), Some(&live), &mut object, "status", self.now())
            .map_err(|it| invalid(&it))?;
        keep_times(&live, &mut object);
        Ok(self.keep(name, Some(&live), object))
    }

    pub(super) fn delete(&mut self, name: &ObjectName, uid: Option<&str>) -> Result<Answer, Refusal> {
        let live = self.existing(name)?;
        check_uid(&live, uid)?;
        let mut object = live.clone();
        if !is_terminating(&live) {
            object["metadata"]["deletionTimestamp"] = self.now().to_string().into();
        }
        Ok(self.keep(name, Some(&live), object))
    }

    /// Stores an object under the next version, unless nothing changed; the last finalizer of a dying one ends it.
    fn keep(&mut self, name: &ObjectName, live: Option<&Value>, mut object: Value) -> Answer {
        if live == Some(&object) && (!is_terminating(&object) || has_finalizers(&object)) {
            return Answer::Object(object);
        }
        self.version += 1;
        object["metadata"]["resourceVersion"] = self.version.to_string().into();
        match live {
            None => self.initialise(name, &mut object),
            Some(live) => object["metadata"]["generation"] = generation(live, &object).into(),
        }
        if is_terminating(&object) && !has_finalizers(&object) {
            self.objects.remove(name);
            self.note(name, object, true);
            return Answer::Gone;
        }
        self.objects.insert(name.clone(), object.clone());
        self.note(name, object.clone(), false);
        Answer::Object(object)
    }

    fn initialise(&mut self, name: &ObjectName, object: &mut Value) {
        let uid = self.new_uid(name);
        let finalizer = self.kinds.get(&name.kind).and_then(|it| it.habits.finalizer);
        let now = self.now().to_string();
        object["apiVersion"] = name.kind.api_version.as_str().into();
        object["kind"] = name.kind.kind.as_str().into();
        let metadata = &mut object["metadata"];
        metadata["uid"] = uid.into();
        metadata["generation"] = 1.into();
        metadata["creationTimestamp"] = now.into();
        if let Some(finalizer) = finalizer {
            metadata["finalizers"] = json!([finalizer]);
        }
        if let Some(greet) = self.kinds.get(&name.kind).and_then(|it| it.habits.greet) {
            greet(object);
        }
    }

    fn existing(&self, name: &ObjectName) -> Result<Value, Refusal> {
        self.objects.get(name).cloned().ok_or(Refusal::NotFound)
    }

    fn served(&self, name: &ObjectName) -> Result<&Served, Refusal> {
        self.kinds.get(&name.kind).ok_or(Refusal::NotFound)
    }
}

impl Served {
    fn endpoint<'s>(&'s self, name: &'s ObjectName, subresource: &'s str) -> Endpoint<'s> {
        Endpoint {
            api_version: &name.kind.api_version,
            kind: &name.kind.kind,
            subresource,
            versions: &self.versions,
            blank: &Value::Null,
        }
    }
}

fn invalid(error: &dyn std::error::Error) -> Refusal {
    Refusal::Invalid(error.to_string())
}

fn check_uid(live: &Value, uid: Option<&str>) -> Result<(), Refusal> {
    if uid.is_some_and(|it| it != metadata(live, "uid")) {
        return Err(Refusal::Conflict("the UID in the precondition is another".to_owned()));
    }
    Ok(())
}

/// A request that names a UID or a version is about that one alone.
fn check_identity(request: &Value, live: Option<&Value>) -> Result<(), Refusal> {
    for field in ["uid", "resourceVersion"] {
        let (wanted, found) = (metadata(request, field), live.map_or("", |it| metadata(it, field)));
        if !wanted.is_empty() && wanted != found {
            return Err(Refusal::Conflict(format!("{field} mismatch: {wanted:?} is {found:?}")));
        }
    }
    Ok(())
}

fn check_finalizers(live: &Value, object: &Value) -> Result<(), Refusal> {
    let before = live["metadata"]["finalizers"].as_array().map(Vec::as_slice).unwrap_or_default();
    let after = object["metadata"]["finalizers"].as_array().map(Vec::as_slice).unwrap_or_default();
    if is_terminating(live) && after.iter().any(|it| !before.contains(it)) {
        return Err(Refusal::Invalid(
            "no new finalizers can be added if the object is being deleted".to_owned(),
        ));
    }
    Ok(())
}

fn restore(object: &mut Value, live: &Value) {
    for field in SERVERS_OWN {
        match live["metadata"].get(field) {
            Some(value) => object["metadata"][field] = value.clone(),
            None => drop(object["metadata"].as_object_mut().and_then(|it| it.remove(field))),
        }
    }
}

/// Leaves what a backup keeps.
pub(super) fn strip(object: &mut Value) {
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        for field in SERVERS_OWN.iter().chain(&["managedFields", "ownerReferences"]) {
            metadata.remove(*field);
        }
    }
}

fn has_finalizers(object: &Value) -> bool {
    object["metadata"]["finalizers"].as_array().is_some_and(|it| !it.is_empty())
}

/// Counts the changes of what users want, and the wish to delete.
fn generation(live: &Value, object: &Value) -> i64 {
    let wanted = |object: &Value| -> Map<String, Value> {
        let fields = object.as_object().into_iter().flatten();
        let fields = fields.filter(|(name, _)| !["metadata", "status"].contains(&name.as_str()));
        fields.map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    let before = live["metadata"]["generation"].as_i64().unwrap_or_default();
    let changed = wanted(live) != wanted(object) || is_terminating(live) != is_terminating(object);
    before + i64::from(changed)
}
