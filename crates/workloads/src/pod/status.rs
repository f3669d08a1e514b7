//! What the states of containers mean for their Pod.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::{ContainerStatus, Pod, PodCondition, PodSpec, PodStatus};

use super::container::{Restart, has_begun};
use crate::clock::stamp;

/// One condition as it should be.
struct Wanted {
    type_: &'static str,
    holds: bool,
    reason: Option<&'static str>,
    message: Option<String>,
}

/// Sets phase and conditions from the containers.
pub(super) fn settle(pod: &Pod, spec: &PodSpec, now: Timestamp, status: &mut PodStatus) {
    let containers = status.container_statuses.clone().unwrap_or_default();
    let phase = phase(&containers, Restart::of(spec.restart_policy.as_deref()));
    status.phase = Some(phase.to_owned());
    status.observed_generation = pod.metadata.generation;
    let begun = containers.iter().any(has_begun);
    let finished = matches!(phase, "Succeeded" | "Failed");
    let ready = readiness(phase, &containers);
    let first = status.init_container_statuses.iter().flatten();
    let unfinished: Vec<&str> = first.filter(|it| !has_begun(it)).map(|it| &*it.name).collect();
    let initialized = Wanted {
        type_: "Initialized",
        holds: unfinished.is_empty(),
        reason: unfinished.first().map(|_| "ContainersNotInitialized"),
        message: unfinished
            .first()
            .map(|_| format!("containers with incomplete status: [{}]", unfinished.join(" "))),
    };
    let wanted = [
        Wanted { type_: "PodReadyToStartContainers", holds: begun && !finished, reason: None, message: None },
        Wanted {
            reason: initialized.reason.or((phase == "Succeeded").then_some("PodCompleted")),
            ..initialized
        },
        Wanted { type_: "Ready", message: ready.message.clone(), ..ready },
        Wanted { type_: "ContainersReady", ..ready },
        Wanted { type_: "PodScheduled", holds: true, reason: None, message: None },
    ];
    let known = status.conditions.take().unwrap_or_default();
    let mut conditions: Vec<PodCondition> =
        wanted.into_iter().map(|it| condition(it, &known, pod.metadata.generation, now)).collect();
    let ours: Vec<String> = conditions.iter().map(|it| it.type_.clone()).collect();
    conditions.extend(known.into_iter().filter(|it| !ours.contains(&it.type_)));
    status.conditions = Some(conditions);
}

fn readiness(phase: &str, containers: &[ContainerStatus]) -> Wanted {
    let (type_, none) = ("Ready", None);
    match phase {
        "Succeeded" => Wanted { type_, holds: false, reason: Some("PodCompleted"), message: none },
        "Failed" => Wanted { type_, holds: false, reason: Some("PodFailed"), message: none },
        _ => {
            let unready: Vec<&str> = containers.iter().filter(|it| !it.ready).map(|it| &*it.name).collect();
            let message = format!("containers with unready status: [{}]", unready.join(" "));
            let holds = unready.is_empty();
            let reason = (!holds).then_some("ContainersNotReady");
            Wanted { type_, holds, reason, message: (!holds).then_some(message) }
        }
    }
}

fn phase(containers: &[ContainerStatus], restart: Restart) -> &'static str {
    let ends = containers.iter().map(|it| it.state.as_ref().and_then(|state| state.terminated.as_ref()));
    let codes: Option<Vec<i32>> = ends.map(|end| end.map(|it| it.exit_code)).collect();
    match codes {
        Some(codes) if restart != Restart::Always => {
            if codes.iter().all(|it| *it == 0) {
                "Succeeded"
            } else {
                "Failed"
            }
        }
        _ if containers.iter().any(has_begun) => "Running",
        _ => "Pending",
    }
}

/// The time of a condition is when it last changed between true and false.
fn condition(
    wanted: Wanted,
    known: &[PodCondition],
    generation: Option<i64>,
    now: Timestamp,
) -> PodCondition {
    let status = if wanted.holds { "True" } else { "False" };
    let before = known.iter().find(|it| it.type_ == wanted.type_ && it.status == status);
    PodCondition {
        type_: wanted.type_.to_owned(),
        status: status.to_owned(),
        reason: wanted.reason.map(str::to_owned),
        message: wanted.message,
        observed_generation: generation,
        last_probe_time: None,
        last_transition_time: before
            .and_then(|it| it.last_transition_time.clone())
            .or_else(|| Some(stamp(now))),
    }
}
