//! Storage that loses power: what was not flushed is gone, or half there.

use std::io;
use std::sync::{Arc, Mutex};

use krono_store::{DiskStore, Expected, Options, Store, Write};
use redb::StorageBackend;

/// Bytes on a disk, and writes that are still in its cache.
#[derive(Clone, Debug, Default)]
struct Disk(Arc<Mutex<Platter>>);

#[derive(Debug, Default)]
struct Platter {
    durable: Vec<u8>,
    cached: Vec<(usize, Vec<u8>)>,
    /// Flushes until the power goes.
    flushes_left: usize,
    dead: bool,
}

impl Platter {
    /// What a reader sees while the power is on.
    fn seen(&self) -> Vec<u8> {
        let mut bytes = self.durable.clone();
        for (offset, data) in &self.cached {
            put(&mut bytes, *offset, data);
        }
        bytes
    }

    /// The power goes: of the cached writes every other one is lost, and one is torn.
    fn lose_power(&mut self, seed: usize) {
        self.dead = true;
        for (index, (offset, data)) in std::mem::take(&mut self.cached).into_iter().enumerate() {
            match (index + seed) % 3 {
                0 => put(&mut self.durable, offset, &data),
                1 => put(&mut self.durable, offset, &data[..data.len() / 2]),
                _ => {}
            }
        }
    }
}

fn put(bytes: &mut Vec<u8>, offset: usize, data: &[u8]) {
    if bytes.len() < offset + data.len() {
        bytes.resize(offset + data.len(), 0);
    }
    bytes[offset..offset + data.len()].copy_from_slice(data);
}

fn powerless() -> io::Error {
    io::Error::other("the power is gone")
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().unwrap().seen().len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let seen = self.0.lock().unwrap().seen();
        let start = usize::try_from(offset).unwrap();
        out.copy_from_slice(seen.get(start..start + out.len()).ok_or_else(powerless)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut platter = self.0.lock().unwrap();
        let len = usize::try_from(len).unwrap();
        platter.durable = platter.seen();
        platter.cached.clear();
        platter.durable.resize(len, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut platter = self.0.lock().unwrap();
        if platter.dead {
            return Err(powerless());
        }
        if platter.flushes_left == 0 {
            let seed = platter.durable.len() / 4096 + platter.cached.len();
            platter.lose_power(seed);
            return Err(powerless());
        }
        platter.flushes_left -= 1;
        platter.durable = platter.seen();
        platter.cached.clear();
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut platter = self.0.lock().unwrap();
        if platter.dead {
            return Err(powerless());
        }
        platter.cached.push((usize::try_from(offset).unwrap(), data.to_vec()));
        Ok(())
    }
}

#[test]
fn what_was_acknowledged_survives_a_power_cut() {
    let rounds = std::env::var("KRONO_RANDOM_CASES").ok().and_then(|it| it.parse().ok()).unwrap_or(40_usize);
    for round in 0..rounds {
        power_cut_after(round % 60);
    }
    println!("store-crash: {rounds}/{rounds}");
}

fn power_cut_after(flushes: usize) {
    let disk = Disk::default();
    disk.0.lock().unwrap().flushes_left = 8 + flushes;
    let Ok(store) = DiskStore::open_in(disk.clone(), &Options { remembered: 5 }) else { return };
    let mut acknowledged = Vec::new();
    for index in 0.. {
        let value = format!("{index:0>300}");
        match store.write(Write::put(&format!("k{index}"), Expected::Absent, value)).wait() {
            Ok(version) => acknowledged.push(version),
            Err(_) => break,
        }
    }
    drop(store);
    {
        let mut platter = disk.0.lock().unwrap();
        platter.cached.clear();
        (platter.dead, platter.flushes_left) = (false, usize::MAX);
    }
    let store = DiskStore::open_in(disk, &Options { remembered: 5 }).unwrap();
    assert!(store.version() >= acknowledged.last().copied().unwrap_or(0));
    for (index, version) in acknowledged.iter().enumerate() {
        let entry = store.get(&format!("k{index}")).unwrap();
        assert_eq!((entry.version, &*entry.value), (*version, format!("{index:0>300}").as_bytes()));
    }
    let next = store.write(Write::put("next", Expected::Absent, "x")).wait().unwrap();
    assert!(acknowledged.iter().all(|it| *it < next), "version {next} was used before");
}
