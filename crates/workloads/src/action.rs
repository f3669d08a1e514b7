//! What is to be done: values that a plan holds and the shell performs.

use std::collections::BTreeSet;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};

use crate::difference::difference;
use crate::kind::{Kept, Key, Kind};
use crate::owner;

/// The component that tells of what is only pretended.
pub(crate) const SIMULATOR: &str = "krono-workloads";

/// One request, or one that is made only when the object is as it was seen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// Creates an object. That it exists already is success.
    Create { kind: Kind, namespace: String, object: Value },
    /// Changes the object with this uid by a merge patch; the part is empty for the object itself.
    Patch { key: Key, uid: String, part: &'static str, patch: Value },
    /// Deletes the object with this uid.
    Delete { key: Key, uid: String, grace_seconds: Option<u32> },
    /// Assigns the pod to a node.
    Bind { key: Key, uid: String, node: String },
    /// Shows that the node is alive.
    Renew { node: String },
    /// Tells what happened.
    Record(Record),
}

/// An event to be told; the same one again is counted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    pub(crate) about: Key,
    pub(crate) uid: String,
    pub(crate) field_path: Option<String>,
    pub(crate) component: &'static str,
    pub(crate) warning: bool,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
}

/// What to do about one object now, in this order, and when to look again if nothing changes before.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Plan {
    pub(crate) actions: Vec<Action>,
    pub(crate) again: BTreeSet<Timestamp>,
}

impl Plan {
    /// Creates an object.
    pub(crate) fn create<T: Kept + serde::Serialize>(&mut self, object: &T) {
        let namespace = object.meta().namespace.clone().unwrap_or_default();
        let object = serde_json::to_value(object).unwrap_or_default();
        self.actions.push(Action::Create { kind: T::KIND, namespace, object });
    }

    /// Changes an object by a merge patch.
    pub(crate) fn patch<T: Kept>(&mut self, object: &T, patch: Value) {
        let (key, uid) = identity(object);
        self.actions.push(Action::Patch { key, uid, part: "", patch });
    }

    /// Gives the object this status, when it has another.
    pub(crate) fn set_status<T: Kept, S: serde::Serialize>(&mut self, object: &T, old: Option<&S>, new: &S) {
        let old = old.and_then(|old| serde_json::to_value(old).ok()).unwrap_or_else(|| json!({}));
        let new = serde_json::to_value(new).unwrap_or_default();
        if let Some(status) = difference(&old, &new) {
            let (key, uid) = identity(object);
            self.actions.push(Action::Patch { key, uid, part: "status", patch: json!({"status": status}) });
        }
    }

    /// Deletes an object as its kind usually goes.
    pub(crate) fn delete<T: Kept>(&mut self, object: &T) {
        let (key, uid) = identity(object);
        self.actions.push(Action::Delete { key, uid, grace_seconds: None });
    }

    /// Tells something about an object.
    pub(crate) fn record<T: Kept>(
        &mut self,
        about: &T,
        component: &'static str,
        reason: &'static str,
        message: impl Into<String>,
    ) {
        let (about, uid) = identity(about);
        let message = message.into();
        let record = Record { about, uid, field_path: None, component, warning: false, reason, message };
        self.actions.push(Action::Record(record));
    }

    /// Warns of something about an object.
    pub(crate) fn warn<T: Kept>(
        &mut self,
        about: &T,
        component: &'static str,
        reason: &'static str,
        message: impl Into<String>,
    ) {
        self.record(about, component, reason, message);
        if let Some(Action::Record(record)) = self.actions.last_mut() {
            record.warning = true;
        }
    }

    /// Looks again then.
    pub(crate) fn look_at(&mut self, time: Timestamp) {
        self.again.insert(time);
    }
}

/// Key and uid of an object.
pub(crate) fn identity<T: Kept>(object: &T) -> (Key, String) {
    let metadata: &ObjectMeta = object.meta();
    let namespace = metadata.namespace.as_deref().unwrap_or_default();
    let key = Key::new(T::KIND, namespace, metadata.name.as_deref().unwrap_or_default());
    (key, owner::uid(metadata).to_owned())
}
