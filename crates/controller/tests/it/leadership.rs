//! One process leads at a time.

use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use krono_apiserver::Server;
use krono_controller::{Leadership, Lost};
use kube::Client;
use serde_json::{Value, json};

use crate::propagation::{fleet, issue};
use crate::revisions::APP;
use crate::world::message;

fn process(client: &Client, name: &str) -> Leadership {
    Leadership::new(client.clone(), "kube-system", name.to_owned())
}

#[tokio::test(start_paused = true)]
async fn who_lets_go_is_followed_at_once() {
    let server = Server::in_memory().await.unwrap();
    let (mut first, mut second) = (process(&server.client(), "first"), process(&server.client(), "second"));
    first.acquire().await;
    let waiting = tokio::spawn(async move {
        second.acquire().await;
        second
    });
    first.release().await;
    let mut second = waiting.await.unwrap();
    second.release().await;
}

#[tokio::test(start_paused = true)]
async fn who_says_nothing_is_followed_after_a_while_and_stops() {
    let server = Server::in_memory().await.unwrap();
    let (mut first, mut second) = (process(&server.client(), "first"), process(&server.client(), "second"));
    first.acquire().await;
    second.acquire().await;
    let lost = first.hold().await;
    assert!(matches!(&lost, Lost::Taken(by) if by == "second"), "{lost}");
}

/// So many seconds before now.
fn before(seconds: u64) -> Timestamp {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_secs();
    Timestamp::from_second(i64::try_from(now - seconds).expect("a time")).expect("a time")
}

/// An instance was on its way for an hour that is longer than it may take; for all but a second of that there was no leader.
#[tokio::test(flavor = "multi_thread")]
async fn v39_time_without_a_leader_counts_towards_no_deadline_and_is_kept() {
    for (last_heard, expected) in [(Some(before(3_599)), "Propagating"), (None, "Halted")] {
        let policy = json!({"propagation": {"progressDeadlineSeconds": 600}});
        let mut world = fleet(1, &policy).await;
        issue(&world, "bad", &policy).await;
        world.eventually(APP, |it| it["status"]["propagation"]["instances"]["inFlight"] == 1).await;
        world.quiet().await;
        world.kill_controllers();
        let (began, admitted) = (before(7_200).to_string(), before(3_600).to_string());
        world.merge_status(APP, json!({"propagation": {"startedAt": began}})).await;
        world.merge_status("App i000", json!({"assignment": {"admission": {"at": admitted}}})).await;
        world.take_over(last_heard);
        let is_seen = |it: &Value| {
            let propagation = &it["status"]["propagation"];
            propagation["phase"] == expected && propagation["standstills"].is_array() == last_heard.is_some()
        };
        world.eventually(APP, is_seen).await;
        world.settled().await;
        let told = &world.eventually(APP, is_seen).await["status"]["propagation"]["standstills"][0];
        assert_eq!(told["from"].as_str().map(str::to_owned), last_heard.map(|it| it.to_string()), "{told:#}");
    }
}

/// It was not ready long before anybody looked again; what is found then begins then.
#[tokio::test(flavor = "multi_thread")]
async fn v39_what_is_found_at_takeover_begins_then() {
    let policy = json!({"propagation": {"soakSeconds": 3_600}});
    let mut world = fleet(1, &policy).await;
    issue(&world, "two", &policy).await;
    world.eventually("App i000", |it| it["status"]["observedRGDRevision"] == 2).await;
    world.quiet().await;
    world.kill_controllers();
    let since = before(300).to_string();
    let unready = json!([{"type": "Ready", "status": "False", "reason": "NotReady", "message": "", "lastTransitionTime": since}]);
    world.merge("ConfigMap i000-one", json!({"metadata": {"finalizers": ["test/hold"]}})).await;
    world.delete("ConfigMap i000-one").await;
    world.merge_status("App i000", json!({"state": "IN_PROGRESS", "conditions": unready})).await;
    world.take_over(None);
    world.eventually("App i000", |it| message(it, "ResourcesReady").contains("is being deleted")).await;
    world.quiet().await;
    let told = world.there(APP).await;
    assert_eq!(told["status"]["propagation"]["phase"], "Propagating", "{told:#}");
    assert!(told["status"]["propagation"]["failures"].is_null(), "{told:#}");
    world.merge("ConfigMap i000-one", json!({"metadata": {"finalizers": null}})).await;
    world.active("App i000").await;
    world.settled().await;
}
