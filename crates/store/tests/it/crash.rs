//! Storage that loses power: what was not flushed is gone, or half there.

use krono_store::{DiskStore, Expected, Store, Write, WriteError};

use crate::conformance::remembering;
use crate::power::Disk;
use crate::random::{Random, cases, seed};

#[test]
fn what_was_acknowledged_survives_a_power_cut() {
    let mut random = Random::new(seed("store-crash"));
    let rounds = cases().unwrap_or(40);
    for _ in 0..rounds {
        power_cut(&mut random);
    }
    println!("store-crash: {rounds}/{rounds}");
}

/// One life of a store, cut short at any operation of its disk, and again while it is opened.
fn power_cut(random: &mut Random) {
    let disk = Disk::new(random.next());
    let acknowledged = live(&disk, random.below(400));
    let mut disk = disk.restarted();
    disk.cut_after(random.below(30));
    drop(DiskStore::open_in(disk.clone(), &remembering(5)));
    disk = disk.restarted();
    check(&disk, &acknowledged);
}

/// Creates keys one after the other until the power goes, and gives the versions that were acknowledged.
fn live(disk: &Disk, operations: u64) -> Vec<u64> {
    let store = DiskStore::open_in(disk.clone(), &remembering(5)).unwrap();
    disk.cut_after(operations);
    let mut acknowledged = Vec::new();
    for index in 0.. {
        match store.write(Write::put(&key(index), Expected::Absent, value(index))).wait() {
            Ok(version) => acknowledged.push(version),
            Err(WriteError::Unknown(_)) => break,
            Err(other) => panic!("{other}"),
        }
    }
    acknowledged
}

fn check(disk: &Disk, acknowledged: &[u64]) {
    let store = DiskStore::open_in(disk.clone(), &remembering(5)).unwrap();
    assert!(store.version() >= acknowledged.last().copied().unwrap_or(0));
    for (index, version) in acknowledged.iter().enumerate() {
        let entry = store.get(&key(index)).unwrap();
        assert_eq!((entry.version, &*entry.value), (*version, value(index).as_bytes()));
    }
    let next = store.write(Write::put("next", Expected::Absent, "x")).wait().unwrap();
    assert!(acknowledged.iter().all(|it| *it < next), "version {next} was used before");
}

fn key(index: usize) -> String {
    format!("k{index}")
}

fn value(index: usize) -> String {
    format!("{index:0>300}")
}
