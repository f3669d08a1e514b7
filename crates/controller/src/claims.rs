//! Names that are about to be taken.
//!
//! All instances apply as one field manager, so the API server sees no conflict when two of them make one object: who
//! makes an object that nobody has seen holds its name until the answer is in the cache.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use krono_planner::instance::ObjectName;

/// The names that are about to be taken.
#[derive(Debug, Default)]
pub(crate) struct Claims(Mutex<HashSet<ObjectName>>);

/// A name that nobody else can claim while this is held.
#[derive(Debug)]
pub(crate) struct Claim<'c> {
    claims: &'c Claims,
    name: ObjectName,
}

impl Claims {
    /// Holds a name; nothing while somebody else does.
    pub(crate) fn hold(&self, name: &ObjectName) -> Option<Claim<'_>> {
        self.lock().insert(name.clone()).then(|| Claim { claims: self, name: name.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<ObjectName>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.claims.lock().remove(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use krono_graph::KindName;

    use super::*;

    #[test]
    fn a_name_is_held_once() {
        let kind = KindName { api_version: "v1".into(), kind: "ConfigMap".into(), namespaced: true };
        let name = ObjectName { kind, namespace: "here".into(), name: "a".into() };
        let claims = Claims::default();
        let held = claims.hold(&name);
        assert!(held.is_some() && claims.hold(&name).is_none());
        drop(held);
        assert!(claims.hold(&name).is_some());
    }
}
