//! The store on disk with 10,000 objects of 2 KB: creates and updates by 1, 16 and 64 writers, reads, watches, opening, memory.
//!
//! Rates depend on what else the machine does; time of the processor less so, and that is what the targets are about.

#![allow(missing_docs, reason = "a benchmark has no readers of its interface")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "a benchmark that cannot go on stops, and speaks"
)]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use krono_store::{DiskStore, Expected, Options, Range, Store, Write};
use serde_json::{Map, Value, json};

const OBJECTS: usize = 10_000;
const SIZE: usize = 2_048;
const WRITERS: [usize; 3] = [1, 16, 64];

/// Name, figure at most.
const TARGETS: &[(&str, f64)] = &[
    ("cpu microseconds per create, 16 writers", 60.0),
    ("cpu microseconds per create, 64 writers", 60.0),
    ("cpu milliseconds to open 10000 objects", 180.0),
    ("resident megabytes more with 10000 objects and history", 60.0),
    ("resident bytes of an idle watch", 1_000.0),
];

fn main() {
    let mut figures = Figures(Map::new());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(measure(&mut figures));
    figures.finish();
}

async fn measure(figures: &mut Figures) {
    let directory = tempfile::tempdir().unwrap();
    let before = resident();
    let started = Instant::now();
    let store = open(directory.path());
    figures.note("milliseconds to open a new store", milliseconds(started.elapsed()));
    let mut created = 0;
    for (writers, count) in WRITERS.into_iter().zip([2_000, 4_000, OBJECTS - 6_000]) {
        write(figures, &store, "create", writers, created..created + count).await;
        created += count;
    }
    for writers in WRITERS {
        write(figures, &store, "update", writers, 0..if writers == 1 { 2_000 } else { OBJECTS }).await;
    }
    figures.note("resident megabytes more with 10000 objects and history", megabytes(resident() - before));
    read(figures, &store);
    watch(figures, &store).await;
    drop(store);
    reopen(figures, directory.path());
}

fn open(directory: &Path) -> Arc<DiskStore> {
    Arc::new(DiskStore::open(directory, &Options::default()).unwrap())
}

fn key(index: usize) -> String {
    format!("/configmaps/default/object-{index:08}")
}

/// Writers share the objects; each waits for its write before the next.
async fn write(
    figures: &mut Figures,
    store: &Arc<DiskStore>,
    what: &str,
    writers: usize,
    objects: std::ops::Range<usize>,
) {
    let (count, started, processor) = (objects.len(), Instant::now(), processor_time());
    let tasks = (0..writers).map(|writer| {
        let (store, objects) = (Arc::clone(store), objects.clone().skip(writer).step_by(writers));
        async move {
            let mut times = Vec::new();
            for index in objects {
                let started = Instant::now();
                let key = key(index);
                let expected = store.get(&key).map_or(Expected::Absent, |it| Expected::At(it.version));
                store.write(Write::put(&key, expected, vec![b'x'; SIZE])).await.unwrap();
                times.push(started.elapsed());
            }
            times
        }
    });
    let local = tokio::task::LocalSet::new();
    let tasks: Vec<_> = tasks.map(|it| local.spawn_local(it)).collect();
    local.await;
    let mut times = Vec::new();
    for task in tasks {
        times.extend(task.await.unwrap());
    }
    let processor = processor_time().saturating_sub(processor);
    times.sort_unstable();
    let at = |percent: usize| milliseconds(times[times.len() * percent / 100]);
    let named =
        |figure: &str| format!("{figure} {what}, {writers} writers").replace(", 1 writers", ", 1 writer");
    figures.note(&named("per second:"), count as f64 / started.elapsed().as_secs_f64());
    figures.note(&named("p50 milliseconds of"), at(50));
    figures.note(&named("p99 milliseconds of"), at(99));
    figures.note(&named("cpu microseconds per"), processor.as_secs_f64() * 1e6 / count as f64);
}

fn read(figures: &mut Figures, store: &DiskStore) {
    let started = Instant::now();
    for index in 0..200_000 {
        assert!(store.get(&key(index * 7 % OBJECTS)).is_some());
    }
    figures.note("gets per second", 200_000.0 / started.elapsed().as_secs_f64());
    let all = Range { prefix: "/configmaps/", start: "", limit: usize::MAX, at: None };
    let started = Instant::now();
    assert_eq!(store.range(&all).unwrap().entries.len(), OBJECTS);
    figures.note("milliseconds of a range of 10000", milliseconds(started.elapsed()));
    let past = Range { limit: 500, at: Some(store.version() - 5_000), ..all };
    let started = Instant::now();
    assert_eq!(store.range(&past).unwrap().entries.len(), 500);
    figures.note("milliseconds of a page at 5000 versions ago", milliseconds(started.elapsed()));
}

/// Idle watches beside one that follows a writer.
async fn watch(figures: &mut Figures, store: &Arc<DiskStore>) {
    let before = resident();
    let mut idle: Vec<_> = (0..10_000).map(|_| store.watch("/secrets/", store.version())).collect();
    for watch in &mut idle {
        assert_eq!(watch.try_next(), Ok(None));
    }
    figures.note("resident bytes of an idle watch", (resident() - before) as f64 / 10_000.0);
    let mut watch = store.watch("/configmaps/", store.version());
    let mut times = Vec::new();
    for _ in 0..1_000 {
        let entry = store.get(&key(1)).unwrap();
        let write = Write::put(&key(1), Expected::At(entry.version), entry.value);
        let started = Instant::now();
        let commit = store.write(write);
        watch.next().await.unwrap();
        times.push(started.elapsed());
        commit.await.unwrap();
    }
    times.sort_unstable();
    figures.note("p50 milliseconds from write to watcher", milliseconds(times[500]));
    figures.note("p99 milliseconds from write to watcher", milliseconds(times[990]));
}

fn reopen(figures: &mut Figures, directory: &Path) {
    let (started, processor) = (Instant::now(), processor_time());
    let store = open(directory);
    figures.note("milliseconds to open 10000 objects", milliseconds(started.elapsed()));
    let processor = processor_time().saturating_sub(processor);
    figures.note("cpu milliseconds to open 10000 objects", milliseconds(processor));
    figures.note("megabytes of the file", megabytes(directory.join("krono.redb").metadata().unwrap().len()));
    drop(store);
}

struct Figures(Map<String, Value>);

impl Figures {
    fn note(&mut self, name: &str, figure: f64) {
        let figure = (figure * 1_000.0).round() / 1_000.0;
        println!("{name}: {figure}");
        self.0.insert(name.to_owned(), figure.into());
    }

    /// Hands the figures over, and says which targets they miss.
    fn finish(self) {
        let missed: Vec<_> = TARGETS
            .iter()
            .filter(|(name, most)| self.0.get(*name).and_then(Value::as_f64).is_none_or(|it| it > *most))
            .collect();
        println!("targets missed: {missed:?}");
        let targets: Map<_, _> =
            TARGETS.iter().map(|(name, most)| ((*name).to_owned(), json!({ "at_most": most }))).collect();
        let json = json!({ "figures": self.0, "targets": targets, "pass": missed.is_empty() });
        if let Ok(path) = std::env::var("KRONO_BENCH_JSON") {
            std::fs::write(path, json.to_string()).unwrap();
        }
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// Linux only; 0 elsewhere.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"));
    line.and_then(|it| it.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Of all threads of this process, in steps of a clock tick of 10 ms; Linux only.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |it| it.1).split_whitespace().skip(11).take(2);
    Duration::from_millis(fields.filter_map(|it| it.parse::<u64>().ok()).sum::<u64>() * 10)
}
