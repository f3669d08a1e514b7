//! Deployments: revisions of a Pod template, each a replica set, rolled from one to the next.

mod limits;
mod proportion;
mod revision;
mod rolling;
mod status;

use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec, ReplicaSet};
use k8s_openapi::api::core::v1::Pod;
use serde_json::json;

use self::limits::{Limits, is_rolling};
use self::rolling::{Size, Step};
use self::status::Progress;
use crate::action::Plan;
use crate::kind::{Key, World};
use crate::{adoption, owner, pod};

const CONTROLLER: &str = "deployment-controller";

/// A deployment with its replica sets.
struct Rollout<'a> {
    world: &'a World,
    deployment: &'a Deployment,
    spec: &'a DeploymentSpec,
    limits: Limits,
    /// The one with the template of the deployment.
    new: Option<&'a ReplicaSet>,
    /// The others, oldest first.
    old: Vec<&'a ReplicaSet>,
}

/// What to do about a deployment.
pub(crate) fn plan(world: &World, key: &Key, now: Timestamp) -> Plan {
    let mut plan = Plan::default();
    let Some(deployment) = world.deployments.get(&key.namespace, &key.name) else { return plan };
    let Some(spec) = &deployment.spec else { return plan };
    let sets: Vec<&Arc<ReplicaSet>> = adoption::claim(world, &**deployment, &spec.selector, &mut plan);
    if !plan.actions.is_empty() {
        return plan;
    }
    let rollout = Rollout::new(world, deployment, spec, sets.into_iter().map(|it| &**it).collect());
    let mut progress = Progress::default();
    if deployment.metadata.deletion_timestamp.is_none() {
        rollout.act(&mut plan, &mut progress);
    }
    rollout.publish(progress, now, &mut plan);
    plan
}

impl<'a> Rollout<'a> {
    fn new(
        world: &'a World,
        deployment: &'a Deployment,
        spec: &'a DeploymentSpec,
        mut sets: Vec<&'a ReplicaSet>,
    ) -> Self {
        sets.sort_by_key(|it| {
            (it.metadata.creation_timestamp.as_ref().map(|it| it.0), it.metadata.name.clone())
        });
        let new = sets.iter().position(|it| revision::is_of(it, &spec.template));
        let new = new.map(|position| sets.remove(position));
        Self { world, deployment, spec, limits: Limits::of(spec), new, old: sets }
    }

    fn act(&self, plan: &mut Plan, progress: &mut Progress) {
        let paused = self.spec.paused == Some(true);
        if let Some(new) = self.new {
            revision::keep_up(self, new, plan, progress);
        }
        if paused || self.is_scaling() {
            progress.estimated = false;
            self.scale_all(plan);
            if paused {
                self.clean_up(plan);
            }
        } else if is_rolling(self.spec) {
            self.roll(plan, progress);
        } else {
            self.recreate(plan, progress);
        }
    }

    /// The number of Pods was changed since replica sets were last sized.
    fn is_scaling(&self) -> bool {
        let active = self.all().filter(|it| wanted(it) > 0);
        active.filter_map(revision::desired).any(|it| it != self.limits.replicas)
    }

    fn all(&self) -> impl Iterator<Item = &'a ReplicaSet> {
        self.old.iter().copied().chain(self.new)
    }

    fn roll(&self, plan: &mut Plan, progress: &mut Progress) {
        let old: Vec<Size> = self.old.iter().map(|it| size(it)).collect();
        let Some(new) = self.new else {
            let size = rolling::new_size(self.limits, 0, old.iter().map(|it| it.wanted).sum());
            return revision::create(self, size, plan, progress);
        };
        match rolling::step(self.limits, size(new), &old) {
            Step::New(wanted) => self.resize(new, wanted, plan),
            Step::Old(sizes) => {
                self.old.iter().zip(sizes).for_each(|(set, wanted)| self.resize(set, wanted, plan));
            }
            Step::Wait if self.is_complete() => self.clean_up(plan),
            Step::Wait => {}
        }
    }

    /// All old Pods end before the first new one starts.
    fn recreate(&self, plan: &mut Plan, progress: &mut Progress) {
        let active: Vec<&ReplicaSet> = self.old.iter().copied().filter(|it| wanted(it) > 0).collect();
        if !active.is_empty() {
            return active.into_iter().for_each(|set| self.resize(set, 0, plan));
        }
        if self.old.iter().any(|set| has_pods(self.world, set)) {
            return;
        }
        match self.new {
            None => revision::create(self, self.limits.replicas, plan, progress),
            Some(new) => {
                self.resize(new, self.limits.replicas, plan);
                if self.is_complete() {
                    self.clean_up(plan);
                }
            }
        }
    }

    /// Gives all replica sets their share of the wanted number.
    fn scale_all(&self, plan: &mut Plan) {
        let sets: Vec<&ReplicaSet> = self.all().collect();
        for (set, wanted) in proportion::sizes(self, &sets) {
            self.resize(set, wanted, plan);
        }
    }

    /// Changes the size of a replica set and what it remembers of the deployment's.
    fn resize(&self, set: &ReplicaSet, to: i32, plan: &mut Plan) {
        let from = wanted(set);
        let annotations = revision::sizes_of(self.limits);
        let known = set.metadata.annotations.as_ref();
        let stale = annotations.iter().any(|(name, value)| known.and_then(|it| it.get(name)) != Some(value));
        if from == to && !stale {
            return;
        }
        plan.patch(set, json!({"metadata": {"annotations": annotations}, "spec": {"replicas": to}}));
        if from != to {
            let direction = if from < to { "up" } else { "down" };
            let name = set.metadata.name.as_deref().unwrap_or_default();
            let message = format!("Scaled {direction} replica set {name} from {from} to {to}");
            plan.record(self.deployment, CONTROLLER, "ScalingReplicaSet", message);
        }
    }

    /// Deletes the oldest revisions beyond the limit.
    fn clean_up(&self, plan: &mut Plan) {
        let Some(limit) = self.spec.revision_history_limit.and_then(|it| usize::try_from(it).ok()) else {
            return;
        };
        let mut sets: Vec<&ReplicaSet> =
            self.old.iter().copied().filter(|it| it.metadata.deletion_timestamp.is_none()).collect();
        sets.sort_by_key(|it| revision::number(&it.metadata));
        let surplus = sets.len().saturating_sub(limit);
        for set in sets.into_iter().take(surplus).filter(|it| is_spent(it)) {
            plan.delete(set);
        }
    }

    fn is_complete(&self) -> bool {
        status::is_complete(self, &self.deployment.status.clone().unwrap_or_default())
    }
}

/// Whether nothing of a replica set is left or about to come.
fn is_spent(set: &ReplicaSet) -> bool {
    let status = set.status.clone().unwrap_or_default();
    status.replicas == 0 && wanted(set) == 0 && status.observed_generation >= set.metadata.generation
}

fn has_pods(world: &World, set: &ReplicaSet) -> bool {
    let counted = set.status.as_ref().is_some_and(|it| it.replicas > 0);
    counted || world.pods.owned_by(owner::uid(&set.metadata)).any(|it: &Arc<Pod>| !pod::is_finished(it))
}

/// How many Pods the replica set is asked for.
fn wanted(set: &ReplicaSet) -> i32 {
    set.spec.as_ref().and_then(|it| it.replicas).unwrap_or(1)
}

/// A replica set that was just made smaller may still count Pods that are about to go.
fn size(set: &ReplicaSet) -> Size {
    let available = set.status.as_ref().and_then(|it| it.available_replicas).unwrap_or_default();
    Size { wanted: wanted(set), available: available.min(wanted(set)) }
}
