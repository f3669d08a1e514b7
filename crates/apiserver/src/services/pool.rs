//! Addresses and ports that are taken.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use super::claims::{self, Claim};
use crate::status::Status;
use crate::storage::{Change, Storage};
use crate::stored::Stored;

/// What the keys of Services begin with.
const PREFIX: &str = "/services/";
/// The range of cluster addresses and how many of its bits are fixed.
const NETWORK: Ipv4Addr = Ipv4Addr::new(10, 96, 0, 0);
const NETWORK_BITS: u32 = 12;
/// The first addresses are left to those who name the address they want.
const STATIC_ADDRESSES: u32 = 256;
const FIRST_PORT: u16 = 30_000;
const LAST_PORT: u16 = 32_767;
/// The first node ports are left to those who name the port they want.
const STATIC_PORTS: u16 = 86;

/// What all Services hold. What is stored is found out whenever it is asked, so that nothing has to be remembered
/// over a restart; what is about to be stored is reserved until it is.
#[derive(Debug, Default)]
pub(crate) struct Pool(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// How many Services hold a claim, by what is stored up to `version`.
    stored: HashMap<Claim, usize>,
    version: Option<u64>,
    reserved: HashMap<Claim, usize>,
}

/// Claims kept for a Service until it is stored or given up.
#[derive(Debug, Default)]
pub(crate) struct Reservation {
    pool: Option<Arc<Pool>>,
    claims: Vec<Claim>,
}

/// Why something cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("provided IP is already allocated")]
    AddressTaken,
    #[error("the provided network does not match the current range")]
    OtherNetwork,
    #[error("provided port is already allocated")]
    PortTaken,
    #[error("provided port is not in the valid range. The range of valid ports is {FIRST_PORT}-{LAST_PORT}")]
    OutOfRange,
    #[error("range is full")]
    Full,
}

impl Pool {
    /// Begins to reserve, with all that is stored known. Nobody else can reserve until the result is dropped.
    pub(super) fn open<'p>(self: &'p Arc<Self>, storage: &Storage) -> Result<Reserving<'p>, Status> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.follow(storage)?;
        let reservation = Reservation { pool: None, claims: Vec::new() };
        Ok(Reserving { pool: self, state, reservation })
    }
}

impl State {
    fn follow(&mut self, storage: &Storage) -> Result<(), Status> {
        let mut at = match self.version {
            Some(version) => version,
            None => self.read(storage)?,
        };
        loop {
            match storage.change_after(PREFIX, at) {
                Ok(Ok(change)) => {
                    self.take_in(&change)?;
                    at = change.version;
                }
                Ok(Err(version)) => {
                    self.version = Some(version);
                    return Ok(());
                }
                Err(status) if status.reason == "Expired" => at = self.read(storage)?,
                Err(status) => return Err(status),
            }
        }
    }

    fn read(&mut self, storage: &Storage) -> Result<u64, Status> {
        let page = storage.range(PREFIX, "", usize::MAX, None)?;
        self.stored.clear();
        for (_, stored) in &page.items {
            self.add(stored)?;
        }
        Ok(page.version)
    }

    fn take_in(&mut self, change: &Change) -> Result<(), Status> {
        if let Some(previous) = &change.previous {
            for claim in claims_of(previous)? {
                subtract(&mut self.stored, claim);
            }
        }
        change.current.as_ref().map_or(Ok(()), |current| self.add(current))
    }

    fn add(&mut self, stored: &Stored) -> Result<(), Status> {
        for claim in claims_of(stored)? {
            *self.stored.entry(claim).or_default() += 1;
        }
        Ok(())
    }

    fn is_free(&self, claim: Claim) -> bool {
        !self.stored.contains_key(&claim) && !self.reserved.contains_key(&claim)
    }
}

fn claims_of(stored: &Stored) -> Result<Vec<Claim>, Status> {
    let object = stored.decode().map_err(Status::internal)?;
    Ok(claims::of(object.get("spec").unwrap_or(&Value::Null)))
}

fn subtract(counts: &mut HashMap<Claim, usize>, claim: Claim) {
    if let Some(count) = counts.get_mut(&claim) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&claim);
        }
    }
}

/// Reserving for one Service.
pub(super) struct Reserving<'p> {
    pool: &'p Arc<Pool>,
    state: MutexGuard<'p, State>,
    reservation: Reservation,
}

impl Reserving<'_> {
    /// Takes a certain address.
    pub(super) fn address(&mut self, address: IpAddr) -> Result<(), Refusal> {
        let IpAddr::V4(inner) = address else { return Err(Refusal::OtherNetwork) };
        let offset = u32::from(inner).wrapping_sub(u32::from(NETWORK));
        // The network itself and its broadcast address are nobody's.
        if offset == 0 || offset >= last_offset() {
            return Err(Refusal::OtherNetwork);
        }
        self.take(Claim::Address(address)).then_some(()).ok_or(Refusal::AddressTaken)
    }

    /// Takes any address.
    pub(super) fn any_address(&mut self, random: u64) -> Result<IpAddr, Refusal> {
        let address = |offset: u64| {
            let offset = u32::try_from(offset).unwrap_or_default();
            Claim::Address(Ipv4Addr::from(u32::from(NETWORK) + offset).into())
        };
        let (low, high) = (u64::from(STATIC_ADDRESSES), u64::from(last_offset()) - 1);
        match self.any(random, low, high, address).or_else(|| self.any(random, 1, low - 1, address)) {
            Some(Claim::Address(address)) => Ok(address),
            Some(Claim::Port(_)) | None => Err(Refusal::Full),
        }
    }

    /// Takes a certain node port.
    pub(super) fn port(&mut self, number: u64) -> Result<(), Refusal> {
        let number = u16::try_from(number).ok().filter(|it| (FIRST_PORT..=LAST_PORT).contains(it));
        let number = number.ok_or(Refusal::OutOfRange)?;
        self.take(Claim::Port(number)).then_some(()).ok_or(Refusal::PortTaken)
    }

    /// Takes any node port.
    pub(super) fn any_port(&mut self, random: u64) -> Result<u16, Refusal> {
        let claim = |number: u64| Claim::Port(u16::try_from(number).unwrap_or_default());
        let (first, low) = (u64::from(FIRST_PORT), u64::from(FIRST_PORT + STATIC_PORTS));
        let high = u64::from(LAST_PORT);
        match self.any(random, low, high, claim).or_else(|| self.any(random, first, low - 1, claim)) {
            Some(Claim::Port(number)) => Ok(number),
            Some(Claim::Address(_)) | None => Err(Refusal::Full),
        }
    }

    /// What was taken, kept until the result is dropped.
    pub(super) fn close(mut self) -> Reservation {
        let claims = std::mem::take(&mut self.reservation.claims);
        Reservation { pool: Some(Arc::clone(self.pool)), claims }
    }

    fn any(&mut self, random: u64, low: u64, high: u64, claim: impl Fn(u64) -> Claim) -> Option<Claim> {
        let size = high - low + 1;
        let found = (0..size).map(|step| claim(low + (random % size + step) % size));
        let free = found.into_iter().find(|claim| self.state.is_free(*claim))?;
        self.take(free).then_some(free)
    }

    fn take(&mut self, claim: Claim) -> bool {
        if !self.state.is_free(claim) {
            return false;
        }
        *self.state.reserved.entry(claim).or_default() += 1;
        self.reservation.claims.push(claim);
        true
    }
}

impl Drop for Reserving<'_> {
    fn drop(&mut self) {
        for claim in std::mem::take(&mut self.reservation.claims) {
            subtract(&mut self.state.reserved, claim);
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let Some(pool) = self.pool.take() else { return };
        let mut state = pool.0.lock().unwrap_or_else(PoisonError::into_inner);
        for claim in self.claims.drain(..) {
            subtract(&mut state.reserved, claim);
        }
    }
}

fn last_offset() -> u32 {
    (1 << (32 - NETWORK_BITS)) - 1
}
