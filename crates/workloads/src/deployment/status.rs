//! What a deployment shows of its rollout.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::apps::v1::{DeploymentCondition, DeploymentStatus, ReplicaSet};
use serde_json::{Value, json};

use super::{Rollout, wanted};
use crate::action::{Action, Plan, identity};
use crate::clock::{later, stamp};
use crate::difference::difference;
use crate::numbers::nonzero;

const AVAILABLE: &str = "Available";
const PROGRESSING: &str = "Progressing";
const COMPLETE: &str = "NewReplicaSetAvailable";
const TIMED_OUT: &str = "ProgressDeadlineExceeded";
const PAUSED: &str = "DeploymentPaused";
/// A deadline that means: none.
const NO_DEADLINE: i32 = i32::MAX;

/// What the plan did, as far as the status tells of it.
#[derive(Debug)]
pub(super) struct Progress {
    /// The name of a replica set created.
    pub(super) created: Option<String>,
    /// The name of the next replica set is taken by another.
    pub(super) collided: bool,
    /// Annotations the deployment is to have.
    pub(super) annotations: Option<Value>,
    /// Whether this is a rollout, whose progress is watched.
    pub(super) estimated: bool,
}

impl Default for Progress {
    fn default() -> Self {
        Self { created: None, collided: false, annotations: None, estimated: true }
    }
}

impl Rollout<'_> {
    /// Writes the status, when it differs, together with the number of the revision.
    pub(super) fn publish(&self, progress: Progress, now: Timestamp, plan: &mut Plan) {
        let old = self.deployment.status.clone().unwrap_or_default();
        let mut new = self.counted(&old, progress.collided);
        self.set_paused(&mut new, now);
        self.set_found(&mut new, &progress, now);
        self.set_available(&mut new, now);
        if progress.estimated && self.has_deadline() {
            self.estimate(&old, &mut new, now, plan);
        }
        let change = difference(&json!(old), &json!(new));
        if change.is_none() && progress.annotations.is_none() {
            return;
        }
        let mut patch = json!({});
        if let Some(annotations) = progress.annotations {
            patch["metadata"] = json!({"annotations": annotations});
        }
        if let Some(change) = change {
            patch["status"] = change;
        }
        let (key, uid) = identity(self.deployment);
        plan.actions.push(Action::Patch { key, uid, part: "status", patch });
    }

    fn counted(&self, old: &DeploymentStatus, collided: bool) -> DeploymentStatus {
        let of = |number: fn(&ReplicaSet) -> i32| self.all().map(number).sum::<i32>();
        let actual = |it: &ReplicaSet| it.status.as_ref().map_or(0, |it| it.replicas);
        let ready = |it: &ReplicaSet| it.status.as_ref().and_then(|it| it.ready_replicas).unwrap_or_default();
        let ending = |it: &ReplicaSet| it.status.as_ref().and_then(|it| it.terminating_replicas);
        let available =
            |it: &ReplicaSet| it.status.as_ref().and_then(|it| it.available_replicas).unwrap_or_default();
        DeploymentStatus {
            observed_generation: self.deployment.metadata.generation,
            replicas: nonzero(of(actual)),
            updated_replicas: nonzero(self.new.map_or(0, actual)),
            ready_replicas: nonzero(of(ready)),
            available_replicas: nonzero(of(available)),
            unavailable_replicas: nonzero((of(wanted) - of(available)).max(0)),
            terminating_replicas: self.all().map(ending).sum(),
            collision_count: old.collision_count.or(collided.then_some(0)).map(|it| it + i32::from(collided)),
            conditions: old.conditions.clone(),
        }
    }

    fn set_available(&self, status: &mut DeploymentStatus, now: Timestamp) {
        let enough = status.available_replicas.unwrap_or_default() >= self.limits.fewest();
        let (status_text, reason, message) = if enough {
            ("True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
        } else {
            ("False", "MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
        };
        set(status, condition(AVAILABLE, status_text, reason, message.to_owned(), now));
    }

    fn has_deadline(&self) -> bool {
        self.spec.progress_deadline_seconds.is_some_and(|it| it != NO_DEADLINE)
    }

    /// So that a pause does not count as lack of progress.
    fn set_paused(&self, status: &mut DeploymentStatus, now: Timestamp) {
        let reason = get(status, PROGRESSING).and_then(|it| it.reason.clone());
        if !self.has_deadline() || reason.as_deref() == Some(TIMED_OUT) {
            return;
        }
        let was_paused = reason.as_deref() == Some(PAUSED);
        match (self.spec.paused == Some(true), was_paused) {
            (true, false) => {
                let message = "Deployment is paused".to_owned();
                set(status, condition(PROGRESSING, "Unknown", PAUSED, message, now));
            }
            (false, true) => {
                let message = "Deployment is resumed".to_owned();
                set(status, condition(PROGRESSING, "Unknown", "DeploymentResumed", message, now));
            }
            (true, true) | (false, false) => {}
        }
    }

    /// The replica set that was created or found is the first sign of progress.
    fn set_found(&self, status: &mut DeploymentStatus, progress: &Progress, now: Timestamp) {
        if !self.has_deadline() {
            return status.conditions.iter_mut().for_each(|all| all.retain(|it| it.type_ != PROGRESSING));
        }
        if let Some(name) = &progress.created {
            let message = format!("Created new replica set {name:?}");
            set(status, condition(PROGRESSING, "True", "NewReplicaSetCreated", message, now));
        } else if let (Some(found), None) = (self.new, get(status, PROGRESSING)) {
            let message = format!("Found new replica set {:?}", name(found));
            set(status, condition(PROGRESSING, "True", "FoundNewReplicaSet", message, now));
        }
    }

    /// Complete, moving, or stuck for too long.
    fn estimate(&self, old: &DeploymentStatus, new: &mut DeploymentStatus, now: Timestamp, plan: &mut Plan) {
        let known = get(new, PROGRESSING).cloned();
        let reason = known.as_ref().and_then(|it| it.reason.as_deref());
        if new.replicas == new.updated_replicas && reason == Some(COMPLETE) {
            return;
        }
        let subject = self.new.map_or_else(
            || format!("Deployment {:?}", self.deployment.metadata.name.as_deref().unwrap_or_default()),
            |it| format!("ReplicaSet {:?}", name(it)),
        );
        if is_complete(self, new) {
            let message = format!("{subject} has successfully progressed.");
            set(new, condition(PROGRESSING, "True", COMPLETE, message, now));
        } else if has_moved(old, new) {
            let mut moved = condition(
                PROGRESSING,
                "True",
                "ReplicaSetUpdated",
                format!("{subject} is progressing."),
                now,
            );
            if let Some(known) = known.filter(|it| it.status == "True") {
                moved.last_transition_time = known.last_transition_time;
            }
            new.conditions.iter_mut().for_each(|all| all.retain(|it| it.type_ != PROGRESSING));
            set(new, moved);
        } else if let Some(known) =
            known.filter(|it| !matches!(it.reason.as_deref(), Some(COMPLETE | TIMED_OUT)))
        {
            let deadline = self.deadline(&known);
            if deadline < now {
                let message = format!("{subject} has timed out progressing.");
                set(new, condition(PROGRESSING, "False", TIMED_OUT, message, now));
            } else {
                plan.look_at(later(deadline, Duration::from_secs(1)));
            }
        }
    }

    fn deadline(&self, progressing: &DeploymentCondition) -> Timestamp {
        let since = progressing.last_update_time.as_ref().map_or(Timestamp::UNIX_EPOCH, |it| it.0);
        let seconds = self.spec.progress_deadline_seconds.and_then(|it| u64::try_from(it).ok());
        later(since, Duration::from_secs(seconds.unwrap_or_default()))
    }
}

/// Whether all wanted Pods are of the current revision and available, and no others are left.
pub(super) fn is_complete(rollout: &Rollout<'_>, status: &DeploymentStatus) -> bool {
    let replicas = rollout.limits.replicas;
    [status.updated_replicas, status.replicas, status.available_replicas]
        .into_iter()
        .all(|it| it.unwrap_or_default() == replicas)
        && status.observed_generation >= rollout.deployment.metadata.generation
}

fn has_moved(old: &DeploymentStatus, new: &DeploymentStatus) -> bool {
    let number = Option::<i32>::unwrap_or_default;
    let outdated = |it: &DeploymentStatus| number(it.replicas) - number(it.updated_replicas);
    number(new.updated_replicas) > number(old.updated_replicas)
        || outdated(new) < outdated(old)
        || number(new.ready_replicas) > number(old.ready_replicas)
        || number(new.available_replicas) > number(old.available_replicas)
}

fn name(set: &ReplicaSet) -> &str {
    set.metadata.name.as_deref().unwrap_or_default()
}

fn get<'a>(status: &'a DeploymentStatus, type_: &str) -> Option<&'a DeploymentCondition> {
    status.conditions.iter().flatten().find(|it| it.type_ == type_)
}

/// Sets a condition; one with the same status and reason stays as it is.
fn set(status: &mut DeploymentStatus, mut condition: DeploymentCondition) {
    if let Some(known) = get(status, &condition.type_) {
        if known.status == condition.status && known.reason == condition.reason {
            return;
        }
        if known.status == condition.status {
            condition.last_transition_time = known.last_transition_time.clone();
        }
    }
    let conditions = status.conditions.get_or_insert_default();
    conditions.retain(|it| it.type_ != condition.type_);
    conditions.push(condition);
}

fn condition(
    type_: &str,
    status: &str,
    reason: &str,
    message: String,
    now: Timestamp,
) -> DeploymentCondition {
    DeploymentCondition {
        type_: type_.to_owned(),
        status: status.to_owned(),
        reason: Some(reason.to_owned()),
        message: Some(message),
        last_update_time: Some(stamp(now)),
        last_transition_time: Some(stamp(now)),
    }
}
