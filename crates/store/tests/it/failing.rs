//! Disks that fail or stall under a store that goes on being asked.

use std::collections::BTreeSet;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use krono_store::{Commit, DiskStore, Expected, OpenError, Options, Store, Write, WriteError};
use redb::StorageBackend;

use crate::conformance::put;
use crate::power::{Disk, Disks};

#[test]
fn after_a_failed_flush_nothing_is_acknowledged() {
    for seed in 0..20 {
        failed_flush(seed);
    }
}

/// Whether the failed write is there afterwards is the disk's choice; that nobody is told either way is not.
fn failed_flush(seed: u64) {
    let disks = Disks::new(seed);
    let store = disks.open(&Options::default()).unwrap();
    put(&store, "a", Expected::Absent, "1").unwrap();
    let mut watch = store.watch("", 2);
    disks.journal.fail_a_flush();
    assert!(matches!(put(&store, "b", Expected::Absent, "1"), Err(WriteError::Unknown(_))));
    // The disk works again, but what it holds is not known.
    assert!(matches!(put(&store, "c", Expected::Absent, "1"), Err(WriteError::Failed(_))));
    assert!(matches!(put(&store, "a", Expected::Absent, "1"), Err(WriteError::Failed(_))));
    assert!(matches!(store.compact(2).wait(), Err(WriteError::Failed(_))));
    assert_eq!((store.version(), store.get("b"), watch.try_next()), (2, None, Ok(None)));
    assert_eq!(store.get("a").unwrap().version, 2);
    drop(store);

    let store = disks.restarted().open(&Options::default()).unwrap();
    assert_eq!(store.get("a").unwrap().version, 2);
    assert_eq!(store.get("c"), None, "what was refused did not happen");
    let happened = store.get("b").map_or(0, |it| it.version);
    assert!([0, 3].contains(&happened));
    assert_eq!(put(&store, "d", Expected::Absent, "1"), Ok(if happened == 0 { 3 } else { 4 }));
}

/// What the file does not take is in the journal, however often that was said to be safe.
#[test]
fn a_file_that_fails_loses_nothing() {
    for seed in 0..20 {
        let disks = Disks::new(seed);
        let options = Options { journal: 1_000, ..Options::default() };
        let store = disks.open(&options).unwrap();
        disks.data.fail_a_flush();
        let value = "x".repeat(300);
        let create = |index: &u64| put(&store, &format!("k{index}"), Expected::Absent, &value).ok();
        let acknowledged: Vec<u64> = (0..50).map_while(|index| create(&index)).collect();
        assert!((3..50).contains(&acknowledged.len()), "{acknowledged:?}");
        assert!(matches!(put(&store, "c", Expected::Absent, "1"), Err(WriteError::Failed(_))));
        drop(store);
        let store = disks.restarted().open(&options).unwrap();
        for (index, version) in acknowledged.iter().enumerate() {
            assert_eq!(store.get(&format!("k{index}")).unwrap().version, *version);
        }
    }
}

/// A disk that may be full.
#[derive(Clone, Debug)]
struct Filling {
    disk: Disk,
    full: Arc<AtomicBool>,
}

impl Filling {
    fn room(&self) -> io::Result<()> {
        if self.full.load(Ordering::Relaxed) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

impl StorageBackend for Filling {
    fn len(&self) -> io::Result<u64> {
        self.disk.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.disk.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.room().and_then(|()| self.disk.set_len(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        self.disk.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.room().and_then(|()| self.disk.write(offset, data))
    }
}

#[test]
fn a_full_disk_is_no_damage() {
    let disks = Disks::new(1);
    let data = Filling { disk: disks.data.clone(), full: Arc::default() };
    let open = || DiskStore::open_in(data.clone(), disks.journal.clone(), &Options::default());
    let store = open().unwrap();
    data.full.store(true, Ordering::Relaxed);
    put(&store, "a", Expected::Absent, "1").unwrap();
    drop(store);
    match open() {
        Err(OpenError::Directory { source, .. }) => assert_eq!(source.kind(), io::ErrorKind::StorageFull),
        other => panic!("{other:?}"),
    }
    data.full.store(false, Ordering::Relaxed);
    assert_eq!(open().unwrap().get("a").unwrap().version, 2);
}

/// A disk whose flushes take as long as one likes.
#[derive(Clone, Debug)]
struct Stalling {
    disk: Disk,
    stalled: Arc<(Mutex<bool>, Condvar)>,
}

impl Stalling {
    fn stall(&self, stalled: bool) {
        *self.stalled.0.lock().unwrap() = stalled;
        self.stalled.1.notify_all();
    }
}

impl StorageBackend for Stalling {
    fn len(&self) -> io::Result<u64> {
        self.disk.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.disk.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.disk.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        let stalled = self.stalled.0.lock().unwrap();
        drop(self.stalled.1.wait_while(stalled, |stalled| *stalled).unwrap());
        self.disk.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.disk.write(offset, data)
    }
}

/// More writes than the queue holds, under a disk that does not answer.
fn flood() -> (Disks, Stalling, DiskStore, Vec<Commit>) {
    let disks = Disks::new(1);
    let journal = Stalling { disk: disks.journal.clone(), stalled: Arc::default() };
    let store = DiskStore::open_in(disks.data.clone(), journal.clone(), &Options::default()).unwrap();
    journal.stall(true);
    let write = |index| store.write(Write::put(&format!("k{index}"), Expected::Absent, "x"));
    let commits = (0..6_000).map(write).collect();
    (disks, journal, store, commits)
}

#[test]
fn a_stalled_disk_blocks_no_writer() {
    let (_disks, journal, store, commits) = flood();
    assert_eq!(store.version(), 1, "nothing is safe yet");
    journal.stall(false);
    // Those that found the queue full may be overtaken by later ones.
    let versions: BTreeSet<u64> = commits.into_iter().map(|it| it.wait().unwrap()).collect();
    assert!(versions.into_iter().eq(2..6_002));
}

#[test]
fn a_store_that_is_dropped_does_what_was_queued_and_refuses_the_rest() {
    let (disks, journal, store, commits) = flood();
    journal.stall(false);
    drop(store);
    let outcomes: Vec<_> = commits.into_iter().map(Commit::wait).collect();
    let done = outcomes.iter().filter(|it| it.is_ok()).count();
    let refused = outcomes.iter().filter(|it| matches!(it, Err(WriteError::Failed(_)))).count();
    assert!(done >= 4_096 && refused > 0, "{done}");
    assert_eq!(done + refused, outcomes.len());
    let store = disks.restarted().open(&Options::default()).unwrap();
    assert_eq!(store.version(), done as u64 + 1);
}
