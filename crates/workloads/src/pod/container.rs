//! One container: waiting, running, ended, and what moves it on.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{
    Container, ContainerState, ContainerStateRunning, ContainerStateTerminated, ContainerStateWaiting,
    ContainerStatus, Pod,
};

use super::record_container;
use crate::action::{Action, Plan};
use crate::behaviour::Behaviour;
use crate::clock::{later, stamp};
use crate::fingerprint::fingerprint;
use crate::options::Pace;
use crate::owner;

const BACK_OFF: &str = "CrashLoopBackOff";
const LONGEST_BACK_OFF: Duration = Duration::from_mins(5);

/// When containers are started again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Restart {
    Always,
    OnFailure,
    Never,
}

impl Restart {
    pub(super) fn of(policy: Option<&str>) -> Self {
        match policy {
            Some("Never") => Self::Never,
            Some("OnFailure") => Self::OnFailure,
            _ => Self::Always,
        }
    }
}

/// What a container is going to do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Script {
    pub(super) behaviour: Behaviour,
    /// From its start until it is ready.
    pub(super) ready: Duration,
    pub(super) restart: Restart,
}

/// A container that has not been started.
pub(super) fn waiting(container: &Container, reason: &str) -> ContainerStatus {
    ContainerStatus {
        name: container.name.clone(),
        image: container.image.clone().unwrap_or_default(),
        state: Some(wait(reason, None)),
        last_state: Some(ContainerState::default()),
        started: Some(false),
        ..ContainerStatus::default()
    }
}

/// Whether it was started at least once.
pub(super) fn has_begun(status: &ContainerStatus) -> bool {
    status.container_id.is_some()
}

/// Starts it.
pub(super) fn run(status: &mut ContainerStatus, now: Timestamp) {
    let identity = format!("{} {} {now}", status.name, status.restart_count);
    status.container_id = Some(format!("simulated://{:016x}", fingerprint(identity.as_bytes())));
    status.image_id = format!("simulated://{}", status.image);
    let running = ContainerStateRunning { started_at: Some(stamp(now)) };
    status.state = Some(ContainerState { running: Some(running), ..ContainerState::default() });
    status.started = Some(true);
    status.ready = false;
}

/// Starts an init container; one that is not kept has ended already.
pub(super) fn run_first(status: &mut ContainerStatus, kept: bool, now: Timestamp) {
    run(status, now);
    status.ready = true;
    if !kept {
        status.state = Some(ended(status, now, 0));
        status.started = Some(false);
    }
}

/// Moves the container on, when its time has come; whether it did.
pub(super) fn step(
    pod: &Pod,
    status: &mut ContainerStatus,
    script: Script,
    pace: &Pace,
    now: Timestamp,
    events: &mut Plan,
) -> bool {
    let state = status.state.clone().unwrap_or_default();
    if let Some(since) = state.running.and_then(|it| it.started_at) {
        return step_running(pod, status, script, pace, since.0, now, events);
    }
    let backing_off = state.waiting.is_some_and(|it| it.reason.as_deref() == Some(BACK_OFF));
    if !backing_off || script.behaviour == Behaviour::Hang {
        return false;
    }
    let last = status.last_state.as_ref().and_then(|it| it.terminated.as_ref()?.finished_at.as_ref());
    let due = later(last.map_or(now, |it| it.0), back_off(pace, status.restart_count));
    let due = due.min(if script.behaviour == Behaviour::Fail { due } else { now });
    happens_at(due, now, events) && {
        status.restart_count += 1;
        run(status, now);
        tell_start(pod, status, events);
        true
    }
}

fn step_running(
    pod: &Pod,
    status: &mut ContainerStatus,
    script: Script,
    pace: &Pace,
    since: Timestamp,
    now: Timestamp,
    events: &mut Plan,
) -> bool {
    match (script.behaviour, script.restart) {
        (Behaviour::Hang, _) => std::mem::take(&mut status.ready),
        (Behaviour::Fail, restart) => {
            happens_at(later(since, pace.crash), now, events) && {
                fail(pod, status, restart, now, events);
                true
            }
        }
        (Behaviour::Well | Behaviour::Slow(_), Restart::Always) => {
            !status.ready && happens_at(later(since, script.ready), now, events) && {
                status.ready = true;
                true
            }
        }
        (Behaviour::Well | Behaviour::Slow(_), Restart::OnFailure | Restart::Never) => {
            let time = if let Behaviour::Slow(time) = script.behaviour { time } else { pace.run };
            status.ready = true;
            happens_at(later(since, time), now, events) && {
                status.state = Some(ended(status, now, 0));
                status.ready = false;
                status.started = Some(false);
                true
            }
        }
    }
}

/// Ends with an error; the first time it is started again at once, later after a pause.
fn fail(pod: &Pod, status: &mut ContainerStatus, restart: Restart, now: Timestamp, events: &mut Plan) {
    let end = ended(status, now, 1);
    status.ready = false;
    status.started = Some(false);
    if restart == Restart::Never {
        status.state = Some(end);
        return;
    }
    status.last_state = Some(end);
    if status.restart_count == 0 {
        status.restart_count = 1;
        run(status, now);
        tell_start(pod, status, events);
        return;
    }
    let place = format!(
        "{}_{}({})",
        pod.metadata.name.as_deref().unwrap_or_default(),
        pod.metadata.namespace.as_deref().unwrap_or_default(),
        owner::uid(&pod.metadata)
    );
    let message = format!("restarting failed container={} pod={place}", status.name);
    let message = format!("back-off {}s {message} (simulated)", seconds(status.restart_count));
    status.state = Some(wait(BACK_OFF, Some(message)));
    let told = format!("Back-off restarting failed container {} in pod {place} (simulated)", status.name);
    record_container(events, pod, &status.name, "BackOff", told);
    if let Some(Action::Record(record)) = events.actions.last_mut() {
        record.warning = true;
    }
}

/// The pause of the usual pace, which is what people know.
fn seconds(restarts: i32) -> u64 {
    back_off(&Pace::default(), restarts).as_secs()
}

fn back_off(pace: &Pace, restarts: i32) -> Duration {
    let doublings = u32::try_from(restarts - 1).unwrap_or_default();
    pace.back_off.saturating_mul(2_u32.saturating_pow(doublings)).min(LONGEST_BACK_OFF)
}

fn happens_at(due: Timestamp, now: Timestamp, events: &mut Plan) -> bool {
    if now < due {
        events.look_at(due);
    }
    now >= due
}

fn wait(reason: &str, message: Option<String>) -> ContainerState {
    let waiting = ContainerStateWaiting { reason: Some(reason.to_owned()), message };
    ContainerState { waiting: Some(waiting), ..ContainerState::default() }
}

fn ended(status: &ContainerStatus, now: Timestamp, exit_code: i32) -> ContainerState {
    let since = status.state.as_ref().and_then(|it| it.running.as_ref()?.started_at.clone());
    let terminated = ContainerStateTerminated {
        container_id: status.container_id.clone(),
        exit_code,
        reason: Some(if exit_code == 0 { "Completed" } else { "Error" }.to_owned()),
        started_at: since,
        finished_at: Some(stamp(now)),
        ..ContainerStateTerminated::default()
    };
    ContainerState { terminated: Some(terminated), ..ContainerState::default() }
}

/// What a node tells when it starts a container.
pub(super) fn tell_start(pod: &Pod, status: &ContainerStatus, events: &mut Plan) {
    let (name, image) = (&status.name, &status.image);
    let pulled = format!("Container image \"{image}\" already present on machine (simulated)");
    record_container(events, pod, name, "Pulled", pulled);
    record_container(events, pod, name, "Created", format!("Container created: {name} (simulated)"));
    record_container(events, pod, name, "Started", format!("Container started: {name} (simulated)"));
}
