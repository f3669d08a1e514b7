//! Who leads, when several processes serve one cluster.
//!
//! The rules are those of client-go, so that kro and krono never lead at once: a lease counts as abandoned when it has
//! not changed for as long as it says, measured by the clock of whoever waits.

mod claim;

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::coordination::v1::Lease;
use krono_model::names;
use kube::api::PostParams;
use kube::{Api, Client};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::refusal::Refusal;

use claim::{Claim, claim, last_renewal, released};

/// How long others wait for a leader that says nothing.
const DURATION: Duration = Duration::from_secs(15);
/// How long a leader tries to renew before it gives up.
const RENEWAL: Duration = Duration::from_secs(10);
/// How long a leader tries to give up its lease; after that, others may lead anyway.
const FAREWELL: Duration = Duration::from_secs(5);
/// How often a lease is looked at.
const PACE: Duration = Duration::from_secs(2);

/// A claim on the leadership of a cluster.
pub struct Leadership {
    leases: Api<Lease>,
    namespace: String,
    identity: String,
    /// The lease as it was seen last, and since when it has been so.
    seen: Option<(Lease, Instant)>,
    /// When whoever led before was last heard of.
    last_heard: Option<Timestamp>,
}

/// Why a process does not lead yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// Another process does; it is followed when it says nothing more.
    Behind(String),
    /// There is no such namespace, and so no place for a lease.
    Nowhere(String),
    /// The lease cannot be read or written.
    Unable(String),
}

/// Why a leader leads no longer.
#[derive(Debug, thiserror::Error)]
pub enum Lost {
    /// Another process took over.
    #[error("{0} leads now")]
    Taken(String),
    /// The lease could not be renewed in time.
    #[error("the lease could not be renewed in time: {0}")]
    Unrenewed(#[source] kube::Error),
}

impl Leadership {
    /// A claim by a process of that name; no two processes may have the same at once.
    pub fn new(client: Client, namespace: &str, identity: String) -> Self {
        let leases = Api::namespaced(client, namespace);
        Self { leases, namespace: namespace.to_owned(), identity, seen: None, last_heard: None }
    }

    /// When whoever led before was last heard of; nothing when nobody did.
    pub fn last_heard(&self) -> Option<Timestamp> {
        self.last_heard
    }

    /// Waits until this process leads, and tells after every look why it does not.
    pub async fn acquire(&mut self, mut tell: impl FnMut(Waiting)) {
        loop {
            match self.step_until(Instant::now() + RENEWAL).await {
                Ok(None) => return,
                Ok(Some(leader)) => tell(Waiting::Behind(leader)),
                Err(error) => tell(self.unable(&error)),
            }
            sleep(PACE).await;
        }
    }

    fn unable(&self, error: &kube::Error) -> Waiting {
        match Refusal::of(error) {
            Refusal::Absent(_) => Waiting::Nowhere(self.namespace.clone()),
            Refusal::Stale => Waiting::Unable("somebody else was faster".to_owned()),
            Refusal::Transient(words) | Refusal::Rejected(words) => Waiting::Unable(words),
        }
    }

    /// Renews the lease for as long as that is possible.
    pub async fn hold(&mut self) -> Lost {
        let mut renewed = Instant::now();
        loop {
            sleep(PACE).await;
            let began = Instant::now();
            match self.step_until(renewed + RENEWAL).await {
                // Others count from what they see, which is later.
                Ok(None) => renewed = began,
                Ok(Some(leader)) => return Lost::Taken(leader),
                Err(error) if renewed.elapsed() >= RENEWAL => return Lost::Unrenewed(error),
                Err(error) => tracing::warn!(%error, "the lease was not renewed; trying again"),
            }
        }
    }

    /// Lets the next process lead at once, if the server answers.
    pub async fn release(&mut self) {
        // It expires by itself when this fails.
        drop(timeout(FAREWELL, self.give_up()).await);
    }

    async fn give_up(&self) {
        let Ok(Some(lease)) = self.leases.get_opt(names::LEASE).await else { return };
        if let Some(released) = released(lease, &self.identity, now()) {
            drop(self.leases.replace(names::LEASE, &PostParams::default(), &released).await);
        }
    }

    /// Claims or renews the lease before a time; who leads, if somebody else does.
    async fn step_until(&mut self, end: Instant) -> kube::Result<Option<String>> {
        let late = |late| Err(kube::Error::Service(Box::new(late)));
        timeout_at(end, self.step()).await.unwrap_or_else(late)
    }

    async fn step(&mut self) -> kube::Result<Option<String>> {
        let lease = self.leases.get_opt(names::LEASE).await?;
        // Before this process has seen a lease, its own name on it is that of an earlier one.
        let own = self.seen.as_ref().map(|_| self.identity.as_str());
        let others = lease.as_ref().and_then(|it| last_renewal(it, own));
        let unchanged = self.unchanged_for(lease.as_ref());
        let parameters = PostParams::default();
        let answer = match claim(lease, &self.identity, unchanged, now()) {
            Claim::Create(lease) => self.leases.create(&parameters, &lease).await,
            Claim::Replace(lease) => self.leases.replace(names::LEASE, &parameters, &lease).await,
            Claim::Wait { leader } => return Ok(Some(leader)),
        };
        match answer {
            Ok(lease) => {
                self.seen = Some((lease, Instant::now()));
                self.last_heard = others.or(self.last_heard);
                Ok(None)
            }
            // Somebody else was faster.
            Err(kube::Error::Api(status)) if status.code == 409 => Ok(Some("another process".to_owned())),
            Err(error) => Err(error),
        }
    }

    fn unchanged_for(&mut self, lease: Option<&Lease>) -> Duration {
        let Some(lease) = lease else { return Duration::ZERO };
        match &self.seen {
            Some((seen, since)) if seen.spec == lease.spec => since.elapsed(),
            Some(_) | None => {
                self.seen = Some((lease.clone(), Instant::now()));
                Duration::ZERO
            }
        }
    }
}

fn now() -> Timestamp {
    crate::clock::timestamp()
}
