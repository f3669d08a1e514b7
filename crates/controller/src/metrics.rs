//! What is counted, under kro's names.

mod propagation;
mod table;

use std::sync::Arc;
use std::time::Duration;

use kube::api::ApiResource;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::queue::Outcome;

pub(crate) use table::Count;
use table::{Size, Table, Time};

type Labels = Vec<(&'static str, String)>;
type Histograms = Family<Labels, Histogram, fn() -> Histogram>;

/// The counters of one process; clones count together.
#[derive(Clone)]
pub struct Metrics {
    registry: Arc<Registry>,
    table: Table,
    propagation: propagation::Propagation,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::default();
        let table = Table::registered(&mut registry);
        let propagation = propagation::Propagation::registered(&mut registry);
        Self { registry: Arc::new(registry), table, propagation }
    }
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

    /// What is tried again because others wrote, or because something is not known yet, is no error.
    pub(crate) fn looked_at_instance(&self, of: &ApiResource, took: Duration, outcome: Outcome) {
        let labels = vec![("gvr", shown(of))];
        for count in [Count::InstanceReconcile, Count::Reconcile] {
            self.table.count(count, &labels);
        }
        for time in [Time::InstanceReconcile, Time::Reconcile] {
            self.table.time(time, &labels, took.as_secs_f64());
        }
        if outcome == Outcome::Failed {
            self.table.count(Count::InstanceError, &labels);
        }
        let again = match outcome {
            Outcome::Done => return,
            Outcome::Later(_) => "requeue_after",
            Outcome::Retry | Outcome::Failed => "rate_limited",
        };
        self.table.count(Count::Requeue, &vec![("gvr", shown(of)), ("type", again.to_owned())]);
    }

    /// Whether an instance has a graph: nothing while its revision is not decided.
    pub(crate) fn resolved_graph(&self, of: &ApiResource, has_graph: Option<bool>) {
        let gvr = ("gvr", shown(of));
        match has_graph {
            None => self.table.count(Count::GraphPending, &vec![gvr]),
            Some(true) => self.table.count(Count::GraphResolved, &vec![gvr]),
            Some(false) => {
                self.table
                    .count(Count::GraphUnresolved, &vec![gvr, ("reason", "ResolutionFailed".to_owned())]);
            }
        }
    }

    pub(crate) fn instance_state_changed(&self, of: &ApiResource, from: &str, to: &str) {
        let labels = vec![("gvr", shown(of)), ("from_state", from.to_owned()), ("to_state", to.to_owned())];
        self.table.count(Count::InstanceState, &labels);
    }

    pub(crate) fn broke_off(&self, of: &ApiResource) {
        self.table.count(Count::Panic, &vec![("gvr", shown(of))]);
    }

    pub(crate) fn compiled(&self, definition: &str, took: Duration, failed: bool) {
        let labels = vec![("name", definition.to_owned())];
        self.table.count(Count::GraphBuild, &labels);
        self.table.time(Time::GraphBuild, &labels, took.as_secs_f64());
        if failed {
            self.table.count(Count::GraphBuildError, &labels);
        }
    }

    pub(crate) fn definition_state_changed(&self, definition: &str, from: &str, to: &str) {
        let labels = vec![("name", definition.to_owned()), ("from", from.to_owned()), ("to", to.to_owned())];
        self.table.count(Count::DefinitionState, &labels);
    }

    pub(crate) fn deleted_definition(&self, definition: &str, took: Duration) {
        let labels = vec![("name", definition.to_owned())];
        self.table.count(Count::DefinitionDeleted, &labels);
        self.table.time(Time::DefinitionDeletion, &labels, took.as_secs_f64());
    }

    /// Something about revisions, which kro gives one label or none.
    pub(crate) fn revision(&self, of: Count, label: Option<(&'static str, &str)>) {
        self.table.count(of, &label.into_iter().map(|(name, value)| (name, value.to_owned())).collect());
    }

    /// How far the propagation of a definition has come.
    pub(crate) fn propagation(&self) -> &propagation::Propagation {
        &self.propagation
    }

    pub(crate) fn waiting(&self, keys: usize, kinds: usize, watches: usize) {
        for (size, number) in [(Size::Queue, keys), (Size::Kinds, kinds), (Size::Watches, watches)] {
            self.table.measure(size, number);
        }
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
        let took = Duration::from_millis(2);
        let pause = Outcome::Later(Duration::from_secs(1));
        for outcome in [Outcome::Done, pause, Outcome::Retry, Outcome::Retry, Outcome::Failed] {
            metrics.looked_at_instance(&apps, took, outcome);
        }
        for has_graph in [None, Some(false), Some(true)] {
            metrics.resolved_graph(&apps, has_graph);
        }
        metrics.instance_state_changed(&apps, "", "ACTIVE");
        metrics.broke_off(&apps);
        metrics.deleted_definition("apps", took);
        metrics.revision(Count::RevisionIssued, Some(("reason", "spec_changed")));
        metrics.revision(Count::RevisionPruned, None);
        metrics.waiting(3, 1, 7);
        let text = metrics.text();
        let check = |line: &str| assert!(text.lines().any(|it| it == line), "{line} is not in {text}");
        check("instance_reconcile_total{gvr=\"kro.run/v1, Resource=apps\"} 5");
        check("instance_reconcile_errors_total{gvr=\"kro.run/v1, Resource=apps\"} 1");
        check("instance_reconcile_duration_seconds_count{gvr=\"kro.run/v1, Resource=apps\"} 5");
        check("instance_graph_resolution_success_total{gvr=\"kro.run/v1, Resource=apps\"} 1");
        check("instance_graph_resolution_pending_total{gvr=\"kro.run/v1, Resource=apps\"} 1");
        check(
            "instance_graph_resolution_failures_total{gvr=\"kro.run/v1, Resource=apps\",reason=\"ResolutionFailed\"} 1",
        );
        check("dynamic_controller_reconcile_total{gvr=\"kro.run/v1, Resource=apps\"} 5");
        check("dynamic_controller_requeue_total{gvr=\"kro.run/v1, Resource=apps\",type=\"rate_limited\"} 3");
        check("dynamic_controller_requeue_total{gvr=\"kro.run/v1, Resource=apps\",type=\"requeue_after\"} 1");
        check("dynamic_controller_reconcile_panics_total{gvr=\"kro.run/v1, Resource=apps\"} 1");
        check("dynamic_controller_queue_length 3");
        check("dynamic_controller_watch_count 7");
        check("rgd_deletions_total{name=\"apps\"} 1");
        check("rgd_deletion_duration_seconds_count{name=\"apps\"} 1");
        check("rgd_graph_revision_issue_total{reason=\"spec_changed\"} 1");
        check("rgd_graph_revision_gc_deleted_total{} 1");
    }
}
