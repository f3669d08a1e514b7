//! What is counted about propagations.

use krono_planner::fleet::Told;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use serde_json::Value;

use super::{Histograms, Labels};

/// What is counted about propagations.
#[derive(Clone)]
pub(crate) struct Propagation {
    instances: Family<Labels, Gauge>,
    in_flight: Family<Labels, Gauge>,
    waiting: Family<Labels, Gauge>,
    blocked: Family<Labels, Gauge>,
    failed: Family<Labels, Gauge>,
    durations: Histograms,
}

impl Propagation {
    pub(super) fn registered(registry: &mut Registry) -> Self {
        let mut measured = |name: &str, help: &str| {
            let gauge = Family::<Labels, Gauge>::default();
            registry.register(name, help, gauge.clone());
            gauge
        };
        let instances = measured("krono_revision_instances", "Instances that are assigned to a revision");
        let in_flight = measured("krono_propagation_in_flight", "Instances on their way to a revision");
        let waiting = measured("krono_propagation_waiting", "Instances that wait for their turn");
        let help = "Instances on their way with resources that wait for their own propagateWhen";
        let blocked = measured("krono_propagation_blocked", help);
        let failed = measured("krono_propagation_failed", "Instances that failed on their way to a revision");
        let durations = Histograms::new_with_constructor(histogram);
        let help = "How long it took until a revision had reached everybody who takes part";
        registry.register("krono_propagation_duration_seconds", help, durations.clone());
        Self { instances, in_flight, waiting, blocked, failed, durations }
    }

    /// A fleet was looked at.
    pub(crate) fn looked_at(&self, definition: &str, told: &Told) {
        let labels = vec![("name", definition.to_owned())];
        let numbers = [
            (&self.in_flight, told.counts.in_flight),
            (&self.waiting, told.waiting),
            (&self.blocked, told.blocked),
            (&self.failed, told.counts.failed),
        ];
        for (gauge, number) in numbers {
            gauge.get_or_create(&labels).set(i64::try_from(number).unwrap_or(i64::MAX));
        }
        if let Some(took) = told.took {
            self.durations.get_or_create(&labels).observe(took.as_secs_f64());
        }
    }

    /// The instances of a definition were counted: `status.revisionHistory` before and after.
    pub(crate) fn counted(&self, definition: &str, before: &Value, after: &Value) {
        let labels =
            |it: &Value| vec![("name", definition.to_owned()), ("revision", it["revision"].to_string())];
        let all = |it: &Value| it.as_array().cloned().unwrap_or_default();
        for gone in all(before) {
            self.instances.remove(&labels(&gone));
        }
        for revision in all(after) {
            let count = revision["instanceCount"].as_i64().unwrap_or_default();
            self.instances.get_or_create(&labels(&revision)).set(count);
        }
    }
}

/// From a second to some weeks.
fn histogram() -> Histogram {
    Histogram::new(exponential_buckets(1.0, 4.0, 11))
}
