//! How a pod is doing, in a few words.

use std::ops::AddAssign;

use jiff::Timestamp;

use crate::printers::Shown;

/// What the columns Ready, Status and Restarts show.
#[derive(Debug)]
pub(super) struct Summary {
    ready: usize,
    total: usize,
    /// One word, such as `Running`.
    pub(super) reason: String,
    pub(super) restarts: Restarts,
}

/// How often containers were restarted, and when one last ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Restarts {
    pub(super) count: i64,
    pub(super) last: Option<Timestamp>,
}

impl AddAssign for Restarts {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.last = self.last.max(other.last);
    }
}

/// How far initialisation has come.
#[derive(Debug, Default)]
struct Initialisation {
    /// Why it has not ended.
    blocked: Option<String>,
    ready_sidecars: usize,
    restarts: Restarts,
    /// Those of containers that go on running beside the others.
    sidecar_restarts: Restarts,
}

/// What the ordinary containers do.
#[derive(Debug, Default)]
struct Running {
    reason: Option<String>,
    /// The last reason of a container that failed.
    failure: Option<String>,
    ready: usize,
    restarts: Restarts,
}

impl Summary {
    pub(super) fn of(pod: &Shown<'_>) -> Self {
        let initialisation = Initialisation::of(pod);
        let mut summary = Self {
            ready: initialisation.ready_sidecars,
            total: pod.count("/spec/containers") + sidecars(pod),
            reason: initialisation.blocked.clone().unwrap_or_else(|| own_reason(pod)),
            restarts: initialisation.restarts,
        };
        if initialisation.blocked.is_none() || pod.condition("Initialized") == Some("True") {
            summary.restarts = initialisation.sidecar_restarts;
            summary.take(Running::of(pod), pod);
        }
        if let Some(reason) = ending(pod) {
            reason.clone_into(&mut summary.reason);
        }
        summary
    }

    /// Such as `1/2`.
    pub(super) fn readiness(&self) -> String {
        format!("{}/{}", self.ready, self.total)
    }

    fn take(&mut self, running: Running, pod: &Shown<'_>) {
        self.ready += running.ready;
        self.restarts += running.restarts;
        self.reason = running.reason.unwrap_or_else(|| std::mem::take(&mut self.reason));
        if self.reason != "Completed" {
            return;
        }
        if running.ready > 0 && pod.condition("Ready") == Some("True") {
            "Running".clone_into(&mut self.reason);
        } else if let Some(failure) = running.failure {
            self.reason = failure;
        } else if running.ready > 0 {
            "NotReady".clone_into(&mut self.reason);
        }
    }
}

/// What the pod says of itself.
fn own_reason(pod: &Shown<'_>) -> String {
    const GATED: &str = "SchedulingGated";
    let mut conditions = pod.parts("/status/conditions");
    if conditions.any(|it| it.text("/type") == "PodScheduled" && it.text("/reason") == GATED) {
        return GATED.to_owned();
    }
    match pod.text("/status/reason") {
        "" => pod.text("/status/phase").to_owned(),
        reason => reason.to_owned(),
    }
}

/// What is said of a pod that is being deleted.
fn ending(pod: &Shown<'_>) -> Option<&'static str> {
    if !pod.is_deleting() {
        return None;
    }
    if pod.text("/status/reason") == "NodeLost" {
        return Some("Unknown");
    }
    (!matches!(pod.text("/status/phase"), "Succeeded" | "Failed")).then_some("Terminating")
}

fn sidecars(pod: &Shown<'_>) -> usize {
    pod.parts("/spec/initContainers").filter(|it| it.text("/restartPolicy") == "Always").count()
}

fn is_sidecar(pod: &Shown<'_>, name: &str) -> bool {
    let mut containers = pod.parts("/spec/initContainers");
    containers.any(|it| it.text("/name") == name && it.text("/restartPolicy") == "Always")
}

fn restarts(container: &Shown<'_>) -> Restarts {
    Restarts {
        count: container.number("/restartCount"),
        last: container.time("/lastState/terminated/finishedAt"),
    }
}

/// Why a container ended.
fn ended(container: &Shown<'_>) -> Option<String> {
    let terminated = container.part(container.at("/state/terminated")?);
    Some(match (terminated.text("/reason"), terminated.number("/signal")) {
        ("", 0) => format!("ExitCode:{}", terminated.number("/exitCode")),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    })
}

impl Initialisation {
    /// Containers are started one after the other; the first that is not done is the one that is waited for.
    fn of(pod: &Shown<'_>) -> Self {
        let mut so_far = Self::default();
        for (index, container) in pod.parts("/status/initContainerStatuses").enumerate() {
            let sidecar = is_sidecar(pod, container.text("/name"));
            so_far.restarts += restarts(&container);
            if sidecar {
                so_far.sidecar_restarts += restarts(&container);
            }
            let has_ended = container.at("/state/terminated").is_some();
            if has_ended && container.number("/state/terminated/exitCode") == 0 {
                continue;
            }
            if sidecar && container.flag("/started") == Some(true) {
                so_far.ready_sidecars += usize::from(container.flag("/ready") == Some(true));
                continue;
            }
            so_far.blocked = Some(blocked(pod, &container, index));
            break;
        }
        so_far
    }
}

fn blocked(pod: &Shown<'_>, container: &Shown<'_>, index: usize) -> String {
    if let Some(reason) = ended(container) {
        return format!("Init:{reason}");
    }
    match container.text("/state/waiting/reason") {
        "" | "PodInitializing" => format!("Init:{index}/{}", pod.count("/spec/initContainers")),
        reason => format!("Init:{reason}"),
    }
}

impl Running {
    /// The first container has the last word.
    fn of(pod: &Shown<'_>) -> Self {
        let mut so_far = Self::default();
        for container in pod.parts("/status/containerStatuses").rev() {
            so_far.restarts += restarts(&container);
            let waiting = container.text("/state/waiting/reason");
            if !waiting.is_empty() {
                so_far.reason = Some(waiting.to_owned());
            } else if let Some(reason) = ended(&container) {
                if container.number("/state/terminated/exitCode") != 0 {
                    so_far.failure = Some(reason.clone());
                }
                so_far.reason = Some(reason);
            } else if container.flag("/ready") == Some(true) && container.at("/state/running").is_some() {
                so_far.ready += 1;
            }
        }
        so_far
    }
}
