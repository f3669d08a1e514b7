//! Who is woken by what.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use krono_store::{DiskStore, Expected, MemoryStore, Options, Store, Watch, Write};

use crate::conformance::put;

#[derive(Default)]
struct Wakes(AtomicUsize);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Ten thousand watchers fall asleep; then a commit wakes those whose keys it touches, and nobody else.
#[test]
fn idle_watchers_are_not_woken_by_other_keys() {
    let store = MemoryStore::new();
    let count = Arc::new(Wakes::default());
    let waker = Waker::from(Arc::clone(&count));
    let mut watches: Vec<Watch> = (0..10_000).map(|it| store.watch(&format!("w/{it}/"), 1)).collect();
    let mut sleeping: Vec<_> = watches.iter_mut().map(|it| Box::pin(it.next())).collect();
    for watch in &mut sleeping {
        assert!(watch.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    }
    for index in 0..100 {
        put(&store, &format!("other/{index}"), Expected::Absent, "x").unwrap();
    }
    assert_eq!(count.0.load(Ordering::SeqCst), 0);
    let version = put(&store, "w/77/a", Expected::Absent, "x").unwrap();
    assert_eq!(count.0.load(Ordering::SeqCst), 1);
    match sleeping[77].as_mut().poll(&mut Context::from_waker(&waker)) {
        Poll::Ready(change) => assert_eq!(change.unwrap().version, version),
        Poll::Pending => panic!("the watcher that was woken finds nothing"),
    }
}

#[test]
fn a_watcher_that_is_given_up_loses_nothing() {
    let store = MemoryStore::new();
    let mut watch = store.watch("", 1);
    let mut context = Context::from_waker(Waker::noop());
    assert!(pin!(watch.next()).poll(&mut context).is_pending());
    let version = put(&store, "a", Expected::Absent, "x").unwrap();
    match pin!(watch.next()).poll(&mut context) {
        Poll::Ready(change) => assert_eq!(change.unwrap().version, version),
        Poll::Pending => panic!("the change is there"),
    }
}

/// More changes than wait for one watcher.
#[test]
fn a_watcher_that_sleeps_long_finds_all_in_the_log() {
    let store = MemoryStore::new();
    let mut watch = store.watch("a/", 1);
    assert_eq!(watch.try_next(), Ok(None));
    let mut expected = Vec::new();
    for index in 0..1_000 {
        expected.push(put(&store, &format!("a/{index}"), Expected::Absent, "x").unwrap());
        put(&store, &format!("b/{index}"), Expected::Absent, "x").unwrap();
    }
    let mut seen: Vec<u64> = std::iter::from_fn(|| watch.try_next().unwrap()).map(|it| it.version).collect();
    assert_eq!(seen, expected);
    seen.clear();
    put(&store, "a/last", Expected::Absent, "x").unwrap();
    assert!(watch.try_next().unwrap().is_some(), "it has caught up and is told again");
}

#[test]
fn concurrent_watchers_miss_nothing() {
    let directory = tempfile::tempdir().unwrap();
    follow_writers(&MemoryStore::new());
    follow_writers(&DiskStore::open(directory.path(), &Options::default()).unwrap());
}

fn follow_writers(store: &dyn Store) {
    const WRITERS: usize = 4;
    const EACH: usize = 250;
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            scope.spawn(move || {
                for index in 0..EACH {
                    let key = format!("{writer}/{index}");
                    store.write(Write::put(&key, Expected::Absent, "x")).wait().unwrap();
                }
            });
        }
        for prefix in ["", "0/", "3/1"] {
            scope.spawn(move || {
                let expected = (0..WRITERS * EACH).map(|it| format!("{}/{}", it / EACH, it % EACH));
                let mut watch = store.watch(prefix, 1);
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                let mut last = 1;
                for _ in expected.filter(|it| it.starts_with(prefix)) {
                    let change = runtime.block_on(watch.next()).unwrap();
                    assert!(change.version > last && change.key.starts_with(prefix));
                    assert!(!prefix.is_empty() || change.version == last + 1, "a change was left out");
                    last = change.version;
                }
            });
        }
    });
}
