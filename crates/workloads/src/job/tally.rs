//! Pods counted, each exactly once.
//!
//! A Pod that ended is first noted in the status by its uid, then loses the finalizer that kept it, and is counted
//! when it has lost it. Whatever is interrupted in between goes on from there.

use std::collections::BTreeSet;

use k8s_openapi::api::batch::v1::{JobStatus, UncountedTerminatedPods};
use k8s_openapi::api::core::v1::Pod;

use super::{Work, index, indexes, is_tracked};
use crate::numbers::nonzero;
use crate::{owner, pod};

/// What is counted and what is about to be.
pub(super) struct Tally {
    counted: (usize, usize),
    /// Uids of Pods that succeeded, or failed, and still have the finalizer.
    noted: (BTreeSet<String>, BTreeSet<String>),
    /// Uids of Pods that nothing more is expected from.
    done: BTreeSet<String>,
    /// Indexes that succeeded.
    pub(super) indexes: BTreeSet<i32>,
    indexed: bool,
}

impl Tally {
    pub(super) fn new(work: &Work<'_>) -> Self {
        let number = |it: Option<i32>| usize::try_from(it.unwrap_or_default()).unwrap_or_default();
        let mut counted = (number(work.old.succeeded), number(work.old.failed));
        let known = work.old.uncounted_terminated_pods.clone().unwrap_or_default();
        let tracked: BTreeSet<&str> =
            work.pods.iter().filter(|it| is_tracked(it)).map(|it| owner::uid(&it.metadata)).collect();
        let settle = |uids: Option<Vec<String>>| -> (BTreeSet<String>, BTreeSet<String>) {
            uids.into_iter().flatten().partition(|it| tracked.contains(it.as_str()))
        };
        let (mut succeeded, gone) = settle(known.succeeded);
        counted.0 += gone.len();
        let (mut failed, gone) = settle(known.failed);
        counted.1 += gone.len();
        let mut indexes = indexes::parse(work.old.completed_indexes.as_deref().unwrap_or_default());
        let mut done = BTreeSet::new();
        for pod in work.pods.iter().filter(|it| is_tracked(it)) {
            let uid = owner::uid(&pod.metadata).to_owned();
            match pod::phase(pod) {
                "Succeeded" => {
                    indexes.extend(index(pod).filter(|_| work.is_indexed()));
                    succeeded.insert(uid.clone());
                }
                "Failed" => drop(failed.insert(uid.clone())),
                _ if is_lost(pod) && !work.is_suspended() => drop(failed.insert(uid.clone())),
                _ if is_lost(pod) => {}
                _ => continue,
            }
            done.insert(uid);
        }
        Self { counted, noted: (succeeded, failed), done, indexes, indexed: work.is_indexed() }
    }

    pub(super) fn succeeded(&self) -> usize {
        if self.indexed { self.indexes.len() } else { self.counted.0 + self.noted.0.len() }
    }

    pub(super) fn failed(&self) -> usize {
        self.counted.1 + self.noted.1.len()
    }

    /// Whether the Pod may lose its finalizer.
    pub(super) fn is_done_with(&self, pod: &Pod) -> bool {
        self.done.contains(owner::uid(&pod.metadata))
    }

    /// The status with these numbers.
    pub(super) fn counted(&self, old: JobStatus) -> JobStatus {
        let number = |it: usize| nonzero(i32::try_from(it).unwrap_or(i32::MAX));
        let list = |uids: &BTreeSet<String>| (!uids.is_empty()).then(|| uids.iter().cloned().collect());
        let noted = UncountedTerminatedPods { succeeded: list(&self.noted.0), failed: list(&self.noted.1) };
        let succeeded = if self.indexed { self.indexes.len() } else { self.counted.0 };
        JobStatus {
            succeeded: number(succeeded),
            failed: number(self.counted.1),
            completed_indexes: self
                .indexed
                .then(|| indexes::format(&self.indexes))
                .filter(|it| !it.is_empty()),
            uncounted_terminated_pods: Some(noted),
            ..old
        }
    }
}

/// Whether the Pod was deleted and only waits to be counted.
fn is_lost(pod: &Pod) -> bool {
    pod.metadata.deletion_timestamp.is_some()
        && pod.metadata.deletion_grace_period_seconds.unwrap_or_default() == 0
}
