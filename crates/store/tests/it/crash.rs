//! Storage that loses power: what was not flushed is gone, or half there.

use krono_store::{Expected, Options, Store, Write, WriteError};

use crate::conformance::remembering;
use crate::power::Disks;
use crate::random::{Random, cases, seed};

/// So that changes go into the file every few writes, and a long value goes there at once.
fn options() -> Options {
    Options { journal: 2_000, ..remembering(5) }
}

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
    let disks = Disks::new(random.next());
    let acknowledged = live(&disks, random.below(400));
    let mut disks = disks.restarted();
    disks.cut_after(random.below(30));
    drop(disks.open(&options()));
    disks = disks.restarted();
    check(&disks, &acknowledged);
}

/// Creates keys one after the other until the power goes, and gives the versions that were acknowledged.
fn live(disks: &Disks, operations: u64) -> Vec<u64> {
    let store = disks.open(&options()).unwrap();
    disks.cut_after(operations);
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

fn check(disks: &Disks, acknowledged: &[u64]) {
    let store = disks.open(&options()).unwrap();
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
    let length = if index % 9 == 8 { 3_000 } else { 300 };
    format!("{index:0>length$}")
}
