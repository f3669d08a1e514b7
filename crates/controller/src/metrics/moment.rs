//! What is measured when somebody looks, and not kept: it grows and shrinks with what there is.

use std::fmt;
use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::text::encode_registry;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::Labels;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    Instances,
    Revisions,
    ConditionAge,
}

/// By [`Reading`].
pub(super) const READINGS: [(Reading, &str, &str); 3] = [
    (Reading::Instances, "dynamic_controller_instance_watch_count", "Instances whose resources are watched"),
    (
        Reading::Revisions,
        "graph_revision_registry_entries",
        "Revisions that are kept, by what became of them",
    ),
    (
        Reading::ConditionAge,
        "instance_condition_current_status_seconds",
        "For how long a condition of an instance has said what it says",
    ),
];

/// All that is measured at one time.
pub(crate) struct Moment {
    registry: Registry,
    readings: Vec<Family<Labels, Gauge<f64, AtomicU64>>>,
}

impl Default for Moment {
    fn default() -> Self {
        let mut registry = Registry::default();
        let readings = READINGS
            .map(|(_, name, help)| super::table::register(&mut registry, name, help, Family::default()));
        Self { registry, readings: readings.into() }
    }
}

impl Moment {
    pub(crate) fn measure(&self, of: Reading, labels: &Labels, number: f64) {
        self.readings[of as usize].get_or_create(labels).set(number);
    }

    pub(super) fn write(&self, text: &mut String) -> fmt::Result {
        encode_registry(text, &self.registry)
    }
}
