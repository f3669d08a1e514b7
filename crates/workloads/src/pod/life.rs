//! The life of a Pod on the node: one status after the other.

use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{Container, HostIP, Pod, PodIP, PodSpec, PodStatus};

use super::container::{self, Script};
use super::status::settle;
use crate::action::Plan;
use crate::behaviour::{self, Behaviour};
use crate::clock::{later, stamp};
use crate::fingerprint::fingerprint;
use crate::kind::World;
use crate::node;
use crate::options::{Options, Pace};
use crate::owner;

/// More steps than a Pod can take without time passing.
const STEPS: usize = 8;

/// Takes the Pod as far as it gets by now.
pub(super) fn plan(world: &World, pod: &Pod, now: Timestamp, options: &Options, plan: &mut Plan) {
    let Some(spec) = &pod.spec else { return };
    let asked = behaviour::asked_for(world, pod).ok().flatten();
    let scripts: Vec<Script> =
        spec.containers.iter().map(|it| script(it, spec, asked, &options.pace)).collect();
    let mut status = pod.status.clone().unwrap_or_default();
    if status.start_time.is_none() {
        accept(world, pod, spec, now, &mut status);
    }
    let mut events = Plan::default();
    for _ in 0..STEPS {
        if !step(pod, &scripts, &options.pace, now, &mut status, &mut events) {
            break;
        }
    }
    settle(pod, spec, now, &mut status);
    plan.set_status(pod, pod.status.as_ref(), &status);
    plan.actions.extend(events.actions);
    plan.again.extend(events.again);
}

fn script(container: &Container, spec: &PodSpec, asked: Option<Behaviour>, pace: &Pace) -> Script {
    let image = container.image.as_deref().unwrap_or_default();
    let behaviour = asked.unwrap_or_else(|| behaviour::of_image(image));
    let probe = container.readiness_probe.as_ref().filter(|_| pace.probes);
    let delay = probe.and_then(|it| it.initial_delay_seconds).and_then(|it| u64::try_from(it).ok());
    let ready = pace.ready.max(Duration::from_secs(delay.unwrap_or_default()));
    Script {
        behaviour,
        ready: if let Behaviour::Slow(time) = behaviour { time } else { ready },
        restart: container::Restart::of(spec.restart_policy.as_deref()),
    }
}

/// The node takes the Pod on.
fn accept(world: &World, pod: &Pod, spec: &PodSpec, now: Timestamp, status: &mut PodStatus) {
    let own = if spec.host_network == Some(true) { node::ADDRESS.to_owned() } else { address(world, pod) };
    status.phase = Some("Pending".to_owned());
    status.start_time = Some(stamp(now));
    status.host_ip = Some(node::ADDRESS.to_owned());
    status.host_ips = Some(vec![HostIP { ip: node::ADDRESS.to_owned() }]);
    status.pod_ips = Some(vec![PodIP { ip: own.clone() }]);
    status.pod_ip = Some(own);
    let waiting = if spec.init_containers.is_some() { "PodInitializing" } else { "ContainerCreating" };
    status.container_statuses =
        Some(spec.containers.iter().map(|it| container::waiting(it, waiting)).collect());
    let first = spec.init_containers.as_ref();
    status.init_container_statuses =
        first.map(|all| all.iter().map(|it| container::waiting(it, "PodInitializing")).collect());
}

/// The first free address of 10.244.0.0/16 from where the uid points to.
fn address(world: &World, pod: &Pod) -> String {
    let start = fingerprint(owner::uid(&pod.metadata).as_bytes());
    let candidate = |offset: u64| {
        let [.., third, fourth] = (start.wrapping_add(offset) % 0xfffe + 1).to_be_bytes();
        format!("10.244.{third}.{fourth}")
    };
    let is_used = |address: &String| {
        let of = |pod: &Pod| pod.status.as_ref().is_some_and(|it| it.pod_ip.as_ref() == Some(address));
        world.pods.iter().any(|other| of(other) && super::is_active(other))
    };
    (0..256).map(candidate).find(|it| !is_used(it)).unwrap_or_else(|| candidate(0))
}

/// One step; whether there was one to take.
fn step(
    pod: &Pod,
    scripts: &[Script],
    pace: &Pace,
    now: Timestamp,
    status: &mut PodStatus,
    events: &mut Plan,
) -> bool {
    let begun = status.container_statuses.iter().flatten().any(container::has_begun);
    if !begun {
        return begin(pod, scripts, pace, now, status, events);
    }
    let mut moved = false;
    for (container, script) in status.container_statuses.iter_mut().flatten().zip(scripts) {
        moved |= container::step(pod, container, *script, pace, now, events);
    }
    moved
}

/// Starts all containers, unless one hangs.
fn begin(
    pod: &Pod,
    scripts: &[Script],
    pace: &Pace,
    now: Timestamp,
    status: &mut PodStatus,
    events: &mut Plan,
) -> bool {
    if scripts.iter().any(|it| it.behaviour == Behaviour::Hang) {
        return false;
    }
    let due = later(status.start_time.as_ref().map_or(now, |it| it.0), pace.start);
    if now < due {
        events.look_at(due);
        return false;
    }
    let kept: Vec<bool> =
        pod.spec.iter().flat_map(|spec| spec.init_containers.iter().flatten()).map(keeps_running).collect();
    for (container, kept) in status.init_container_statuses.iter_mut().flatten().zip(kept) {
        container::run_first(container, kept, now);
        container::tell_start(pod, container, events);
    }
    for container in status.container_statuses.iter_mut().flatten() {
        container::run(container, now);
        container::tell_start(pod, container, events);
    }
    true
}

/// Whether an init container stays beside the others.
fn keeps_running(container: &Container) -> bool {
    container.restart_policy.as_deref() == Some("Always")
}
