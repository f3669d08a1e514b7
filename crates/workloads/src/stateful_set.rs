//! Stateful sets: Pods with names and claims of their own, in order.

mod replica;

use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::apps::v1::{StatefulSet, StatefulSetSpec, StatefulSetStatus};
use k8s_openapi::api::core::v1::Pod;

use self::replica::Replica;
use crate::action::Plan;
use crate::history::{History, REVISION_LABEL};
use crate::kind::{Key, World};
use crate::numbers::count;
use crate::{adoption, pod};

const CONTROLLER: &str = "statefulset-controller";

/// A stateful set with what it is made of.
struct Ordered<'a> {
    set: &'a StatefulSet,
    spec: &'a StatefulSetSpec,
    history: History<'a>,
    pods: Vec<&'a Pod>,
    now: Timestamp,
}

/// What to do about a stateful set.
pub(crate) fn plan(world: &World, key: &Key, now: Timestamp) -> Plan {
    let mut plan = Plan::default();
    let Some(set) = world.stateful_sets.get(&key.namespace, &key.name) else { return plan };
    let Some(spec) = &set.spec else { return plan };
    let pods: Vec<&Arc<Pod>> = adoption::claim(world, &**set, &spec.selector, &mut plan);
    let pods: Vec<&Pod> =
        pods.into_iter().map(|it| &**it).filter(|it| replica::ordinal(set, it).is_some()).collect();
    let history = History::keep(world, &**set, &spec.selector, &spec.template, &mut plan);
    if !plan.actions.is_empty() {
        return plan;
    }
    let set = Ordered { set, spec, history, pods, now };
    if set.set.metadata.deletion_timestamp.is_none() {
        set.act(world, &mut plan);
    }
    if plan.actions.is_empty() {
        let status = set.status(&mut plan);
        plan.set_status(set.set, set.set.status.as_ref(), &status);
        let is_used =
            |name: &str| set.current() == name || set.pods.iter().any(|it| revision(it) == Some(name));
        set.history.clean_up(spec.revision_history_limit, is_used, &mut plan);
    }
    plan
}

impl Ordered<'_> {
    fn first(&self) -> i32 {
        self.spec.ordinals.as_ref().and_then(|it| it.start).unwrap_or_default()
    }

    fn replicas(&self) -> i32 {
        self.spec.replicas.unwrap_or(1)
    }

    /// Whether one Pod waits for the other.
    fn is_ordered(&self) -> bool {
        self.spec.pod_management_policy.as_deref() != Some("Parallel")
    }

    fn is_rolling(&self) -> bool {
        self.spec.update_strategy.as_ref().and_then(|it| it.type_.as_deref()) != Some("OnDelete")
    }

    /// The first Pod that takes part in an update.
    fn partition(&self) -> i32 {
        let rolling = self.spec.update_strategy.as_ref().and_then(|it| it.rolling_update.as_ref());
        self.first() + rolling.and_then(|it| it.partition).unwrap_or_default()
    }

    /// The revision that all Pods had when the last update was complete.
    fn current(&self) -> &str {
        let status = self.set.status.as_ref();
        status.and_then(|it| it.current_revision.as_deref()).unwrap_or(&self.history.latest)
    }

    fn pod(&self, ordinal: i32) -> Option<&Pod> {
        self.pods.iter().copied().find(|it| replica::ordinal(self.set, it) == Some(ordinal))
    }

    fn is_healthy(&self, pod: &Pod, plan: &mut Plan) -> bool {
        let min_ready = self.spec.min_ready_seconds.unwrap_or_default();
        pod.metadata.deletion_timestamp.is_none() && pod::is_available(pod, min_ready, self.now, plan)
    }

    fn act(&self, world: &World, plan: &mut Plan) {
        let last = self.first() + self.replicas();
        for ordinal in self.first()..last {
            let settled = self.keep(world, ordinal, plan);
            if !settled && self.is_ordered() {
                return;
            }
        }
        if self.shrink(last, plan) && self.is_rolling() && plan.actions.is_empty() {
            self.update(last, plan);
        }
    }

    /// Keeps one Pod there; whether it is, and healthy.
    fn keep(&self, world: &World, ordinal: i32, plan: &mut Plan) -> bool {
        match self.pod(ordinal) {
            Some(pod) if pod::is_finished(pod) && pod.metadata.deletion_timestamp.is_none() => {
                self.delete(pod, plan);
                false
            }
            Some(pod) => self.is_healthy(pod, plan),
            None => {
                self.create(world, ordinal, plan);
                false
            }
        }
    }

    fn create(&self, world: &World, ordinal: i32, plan: &mut Plan) {
        let old = self.is_rolling() && ordinal < self.partition();
        let (revision, template) = match self.history.template(self.current()).filter(|_| old) {
            Some(template) => (self.current(), template),
            None => (&*self.history.latest, self.spec.template.clone()),
        };
        let replica = Replica { set: self.set, spec: self.spec, ordinal };
        for claim in replica.missing_claims(world) {
            plan.create(&claim);
            let name = claim.metadata.name.as_deref().unwrap_or_default();
            let message =
                format!("create Claim {name} Pod {} in StatefulSet {} success", replica.name(), self.name());
            plan.record(self.set, CONTROLLER, "SuccessfulCreate", message);
        }
        plan.create(&replica.pod(&template, revision));
        let message = format!("create Pod {} in StatefulSet {} successful", replica.name(), self.name());
        plan.record(self.set, CONTROLLER, "SuccessfulCreate", message);
    }

    /// Removes Pods beyond the last, the highest first; whether none is left.
    fn shrink(&self, last: i32, plan: &mut Plan) -> bool {
        let number = |it: &Pod| replica::ordinal(self.set, it).unwrap_or_default();
        let beyond = |it: &Pod| number(it) >= last || number(it) < self.first();
        let mut condemned: Vec<&Pod> = self.pods.iter().copied().filter(|it| beyond(it)).collect();
        condemned.sort_by_key(|it| std::cmp::Reverse(number(it)));
        for pod in &condemned {
            if pod.metadata.deletion_timestamp.is_none() {
                self.delete(pod, plan);
            }
            if self.is_ordered() {
                return false;
            }
        }
        condemned.is_empty()
    }

    /// Replaces the highest Pod of another revision, once all above it are healthy.
    fn update(&self, last: i32, plan: &mut Plan) {
        for ordinal in (self.partition().max(self.first())..last).rev() {
            let Some(pod) = self.pod(ordinal) else { return };
            if revision(pod) != Some(&*self.history.latest) && pod.metadata.deletion_timestamp.is_none() {
                return self.delete(pod, plan);
            }
            if !self.is_healthy(pod, plan) {
                return;
            }
        }
    }

    fn delete(&self, pod: &Pod, plan: &mut Plan) {
        plan.delete(pod);
        let name = pod.metadata.name.as_deref().unwrap_or_default();
        let message = format!("delete Pod {name} in StatefulSet {} successful", self.name());
        plan.record(self.set, CONTROLLER, "SuccessfulDelete", message);
    }

    fn name(&self) -> &str {
        self.set.metadata.name.as_deref().unwrap_or_default()
    }

    fn status(&self, plan: &mut Plan) -> StatefulSetStatus {
        let latest = &self.history.latest;
        let available = self.pods.iter().filter(|it| self.is_healthy(it, plan)).count();
        let active = || self.pods.iter().filter(|it| it.metadata.deletion_timestamp.is_none());
        let of = |name: &str| active().filter(|it| revision(it) == Some(name)).count();
        let ready = self.pods.iter().filter(|it| pod::is_ready(it)).count();
        let complete = i32::try_from(of(latest)).is_ok_and(|it| it == self.replicas())
            && i32::try_from(available).is_ok_and(|it| it == self.replicas())
            && self.pods.len() == of(latest);
        let current = if complete { latest } else { self.current() };
        StatefulSetStatus {
            observed_generation: self.set.metadata.generation,
            replicas: i32::try_from(self.pods.len()).unwrap_or(i32::MAX),
            ready_replicas: count(ready),
            available_replicas: i32::try_from(available).ok(),
            current_replicas: count(of(current)),
            updated_replicas: count(of(latest)),
            current_revision: Some(current.to_owned()),
            update_revision: Some(latest.clone()),
            collision_count: Some(0),
            conditions: self.set.status.as_ref().and_then(|it| it.conditions.clone()),
        }
    }
}

fn revision(pod: &Pod) -> Option<&str> {
    pod.metadata.labels.as_ref()?.get(REVISION_LABEL).map(String::as_str)
}
