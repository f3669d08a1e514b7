//! Kinds of the group `batch`.

use super::duration::human_duration;
use super::heading::{container_images, container_names};
use super::selector::{self, NONE, UNSET};
use super::{Heading, Sheet, Shown};

const JOB: &[Heading] = &[
    Heading::NAME,
    Heading::told("Status", status).said("Status of the job."),
    Heading::told("Completions", completions).field("/status/succeeded"),
    Heading::told("Duration", duration).said("Time required to complete the job."),
    Heading::AGE,
    Heading::containers(|it| container_names(it.list("/spec/template/spec/containers"))).wide(),
    Heading::images(|it| container_images(it.list("/spec/template/spec/containers"))).wide(),
    Heading::told("Selector", |it| selector::selector(it.at("/spec/selector"), it))
        .field("/spec/selector")
        .wide(),
];

const JOB_CONTAINERS: &str = "/spec/jobTemplate/spec/template/spec/containers";
const JOB_SELECTOR: &str = "/spec/jobTemplate/spec/selector";

const CRON_JOB: &[Heading] = &[
    Heading::NAME,
    Heading::text("Schedule", "/spec/schedule"),
    Heading::text_or("Timezone", "/spec/timeZone", NONE),
    Heading::told("Suspend", suspended).typed("boolean").field("/spec/suspend"),
    Heading::count("Active", "/status/active"),
    Heading::told("Last Schedule", last_schedule).field("/status/lastScheduleTime"),
    Heading::AGE,
    Heading::containers(|it| container_names(it.list(JOB_CONTAINERS))).wide(),
    Heading::images(|it| container_images(it.list(JOB_CONTAINERS))).wide(),
    Heading::told("Selector", |it| selector::selector(it.at(JOB_SELECTOR), it)).field(JOB_SELECTOR).wide(),
];

/// The sheet of a kind.
pub(super) fn sheet(kind: &str) -> Option<Sheet> {
    let headings = match kind {
        "CronJob" => CRON_JOB,
        "Job" => JOB,
        _ => return None,
    };
    Some(Sheet::of(headings))
}

fn status(job: &Shown<'_>) -> String {
    let has = |condition: &str| job.condition(condition) == Some("True");
    let ended = ["Complete", "Failed"].into_iter().find(|it| has(it));
    let deleting = job.is_deleting().then_some("Terminating");
    let conditions = ["Suspended", "FailureTarget", "SuccessCriteriaMet"];
    let status = ended.or(deleting).or_else(|| conditions.into_iter().find(|it| has(it)));
    status.unwrap_or("Running").to_owned()
}

fn completions(job: &Shown<'_>) -> String {
    let succeeded = job.number("/status/succeeded");
    if let Some(wanted) = job.amount("/spec/completions") {
        return format!("{succeeded}/{wanted}");
    }
    match job.number("/spec/parallelism") {
        parallelism if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        _ => format!("{succeeded}/1"),
    }
}

fn duration(job: &Shown<'_>) -> String {
    let Some(start) = job.time("/status/startTime") else { return String::new() };
    let end = job.time("/status/completionTime").unwrap_or(job.now);
    human_duration(end.duration_since(start).as_secs())
}

fn suspended(cron_job: &Shown<'_>) -> String {
    let text = match cron_job.flag("/spec/suspend") {
        Some(true) => "True",
        Some(false) => "False",
        None => UNSET,
    };
    text.to_owned()
}

fn last_schedule(cron_job: &Shown<'_>) -> String {
    let last = cron_job.at("/status/lastScheduleTime");
    last.map_or_else(|| NONE.to_owned(), |_| cron_job.since("/status/lastScheduleTime"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::printers::testing::{check, check_cell};
    use serde_json::{Value, json};

    #[test]
    fn jobs() {
        check(
            ("batch", "Job"),
            json!({
                "metadata": {"name": "j", "creationTimestamp": "2026-01-01T00:00:00Z"},
                "spec": {
                    "completions": 2, "selector": {"matchLabels": {"j": "1"}},
                    "template": {"spec": {"containers": [{"name": "c", "image": "i"}]}},
                },
                "status": {"succeeded": 1, "startTime": "2026-01-01T00:00:10Z"},
            }),
            json!(["j", "Running", "1/2", "110s", "2m", "c", "i", "j=1"]),
        );
    }

    #[test]
    fn states() {
        let check = |conditions: Value, expect: &str| {
            check_cell(status, &json!({"status": {"conditions": conditions}}), expect);
        };
        let is = |kind: &str| json!({"type": kind, "status": "True"});
        check(json!([]), "Running");
        check(json!([is("SuccessCriteriaMet"), is("Complete")]), "Complete");
        check(json!([is("FailureTarget")]), "FailureTarget");
        check(json!([is("Suspended"), is("Failed")]), "Failed");
        check(json!([{"type": "Complete", "status": "False"}]), "Running");
        check_cell(
            status,
            &json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}),
            "Terminating",
        );
    }

    #[test]
    fn amounts() {
        check_cell(completions, &json!({"spec": {"parallelism": 3}}), "0/1 of 3");
        check_cell(completions, &json!({"spec": {"parallelism": 1}, "status": {"succeeded": 1}}), "1/1");
        let times = json!({"status": {"startTime": "2026-01-01T00:00:00Z", "completionTime": "2026-01-01T00:00:05Z"}});
        check_cell(duration, &times, "5s");
        check_cell(duration, &json!({}), "");
    }

    #[test]
    fn cron_jobs() {
        check(
            ("batch", "CronJob"),
            json!({
                "metadata": {"name": "c"}, "spec": {"schedule": "* * * * *", "suspend": false},
                "status": {"active": [{}], "lastScheduleTime": "2026-01-01T00:01:00Z"},
            }),
            json!(["c", "* * * * *", "<none>", "False", 1, "60s", "<unknown>", "", "", "<none>"]),
        );
    }
}
