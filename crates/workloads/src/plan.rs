//! The decision about one object: the world and the time in, a plan out.

use jiff::Timestamp;

use crate::action::Plan;
use crate::kind::{Key, Kind, World};
use crate::options::{Options, Scope};
use crate::{
    autoscaler, budget, claim, cron_job, daemon_set, deployment, job, node, pod, replica_set,
    replication_controller, service, stateful_set,
};

/// What to do about the object of this key.
pub(crate) fn plan(world: &World, key: &Key, now: Timestamp, options: &Options) -> Plan {
    if options.scope == Scope::Pods && !matches!(key.kind, Kind::Lease | Kind::Node | Kind::Pod) {
        return Plan::default();
    }
    match key.kind {
        Kind::Lease => node::plan_lease(world, key, now, options),
        Kind::Node => node::plan(world, key, now, options),
        Kind::Pod => pod::plan(world, key, now, options),
        Kind::CronJob => cron_job::plan(world, key, now),
        Kind::DaemonSet => daemon_set::plan(world, key, now),
        Kind::Deployment => deployment::plan(world, key, now),
        Kind::HorizontalPodAutoscaler => autoscaler::plan(world, key, now),
        Kind::Job => job::plan(world, key, now),
        Kind::PersistentVolume => claim::plan_volume(world, key, now),
        Kind::PersistentVolumeClaim => claim::plan(world, key),
        Kind::PodDisruptionBudget => budget::plan(world, key, now),
        Kind::ReplicaSet => replica_set::plan(world, key, now),
        Kind::ReplicationController => replication_controller::plan(world, key, now),
        Kind::Service => service::plan(world, key, now),
        Kind::StatefulSet => stateful_set::plan(world, key, now),
        Kind::ControllerRevision | Kind::Endpoints | Kind::EndpointSlice | Kind::StorageClass => {
            Plan::default()
        }
    }
}
