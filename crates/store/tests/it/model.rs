//! Random histories, compared with a model that keeps every state it was ever in.

use std::collections::BTreeMap;

use krono_store::{DiskStore, Expected, MemoryStore, Range, Store, Write};
use proptest::prelude::*;

use crate::conformance::{all, first_after, remembering};

/// Every state by version, from version 1 on: key to the version that wrote it.
type States = Vec<BTreeMap<String, u64>>;

#[derive(Clone, Debug)]
enum Step {
    /// Writes a key, rightly or wrongly taking it to be at its version.
    Put(u8, bool),
    Delete(u8, bool),
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        5 => (0..6_u8, prop::bool::weighted(0.8)).prop_map(|(key, right)| Step::Put(key, right)),
        3 => (0..6_u8, prop::bool::weighted(0.8)).prop_map(|(key, right)| Step::Delete(key, right)),
        1 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..40)
}

/// Set by `xtask deep`.
fn cases() -> u32 {
    std::env::var("KRONO_RANDOM_CASES").ok().and_then(|it| it.parse().ok()).unwrap_or(60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn memory_is_as_the_model(steps in steps()) {
        let store = MemoryStore::remembering(remembering(10).remembered);
        let mut states = vec![BTreeMap::new()];
        for step in &steps {
            perform(&store, step, &mut states);
            compare(&store, &states);
        }
    }

    #[test]
    fn disk_is_as_the_model(steps in steps()) {
        let directory = tempfile::tempdir().unwrap();
        let open = || DiskStore::open(directory.path(), &remembering(10)).unwrap();
        let mut store = open();
        let mut states = vec![BTreeMap::new()];
        for step in &steps {
            if matches!(step, Step::Reopen) {
                drop(store);
                store = open();
            }
            perform(&store, step, &mut states);
            compare(&store, &states);
        }
    }
}

fn perform(store: &dyn Store, step: &Step, states: &mut States) {
    let (key, right, value) = match step {
        Step::Put(key, right) => (key, *right, Some("value".into())),
        Step::Delete(key, right) => (key, *right, None),
        Step::Reopen => return,
    };
    let mut state = states.last().unwrap().clone();
    let key = format!("k/{key}");
    let at = state.get(&key).copied();
    let expected = match at {
        Some(version) if right => Expected::At(version),
        None if right => Expected::Absent,
        Some(_) | None => Expected::At(1_000_000),
    };
    let write = Write { key: key.as_str().into(), expected, value };
    let happens = right && (at.is_some() || write.value.is_some());
    let version = states.len() as u64 + 1;
    if write.value.is_some() {
        state.insert(key, version)
    } else {
        state.remove(&key)
    };
    assert_eq!(store.write(write).wait().is_ok(), happens);
    if happens {
        states.push(state);
    }
}

/// All that can be read is as the model says: every remembered state, and the changes between them.
fn compare(store: &dyn Store, states: &States) {
    let newest = states.len() as u64;
    assert_eq!(store.version(), newest);
    for (version, state) in (1..).zip(states) {
        let Ok(page) = store.range(&Range { at: Some(version), ..all("k/") }) else {
            assert!(version + 10 < newest, "version {version} of {newest} is forgotten too early");
            continue;
        };
        let found = page.entries.iter().map(|(key, entry)| (key.to_string(), entry.version));
        assert_eq!(found.collect::<BTreeMap<_, _>>(), *state);
        let next = first_after(store, "k/", version).unwrap();
        assert_eq!(next.map(|it| it.0), (version < newest).then_some(version + 1));
    }
}
