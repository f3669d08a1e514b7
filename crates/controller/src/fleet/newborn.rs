//! Instances that nothing was written about yet: their assignment goes with their first status.
//!
//! Whoever forgets such an assignment makes it again: from the resources it has led to, or else as if it were the first.

use std::sync::Arc;

use serde_json::Value;

use super::Fleets;
use crate::queue::InstanceKey;

/// An assignment that is not written down.
pub(super) struct Newborn {
    uid: Value,
    /// The number of the spec that it was found from, and that spec as text.
    spec: (Value, Box<str>),
    /// As text, which is smaller.
    status: Box<str>,
}

impl Newborn {
    /// Whether no more is known of the same spec by now.
    fn is_of_all(&self, instance: &Value) -> bool {
        let (generation, spec) = &self.spec;
        *generation != instance["metadata"]["generation"] || **spec == *instance["spec"].to_string()
    }
}

impl Fleets {
    /// Lets an assignment wait until something else is to be written.
    pub(super) fn let_wait(&self, key: &InstanceKey, instance: &Value, patch: &Value) {
        let metadata = &instance["metadata"];
        let newborn = Newborn {
            uid: metadata["uid"].clone(),
            spec: (metadata["generation"].clone(), instance["spec"].to_string().into()),
            status: patch["status"].to_string().into(),
        };
        let mut fleets = self.lock();
        let fleet = fleets.entry(Arc::clone(&key.definition)).or_default();
        fleet.newborns.insert(key.clone(), newborn);
    }

    /// An instance with the assignment that waits to be written, unless that was found from what a watch hid a part of.
    pub(crate) fn assigned(&self, key: &InstanceKey, mut instance: Value) -> Value {
        if instance["status"].is_null()
            && let Some(newborn) = self.lock().get(&key.definition).and_then(|it| it.newborns.get(key))
            && newborn.uid == instance["metadata"]["uid"]
            && newborn.is_of_all(&instance)
        {
            instance["status"] = serde_json::from_str(&newborn.status).unwrap_or_default();
        }
        instance
    }

    /// An assignment waits no longer: it is written down, or the instance is gone, or something else is decided; whether
    /// there was one.
    pub(crate) fn end_waiting(&self, key: &InstanceKey) -> bool {
        self.lock().get_mut(&key.definition).is_some_and(|it| it.newborns.remove(key).is_some())
    }
}
