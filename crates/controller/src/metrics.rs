//! What is counted, under kro's names.

mod propagation;

use std::sync::Arc;
use std::time::Duration;

use kube::api::ApiResource;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

type Labels = Vec<(&'static str, String)>;
type Histograms = Family<Labels, Histogram, fn() -> Histogram>;

/// The counters of one process; clones count together.
#[derive(Clone)]
pub struct Metrics {
    registry: Arc<Registry>,
    instance_reconciles: Family<Labels, Counter>,
    instance_reconcile_errors: Family<Labels, Counter>,
    instance_reconcile_durations: Histograms,
    instance_state_transitions: Family<Labels, Counter>,
    graph_builds: Family<Labels, Counter>,
    graph_build_errors: Family<Labels, Counter>,
    graph_build_durations: Histograms,
    definition_state_transitions: Family<Labels, Counter>,
    queue_length: Gauge,
    served_kinds: Gauge,
    propagation: propagation::Propagation,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::default();
        let mut counted = |name: &str, help: &str| {
            let counter = Family::<Labels, Counter>::default();
            registry.register(name, help, counter.clone());
            counter
        };
        let instance_reconciles = counted("instance_reconcile", "Looks at instances");
        let instance_reconcile_errors = counted(
            "instance_reconcile_errors",
            "Looks at instances that are to be repeated because of an error",
        );
        let instance_state_transitions =
            counted("instance_state_transitions", "Changes of status.state of instances");
        let graph_builds = counted("rgd_graph_build", "Compilations of definitions");
        let graph_build_errors =
            counted("rgd_graph_build_errors", "Compilations of definitions that found mistakes");
        let definition_state_transitions =
            counted("rgd_state_transitions", "Changes of status.state of definitions");
        let mut timed = |name: &str, help: &str| {
            let histogram = Histograms::new_with_constructor(histogram);
            registry.register(name, help, histogram.clone());
            histogram
        };
        let instance_reconcile_durations =
            timed("instance_reconcile_duration_seconds", "How long looks at instances take");
        let graph_build_durations = timed("rgd_graph_build_duration_seconds", "How long compilations take");
        let mut measured = |name: &str, help: &str| {
            let gauge = Gauge::default();
            registry.register(name, help, gauge.clone());
            gauge
        };
        let queue_length =
            measured("dynamic_controller_queue_length", "Definitions and instances that wait for a look");
        let served_kinds = measured("dynamic_controller_gvr_count", "Kinds whose instances are looked after");
        let propagation = propagation::Propagation::registered(&mut registry);
        Self {
            registry: Arc::new(registry),
            instance_reconciles,
            instance_reconcile_errors,
            instance_reconcile_durations,
            instance_state_transitions,
            graph_builds,
            graph_build_errors,
            graph_build_durations,
            definition_state_transitions,
            queue_length,
            served_kinds,
            propagation,
        }
    }
}

/// From a tenth of a millisecond to some seconds.
fn histogram() -> Histogram {
    Histogram::new(exponential_buckets(0.0001, 4.0, 10))
}

impl Metrics {
    /// All counters in the text form that Prometheus reads.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if encode(&mut text, &self.registry).is_err() {
            "# the counters cannot be written\n# EOF\n".clone_into(&mut text);
        }
        text
    }

    pub(crate) fn looked_at_instance(&self, of: &ApiResource, took: Duration, failed: bool) {
        let labels = vec![("gvr", shown(of))];
        self.instance_reconciles.get_or_create(&labels).inc();
        self.instance_reconcile_durations.get_or_create(&labels).observe(took.as_secs_f64());
        if failed {
            self.instance_reconcile_errors.get_or_create(&labels).inc();
        }
    }

    pub(crate) fn instance_state_changed(&self, of: &ApiResource, from: &str, to: &str) {
        let labels = vec![("gvr", shown(of)), ("from_state", from.to_owned()), ("to_state", to.to_owned())];
        self.instance_state_transitions.get_or_create(&labels).inc();
    }

    pub(crate) fn compiled(&self, definition: &str, took: Duration, failed: bool) {
        let labels = vec![("name", definition.to_owned())];
        self.graph_builds.get_or_create(&labels).inc();
        self.graph_build_durations.get_or_create(&labels).observe(took.as_secs_f64());
        if failed {
            self.graph_build_errors.get_or_create(&labels).inc();
        }
    }

    pub(crate) fn definition_state_changed(&self, definition: &str, from: &str, to: &str) {
        let labels = vec![("name", definition.to_owned()), ("from", from.to_owned()), ("to", to.to_owned())];
        self.definition_state_transitions.get_or_create(&labels).inc();
    }

    /// How far the propagation of a definition has come.
    pub(crate) fn propagation(&self) -> &propagation::Propagation {
        &self.propagation
    }

    pub(crate) fn waiting(&self, keys: usize, kinds: usize) {
        self.queue_length.set(i64::try_from(keys).unwrap_or(i64::MAX));
        self.served_kinds.set(i64::try_from(kinds).unwrap_or(i64::MAX));
    }
}

/// As Go prints a resource.
fn shown(resource: &ApiResource) -> String {
    format!("{}/{}, Resource={}", resource.group, resource.version, resource.plural)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_have_kros_names() {
        let metrics = Metrics::default();
        let apps = ApiResource {
            group: "kro.run".into(),
            version: "v1".into(),
            api_version: "kro.run/v1".into(),
            kind: "App".into(),
            plural: "apps".into(),
        };
        metrics.looked_at_instance(&apps, Duration::from_millis(2), true);
        metrics.instance_state_changed(&apps, "", "ACTIVE");
        metrics.waiting(3, 1);
        let text = metrics.text();
        let check = |line: &str| assert!(text.lines().any(|it| it == line), "{line} is not in {text}");
        check("instance_reconcile_total{gvr=\"kro.run/v1, Resource=apps\"} 1");
        check("instance_reconcile_errors_total{gvr=\"kro.run/v1, Resource=apps\"} 1");
        check("instance_reconcile_duration_seconds_count{gvr=\"kro.run/v1, Resource=apps\"} 1");
        check("dynamic_controller_queue_length 3");
    }
}
