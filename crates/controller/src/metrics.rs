//! What is counted, under kro's names.

mod moment;
mod propagation;
mod table;
mod traffic;

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use kube::api::ApiResource;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::queue::Outcome;

pub(crate) use moment::{Moment, Reading};
pub(crate) use table::Count;
use table::{Size, Table, Time};
pub(crate) use traffic::{Change, Traffic};

pub(crate) type Labels = Vec<(&'static str, String)>;
type Histograms = Family<Labels, Histogram, fn() -> Histogram>;

/// The counters of one process; clones count together.
#[derive(Clone)]
pub(crate) struct Metrics(Arc<Counters>);

struct Counters {
    registry: Registry,
    table: Table,
    propagation: propagation::Propagation,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::default();
        let table = Table::registered(&mut registry);
        let propagation = propagation::Propagation::registered(&mut registry);
        Self(Arc::new(Counters { registry, table, propagation }))
    }
}

impl Metrics {
    /// All counters, and what is measured now, in the text form that Prometheus reads.
    pub(crate) fn text(&self, now: &Moment) -> String {
        let mut text = String::new();
        let written = encode_registry(&mut text, &self.0.registry)
            .and_then(|()| now.write(&mut text))
            .and_then(|()| encode_eof(&mut text));
        if written.is_err() {
            "# the counters cannot be written\n# EOF\n".clone_into(&mut text);
        }
        text
    }

    /// A request was sent, after it had to wait for its turn.
    pub(crate) fn requested(&self, method: &Method, waited: Duration, took: Duration) {
        let labels = vec![("verb", method.to_string())];
        self.0.table.time(Time::RequestPause, &labels, waited.as_secs_f64());
        self.0.table.time(Time::Request, &labels, took.as_secs_f64());
    }

    /// A request is to be sent again because of this answer.
    pub(crate) fn repeated(&self, method: &Method, answer: &kube::Error) {
        if let kube::Error::Api(status) = answer {
            let labels = vec![("code", status.code.to_string()), ("method", method.to_string())];
            self.0.table.count(Count::RequestRetry, &labels);
        }
    }

    /// What a watch of a kind is told.
    pub(crate) fn traffic(&self, of: &ApiResource) -> Traffic {
        Traffic::new(&self.0.table, &shown(of))
    }

    /// A revision that is stored was compiled.
    pub(crate) fn compiled_revision(&self, took: Duration, failed: bool) {
        let labels = vec![("result", if failed { "failed" } else { "success" }.to_owned())];
        self.0.table.count(Count::RevisionCompile, &labels);
        self.0.table.time(Time::RevisionCompile, &labels, took.as_secs_f64());
    }

    /// What is tried again because others wrote, or because something is not known yet, is no error.
    pub(crate) fn looked_at_instance(&self, of: &ApiResource, took: Duration, outcome: Outcome) {
        let labels = vec![("gvr", shown(of))];
        for count in [Count::InstanceReconcile, Count::Reconcile] {
            self.0.table.count(count, &labels);
        }
        for time in [Time::InstanceReconcile, Time::Reconcile] {
            self.0.table.time(time, &labels, took.as_secs_f64());
        }
        if outcome == Outcome::Failed {
            self.0.table.count(Count::InstanceError, &labels);
        }
        let again = match outcome {
            Outcome::Done => return,
            Outcome::Later(_) => "requeue_after",
            Outcome::Retry | Outcome::Failed => "rate_limited",
        };
        self.0.table.count(Count::Requeue, &vec![("gvr", shown(of)), ("type", again.to_owned())]);
    }

    /// Whether an instance has a graph: nothing while its revision is not decided.
    pub(crate) fn resolved_graph(&self, of: &ApiResource, has_graph: Option<bool>) {
        let gvr = ("gvr", shown(of));
        match has_graph {
            None => self.0.table.count(Count::GraphPending, &vec![gvr]),
            Some(true) => self.0.table.count(Count::GraphResolved, &vec![gvr]),
            Some(false) => {
                self.0
                    .table
                    .count(Count::GraphUnresolved, &vec![gvr, ("reason", "ResolutionFailed".to_owned())]);
            }
        }
    }

    pub(crate) fn instance_state_changed(&self, of: &ApiResource, from: &str, to: &str) {
        let labels = vec![("gvr", shown(of)), ("from_state", from.to_owned()), ("to_state", to.to_owned())];
        self.0.table.count(Count::InstanceState, &labels);
    }

    pub(crate) fn broke_off(&self, of: &ApiResource) {
        self.0.table.count(Count::Panic, &vec![("gvr", shown(of))]);
    }

    pub(crate) fn compiled(&self, definition: &str, took: Duration, failed: bool) {
        let labels = vec![("name", definition.to_owned())];
        self.0.table.count(Count::GraphBuild, &labels);
        self.0.table.time(Time::GraphBuild, &labels, took.as_secs_f64());
        if failed {
            self.0.table.count(Count::GraphBuildError, &labels);
        }
    }

    pub(crate) fn definition_state_changed(&self, definition: &str, from: &str, to: &str) {
        let labels = vec![("name", definition.to_owned()), ("from", from.to_owned()), ("to", to.to_owned())];
        self.0.table.count(Count::DefinitionState, &labels);
    }

    pub(crate) fn deleted_definition(&self, definition: &str, took: Duration) {
        let labels = vec![("name", definition.to_owned())];
        self.0.table.count(Count::DefinitionDeleted, &labels);
        self.0.table.time(Time::DefinitionDeletion, &labels, took.as_secs_f64());
    }

    /// Something about revisions, which kro gives one label or none.
    pub(crate) fn revision(&self, of: Count, label: Option<(&'static str, &str)>) {
        self.0.table.count(of, &label.into_iter().map(|(name, value)| (name, value.to_owned())).collect());
    }

    /// How far the propagation of a definition has come.
    pub(crate) fn propagation(&self) -> &propagation::Propagation {
        &self.0.propagation
    }

    pub(crate) fn waiting(&self, keys: usize, kinds: usize, watches: usize) {
        for (size, number) in [(Size::Queue, keys), (Size::Kinds, kinds), (Size::Watches, watches)] {
            self.0.table.measure(size, number);
        }
    }
}

/// As Go prints a resource.
pub(crate) fn shown(resource: &ApiResource) -> String {
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
        let text = metrics.text(&Moment::default());
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
