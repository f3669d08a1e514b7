//! How far a rolling update may go from the wanted number of Pods.

use k8s_openapi::api::apps::v1::DeploymentSpec;

use crate::numbers::scaled;

/// The wanted number of Pods and the room around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    pub(super) replicas: i32,
    /// How many more there may be.
    pub(super) surge: i32,
    /// How many fewer may be available.
    pub(super) unavailable: i32,
}

impl Limits {
    /// The limits of a deployment; one that recreates its Pods has no room.
    pub(super) fn of(spec: &DeploymentSpec) -> Self {
        let replicas = spec.replicas.unwrap_or(1);
        let strategy = spec.strategy.as_ref();
        let Some(rolling) = strategy.filter(|_| is_rolling(spec)).and_then(|it| it.rolling_update.as_ref())
        else {
            return Self { replicas, surge: 0, unavailable: 0 };
        };
        let surge = scaled(rolling.max_surge.as_ref(), replicas, true);
        let unavailable = scaled(rolling.max_unavailable.as_ref(), replicas, false);
        // Both zero would never move.
        let unavailable = if surge == 0 && unavailable == 0 { 1 } else { unavailable };
        Self { replicas, surge, unavailable: unavailable.min(replicas) }
    }

    /// The most Pods there may be.
    pub(super) fn most(self) -> i32 {
        self.replicas.saturating_add(self.surge)
    }

    /// The fewest Pods that must be available.
    pub(super) fn fewest(self) -> i32 {
        self.replicas.saturating_sub(self.unavailable)
    }
}

/// Whether Pods are replaced step by step.
pub(super) fn is_rolling(spec: &DeploymentSpec) -> bool {
    let kind = spec.strategy.as_ref().and_then(|it| it.type_.as_deref());
    kind.unwrap_or("RollingUpdate") == "RollingUpdate"
}
