//! A bound on the number of managers.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::super::timestamp::Timestamp;
use super::{ManagerId, Managers, Operation};

/// The most managers by update that are kept apart.
pub const MAX_UPDATE_MANAGERS: usize = 10;

impl<'a> Managers<'a> {
    /// Unites the oldest managers by update, version by version, until there are few enough.
    pub(in super::super) fn cap(&mut self) {
        let mut updaters: Vec<_> = self.0.iter().filter(|it| it.id.operation == Operation::Update).collect();
        let mut count = updaters.len();
        if count <= MAX_UPDATE_MANAGERS {
            return;
        }
        updaters.sort_by_cached_key(|it| (it.time.map_or(0, Timestamp::seconds), it.id.sort_key()));
        let oldest: Vec<_> = updaters.into_iter().map(|it| it.id.clone()).collect();
        let mut first_of_version = BTreeMap::new();
        for id in oldest {
            if count <= MAX_UPDATE_MANAGERS {
                return;
            }
            let Some(first) = first_of_version.get(&id.api_version) else {
                first_of_version.insert(id.api_version.clone(), id);
                continue;
            };
            self.unite_into_bucket(first, &id);
            count -= 1;
        }
    }

    /// Moves the fields of `id` to the bucket of its version, which `first` becomes if there is none.
    fn unite_into_bucket(&mut self, first: &ManagerId<'a>, id: &ManagerId<'a>) {
        let bucket = ManagerId {
            name: Cow::Borrowed("ancient-changes"),
            operation: Operation::Update,
            api_version: id.api_version.clone(),
            subresource: Cow::Borrowed(""),
        };
        let Some(manager) = self.take(id) else { return };
        let at_bucket = self.0.iter().position(|it| it.id == bucket);
        let Some(at) = at_bucket.or_else(|| self.0.iter().position(|it| it.id == *first)) else { return };
        let united = &mut self.0[at];
        united.id = bucket;
        united.set.unite(manager.set);
        // It is the more recent of the two.
        united.time = manager.time;
    }
}
