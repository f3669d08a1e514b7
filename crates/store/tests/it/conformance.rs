//! One suite for all stores.

use krono_store::{
    Compacted, DiskStore, Expected, MemoryStore, Options, Page, Range, Remembered, Store, Write, WriteError,
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
    ("bytes_of_the_past_are_bounded", bytes_of_the_past_are_bounded),
    ("compaction_forgets", compaction_forgets),
    ("watchers_see_their_own_changes", watchers_see_their_own_changes),
    ("slow_watchers_read_the_log", slow_watchers_read_the_log),
    ("a_watch_may_begin_in_the_future", a_watch_may_begin_in_the_future),
];

#[test]
fn memory() {
    for (name, law) in LAWS {
        println!("{name}");
        law(&MemoryStore::remembering(remembering(4).remembered));
    }
}

#[test]
fn disk() {
    for (name, law) in LAWS {
        println!("{name}");
        let directory = tempfile::tempdir().unwrap();
        law(&DiskStore::open(directory.path(), &remembering(4)).unwrap());
    }
}

pub(crate) fn remembering(changes: usize) -> Options {
    Options { remembered: Remembered { changes, bytes: 100_000 }, ..Options::default() }
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

/// Version, whether it is a deletion, and the version before of the first change after a version.
pub(crate) fn first_after(
    store: &dyn Store,
    prefix: &str,
    version: u64,
) -> Result<Option<(u64, bool, u64)>, Compacted> {
    let found = store.watch(prefix, version).try_next()?;
    Ok(found
        .map(|it| (it.version, it.current.is_none(), it.previous.as_ref().map_or(0, |entry| entry.version))))
}

fn versions_count_all_writes(store: &dyn Store) {
    assert_eq!(store.version(), 1);
    assert_eq!([create(store, "a"), create(store, "b")], [2, 3]);
    assert_eq!(put(store, "a", Expected::At(2), "x"), Ok(4));
    assert_eq!(store.write(Write::delete("b", 3)).wait(), Ok(5));
    assert_eq!(store.version(), 5);
    assert_eq!(store.get("a").unwrap().version, 4);
    assert_eq!(store.get("b"), None);
    assert_eq!(*store.subscribe().borrow(), 5);
}

fn stale_writes_do_not_happen(store: &dyn Store) {
    create(store, "a");
    let entry = store.get("a");
    assert_eq!(put(store, "a", Expected::Absent, "x"), Err(WriteError::Stale(entry.clone())));
    assert_eq!(put(store, "a", Expected::At(9), "x"), Err(WriteError::Stale(entry.clone())));
    assert_eq!(put(store, "b", Expected::At(2), "x"), Err(WriteError::Stale(None)));
    assert_eq!(store.write(Write::delete("b", 2)).wait(), Err(WriteError::Stale(None)));
    assert_eq!((store.version(), store.get("a")), (2, entry));
}

fn ranges_follow_prefix_start_and_limit(store: &dyn Store) {
    for key in ["a/2", "a/1", "ab", "b/1", "a/3"] {
        create(store, key);
    }
    assert_eq!(keys(&store.range(&all("a/")).unwrap()), ["a/1", "a/2", "a/3"]);
    let page = store.range(&Range { start: "a/2", limit: 1, ..all("a/") }).unwrap();
    assert_eq!((keys(&page), page.remaining, page.version), (vec!["a/2"], 1, 6));
    assert_eq!(keys(&store.range(&all("c")).unwrap()), Vec::<&str>::new());
}

fn pages_of_one_list_see_one_snapshot(store: &dyn Store) {
    create(store, "a");
    create(store, "b");
    let first = store.range(&Range { limit: 1, ..all("") }).unwrap();
    store.write(Write::delete("b", 3)).wait().unwrap();
    create(store, "c");
    let second = store.range(&Range { start: "b", at: Some(first.version), ..all("") }).unwrap();
    assert_eq!((keys(&first), keys(&second)), (vec!["a"], vec!["b"]));
    assert_eq!(second.entries[0].1.version, 3);
    assert_eq!(keys(&store.range(&all("")).unwrap()), ["a", "c"]);
}

fn changes_come_in_order(store: &dyn Store) {
    create(store, "a");
    create(store, "b");
    put(store, "a", Expected::At(2), "x").unwrap();
    store.write(Write::delete("a", 4)).wait().unwrap();
    let next = |version| first_after(store, "a", version).unwrap();
    assert_eq!(next(1), Some((2, false, 0)));
    assert_eq!(next(2), Some((4, false, 2)));
    assert_eq!(next(4), Some((5, true, 4)));
    assert_eq!(next(5), None);
    assert_eq!(next(9), None);
}

fn the_past_is_bounded(store: &dyn Store) {
    for key in ["a", "b", "c", "d", "e", "f"] {
        create(store, key);
    }
    assert_eq!(first_after(store, "", 2), Err(Compacted { oldest: 3 }));
    assert_eq!(store.range(&Range { at: Some(2), ..all("") }), Err(Compacted { oldest: 3 }));
    assert_eq!(keys(&store.range(&Range { at: Some(3), ..all("") }).unwrap()), ["a", "b"]);
    assert_eq!(first_after(store, "", 3), Ok(Some((4, false, 0))));
}

/// Values that are still there cost the past nothing.
fn bytes_of_the_past_are_bounded(store: &dyn Store) {
    let large = "x".repeat(60_000);
    put(store, "a", Expected::Absent, &large).unwrap();
    put(store, "b", Expected::Absent, &large).unwrap();
    assert_eq!(first_after(store, "", 1), Ok(Some((2, false, 0))));
    store.write(Write::delete("a", 2)).wait().unwrap();
    assert_eq!(first_after(store, "", 1), Ok(Some((2, false, 0))));
    store.write(Write::delete("b", 3)).wait().unwrap();
    assert_eq!(first_after(store, "", 3), Err(Compacted { oldest: 4 }));
    assert_eq!(first_after(store, "", 4), Ok(Some((5, true, 3))));
}

fn compaction_forgets(store: &dyn Store) {
    for key in ["a", "b", "c"] {
        create(store, key);
    }
    assert_eq!(store.compact(3).wait(), Ok(3));
    assert_eq!(first_after(store, "", 2), Err(Compacted { oldest: 3 }));
    assert_eq!(first_after(store, "", 3), Ok(Some((4, false, 0))));
    assert_eq!(keys(&store.range(&all("")).unwrap()), ["a", "b", "c"]);
    assert_eq!(store.compact(2).wait(), Ok(3), "what is forgotten stays so");
    assert_eq!(store.compact(99).wait(), Ok(4), "the present cannot be forgotten");
}

fn watchers_see_their_own_changes(store: &dyn Store) {
    let mut watches = ["", "a/", "a/1", "b/"].map(|prefix| store.watch(prefix, 1));
    let mut seen = || watches.each_mut().map(|it| it.try_next().unwrap().map_or(0, |change| change.version));
    assert_eq!(seen(), [0; 4]);
    create(store, "a/1");
    assert_eq!(seen(), [2, 2, 2, 0]);
    create(store, "a/2");
    assert_eq!(seen(), [3, 3, 0, 0]);
    create(store, "c");
    assert_eq!(seen(), [4, 0, 0, 0]);
    create(store, "b/1");
    let reached = watches.each_ref().map(krono_store::Watch::version);
    assert_eq!(reached, [4, 5, 5, 4], "as far as nothing waits");
}

fn slow_watchers_read_the_log(store: &dyn Store) {
    let mut late = store.watch("a/", 1);
    let mut idle = store.watch("b/", 1);
    assert_eq!((late.try_next(), idle.try_next()), (Ok(None), Ok(None)));
    create(store, "a/0");
    for index in 1..=4 {
        create(store, &format!("c/{index}"));
    }
    assert_eq!(late.try_next(), Err(Compacted { oldest: 2 }));
    assert_eq!(idle.try_next(), Ok(None), "one who missed nothing is not late");
    assert_eq!(idle.version(), 6);
}

fn a_watch_may_begin_in_the_future(store: &dyn Store) {
    let mut watch = store.watch("", 3);
    assert_eq!(watch.try_next(), Ok(None));
    for key in ["a", "b", "c"] {
        create(store, key);
    }
    assert_eq!(watch.try_next().unwrap().map(|it| it.version), Some(4));
    assert_eq!(watch.try_next(), Ok(None));
}
