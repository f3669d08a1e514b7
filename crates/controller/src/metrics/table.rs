//! Everything that is counted under a name of kro's, with the labels that kro gives it.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Metric, Registry};

use super::{Histograms, Labels};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    InstanceReconcile,
    InstanceError,
    InstanceState,
    GraphResolved,
    GraphUnresolved,
    GraphPending,
    GraphBuild,
    GraphBuildError,
    DefinitionState,
    DefinitionDeleted,
    RevisionIssued,
    RevisionAwaited,
    RevisionResolution,
    RevisionPruned,
    RevisionNotPruned,
    Reconcile,
    Requeue,
    Panic,
    InformerEvent,
    Route,
    RouteMatch,
    RevisionCompile,
    RequestRetry,
}

/// By [`Count`]: the name, to which `_total` is added, and what it means.
const COUNTS: [(Count, &str, &str); 23] = [
    (Count::InstanceReconcile, "instance_reconcile", "Looks at instances"),
    (Count::InstanceError, "instance_reconcile_errors", "Looks at instances that found something wrong"),
    (Count::InstanceState, "instance_state_transitions", "Changes of status.state of instances"),
    (Count::GraphResolved, "instance_graph_resolution_success", "Looks at instances that have a graph"),
    (
        Count::GraphUnresolved,
        "instance_graph_resolution_failures",
        "Looks at instances that can have no graph",
    ),
    (
        Count::GraphPending,
        "instance_graph_resolution_pending",
        "Looks at instances before they had a revision",
    ),
    (Count::GraphBuild, "rgd_graph_build", "Compilations of definitions"),
    (Count::GraphBuildError, "rgd_graph_build_errors", "Compilations of definitions that found mistakes"),
    (Count::DefinitionState, "rgd_state_transitions", "Changes of status.state of definitions"),
    (Count::DefinitionDeleted, "rgd_deletions", "Definitions whose deletion has come to its end"),
    (Count::RevisionIssued, "rgd_graph_revision_issue", "Revisions that were made"),
    (Count::RevisionAwaited, "rgd_graph_revision_wait", "Looks at definitions before revisions were known"),
    (Count::RevisionResolution, "rgd_graph_revision_resolution", "Looks at definitions by what came of them"),
    (Count::RevisionPruned, "rgd_graph_revision_gc_deleted", "Revisions that were deleted"),
    (Count::RevisionNotPruned, "rgd_graph_revision_gc_errors", "Revisions that could not be deleted"),
    (Count::Reconcile, "dynamic_controller_reconcile", "Looks at instances"),
    (Count::Requeue, "dynamic_controller_requeue", "Looks at instances that are to be repeated"),
    (Count::Panic, "dynamic_controller_reconcile_panics", "Looks that broke off because of a bug"),
    (Count::InformerEvent, "dynamic_controller_informer_events", "What watches have shown"),
    (Count::Route, "dynamic_controller_route", "News of watches"),
    (Count::RouteMatch, "dynamic_controller_route_match", "News of watches that concerned somebody"),
    (Count::RevisionCompile, "graph_revision_compile", "Compilations of stored revisions"),
    (Count::RequestRetry, "rest_client_request_retries", "Requests that were sent again"),
];

/// What is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Time {
    InstanceReconcile,
    GraphBuild,
    DefinitionDeletion,
    Reconcile,
    InformerSync,
    RevisionCompile,
    Request,
    RequestPause,
}

/// By [`Time`].
const TIMES: [(Time, &str, &str); 8] = [
    (Time::InstanceReconcile, "instance_reconcile_duration_seconds", "How long looks at instances take"),
    (Time::GraphBuild, "rgd_graph_build_duration_seconds", "How long compilations take"),
    (Time::DefinitionDeletion, "rgd_deletion_duration_seconds", "How long deletions of definitions take"),
    (Time::Reconcile, "dynamic_controller_reconcile_duration_seconds", "How long looks at instances take"),
    (
        Time::InformerSync,
        "dynamic_controller_informer_sync_duration_seconds",
        "How long it takes until all objects of a kind are known",
    ),
    (Time::RevisionCompile, "graph_revision_compile_duration_seconds", "How long these compilations take"),
    (Time::Request, "rest_client_request_duration_seconds", "How long answers to requests take"),
    (
        Time::RequestPause,
        "rest_client_rate_limiter_duration_seconds",
        "How long requests wait for their turn",
    ),
];

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Queue,
    Kinds,
    Watches,
}

/// By [`Size`].
const SIZES: [(Size, &str, &str); 3] = [
    (Size::Queue, "dynamic_controller_queue_length", "Definitions and instances that wait for a look"),
    (Size::Kinds, "dynamic_controller_gvr_count", "Kinds whose instances are looked after"),
    (Size::Watches, "dynamic_controller_watch_count", "Kinds that are watched"),
];

/// The numbers themselves.
pub(super) struct Table {
    pub(super) counts: Vec<Family<Labels, Counter>>,
    pub(super) times: Vec<Histograms>,
    sizes: Vec<Gauge>,
}

impl Table {
    pub(super) fn registered(registry: &mut Registry) -> Self {
        Self {
            counts: COUNTS.map(|(_, name, help)| register(registry, name, help, Family::default())).into(),
            times: TIMES.map(|(_, name, help)| register(registry, name, help, histograms())).into(),
            sizes: SIZES.map(|(_, name, help)| register(registry, name, help, Gauge::default())).into(),
        }
    }

    pub(super) fn count(&self, of: Count, labels: &Labels) {
        self.counts[of as usize].get_or_create(labels).inc();
    }

    pub(super) fn time(&self, of: Time, labels: &Labels, seconds: f64) {
        self.times[of as usize].get_or_create(labels).observe(seconds);
    }

    pub(super) fn measure(&self, of: Size, size: usize) {
        self.sizes[of as usize].set(i64::try_from(size).unwrap_or(i64::MAX));
    }
}

pub(super) fn register<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register(name, help, metric.clone());
    metric
}

/// From a tenth of a millisecond to some seconds.
fn histograms() -> Histograms {
    Histograms::new_with_constructor(|| Histogram::new(exponential_buckets(0.0001, 4.0, 10)))
}

#[cfg(test)]
mod tests {
    use super::super::moment::READINGS;
    use super::*;

    #[test]
    fn every_number_stands_in_its_place() {
        assert!(COUNTS.iter().enumerate().all(|(at, it)| it.0 as usize == at));
        assert!(TIMES.iter().enumerate().all(|(at, it)| it.0 as usize == at));
        assert!(SIZES.iter().enumerate().all(|(at, it)| it.0 as usize == at));
        assert!(READINGS.iter().enumerate().all(|(at, it)| it.0 as usize == at));
    }

    /// The guide names exactly those of kro's names that exist.
    #[test]
    fn the_guide_names_them_all() {
        let guide = include_str!("../../../../docs/controller.md");
        let told =
            guide.lines().filter_map(|it| it.strip_prefix("| `")?.split_once('`').map(|(name, _)| name));
        let families = ["instance_", "rgd_", "dynamic_controller_", "graph_revision_", "rest_client_"];
        let told = told.filter(|it| families.iter().any(|family| it.starts_with(family)));
        let told: Vec<&str> = told.map(|it| it.split_once('{').map_or(it, |(name, _)| name)).collect();
        let counts = COUNTS.map(|(_, name, _)| format!("{name}_total"));
        let mut known: Vec<String> = counts.into();
        known.extend(TIMES.map(|(_, name, _)| name.to_owned()));
        known.extend(SIZES.map(|(_, name, _)| name.to_owned()));
        known.extend(READINGS.map(|(_, name, _)| name.to_owned()));
        let mut missing = known.clone();
        missing.retain(|it| !told.contains(&it.as_str()));
        let unknown: Vec<&str> =
            told.into_iter().filter(|it| known.iter().all(|known| known != it)).collect();
        assert_eq!((missing, unknown), (Vec::new(), Vec::new()));
    }
}
