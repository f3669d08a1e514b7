//! What is counted about propagations.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use krono_planner::fleet::Told;
use prometheus_client::metrics::counter::Counter;
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
    given_up: Family<Labels, Counter>,
    durations: Histograms,
    looks: Histograms,
    /// The labels under which the instances of each definition are counted.
    counted: Arc<Mutex<HashMap<String, Vec<Labels>>>>,
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
        let given_up = Family::<Labels, Counter>::default();
        let help = "Propagations that were given up, by what became of them";
        registry.register("krono_propagation_given_up", help, given_up.clone());
        let durations = Histograms::new_with_constructor(weeks);
        let help = "How long it took until a revision had reached everybody who takes part";
        registry.register("krono_propagation_duration_seconds", help, durations.clone());
        let looks = Histograms::new_with_constructor(moments);
        let help = "How long it took to look at all instances and to decide who may move";
        registry.register("krono_propagation_look_seconds", help, looks.clone());
        Self {
            instances,
            in_flight,
            waiting,
            blocked,
            failed,
            given_up,
            durations,
            looks,
            counted: Arc::default(),
        }
    }

    /// It took so long to look at a fleet.
    pub(crate) fn took(&self, definition: &str, look: Duration) {
        self.looks.get_or_create(&labels(definition)).observe(look.as_secs_f64());
    }

    /// A fleet was looked at; nobody may move where nothing is told.
    pub(crate) fn looked_at(&self, definition: &str, told: Option<&Told>) {
        let labels = labels(definition);
        let numbers = [
            (&self.in_flight, told.map(|it| it.counts.in_flight)),
            (&self.waiting, told.map(|it| it.waiting)),
            (&self.blocked, told.map(|it| it.blocked)),
            (&self.failed, told.map(|it| it.counts.failed)),
        ];
        for (gauge, number) in numbers {
            match number {
                Some(number) => {
                    gauge.get_or_create(&labels).set(i64::try_from(number).unwrap_or(i64::MAX));
                }
                None => drop(gauge.remove(&labels)),
            }
        }
    }

    /// An Event for that reason was told of a definition.
    pub(crate) fn told(&self, definition: &str, reason: &str) {
        let outcome = match reason {
            "PropagationHalted" => "Halted",
            "PropagationRolledBack" => "RolledBack",
            "PropagationAborted" => "Aborted",
            _ => return,
        };
        let mut labels = labels(definition);
        labels.push(("outcome", outcome.to_owned()));
        self.given_up.get_or_create(&labels).inc();
    }

    /// It was written down how far a revision has come; one that nobody had to move to took no time.
    pub(crate) fn written_down(&self, definition: &str, told: &Told) {
        if let Some(took) = told.took.filter(|_| told.counts.eligible > 0) {
            self.durations.get_or_create(&labels(definition)).observe(took.as_secs_f64());
        }
    }

    /// The instances of a definition were counted, as `status.revisionHistory` says.
    pub(crate) fn counted(&self, definition: &str, revisions: &Value) {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let known = counted.entry(definition.to_owned()).or_default();
        for gone in known.drain(..) {
            self.instances.remove(&gone);
        }
        for revision in revisions.as_array().into_iter().flatten() {
            let mut labels = labels(definition);
            labels.push(("revision", revision["revision"].to_string()));
            let count = revision["instanceCount"].as_i64().unwrap_or_default();
            self.instances.get_or_create(&labels).set(count);
            known.push(labels);
        }
    }

    /// A definition is no longer served.
    pub(crate) fn forget(&self, definition: &str) {
        self.looked_at(definition, None);
        self.counted(definition, &Value::Null);
        self.durations.remove(&labels(definition));
        self.looks.remove(&labels(definition));
        self.counted.lock().unwrap_or_else(PoisonError::into_inner).remove(definition);
    }
}

fn labels(definition: &str) -> Labels {
    vec![("name", definition.to_owned())]
}

/// From a second to some weeks.
fn weeks() -> Histogram {
    Histogram::new(exponential_buckets(1.0, 4.0, 11))
}

/// From half a millisecond to some seconds.
fn moments() -> Histogram {
    Histogram::new(exponential_buckets(0.0005, 2.0, 14))
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use krono_planner::fleet::Told;
    use krono_propagation::Counts;
    use krono_propagation::assignment::Assignment;
    use serde_json::json;

    use crate::metrics::Metrics;

    fn told(eligible: usize) -> Told {
        let number = "2".parse().expect("a number");
        let digest = "a".repeat(40).parse().expect("a digest");
        Told {
            target: Assignment { number, digest },
            counts: Counts { eligible, in_flight: 1, ..Counts::default() },
            waiting: 3,
            blocked: 0,
            took: Some(SignedDuration::from_secs(7)),
        }
    }

    #[test]
    fn nothing_is_told_of_what_is_no_longer_so() {
        let metrics = Metrics::default();
        let series = || {
            let text = metrics.text(&crate::metrics::Moment::default());
            let of = |it: &&str| it.contains("name=\"boxes\"") && !it.contains("_bucket");
            text.lines().filter(of).map(str::to_owned).collect::<Vec<_>>()
        };
        let propagation = metrics.propagation();
        propagation.looked_at("boxes", Some(&told(4)));
        propagation.counted("boxes", &json!([{"revision": 1, "instanceCount": 2}, {"revision": 2}]));
        propagation.counted("boxes", &json!([{"revision": 2, "instanceCount": 5}]));
        // Nobody had to move to this one.
        propagation.written_down("boxes", &told(0));
        let revision = "krono_revision_instances{name=\"boxes\",revision=\"2\"} 5";
        let expected = [
            revision,
            "krono_propagation_in_flight{name=\"boxes\"} 1",
            "krono_propagation_waiting{name=\"boxes\"} 3",
            "krono_propagation_blocked{name=\"boxes\"} 0",
            "krono_propagation_failed{name=\"boxes\"} 0",
        ];
        assert_eq!(series(), expected);
        propagation.looked_at("boxes", None);
        assert_eq!(series(), [revision]);
        propagation.written_down("boxes", &told(4));
        assert_eq!(series().len(), 3);
        propagation.forget("boxes");
        assert_eq!(series(), Vec::<String>::new());
    }
}
