//! Jobs: Pods that run to completion.

mod indexes;
mod outcome;
mod tally;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::batch::v1::{Job, JobCondition, JobSpec, JobStatus};
use k8s_openapi::api::core::v1::{EnvVar, Pod};
use serde_json::json;

use self::outcome::Outcome;
use self::tally::Tally;
use crate::action::Plan;
use crate::clock::{later, stamp};
use crate::kind::{Key, World};
use crate::numbers::count;
use crate::owner;
use crate::pod;
use crate::template::{fresh_name, pod_from};

const CONTROLLER: &str = "job-controller";
/// The finalizer that keeps a Pod until it is counted.
const TRACKING: &str = "batch.kubernetes.io/job-tracking";
const INDEX: &str = "batch.kubernetes.io/job-completion-index";
const BACK_OFF: Duration = Duration::from_secs(10);
const LONGEST_BACK_OFF: Duration = Duration::from_mins(10);

/// A job with its Pods.
struct Work<'a> {
    job: &'a Job,
    spec: &'a JobSpec,
    old: JobStatus,
    pods: Vec<&'a Pod>,
    now: Timestamp,
}

/// What to do about a job.
pub(crate) fn plan(world: &World, key: &Key, now: Timestamp) -> Plan {
    let mut plan = Plan::default();
    let Some(job) = world.jobs.get(&key.namespace, &key.name) else { return plan };
    let Some(spec) = job.spec.as_ref().filter(|it| it.managed_by.is_none()) else { return plan };
    let pods: Vec<&Pod> = world.pods.owned_by(owner::uid(&job.metadata)).map(|it: &Arc<Pod>| &**it).collect();
    let work = Work { job, spec, old: job.status.clone().unwrap_or_default(), pods, now };
    if job.metadata.deletion_timestamp.is_some() {
        work.release_all(&mut plan);
    } else if let Some(end) = work.end() {
        work.release_all(&mut plan);
        work.expire(end, &mut plan);
    } else {
        work.advance(world, &mut plan);
    }
    plan
}

impl Work<'_> {
    fn condition(&self, type_: &str) -> Option<&JobCondition> {
        self.old.conditions.iter().flatten().find(|it| it.type_ == type_ && it.status == "True")
    }

    /// When the job ended, if it did.
    fn end(&self) -> Option<Timestamp> {
        let ended = self.condition("Complete").or_else(|| self.condition("Failed"))?;
        Some(ended.last_transition_time.as_ref().map_or(self.now, |it| it.0))
    }

    fn is_suspended(&self) -> bool {
        self.spec.suspend == Some(true)
    }

    fn is_indexed(&self) -> bool {
        self.spec.completion_mode.as_deref() == Some("Indexed")
    }

    fn active(&self) -> impl Iterator<Item = &Pod> {
        self.pods.iter().copied().filter(|it| pod::is_active(it))
    }

    /// Ended jobs go some time later, where that is asked for.
    fn expire(&self, end: Timestamp, plan: &mut Plan) {
        let Some(seconds) = self.spec.ttl_seconds_after_finished.and_then(|it| u64::try_from(it).ok()) else {
            return;
        };
        let due = later(end, Duration::from_secs(seconds));
        if due <= self.now { plan.delete(self.job) } else { plan.look_at(due) }
    }

    /// Nothing more is counted.
    fn release_all(&self, plan: &mut Plan) {
        for pod in self.pods.iter().filter(|it| is_tracked(it)) {
            release(pod, plan);
        }
    }

    fn advance(&self, world: &World, plan: &mut Plan) {
        let tally = Tally::new(self);
        let outcome = outcome::of(self, &tally);
        let mut status = self.status(&tally);
        if status.start_time.is_none() && !self.is_suspended() {
            status.start_time = Some(stamp(self.now));
        }
        self.set_suspended(&mut status, plan);
        let idle = self.active().next().is_none();
        outcome::publish(self, outcome, idle, &mut status, plan);
        let mut changes = Plan::default();
        if outcome != Outcome::Open || self.is_suspended() {
            self.stop(&mut changes);
        } else {
            self.scale(world, &tally, &mut status, &mut changes);
        }
        let mut events = std::mem::take(&mut plan.actions);
        plan.set_status(self.job, self.job.status.as_ref(), &status);
        for pod in self.pods.iter().filter(|it| tally.is_done_with(it)) {
            release(pod, plan);
        }
        plan.actions.append(&mut changes.actions);
        plan.actions.append(&mut events);
        plan.again.append(&mut changes.again);
        if let Some(deadline) = self.deadline().filter(|it| *it > self.now && outcome == Outcome::Open) {
            plan.look_at(deadline);
        }
    }

    fn deadline(&self) -> Option<Timestamp> {
        let start = self.old.start_time.as_ref()?.0;
        let seconds = u64::try_from(self.spec.active_deadline_seconds?).ok()?;
        Some(later(start, Duration::from_secs(seconds)))
    }

    fn status(&self, tally: &Tally) -> JobStatus {
        let ready = self.active().filter(|it| pod::is_ready(it)).count();
        let ending = self.pods.iter().filter(|it| it.metadata.deletion_timestamp.is_some() && is_tracked(it));
        JobStatus {
            active: count(self.active().count()),
            ready: i32::try_from(ready).ok(),
            terminating: i32::try_from(ending.count()).ok(),
            ..tally.counted(self.old.clone())
        }
    }

    fn set_suspended(&self, status: &mut JobStatus, plan: &mut Plan) {
        let known = self.old.conditions.iter().flatten().find(|it| it.type_ == "Suspended");
        let was = known.is_some_and(|it| it.status == "True");
        if self.is_suspended() && !was {
            outcome::set(status, "Suspended", "True", "JobSuspended", "Job suspended", self.now);
            status.start_time = None;
            plan.record(self.job, CONTROLLER, "Suspended", "Job suspended");
        } else if !self.is_suspended() && was {
            outcome::set(status, "Suspended", "False", "JobResumed", "Job resumed", self.now);
            status.start_time = Some(stamp(self.now));
            plan.record(self.job, CONTROLLER, "Resumed", "Job resumed");
        }
    }

    fn stop(&self, plan: &mut Plan) {
        for pod in self.active() {
            self.delete(pod, plan);
        }
    }

    fn delete(&self, pod: &Pod, plan: &mut Plan) {
        plan.delete(pod);
        let name = pod.metadata.name.as_deref().unwrap_or_default();
        plan.record(self.job, CONTROLLER, "SuccessfulDelete", format!("Deleted pod: {name}"));
    }

    fn scale(&self, world: &World, tally: &Tally, status: &mut JobStatus, plan: &mut Plan) {
        let parallel = usize::try_from(self.spec.parallelism.unwrap_or(1)).unwrap_or_default();
        let active = self.active().count();
        let wanted = match self.spec.completions {
            Some(all) => {
                parallel.min(usize::try_from(all).unwrap_or_default().saturating_sub(tally.succeeded()))
            }
            None if tally.succeeded() > 0 => active.min(parallel),
            None => parallel,
        };
        for pod in self.active().take(active.saturating_sub(wanted)) {
            self.delete(pod, plan);
        }
        if wanted <= active {
            return;
        }
        if let Some(pause) = self.pause(tally) {
            return plan.look_at(pause);
        }
        let free = self.free_indexes(tally);
        for number in 0..wanted - active {
            let index = free.get(number).copied().filter(|_| self.is_indexed());
            let pod = self.pod(world, number, index);
            plan.create(&pod);
            let name = pod.metadata.name.as_deref().unwrap_or_default();
            plan.record(self.job, CONTROLLER, "SuccessfulCreate", format!("Created pod: {name}"));
        }
        status.active = count(wanted);
    }

    /// Until when new Pods wait after a failure.
    fn pause(&self, tally: &Tally) -> Option<Timestamp> {
        let last =
            self.pods.iter().filter(|it| pod::phase(it) == "Failed").filter_map(|it| finish(it)).max()?;
        let doublings = u32::try_from(tally.failed().saturating_sub(1)).unwrap_or(u32::MAX);
        let pause = BACK_OFF.saturating_mul(2_u32.saturating_pow(doublings)).min(LONGEST_BACK_OFF);
        Some(later(last, pause)).filter(|it| *it > self.now)
    }

    /// Indexes that neither succeeded nor are being worked on.
    fn free_indexes(&self, tally: &Tally) -> Vec<i32> {
        let running: BTreeSet<i32> = self.active().filter_map(index).collect();
        let all = 0..self.spec.completions.unwrap_or_default();
        all.filter(|it| !running.contains(it) && !tally.indexes.contains(it)).collect()
    }

    fn pod(&self, world: &World, number: usize, index: Option<i32>) -> Pod {
        let mut owner = self.job.metadata.clone();
        if let Some(index) = index {
            owner.name = owner.name.map(|name| format!("{name}-{index}"));
        }
        let name = fresh_name(world, &owner, number, self.now);
        let mut pod = pod_from(self.job, Some(&self.spec.template), &name);
        pod.metadata.generate_name = owner.name.as_ref().map(|it| format!("{it}-"));
        pod.metadata.finalizers.get_or_insert_default().push(TRACKING.to_owned());
        if let Some(index) = index {
            set_index(&mut pod, index, owner.name);
        }
        pod
    }
}

fn set_index(pod: &mut Pod, index: i32, hostname: Option<String>) {
    pod.metadata.annotations.get_or_insert_default().insert(INDEX.to_owned(), index.to_string());
    pod.metadata.labels.get_or_insert_default().insert(INDEX.to_owned(), index.to_string());
    let spec = pod.spec.get_or_insert_default();
    spec.hostname = hostname;
    let source = json!({"fieldRef": {"fieldPath": format!("metadata.labels['{INDEX}']")}});
    let variable = EnvVar {
        name: "JOB_COMPLETION_INDEX".to_owned(),
        value: None,
        value_from: serde_json::from_value(source).ok(),
    };
    for container in &mut spec.containers {
        container.env.get_or_insert_default().push(variable.clone());
    }
}

/// The index that a Pod works on.
fn index(pod: &Pod) -> Option<i32> {
    pod.metadata.annotations.as_ref()?.get(INDEX)?.parse().ok()
}

fn is_tracked(pod: &Pod) -> bool {
    pod.metadata.finalizers.iter().flatten().any(|it| it == TRACKING)
}

fn release(pod: &Pod, plan: &mut Plan) {
    let others: Vec<&String> =
        pod.metadata.finalizers.iter().flatten().filter(|it| *it != TRACKING).collect();
    let others = if others.is_empty() { json!(null) } else { json!(others) };
    plan.patch(pod, json!({"metadata": {"finalizers": others}}));
}

/// When the last container of a Pod ended.
fn finish(pod: &Pod) -> Option<Timestamp> {
    let containers = pod.status.as_ref()?.container_statuses.iter().flatten();
    containers.filter_map(|it| Some(it.state.as_ref()?.terminated.as_ref()?.finished_at.as_ref()?.0)).max()
}
