//! Cron jobs: jobs at certain times.

mod schedule;

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use k8s_openapi::api::batch::v1::{CronJob, CronJobSpec, CronJobStatus, Job};
use k8s_openapi::api::core::v1::ObjectReference;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use self::schedule::Schedule;
use crate::action::Plan;
use crate::clock::{later, stamp};
use crate::kind::{Key, World};
use crate::owner;

const CONTROLLER: &str = "cronjob-controller";
const SCHEDULED_AT: &str = "batch.kubernetes.io/cronjob-scheduled-timestamp";
/// More missed times than anybody looks at one by one.
const MANY: usize = 1000;

/// What to do about a cron job.
pub(crate) fn plan(world: &World, key: &Key, now: Timestamp) -> Plan {
    let mut plan = Plan::default();
    let Some(cron) = world.cron_jobs.get(&key.namespace, &key.name) else { return plan };
    let Some(spec) = &cron.spec else { return plan };
    if cron.metadata.deletion_timestamp.is_some() {
        return plan;
    }
    let jobs: Vec<&Job> =
        world.jobs.owned_by(owner::uid(&cron.metadata)).map(|it: &Arc<Job>| &**it).collect();
    let mut status = cron.status.clone().unwrap_or_default();
    let mut events = Plan::default();
    note_ends(cron, &jobs, &mut status, &mut events);
    clean_up(cron, spec, &jobs, &mut events);
    if spec.suspend != Some(true) {
        if let Some(schedule) = Schedule::parse(&spec.schedule) {
            start_due(cron, spec, &schedule, &jobs, now, &mut status, &mut events);
        } else {
            let message = format!("unparseable schedule: {:?}", spec.schedule);
            events.warn(&**cron, CONTROLLER, "UnparseableSchedule", message);
        }
    }
    plan.actions = events.actions;
    plan.again = events.again;
    plan.set_status(&**cron, cron.status.as_ref(), &status);
    plan
}

/// How a job ended: whether well, and when.
fn end(job: &Job) -> Option<(bool, Option<Timestamp>)> {
    let conditions = job.status.as_ref()?.conditions.as_ref()?;
    let ended =
        conditions.iter().find(|it| matches!(&*it.type_, "Complete" | "Failed") && it.status == "True")?;
    Some((ended.type_ == "Complete", ended.last_transition_time.as_ref().map(|it| it.0)))
}

/// Keeps the list of running jobs.
fn note_ends(cron: &CronJob, jobs: &[&Job], status: &mut CronJobStatus, events: &mut Plan) {
    let mut active = status.active.take().unwrap_or_default();
    active.retain(|reference| {
        let job = jobs.iter().find(|it| it.metadata.uid == reference.uid);
        let Some(job) = job else { return false };
        let Some((well, time)) = end(job) else { return true };
        let name = job.metadata.name.as_deref().unwrap_or_default();
        let condition = if well { "Complete" } else { "Failed" };
        let message = format!("Saw completed job: {name}, condition: {condition}");
        events.record(cron, CONTROLLER, "SawCompletedJob", message);
        if well && status.last_successful_time.as_ref().map(|it| it.0) < time {
            status.last_successful_time = time.map(stamp);
        }
        false
    });
    for job in jobs.iter().filter(|it| end(it).is_none()) {
        if !active.iter().any(|it| it.uid == job.metadata.uid) {
            active.push(reference(job));
        }
    }
    status.active = Some(active).filter(|it| !it.is_empty());
}

fn reference(job: &Job) -> ObjectReference {
    ObjectReference {
        api_version: Some("batch/v1".to_owned()),
        kind: Some("Job".to_owned()),
        name: job.metadata.name.clone(),
        namespace: job.metadata.namespace.clone(),
        uid: job.metadata.uid.clone(),
        resource_version: job.metadata.resource_version.clone(),
        ..ObjectReference::default()
    }
}

/// Deletes the oldest ended jobs beyond the limits.
fn clean_up(cron: &CronJob, spec: &CronJobSpec, jobs: &[&Job], events: &mut Plan) {
    let limits = [
        (true, spec.successful_jobs_history_limit.unwrap_or(3)),
        (false, spec.failed_jobs_history_limit.unwrap_or(1)),
    ];
    for (well, limit) in limits {
        let mut ended: Vec<&&Job> =
            jobs.iter().filter(|it| end(it).is_some_and(|(so, _)| so == well)).collect();
        ended.sort_by_key(|it| {
            Reverse((
                it.status.as_ref().and_then(|it| it.start_time.as_ref()).map(|it| it.0),
                it.metadata.name.clone(),
            ))
        });
        for job in ended.into_iter().skip(usize::try_from(limit).unwrap_or_default()) {
            if job.metadata.deletion_timestamp.is_none() {
                delete(cron, job, events);
            }
        }
    }
}

fn delete(cron: &CronJob, job: &Job, events: &mut Plan) {
    events.delete(job);
    let name = job.metadata.name.as_deref().unwrap_or_default();
    events.record(cron, CONTROLLER, "SuccessfulDelete", format!("Deleted job {name}"));
}

fn start_due(
    cron: &CronJob,
    spec: &CronJobSpec,
    schedule: &Schedule,
    jobs: &[&Job],
    now: Timestamp,
    status: &mut CronJobStatus,
    events: &mut Plan,
) {
    let zone = spec
        .time_zone
        .as_deref()
        .and_then(|it| TimeZoneDatabase::bundled().get(it).ok())
        .unwrap_or(TimeZone::UTC);
    if let Some(next) = schedule.after(now, &zone) {
        events.look_at(next);
    }
    let last = status.last_schedule_time.as_ref().or(cron.metadata.creation_timestamp.as_ref());
    let deadline =
        spec.starting_deadline_seconds.and_then(|it| u64::try_from(it).ok()).map(Duration::from_secs);
    let since = last.map_or(now, |it| it.0);
    let Some(due) = latest(schedule, &zone, since, now) else { return };
    if deadline.is_some_and(|deadline| later(due, deadline) < now) {
        return;
    }
    let active = status.active.clone().unwrap_or_default();
    match spec.concurrency_policy.as_deref() {
        Some("Forbid") if !active.is_empty() => return,
        Some("Replace") => {
            for job in jobs.iter().filter(|it| end(it).is_none()) {
                delete(cron, job, events);
            }
        }
        _ => {}
    }
    let job = job(cron, spec, due, &zone);
    let name = job.metadata.name.clone().unwrap_or_default();
    if !jobs.iter().any(|it| it.metadata.name.as_ref() == Some(&name)) {
        events.create(&job);
        events.record(cron, CONTROLLER, "SuccessfulCreate", format!("Created job {name}"));
    }
    status.last_schedule_time = Some(stamp(due));
}

/// The last time of the schedule after `since` and not after `now`.
fn latest(schedule: &Schedule, zone: &TimeZone, since: Timestamp, now: Timestamp) -> Option<Timestamp> {
    let recent = |since: Timestamp| {
        let times = std::iter::successors(schedule.after(since, zone), |it| schedule.after(*it, zone));
        times.take(MANY).take_while(|it| *it <= now).enumerate().last()
    };
    let (position, time) = recent(since)?;
    if position + 1 < MANY {
        return Some(time);
    }
    let hour_ago = Timestamp::from_second(now.as_second() - 3600).unwrap_or(now);
    Some(recent(hour_ago).map_or(time, |(_, time)| time))
}

fn job(cron: &CronJob, spec: &CronJobSpec, due: Timestamp, zone: &TimeZone) -> Job {
    let metadata = spec.job_template.metadata.clone().unwrap_or_default();
    let mut annotations = metadata.annotations.unwrap_or_default();
    let local = due.to_zoned(zone.clone());
    let text = if *zone == TimeZone::UTC {
        due.to_string()
    } else {
        local.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
    };
    annotations.insert(SCHEDULED_AT.to_owned(), text);
    let name = cron.metadata.name.as_deref().unwrap_or_default();
    Job {
        metadata: ObjectMeta {
            name: Some(format!("{name}-{}", due.as_second() / 60)),
            namespace: cron.metadata.namespace.clone(),
            labels: metadata.labels,
            annotations: Some(annotations),
            owner_references: Some(vec![owner::reference(cron)]),
            ..ObjectMeta::default()
        },
        spec: spec.job_template.spec.clone(),
        status: None,
    }
}
