//! One suite for all stores.

use krono_store::{
    Compacted, DiskStore, Expected, MemoryStore, Next, Options, Page, Range, Store, Write, WriteError,
};

/// A promise, as a function of an empty store that remembers four changes.
type Law = (&'static str, fn(&dyn Store));
const LAWS: &[Law] = &[
    ("versions_count_all_writes", versions_count_all_writes),
    ("stale_writes_do_not_happen", stale_writes_do_not_happen),
    ("ranges_follow_prefix_start_and_limit", ranges_follow_prefix_start_and_limit),
    ("pages_of_one_list_see_one_snapshot", pages_of_one_list_see_one_snapshot),
    ("changes_come_in_order", changes_come_in_order),
    ("the_past_is_bounded", the_past_is_bounded),
    ("compaction_forgets", compaction_forgets),
];

#[test]
fn memory() {
    for (name, law) in LAWS {
        println!("{name}");
        law(&MemoryStore::remembering(4));
    }
}

#[test]
fn disk() {
    for (name, law) in LAWS {
        println!("{name}");
        let directory = tempfile::tempdir().unwrap();
        law(&DiskStore::open(directory.path(), &Options { remembered: 4 }).unwrap());
    }
}

pub(crate) fn put(store: &dyn Store, key: &str, expected: Expected, value: &str) -> Result<u64, WriteError> {
    store.write(Write::put(key, expected, value.to_owned())).wait()
}

fn create(store: &dyn Store, key: &str) -> u64 {
    put(store, key, Expected::Absent, key).unwrap()
}

pub(crate) fn all(prefix: &str) -> Range<'_> {
    Range { prefix, start: "", limit: usize::MAX, at: None }
}

pub(crate) fn keys(page: &Page) -> Vec<&str> {
    page.entries.iter().map(|(key, _)| &**key).collect()
}

fn versions_count_all_writes(store: &dyn Store) {
    assert_eq!(store.version(), 0);
    assert_eq!([create(store, "a"), create(store, "b")], [1, 2]);
    assert_eq!(put(store, "a", Expected::At(1), "x"), Ok(3));
    assert_eq!(store.write(Write::delete("b", 2)).wait(), Ok(4));
    assert_eq!(store.version(), 4);
    assert_eq!(store.get("a").unwrap().version, 3);
    assert_eq!(store.get("b"), None);
    assert_eq!(*store.subscribe().borrow(), 4);
}

fn stale_writes_do_not_happen(store: &dyn Store) {
    create(store, "a");
    let entry = store.get("a");
    assert_eq!(put(store, "a", Expected::Absent, "x"), Err(WriteError::Stale(entry.clone())));
    assert_eq!(put(store, "a", Expected::At(9), "x"), Err(WriteError::Stale(entry.clone())));
    assert_eq!(put(store, "b", Expected::At(1), "x"), Err(WriteError::Stale(None)));
    assert_eq!(store.write(Write::delete("b", 1)).wait(), Err(WriteError::Stale(None)));
    assert_eq!((store.version(), store.get("a")), (1, entry));
}

fn ranges_follow_prefix_start_and_limit(store: &dyn Store) {
    for key in ["a/2", "a/1", "ab", "b/1", "a/3"] {
        create(store, key);
    }
    assert_eq!(keys(&store.range(&all("a/")).unwrap()), ["a/1", "a/2", "a/3"]);
    let page = store.range(&Range { start: "a/2", limit: 1, ..all("a/") }).unwrap();
    assert_eq!((keys(&page), page.remaining, page.version), (vec!["a/2"], 1, 5));
    assert_eq!(keys(&store.range(&all("c")).unwrap()), Vec::<&str>::new());
}

fn pages_of_one_list_see_one_snapshot(store: &dyn Store) {
    create(store, "a");
    create(store, "b");
    let first = store.range(&Range { limit: 1, ..all("") }).unwrap();
    store.write(Write::delete("b", 2)).wait().unwrap();
    create(store, "c");
    let second = store.range(&Range { start: "b", at: Some(first.version), ..all("") }).unwrap();
    assert_eq!((keys(&first), keys(&second)), (vec!["a"], vec!["b"]));
    assert_eq!(second.entries[0].1.version, 2);
    assert_eq!(keys(&store.range(&all("")).unwrap()), ["a", "c"]);
}

fn changes_come_in_order(store: &dyn Store) {
    create(store, "a");
    create(store, "b");
    put(store, "a", Expected::At(1), "x").unwrap();
    store.write(Write::delete("a", 3)).wait().unwrap();
    let next = |version| match store.change_after("a", version).unwrap() {
        Next::Change(change) => {
            let previous = change.previous.as_ref().map_or(0, |it| it.version);
            (change.version, change.current.is_some(), previous)
        }
        Next::Nothing(version) => (version, false, u64::MAX),
    };
    assert_eq!(next(0), (1, true, 0));
    assert_eq!(next(1), (3, true, 1));
    assert_eq!(next(3), (4, false, 3));
    assert_eq!(next(4), (4, false, u64::MAX));
    assert_eq!(next(9), (9, false, u64::MAX));
}

fn the_past_is_bounded(store: &dyn Store) {
    for key in ["a", "b", "c", "d", "e", "f"] {
        create(store, key);
    }
    assert_eq!(store.change_after("", 1), Err(Compacted { oldest: 2 }));
    assert_eq!(store.range(&Range { at: Some(1), ..all("") }), Err(Compacted { oldest: 2 }));
    assert_eq!(keys(&store.range(&Range { at: Some(2), ..all("") }).unwrap()), ["a", "b"]);
    assert!(matches!(store.change_after("", 2), Ok(Next::Change(change)) if change.version == 3));
}

fn compaction_forgets(store: &dyn Store) {
    for key in ["a", "b", "c"] {
        create(store, key);
    }
    store.compact(2);
    assert_eq!(store.change_after("", 1), Err(Compacted { oldest: 2 }));
    assert!(matches!(store.change_after("", 2), Ok(Next::Change(change)) if change.version == 3));
    assert_eq!(keys(&store.range(&all("")).unwrap()), ["a", "b", "c"]);
}
