//! What can only be counted when somebody looks.

use std::sync::Arc;

use jiff::Timestamp;
use krono_model::condition::{Condition, read_all};
use serde_json::Value;

use crate::cache::{Entry, identity};
use crate::engine::Engine;
use crate::metrics::{Labels, Moment, Reading, shown};
use crate::serving::Serving;

impl Engine {
    /// All that was counted and all there is, in the text form that Prometheus reads.
    pub(crate) fn numbers(&self) -> String {
        let (servings, moment) = (self.servings(), Moment::default());
        self.metrics.waiting(self.queue.len(), servings.len(), self.caches.held().len());
        for (state, count) in self.revision_states() {
            moment.measure(Reading::Revisions, &vec![("state", state.to_owned())], number(count));
        }
        for serving in &servings {
            self.measure_instances(serving, &moment);
        }
        self.metrics.text(&moment)
    }

    fn measure_instances(&self, serving: &Arc<Serving>, moment: &Moment) {
        let Ok(reading) = serving.instances.read() else { return };
        let gvr = shown(&serving.instances.resource);
        let count = number(reading.objects().count());
        moment.measure(Reading::Instances, &vec![("parent_gvr", gvr.clone())], count);
        if !self.options.condition_metrics {
            return;
        }
        let now = crate::clock::timestamp();
        for instance in reading.objects().all().map(Entry::without_spec) {
            for condition in read_all(instance.pointer("/status/conditions")) {
                if let Some(seconds) = age(&condition, now) {
                    moment.measure(Reading::ConditionAge, &labels(&gvr, &instance, &condition), seconds);
                }
            }
        }
    }
}

fn number(count: usize) -> f64 {
    u32::try_from(count).unwrap_or(u32::MAX).into()
}

/// For how many seconds a condition has said what it says; nothing when it does not tell since when.
fn age(condition: &Condition, now: Timestamp) -> Option<f64> {
    let since: Timestamp = condition.last_transition_time.as_deref()?.parse().ok()?;
    Some(now.duration_since(since).as_secs_f64().max(0.0))
}

fn labels(gvr: &str, instance: &Value, condition: &Condition) -> Labels {
    let (namespace, name) = identity(instance);
    vec![
        ("gvr", gvr.to_owned()),
        ("namespace", namespace),
        ("name", name),
        ("condition_type", condition.condition_type.clone()),
        ("condition_status", condition.status.as_str().to_owned()),
        ("reason", condition.reason.clone().unwrap_or_default()),
    ]
}
