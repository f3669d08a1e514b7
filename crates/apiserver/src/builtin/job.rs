//! Jobs and `CronJobs`.

use krono_schema::FieldError;
use serde_json::{Map, Value, json};

use crate::kind::Rules;

use super::findings::Findings;
use super::place::Place;
use super::{fill, pod, read, selector};

/// Rules of Jobs.
pub(super) const JOB: Rules = Rules { default: default_job, validate: validate_job };

/// Rules of `CronJobs`.
pub(super) const CRON_JOB: Rules = Rules { default: default_cron_job, validate: validate_cron_job };

fn default_job(job: &mut Value) {
    fill::inside(job, "spec", default_spec);
    label_as_template(job);
    fill::inside(job, "spec", |spec| {
        fill::absent(spec, "manualSelector", false);
        fill::inside(spec, "template", pod::default_template);
    });
    select_own_pods(job);
    label_as_template(job);
    fill::absent(job, "status", json!({}));
}

/// A Job without labels has those of its template.
fn label_as_template(job: &mut Value) {
    let labels = job["spec"]["template"]["metadata"]["labels"].clone();
    if !read::is_empty(&labels) {
        fill::inside(job, "metadata", |metadata| fill::empty(metadata, "labels", labels));
    }
}

/// What the server itself fills into the spec of a Job, alone or in a `CronJob`.
fn default_spec(spec: &mut Value) {
    if spec["completions"].is_null() && spec["parallelism"].is_null() {
        fill::absent(spec, "completions", 1);
    }
    fill::absent(spec, "parallelism", 1);
    let retries = if spec["backoffLimitPerIndex"].is_null() { 6 } else { i32::MAX };
    fill::absent(spec, "backoffLimit", retries);
    fill::empty(spec, "completionMode", "NonIndexed");
    fill::absent(spec, "suspend", false);
    let replacement = if spec["podFailurePolicy"].is_null() { "TerminatingOrFailed" } else { "Failed" };
    fill::absent(spec, "podReplacementPolicy", replacement);
    fill::within(spec, "podFailurePolicy", |policy| {
        fill::each(policy, "rules", |rule| {
            fill::each(rule, "onPodConditions", |pattern| fill::empty(pattern, "status", "True"));
        });
    });
}

/// A new Job selects pods by its own uid, unless its author takes care of the selector.
/// Nothing happens before the Job has a name and a uid, nor to one that is stored.
fn select_own_pods(job: &mut Value) {
    let metadata = &job["metadata"];
    let (name, uid) = (read::text(metadata, "name").to_owned(), read::text(metadata, "uid").to_owned());
    let stored = !read::text(metadata, "resourceVersion").is_empty();
    if read::is_true(&job["spec"], "manualSelector") || name.is_empty() || uid.is_empty() || stored {
        return;
    }
    fill::inside(job, "spec", |spec| {
        fill::inside(spec, "template", |template| {
            fill::inside(template, "metadata", |metadata| {
                fill::inside(metadata, "labels", |labels| own_labels(labels, &name, &uid));
            });
        });
        fill::inside(spec, "selector", |selector| {
            fill::inside(selector, "matchLabels", |labels| {
                fill::absent(labels, "batch.kubernetes.io/controller-uid", uid);
            });
        });
    });
}

fn own_labels(labels: &mut Value, name: &str, uid: &str) {
    fill::absent(labels, "job-name", name);
    fill::absent(labels, "batch.kubernetes.io/job-name", name);
    fill::absent(labels, "controller-uid", uid);
    fill::absent(labels, "batch.kubernetes.io/controller-uid", uid);
}

fn default_cron_job(cron_job: &mut Value) {
    fill::inside(cron_job, "spec", |spec| {
        fill::empty(spec, "concurrencyPolicy", "Allow");
        fill::absent(spec, "suspend", false);
        fill::absent(spec, "successfulJobsHistoryLimit", 3);
        fill::absent(spec, "failedJobsHistoryLimit", 1);
        fill::inside(spec, "jobTemplate", |template| {
            fill::absent(template, "metadata", Map::new());
            fill::inside(template, "spec", |job| fill::inside(job, "template", pod::default_template));
        });
    });
    fill::absent(cron_job, "status", json!({}));
}

fn validate_job(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let (spec, at) = (&new["spec"], Place::ROOT.field("spec"));
    validate_spec(spec, at, &mut findings);
    if spec["selector"].is_null() {
        findings.required(at.field("selector"), "");
    } else {
        selector::validate(&spec["selector"], at.field("selector"), &mut findings);
        selector::validate_template_labels(spec, at, &mut findings);
    }
    if let Some(old) = old {
        validate_change(spec, &old["spec"], at, &mut findings);
    }
    findings.into_errors()
}

fn validate_spec(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    for field in [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ] {
        findings.not_negative(at, spec, field);
    }
    completion_mode(spec, at, findings);
    pod::validate_template(&spec["template"], at.field("template"), findings);
    restart_policy(spec, at.field("template.spec.restartPolicy"), findings);
}

fn completion_mode(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    match read::text(spec, "completionMode") {
        "Indexed" if spec["completions"].is_null() => {
            findings.required(at.field("completions"), "when completion mode is Indexed");
        }
        "Indexed" => {}
        "NonIndexed" | "" => {
            for field in ["backoffLimitPerIndex", "maxFailedIndexes"] {
                if !spec[field].is_null() {
                    findings.invalid(
                        at.field(field),
                        spec[field].clone(),
                        "requires indexed completion mode",
                    );
                }
            }
        }
        other => findings.unsupported(at.field("completionMode"), other, &["NonIndexed", "Indexed"]),
    }
}

fn restart_policy(spec: &Value, at: Place<'_>, findings: &mut Findings) {
    match read::text(&spec["template"]["spec"], "restartPolicy") {
        "Always" | "" => findings.required(at, "valid values: \"OnFailure\", \"Never\""),
        "OnFailure" if !spec["podFailurePolicy"].is_null() => {
            let detail = "only \"Never\" is supported when podFailurePolicy is specified";
            findings.invalid(at, "OnFailure", detail);
        }
        "OnFailure" | "Never" => {}
        other => findings.unsupported(at, other, &["OnFailure", "Never"]),
    }
}

fn validate_change(new: &Value, old: &Value, at: Place<'_>, findings: &mut Findings) {
    completions(new, old, at, findings);
    findings.immutable(at, new, old, "selector");
    template(new, old, at, findings);
    for field in ["completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy"]
    {
        findings.immutable(at, new, old, field);
    }
}

/// The number of completions may change only together with the parallelism of an indexed Job.
fn completions(new: &Value, old: &Value, at: Place<'_>, findings: &mut Findings) {
    if read::text(new, "completionMode") != "Indexed" {
        findings.immutable(at, new, old, "completions");
    } else if new["completions"] != old["completions"] && new["completions"] != new["parallelism"] {
        let detail = "can only be modified in tandem with spec.parallelism";
        findings.invalid(at.field("completions"), new["completions"].clone(), detail);
    }
}

/// The template may not change; where pods may run can, while the Job is suspended and has never started.
fn template(new: &Value, old: &Value, at: Place<'_>, findings: &mut Findings) {
    let suspended = read::is_true(old, "suspend");
    let unchanged = if suspended {
        read::same(&fixed(&new["template"]), &fixed(&old["template"]))
    } else {
        read::same(&new["template"], &old["template"])
    };
    if !unchanged {
        findings.invalid(at.field("template"), new["template"].clone(), "field is immutable");
    }
}

fn fixed(template: &Value) -> Value {
    let mut template = template.clone();
    let mut remove = |parent: &str, fields: &[&str]| {
        if let Some(parent) = template.get_mut(parent).and_then(Value::as_object_mut) {
            parent.retain(|field, _| !fields.contains(&field.as_str()));
        }
    };
    remove("metadata", &["labels", "annotations"]);
    remove("spec", &["affinity", "nodeSelector", "tolerations", "schedulingGates"]);
    template
}

fn validate_cron_job(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let mut findings = Findings::default();
    let name = read::text(&new["metadata"], "name");
    let (spec, at) = (&new["spec"], Place::ROOT.field("spec"));
    let schedule = read::text(spec, "schedule");
    if schedule.is_empty() {
        findings.required(at.field("schedule"), "");
    } else {
        validate_schedule(schedule, at.field("schedule"), &mut findings);
    }
    let policy = read::text(spec, "concurrencyPolicy");
    findings.choice(at.field("concurrencyPolicy"), policy, &["Allow", "Forbid", "Replace"]);
    validate_spec(&spec["jobTemplate"]["spec"], at.field("jobTemplate").field("spec"), &mut findings);
    for field in ["startingDeadlineSeconds", "successfulJobsHistoryLimit", "failedJobsHistoryLimit"] {
        findings.not_negative(at, spec, field);
    }
    if old.is_none() && name.len() > 52 {
        findings.invalid(Place::ROOT.field("metadata.name"), name, "must be no more than 52 characters");
    }
    findings.into_errors()
}

fn validate_schedule(schedule: &str, at: Place<'_>, findings: &mut Findings) {
    if schedule.contains("TZ") {
        let detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
        findings.invalid(at, schedule, detail);
        return;
    }
    let fields: Vec<&str> = schedule.split_whitespace().collect();
    if !schedule.starts_with('@') && fields.len() != 5 {
        let found = fields.len();
        let detail = format!("expected exactly 5 fields, found {found}: [{}]", fields.join(" "));
        findings.invalid(at, schedule, detail);
    }
}

#[cfg(test)]
mod tests;
