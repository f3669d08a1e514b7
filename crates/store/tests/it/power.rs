//! Disks in memory that lose power at a chosen moment.

use std::io;
use std::sync::{Arc, Mutex};

use krono_store::{DiskStore, OpenError, Options};
use redb::StorageBackend;

use crate::random::Random;

/// What a disk writes whole or not at all, in bytes.
const SECTOR: usize = 512;

/// Where a store and its journal lie: two disks, of which flushing one does not flush the other, and one plug.
#[derive(Clone, Debug)]
pub(crate) struct Disks {
    pub(crate) data: Disk,
    pub(crate) journal: Disk,
}

impl Disks {
    pub(crate) fn new(seed: u64) -> Self {
        Self::holding([Vec::new(), Vec::new()], seed)
    }

    fn holding([data, journal]: [Vec<u8>; 2], seed: u64) -> Self {
        let mut random = Random::new(seed);
        let left = Arc::new(Mutex::new(u64::MAX));
        let mut disk = |bytes| Disk::holding(bytes, Random::new(random.next()), Arc::clone(&left));
        Self { data: disk(data), journal: disk(journal) }
    }

    pub(crate) fn open(&self, options: &Options) -> Result<DiskStore, OpenError> {
        DiskStore::open_in(self.data.clone(), self.journal.clone(), options)
    }

    /// The power goes after so many further operations.
    pub(crate) fn cut_after(&self, operations: u64) {
        *self.data.0.lock().unwrap().left.lock().unwrap() = operations;
    }

    /// The same disks with power again; whoever still holds the old ones stays without.
    pub(crate) fn restarted(&self) -> Self {
        self.cut_after(0);
        let seed = self.data.0.lock().unwrap().random.next();
        Self::holding([self.data.settled(), self.journal.settled()], seed)
    }
}

/// A disk with a cache that a power cut loses in part.
#[derive(Clone, Debug)]
pub(crate) struct Disk(Arc<Mutex<Platter>>);

#[derive(Debug)]
struct Platter {
    /// What a reader sees while the power is on.
    seen: Vec<u8>,
    durable: Vec<u8>,
    cached: Vec<Cached>,
    /// Writes, resizes and flushes until the power goes.
    left: Arc<Mutex<u64>>,
    /// Flushes that fail although the power is on.
    failing: u64,
    random: Random,
}

#[derive(Debug)]
enum Cached {
    Write(usize, Vec<u8>),
    Length(usize),
}

impl Disk {
    fn holding(bytes: Vec<u8>, random: Random, left: Arc<Mutex<u64>>) -> Self {
        let (seen, cached) = (bytes.clone(), Vec::new());
        Self(Arc::new(Mutex::new(Platter { seen, durable: bytes, cached, left, failing: 0, random })))
    }

    /// The next flush fails; those after it do not.
    pub(crate) fn fail_a_flush(&self) {
        self.0.lock().unwrap().failing = 1;
    }

    /// What is there once the power is gone.
    fn settled(&self) -> Vec<u8> {
        let mut platter = self.0.lock().unwrap();
        platter.settle();
        platter.durable.clone()
    }
}

impl Platter {
    fn spend(&mut self) -> io::Result<()> {
        let mut left = self.left.lock().unwrap();
        *left = left.checked_sub(1).ok_or_else(|| io::Error::other("the power is gone"))?;
        Ok(())
    }

    /// What is left of the cache: each sector of each write by chance.
    fn settle(&mut self) {
        for cached in std::mem::take(&mut self.cached) {
            match cached {
                Cached::Length(length) if self.random.below(2) == 0 => self.durable.resize(length, 0),
                Cached::Length(_) => {}
                Cached::Write(offset, data) => self.settle_write(offset, &data),
            }
        }
    }

    fn settle_write(&mut self, offset: usize, data: &[u8]) {
        // All, none, or torn.
        let fate = self.random.below(3);
        for (index, sector) in data.chunks(SECTOR).enumerate() {
            let survives = fate == 0 || fate == 1 && self.random.below(2) == 0;
            if survives {
                overwrite(&mut self.durable, offset + index * SECTOR, sector);
            }
        }
    }
}

fn overwrite(bytes: &mut Vec<u8>, offset: usize, data: &[u8]) {
    if bytes.len() < offset + data.len() {
        bytes.resize(offset + data.len(), 0);
    }
    bytes[offset..offset + data.len()].copy_from_slice(data);
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().unwrap().seen.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let platter = self.0.lock().unwrap();
        let start = usize::try_from(offset).unwrap();
        let bytes = platter.seen.get(start..start + out.len());
        out.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut platter = self.0.lock().unwrap();
        platter.spend()?;
        let len = usize::try_from(len).unwrap();
        platter.seen.resize(len, 0);
        platter.cached.push(Cached::Length(len));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut platter = self.0.lock().unwrap();
        platter.spend()?;
        if platter.failing > 0 {
            platter.failing -= 1;
            return Err(io::Error::other("the flush failed"));
        }
        for cached in std::mem::take(&mut platter.cached) {
            match cached {
                Cached::Length(length) => platter.durable.resize(length, 0),
                Cached::Write(offset, data) => overwrite(&mut platter.durable, offset, &data),
            }
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut platter = self.0.lock().unwrap();
        platter.spend()?;
        let offset = usize::try_from(offset).unwrap();
        overwrite(&mut platter.seen, offset, data);
        platter.cached.push(Cached::Write(offset, data.to_vec()));
        Ok(())
    }
}
