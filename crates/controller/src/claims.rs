//! Names that are about to be taken.
//!
//! All instances apply as one field manager, so the API server sees no conflict when two of them make one object: who
//! makes an object that nobody has seen holds its name until the answer is in the cache.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use krono_planner::instance::{Identity, ObjectName};

/// The names that are about to be taken, whatever the API version.
#[derive(Debug, Default)]
pub(crate) struct Claims(Mutex<HashSet<Identity>>);

/// A name that nobody else can claim while this is held.
#[derive(Debug)]
pub(crate) struct Claim<'c> {
    claims: &'c Claims,
    name: Identity,
}

impl Claims {
    /// Holds a name; nothing while somebody else does.
    pub(crate) fn hold(&self, name: &ObjectName) -> Option<Claim<'_>> {
        let name = name.identity();
        self.lock().insert(name.clone()).then(|| Claim { claims: self, name })
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<Identity>> {
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
        let named = |api_version: &str| ObjectName {
            kind: KindName { api_version: api_version.into(), kind: "Thing".into(), namespaced: true },
            namespace: "here".into(),
            name: "a".into(),
        };
        let claims = Claims::default();
        let held = claims.hold(&named("acme.io/v1"));
        assert!(held.is_some() && claims.hold(&named("acme.io/v1")).is_none());
        assert!(claims.hold(&named("acme.io/v2")).is_none() && claims.hold(&named("other.io/v1")).is_some());
        drop(held);
        assert!(claims.hold(&named("acme.io/v1")).is_some());
    }
}
