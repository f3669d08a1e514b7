//! Jobs and cron jobs.

use std::time::Duration;

use k8s_openapi::api::batch::v1::{CronJob, Job};
use k8s_openapi::api::core::v1::Pod;
use serde_json::{Value, json};

use crate::harness::{condition, start};

fn job(name: &str, image: &str, spec: &Value) -> Value {
    let mut job = json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name},
        "spec": {"template": {"spec": {
            "restartPolicy": "Never", "containers": [{"name": "main", "image": image}],
        }}},
    });
    for (field, value) in spec.as_object().unwrap() {
        job["spec"][field] = value.clone();
    }
    job
}

fn holds(type_: &'static str) -> impl Fn(&Value) -> bool {
    move |it| condition(it, type_)["status"] == "True"
}

#[tokio::test]
async fn a_job_completes() {
    let it = start().await;
    it.create::<Job>(job("one", "task:1", &json!({"completions": 5, "parallelism": 2}))).await;
    let one = it.when::<Job>("one", "completion", holds("Complete")).await;
    assert_eq!(one["status"]["succeeded"], 5);
    assert!(one["status"]["active"].is_null() && !one["status"]["completionTime"].is_null());
    it.until::<Pod>("counted pods", |pods| {
        pods.len() == 5 && pods.iter().all(|it| it["metadata"]["finalizers"].is_null())
    })
    .await;
    it.told("one", "Completed").await;
    it.delete::<Job>("one").await;
    it.until::<Pod>("no pods", <[Value]>::is_empty).await;
}

#[tokio::test]
async fn a_failing_job_is_tried_again_and_gives_up() {
    let it = start().await;
    it.create::<Job>(job("bad", "task:1-fail", &json!({"backoffLimit": 2}))).await;
    for (failures, pause) in [(1, 11), (2, 21)] {
        it.when::<Job>("bad", "a failure", |it| it["status"]["failed"] == failures).await;
        assert_ne!(condition(&it.get::<Job>("bad").await, "Failed")["status"], "True");
        it.clock.advance(Duration::from_secs(pause));
    }
    let bad = it.when::<Job>("bad", "the end", holds("Failed")).await;
    assert_eq!(
        (&bad["status"]["failed"], &condition(&bad, "Failed")["reason"]),
        (&json!(3), &json!("BackoffLimitExceeded"))
    );
    assert_eq!(it.told("bad", "BackoffLimitExceeded").await["type"], "Warning");
}

#[tokio::test]
async fn an_indexed_job_works_on_every_index() {
    let it = start().await;
    let spec = json!({"completions": 3, "parallelism": 3, "completionMode": "Indexed"});
    it.create::<Job>(job("many", "task:1", &spec)).await;
    let many = it.when::<Job>("many", "completion", holds("Complete")).await;
    assert_eq!(
        (&many["status"]["completedIndexes"], &many["status"]["succeeded"]),
        (&json!("0-2"), &json!(3))
    );
    assert_eq!(it.list::<Pod>("batch.kubernetes.io/job-completion-index=1").await.len(), 1);
}

#[tokio::test]
async fn a_suspended_job_waits_and_a_late_one_fails() {
    let it = start().await;
    it.create::<Job>(job("later", "task:1", &json!({"suspend": true}))).await;
    it.when::<Job>("later", "suspension", holds("Suspended")).await;
    assert!(it.list::<Pod>("").await.is_empty());
    it.patch::<Job>("later", json!({"spec": {"suspend": false}})).await;
    it.when::<Job>("later", "completion", holds("Complete")).await;
    it.create::<Job>(job("late", "task:1-hang", &json!({"activeDeadlineSeconds": 30}))).await;
    it.when::<Job>("late", "a start", |it| it["status"]["active"] == 1).await;
    it.clock.advance(Duration::from_secs(31));
    let late = it.when::<Job>("late", "the end", holds("Failed")).await;
    assert_eq!(condition(&late, "Failed")["reason"], "DeadlineExceeded");
}

#[tokio::test]
async fn a_finished_job_goes_when_its_time_has_come() {
    let it = start().await;
    it.create::<Job>(job("brief", "task:1", &json!({"ttlSecondsAfterFinished": 60}))).await;
    it.when::<Job>("brief", "completion", holds("Complete")).await;
    it.clock.advance(Duration::from_secs(61));
    it.gone::<Job>("brief").await;
}

#[tokio::test]
async fn a_cron_job_starts_jobs_and_keeps_the_last() {
    let it = start().await;
    it.create::<CronJob>(json!({
        "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "tick"},
        "spec": {
            "schedule": "* * * * *", "successfulJobsHistoryLimit": 1,
            "jobTemplate": {"spec": job("x", "task:1", &json!({}))["spec"]},
        },
    }))
    .await;
    let mut seen = Vec::new();
    for _ in 0..3 {
        it.clock.advance(Duration::from_mins(1));
        let known = seen.clone();
        let jobs = it
            .until::<Job>("another job", |jobs| {
                let new = |it: &Value| !known.contains(&it["metadata"]["name"]);
                jobs.len() == 1 && new(&jobs[0]) && holds("Complete")(&jobs[0])
            })
            .await;
        seen.push(jobs[0]["metadata"]["name"].clone());
    }
    let tick = it.when::<CronJob>("tick", "an end", |it| it["status"]["active"].is_null()).await;
    assert!(!tick["status"]["lastScheduleTime"].is_null() && !tick["status"]["lastSuccessfulTime"].is_null());
    it.patch::<CronJob>("tick", json!({"spec": {"suspend": true}})).await;
    it.told("tick", "SawCompletedJob").await;
}
