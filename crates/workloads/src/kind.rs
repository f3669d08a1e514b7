//! The kinds the simulator looks at, and what they have in common.

use std::sync::Arc;

use futures_util::stream::BoxStream;
use k8s_openapi::api::apps::v1::{ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet};
use k8s_openapi::api::autoscaling::v2::HorizontalPodAutoscaler;
use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{
    Endpoints, Node, PersistentVolume, PersistentVolumeClaim, Pod, ReplicationController, Service,
};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use k8s_openapi::api::storage::v1::StorageClass;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::options::Scope;
use crate::table::Table;
use crate::watch::{self, Change};

/// A kind whose objects the simulator keeps in mind.
pub(crate) trait Kept:
    kube::Resource<DynamicType = ()>
    + Clone
    + std::fmt::Debug
    + DeserializeOwned
    + Into<Object>
    + Send
    + Sync
    + 'static
{
    /// Which one it is.
    const KIND: Kind;
    /// Its objects in the world.
    fn table(world: &World) -> &Table<Self>;
}

macro_rules! kinds {
    ($($kind:ident in $table:ident, $scope:ident;)*) => {
        /// Which kind.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) enum Kind { $($kind),* }

        /// An object of one of the kinds.
        #[derive(Clone, Debug)]
        pub(crate) enum Object { $($kind(Arc<$kind>)),* }

        /// All that is known: the input of every decision.
        #[derive(Clone, Debug, Default)]
        pub(crate) struct World { $(pub(crate) $table: Table<$kind>),* }

        $(impl Kept for $kind {
            const KIND: Kind = Kind::$kind;
            fn table(world: &World) -> &Table<Self> { &world.$table }
        }

        impl From<$kind> for Object {
            fn from(object: $kind) -> Self { Self::$kind(Arc::new(object)) }
        })*

        impl Kind {
            /// All kinds that are watched for this scope.
            pub(crate) fn watched(scope: Scope) -> Vec<Self> {
                let all = [$((Self::$kind, Scope::$scope)),*];
                let watched = all.into_iter().filter(|(_, least)| scope == Scope::Everything || *least == Scope::Pods);
                watched.map(|(kind, _)| kind).collect()
            }

            /// As manifests name it.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$kind => <$kind as k8s_openapi::Resource>::KIND),* }
            }

            /// Group and version.
            pub(crate) fn api_version(self) -> &'static str {
                match self { $(Self::$kind => <$kind as k8s_openapi::Resource>::API_VERSION),* }
            }

            /// Where its objects are served.
            pub(crate) fn path(self, namespace: &str) -> String {
                let namespace = Some(namespace).filter(|it| !it.is_empty());
                match self { $(Self::$kind => <$kind as kube::Resource>::url_path(&(), namespace)),* }
            }

            /// Its objects as they change.
            pub(crate) fn watch(self, client: &kube::Client) -> BoxStream<'static, Change> {
                match self { $(Self::$kind => watch::changes::<$kind>(client)),* }
            }

            /// Reads an object as the server wrote it.
            pub(crate) fn read(self, value: Value) -> Result<Object, serde_json::Error> {
                match self { $(Self::$kind => serde_json::from_value::<$kind>(value).map(Object::from)),* }
            }
        }

        impl Object {
            pub(crate) fn kind(&self) -> Kind {
                match self { $(Self::$kind(_) => Kind::$kind),* }
            }

            /// Whether this is the other object, and neither is older.
            pub(crate) fn is_same_version(&self, other: &Self) -> bool {
                let (one, other) = (self.metadata(), other.metadata());
                one.uid == other.uid && one.resource_version == other.resource_version
            }

            pub(crate) fn metadata(&self) -> &ObjectMeta {
                match self { $(Self::$kind(object) => &object.metadata),* }
            }
        }

        impl World {
            /// The object of this key.
            pub(crate) fn get(&self, key: &Key) -> Option<Object> {
                match key.kind {
                    $(Kind::$kind => self.$table.get(&key.namespace, &key.name).cloned().map(Object::$kind)),*
                }
            }

            /// Takes an object in, unless a newer form of it is known.
            pub(crate) fn insert(&mut self, object: Object) {
                match object { $(Object::$kind(object) => self.$table.insert(object)),* }
            }

            /// Forgets an object.
            pub(crate) fn remove(&mut self, object: &Object) {
                match object { $(Object::$kind(object) => self.$table.remove(&object.metadata)),* }
            }

            /// What was listed before may be gone: the list begins anew.
            pub(crate) fn begin_list(&mut self, kind: Kind) {
                match kind { $(Kind::$kind => self.$table.begin_list()),* }
            }

            /// Forgets what the new list did not hold.
            pub(crate) fn end_list(&mut self, kind: Kind) -> Vec<Object> {
                match kind {
                    $(Kind::$kind => self.$table.end_list().into_iter().map(Object::$kind).collect()),*
                }
            }
        }
    };
}

kinds! {
    ControllerRevision in controller_revisions, Everything;
    CronJob in cron_jobs, Pods;
    DaemonSet in daemon_sets, Pods;
    Deployment in deployments, Pods;
    Endpoints in endpoints, Everything;
    EndpointSlice in endpoint_slices, Everything;
    HorizontalPodAutoscaler in autoscalers, Everything;
    Job in jobs, Pods;
    Lease in leases, Pods;
    Node in nodes, Pods;
    PersistentVolume in volumes, Everything;
    PersistentVolumeClaim in claims, Everything;
    Pod in pods, Pods;
    PodDisruptionBudget in budgets, Everything;
    ReplicaSet in replica_sets, Pods;
    ReplicationController in replication_controllers, Pods;
    Service in services, Everything;
    StatefulSet in stateful_sets, Pods;
    StorageClass in storage_classes, Everything;
}

/// The identity of an object among all that are known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    pub(crate) kind: Kind,
    /// Empty for objects of the cluster.
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl Key {
    pub(crate) fn new(kind: Kind, namespace: &str, name: &str) -> Self {
        Self { kind, namespace: namespace.to_owned(), name: name.to_owned() }
    }

    /// The key of an object.
    pub(crate) fn of(object: &Object) -> Self {
        let metadata = object.metadata();
        Self {
            kind: object.kind(),
            namespace: metadata.namespace.clone().unwrap_or_default(),
            name: metadata.name.clone().unwrap_or_default(),
        }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.namespace.as_str() {
            "" => write!(out, "{} {:?}", self.kind.name(), self.name),
            namespace => write!(out, "{} {namespace:?}/{:?}", self.kind.name(), self.name),
        }
    }
}
