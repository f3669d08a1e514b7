//! Instances that the API server says no to: for how long that has been so counts towards no deadline (V37).
//!
//! The status of an instance tells it as well, but for a server that does not let even that be written.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use crate::queue::InstanceKey;

/// Since when the API server says no to instances.
#[derive(Debug, Default)]
pub(crate) struct Hindrances(Mutex<HashMap<Arc<str>, Refused>>);

/// By namespace and name.
pub(crate) type Refused = BTreeMap<(String, String), Timestamp>;

impl Hindrances {
    /// Something about an instance was refused.
    pub(crate) fn begin(&self, key: &InstanceKey) {
        let mut all = self.lock();
        let of_definition = all.entry(Arc::clone(&key.definition)).or_default();
        of_definition.entry(name(key)).or_insert_with(crate::clock::timestamp);
    }

    /// Nothing is refused any longer, and all is told.
    pub(crate) fn end(&self, key: &InstanceKey) {
        let mut all = self.lock();
        let Some(of_definition) = all.get_mut(&key.definition) else { return };
        of_definition.remove(&name(key));
        if of_definition.is_empty() {
            all.remove(&key.definition);
        }
    }

    /// Since when something about an instance is refused.
    pub(crate) fn since(&self, key: &InstanceKey) -> Option<Timestamp> {
        self.lock().get(&key.definition)?.get(&name(key)).copied()
    }

    /// The same, of all instances of a definition.
    pub(crate) fn of(&self, definition: &str) -> Refused {
        self.lock().get(definition).cloned().unwrap_or_default()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Refused>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn name(key: &InstanceKey) -> (String, String) {
    (key.namespace.clone(), key.name.clone())
}
