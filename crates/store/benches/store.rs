//! Writes, reads and opening of the store on disk, with 10,000 objects of 2 KB.

#![allow(missing_docs, reason = "a benchmark has no readers of its interface")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot go on stops, and speaks"
)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use krono_store::{DiskStore, Expected, Options, Range, Store, Write};

const OBJECTS: usize = 10_000;
const SIZE: usize = 2_048;

fn main() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    fill(&store);
    for (writers, total) in [(1, 3_000), (32, 60_000)] {
        write(&store, writers, total);
    }
    read(&store);
    drop(store);
    let started = Instant::now();
    let store = open(directory.path());
    println!("open with {} changes: {:.1?}", store.version(), started.elapsed());
    println!("resident: {} MB", resident_megabytes());
}

fn open(directory: &std::path::Path) -> DiskStore {
    DiskStore::open(directory, &Options { remembered: 10_000 }).unwrap()
}

fn key(index: usize) -> String {
    format!("/registry/configmaps/default/object-{index:08}")
}

fn fill(store: &DiskStore) {
    let put = |it| store.write(Write::put(&key(it), Expected::Absent, vec![b'x'; SIZE]));
    let pending: Vec<_> = (0..OBJECTS).map(put).collect();
    for commit in pending {
        commit.wait().unwrap();
    }
}

/// Each writer updates objects of its own: read, then write.
fn write(store: &DiskStore, writers: usize, total: usize) {
    let next = AtomicUsize::new(0);
    let started = Instant::now();
    let work = &|writer: usize| {
        let mut times = Vec::new();
        let mut at = writer;
        while next.fetch_add(1, Ordering::Relaxed) < total {
            let started = Instant::now();
            let key = key(at % OBJECTS);
            at += writers;
            let version = store.get(&key).unwrap().version;
            drop(store.write(Write::put(&key, Expected::At(version), vec![b'y'; SIZE])).wait());
            times.push(started.elapsed());
        }
        times
    };
    let mut times: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..writers).map(|it| scope.spawn(move || work(it))).collect();
        threads.into_iter().flat_map(|it| it.join().unwrap()).collect()
    });
    let rate = per_second(times.len(), started.elapsed());
    times.sort_unstable();
    let at = |percent: usize| times[times.len() * percent / 100];
    println!("{writers} writers: {rate} writes/s, p50 {:.2?}, p99 {:.2?}", at(50), at(99));
}

fn read(store: &DiskStore) {
    let started = Instant::now();
    let mut reads = 0;
    while started.elapsed() < Duration::from_secs(1) {
        for _ in 0..100 {
            assert!(store.get(&key(reads * 7 % OBJECTS)).is_some());
            reads += 1;
        }
    }
    println!("{} gets/s", per_second(reads, started.elapsed()));
    let now = Instant::now();
    let page = store.range(&Range { prefix: "/registry/", start: "", limit: usize::MAX, at: None }).unwrap();
    println!("range of {}: {:.2?}", page.entries.len(), now.elapsed());
    let old = store.version() - 9_000;
    let now = Instant::now();
    let page = store.range(&Range { prefix: "/registry/", start: "", limit: 500, at: Some(old) }).unwrap();
    println!("page of {} at 9,000 versions ago: {:.2?}", page.entries.len(), now.elapsed());
}

fn per_second(count: usize, time: Duration) -> u128 {
    count as u128 * 1_000_000 / time.as_micros().max(1)
}

/// Linux only; 0 elsewhere.
fn resident_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"));
    line.and_then(|it| it.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}
