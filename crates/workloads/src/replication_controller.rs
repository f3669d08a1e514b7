//! Replication controllers: what replica sets were before.

use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Pod, ReplicationControllerStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use crate::action::Plan;
use crate::kind::{Key, World};
use crate::numbers::count;
use crate::replica_set::scale;
use crate::{adoption, pod};

const CONTROLLER: &str = "replication-controller";

/// What to do about a replication controller.
pub(crate) fn plan(world: &World, key: &Key, now: Timestamp) -> Plan {
    let mut plan = Plan::default();
    let Some(set) = world.replication_controllers.get(&key.namespace, &key.name) else { return plan };
    let Some(spec) = &set.spec else { return plan };
    let selector = LabelSelector { match_labels: spec.selector.clone(), match_expressions: None };
    let mut active: Vec<&Arc<Pod>> = adoption::claim(world, &**set, &selector, &mut plan);
    active.retain(|it| pod::is_active(it));
    if plan.actions.is_empty() && set.metadata.deletion_timestamp.is_none() {
        let wanted = (spec.replicas, spec.template.as_ref());
        scale(world, &**set, CONTROLLER, wanted, &active, now, &mut plan);
    }
    if plan.actions.is_empty() {
        let min_ready = spec.min_ready_seconds.unwrap_or_default();
        let ready = active.iter().filter(|it| pod::is_ready(it)).count();
        let available = active.iter().filter(|it| pod::is_available(it, min_ready, now, &mut plan)).count();
        let status = ReplicationControllerStatus {
            replicas: i32::try_from(active.len()).unwrap_or(i32::MAX),
            fully_labeled_replicas: count(active.len()),
            ready_replicas: count(ready),
            available_replicas: count(available),
            observed_generation: set.metadata.generation,
            conditions: set.status.as_ref().and_then(|it| it.conditions.clone()),
        };
        plan.set_status(&**set, set.status.as_ref(), &status);
    }
    plan
}
