//! The stored roles and bindings, kept ready to be asked.

use std::sync::{PoisonError, RwLock};

use crate::rbac::{GROUP, Policy};
use crate::status::Status;
use crate::storage::{Change, Storage};

const KINDS: [&str; 4] = ["clusterroles", "clusterrolebindings", "roles", "rolebindings"];

/// What the stored roles and bindings allow, brought up to date whenever it is asked: a write that was acknowledged
/// before a question counts for its answer.
#[derive(Debug, Default)]
pub(crate) struct PolicyCache(RwLock<Option<Known>>);

#[derive(Debug)]
struct Known {
    policy: Policy,
    /// Every change up to here is in the policy.
    version: u64,
}

impl PolicyCache {
    /// Asks the policy of this moment.
    pub(crate) fn ask<T>(&self, storage: &Storage, question: impl FnOnce(&Policy) -> T) -> Result<T, Status> {
        {
            let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(known) = known.as_ref().filter(|known| known.version >= storage.version()) {
                return Ok(question(&known.policy));
            }
        }
        let mut guard = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let known = match guard.take() {
            Some(known) => known.followed(storage)?,
            None => Known::read(storage)?,
        };
        Ok(question(&guard.insert(known).policy))
    }
}

impl Known {
    /// Reads everything.
    fn read(storage: &Storage) -> Result<Self, Status> {
        // What is written while we read is found again as a change.
        let version = storage.version();
        let mut objects = Vec::new();
        for plural in KINDS {
            let page = storage.range(&format!("{GROUP}/{plural}/"), "", usize::MAX, None)?;
            for (_, stored) in page.items {
                objects.push(stored.decode().map_err(Status::internal)?.into_value());
            }
        }
        Self { policy: Policy::new(&objects), version }.followed(storage)
    }

    /// Takes in what was written since.
    fn followed(mut self, storage: &Storage) -> Result<Self, Status> {
        let prefix = format!("{GROUP}/");
        loop {
            match storage.change_after(&prefix, self.version) {
                Ok(Ok(change)) => self.take_in(&change)?,
                Ok(Err(version)) => return Ok(Self { version, ..self }),
                Err(status) if status.reason == "Expired" => return Self::read(storage),
                Err(status) => return Err(status),
            }
        }
    }

    fn take_in(&mut self, change: &Change) -> Result<(), Status> {
        self.version = change.version;
        if let Some(stored) = &change.current {
            self.policy.put(stored.decode().map_err(Status::internal)?.value());
        } else if let Some(stored) = &change.previous {
            let gone = stored.decode().map_err(Status::internal)?;
            self.policy.remove(gone.text("kind"), gone.namespace(), gone.name());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::Object;
    use crate::storage::Expect;
    use crate::stored::encode;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    /// One random write: which object, and what it says; nothing means that it goes.
    type Step = (usize, usize, usize, Option<(usize, usize, bool)>);

    const NAMES: [&str; 4] = ["a", "b", "system:x", "ü/%2F\"<"];
    const NAMESPACES: [&str; 2] = ["one", "two"];

    fn object(kind: &str, namespace: &str, name: &str, (role, who, mark): (usize, usize, bool)) -> Value {
        let mut value = json!({
            "apiVersion": format!("{GROUP}/v1"), "kind": kind, "metadata": {"name": name, "namespace": namespace},
        });
        if kind.ends_with("Binding") {
            let role_kind = if mark { "Role" } else { "ClusterRole" };
            value["roleRef"] = json!({"kind": role_kind, "name": NAMES[role], "apiGroup": GROUP});
            value["subjects"] = json!([{"kind": "User", "name": NAMES[who], "apiGroup": GROUP}]);
        } else {
            value["rules"] = json!([{"verbs": ["get"], "apiGroups": [""], "resources": [NAMES[role]]}]);
            value["metadata"]["labels"] = json!({"m": who.to_string()});
            if mark && kind == "ClusterRole" {
                value["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": {"m": "1"}}]});
            }
        }
        value
    }

    async fn take(storage: &Storage, (kind, place, name, content): Step) {
        let (kind, plural) = [
            ("ClusterRole", KINDS[0]),
            ("ClusterRoleBinding", KINDS[1]),
            ("Role", KINDS[2]),
            ("RoleBinding", KINDS[3]),
        ][kind];
        let namespace = if kind.starts_with("Cluster") { "" } else { NAMESPACES[place] };
        let key = format!("{GROUP}/{plural}/{namespace}/{}", NAMES[name]);
        let found = storage.get(&key).unwrap();
        let record = content.map(|content| {
            let object = Object::new(object(kind, namespace, NAMES[name], content)).unwrap();
            encode(&object, 0).unwrap()
        });
        let expect = found.map_or(Expect::Absent, |stored| Expect::Version(stored.version()));
        if record.is_some() || expect != Expect::Absent {
            storage.set(&key, expect, record).await.unwrap();
        }
    }

    fn step() -> impl Strategy<Value = Step> {
        (0..4_usize, 0..2_usize, 0..4_usize, proptest::option::of((0..4_usize, 0..4_usize, any::<bool>())))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn following_writes_is_reading_all(steps in proptest::collection::vec(step(), 1..60)) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let (storage, cache) = (Storage::in_memory(), PolicyCache::default());
            for (index, step) in steps.into_iter().enumerate() {
                runtime.block_on(take(&storage, step));
                if index % 3 == 0 {
                    let fresh = Known::read(&storage).unwrap().policy;
                    prop_assert!(cache.ask(&storage, |policy| *policy == fresh).unwrap());
                }
            }
            let fresh = Known::read(&storage).unwrap().policy;
            prop_assert!(cache.ask(&storage, |policy| *policy == fresh).unwrap());
        }
    }
}
