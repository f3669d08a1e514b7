//! What `kubectl get` shows of built-in kinds: one file per API group holds its columns and how cells are found.

mod admission;
mod apps;
mod autoscaling;
mod batch;
mod certificates;
mod coordination;
mod core;
mod discovery;
mod duration;
mod flowcontrol;
mod heading;
mod networking;
mod node;
mod policy;
mod rbac;
mod registration;
mod resource;
mod scheduling;
mod selector;
mod shown;
mod storage;

pub(crate) use duration::age;
pub(crate) use heading::{Description, Heading, NAME_DESCRIPTION};
pub(crate) use shown::Shown;

use serde_json::Value;

/// The columns of a kind, and what its rows say beside their cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sheet {
    /// The columns, from left to right.
    pub(crate) headings: &'static [Heading],
    /// Conditions of a row.
    pub(crate) conditions: fn(&Shown<'_>) -> Option<Value>,
    /// Rows of a list come in this order; equal ones stay as they are.
    pub(crate) rank: fn(&Value) -> i64,
}

impl Sheet {
    const fn of(headings: &'static [Heading]) -> Self {
        Self { headings, conditions: |_| None, rank: |_| 0 }
    }
}

/// The sheet of a built-in kind; kinds without one show their name and when they were made.
pub(crate) fn sheet(group: &str, kind: &str) -> Option<Sheet> {
    match group {
        "" | "events.k8s.io" => core::sheet(kind),
        "admissionregistration.k8s.io" => admission::sheet(kind),
        "apiregistration.k8s.io" => registration::sheet(kind),
        "apps" => apps::sheet(kind),
        "autoscaling" => autoscaling::sheet(kind),
        "batch" => batch::sheet(kind),
        "certificates.k8s.io" => certificates::sheet(kind),
        "coordination.k8s.io" => coordination::sheet(kind),
        "discovery.k8s.io" => discovery::sheet(kind),
        "flowcontrol.apiserver.k8s.io" => flowcontrol::sheet(kind),
        "networking.k8s.io" => networking::sheet(kind),
        "node.k8s.io" => node::sheet(kind),
        "policy" => policy::sheet(kind),
        "rbac.authorization.k8s.io" => rbac::sheet(kind),
        "resource.k8s.io" => resource::sheet(kind),
        "scheduling.k8s.io" => scheduling::sheet(kind),
        "storage.k8s.io" => storage::sheet(kind),
        _ => None,
    }
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
