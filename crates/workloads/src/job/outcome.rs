//! How a job ends.

use jiff::Timestamp;
use k8s_openapi::api::batch::v1::{JobCondition, JobStatus};
use k8s_openapi::api::core::v1::Pod;

use super::tally::Tally;
use super::{CONTROLLER, Work};
use crate::action::Plan;
use crate::clock::stamp;

/// What has become of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It goes on.
    Open,
    /// It is complete.
    Complete,
    /// It failed, for a reason.
    Failed(&'static str, &'static str),
}

const TOO_MANY_FAILURES: Outcome =
    Outcome::Failed("BackoffLimitExceeded", "Job has reached the specified backoff limit");
const TOO_LATE: Outcome =
    Outcome::Failed("DeadlineExceeded", "Job was active longer than specified deadline");

/// What has become of the job by now; once it is decided, it stays so.
pub(super) fn of(work: &Work<'_>, tally: &Tally) -> Outcome {
    if let Some(target) = work.condition("FailureTarget") {
        let late = target.reason.as_deref() == Some("DeadlineExceeded");
        return if late { TOO_LATE } else { TOO_MANY_FAILURES };
    }
    if work.condition("SuccessCriteriaMet").is_some() {
        return Outcome::Complete;
    }
    let limit = usize::try_from(work.spec.backoff_limit.unwrap_or(6)).unwrap_or_default();
    if tally.failed() > limit || restarts(work) >= limit.max(1) {
        return TOO_MANY_FAILURES;
    }
    if work.deadline().is_some_and(|it| it <= work.now) && !work.is_suspended() {
        return TOO_LATE;
    }
    let complete = match work.spec.completions {
        Some(wanted) => tally.succeeded() >= usize::try_from(wanted).unwrap_or_default(),
        None => tally.succeeded() > 0 && work.active().next().is_none(),
    };
    if complete { Outcome::Complete } else { Outcome::Open }
}

/// How often containers were restarted, where that is how failures show.
fn restarts(work: &Work<'_>) -> usize {
    let policy = work.spec.template.spec.as_ref().and_then(|it| it.restart_policy.as_deref());
    if policy != Some("OnFailure") {
        return 0;
    }
    let of = |pod: &Pod| -> i32 {
        let containers = pod.status.iter().flat_map(|it| it.container_statuses.iter().flatten());
        containers.map(|it| it.restart_count).sum()
    };
    usize::try_from(work.active().map(of).sum::<i32>()).unwrap_or_default()
}

/// Shows the outcome: first that it is decided, then, with nothing running, that it is reached.
pub(super) fn publish(
    work: &Work<'_>,
    outcome: Outcome,
    idle: bool,
    status: &mut JobStatus,
    plan: &mut Plan,
) {
    let noted = status.uncounted_terminated_pods.as_ref();
    let counted = noted.is_none_or(|it| it.succeeded.is_none() && it.failed.is_none());
    let now = work.now;
    match outcome {
        Outcome::Open => {}
        Outcome::Complete => {
            let (reason, message) = ("CompletionsReached", "Reached expected number of succeeded pods");
            set(status, "SuccessCriteriaMet", "True", reason, message, now);
            if idle && counted {
                set(status, "Complete", "True", reason, message, now);
                status.completion_time = Some(stamp(now));
                plan.record(work.job, CONTROLLER, "Completed", "Job completed");
            }
        }
        Outcome::Failed(reason, message) => {
            set(status, "FailureTarget", "True", reason, message, now);
            if idle && counted {
                set(status, "Failed", "True", reason, message, now);
                plan.warn(work.job, CONTROLLER, reason, message);
            }
        }
    }
}

/// Sets a condition; one with the same status stays as it is.
pub(super) fn set(
    status: &mut JobStatus,
    type_: &str,
    value: &str,
    reason: &str,
    message: &str,
    now: Timestamp,
) {
    let conditions = status.conditions.get_or_insert_default();
    if conditions.iter().any(|it| it.type_ == type_ && it.status == value) {
        return;
    }
    conditions.retain(|it| it.type_ != type_);
    conditions.push(JobCondition {
        type_: type_.to_owned(),
        status: value.to_owned(),
        reason: Some(reason.to_owned()),
        message: Some(message.to_owned()),
        last_probe_time: Some(stamp(now)),
        last_transition_time: Some(stamp(now)),
    });
}
