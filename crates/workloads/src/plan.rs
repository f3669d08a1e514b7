//! The decision about one object: the world and the time in, a plan out.

use jiff::Timestamp;

use crate::action::Plan;
use crate::kind::{Key, Kind, World};
use crate::options::{Options, Scope};
use crate::{deployment, node, pod, replica_set};

/// What to do about the object of this key.
pub(crate) fn plan(world: &World, key: &Key, now: Timestamp, options: &Options) -> Plan {
    match key.kind {
        Kind::Node => node::plan(world, key, now, options),
        Kind::Pod => pod::plan(world, key, now, options),
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "all other kinds have controllers of their own there"
        )]
        _ if options.scope == Scope::Pods => Plan::default(),
        Kind::Deployment => deployment::plan(world, key, now),
        Kind::ReplicaSet => replica_set::plan(world, key, now),
        Kind::ControllerRevision
        | Kind::CronJob
        | Kind::DaemonSet
        | Kind::Endpoints
        | Kind::EndpointSlice
        | Kind::HorizontalPodAutoscaler
        | Kind::Job
        | Kind::PersistentVolume
        | Kind::PersistentVolumeClaim
        | Kind::PodDisruptionBudget
        | Kind::ReplicationController
        | Kind::Service
        | Kind::StatefulSet
        | Kind::StorageClass => Plan::default(),
    }
}
