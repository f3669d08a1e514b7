//! Tables of defaults and rules.

use serde_json::{Value, json};

use super::{CRON_JOB, JOB};
use crate::builtin::testing::{changes, complaints, defaulted, with};

fn job() -> Value {
    json!({"metadata": {"name": "j", "uid": "u"}, "spec": {"template": {"spec": {
        "restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}}})
}

fn stored() -> Value {
    with(&defaulted(JOB, job()), "/metadata/resourceVersion", json!("1"))
}

#[test]
fn a_job_selects_its_own_pods() {
    let filled = defaulted(JOB, job());
    assert_eq!(
        filled["spec"]["selector"],
        json!({"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}})
    );
    assert_eq!(
        filled["spec"]["template"]["metadata"]["labels"],
        json!({"job-name": "j", "batch.kubernetes.io/job-name": "j", "controller-uid": "u",
            "batch.kubernetes.io/controller-uid": "u"})
    );
    assert_eq!(filled["metadata"]["labels"], filled["spec"]["template"]["metadata"]["labels"]);
    let labelled = defaulted(JOB, with(&job(), "/spec/template/metadata", json!({"labels": {"a": "b"}})));
    assert_eq!(labelled["metadata"]["labels"], json!({"a": "b"}));
    let manual = with(&job(), "/spec/manualSelector", json!(true));
    assert_eq!(complaints(JOB, manual), ["spec.selector: Required value"]);
}

#[test]
fn defaults() {
    let mut filled = defaulted(JOB, job());
    for field in ["selector", "template"] {
        filled["spec"].as_object_mut().unwrap().remove(field);
    }
    assert_eq!(
        filled["spec"],
        json!({"completions": 1, "parallelism": 1, "backoffLimit": 6, "completionMode": "NonIndexed",
            "suspend": false, "podReplacementPolicy": "TerminatingOrFailed", "manualSelector": false})
    );
    assert_eq!(filled["status"], json!({}));
    let parallel = defaulted(JOB, with(&job(), "/spec/parallelism", json!(3)));
    assert_eq!(parallel["spec"]["completions"], Value::Null);
}

#[test]
fn restart_policies() {
    let check = |policy: Value, expect: &[&str]| {
        assert_eq!(complaints(JOB, with(&job(), "/spec/template/spec/restartPolicy", policy)), expect);
    };
    check(json!("OnFailure"), &[]);
    let required = "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\"";
    check(json!("Always"), &[required]);
    check(Value::Null, &[required]);
}

#[test]
fn what_may_change_in_a_job() {
    let check = |pointer: &str, value: Value, expect: &[&str]| {
        let found = changes(JOB, stored(), with(&stored(), pointer, value));
        assert_eq!(found.len(), expect.len(), "{found:?}");
        for (found, expect) in found.iter().zip(expect) {
            assert!(found.starts_with(expect) && found.ends_with("field is immutable"), "{found}");
        }
    };
    check("/spec/parallelism", json!(5), &[]);
    check("/spec/suspend", json!(true), &[]);
    check("/spec/completions", json!(5), &["spec.completions: Invalid value: 5: "]);
    check("/spec/template/spec/containers/0/image", json!("x"), &["spec.template: Invalid value: {"]);
    check("/spec/completionMode", json!("Indexed"), &["spec.completionMode: Invalid value: \"Indexed\": "]);
}

#[test]
fn cron_jobs() {
    let cron_job = json!({"metadata": {"name": "c"}, "spec": {"schedule": "0 * * * *", "jobTemplate": {
        "spec": {"template": job()["spec"]["template"]}}}});
    assert_eq!(complaints(CRON_JOB, cron_job.clone()), [""; 0]);
    let mut filled = defaulted(CRON_JOB, cron_job.clone());
    let template = filled["spec"].as_object_mut().unwrap().remove("jobTemplate").unwrap();
    assert_eq!(
        filled["spec"],
        json!({"schedule": "0 * * * *", "concurrencyPolicy": "Allow", "suspend": false,
            "successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 1})
    );
    assert_eq!(template["metadata"], json!({}));
    assert_eq!(template["spec"].get("backoffLimit"), None);
    let often = with(&cron_job, "/spec/schedule", json!("* * *"));
    assert_eq!(
        complaints(CRON_JOB, often),
        ["spec.schedule: Invalid value: \"* * *\": expected exactly 5 fields, found 3: [* * *]"]
    );
}
