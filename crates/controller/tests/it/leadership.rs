//! One process leads at a time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use krono_apiserver::Server;
use krono_controller::{Leadership, Lost, Waiting};
use kube::Client;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::line::{Fault, Line};
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
    first.acquire(|_| ()).await;
    let waiting = tokio::spawn(async move {
        second.acquire(|_| ()).await;
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
    first.acquire(|_| ()).await;
    second.acquire(|_| ()).await;
    let lost = first.hold().await;
    assert!(matches!(&lost, Lost::Taken(by) if by == "second"), "{lost}");
}

#[tokio::test(start_paused = true)]
async fn who_hears_nothing_stops_before_others_may_lead() {
    let line = Line::new(Server::in_memory().await.unwrap());
    let mut leader = process(&Client::new(line.clone(), "default"), "first");
    leader.acquire(|_| ()).await;
    line.break_with(|_| Some(Fault::Lost));
    let began = Instant::now();
    let lost = leader.hold().await;
    assert!(matches!(&lost, Lost::Unrenewed(_)), "{lost}");
    leader.release().await;
    assert!(began.elapsed() <= Duration::from_secs(15), "{:?}", began.elapsed());
}

#[tokio::test(start_paused = true)]
async fn v39_a_process_of_the_same_name_follows_at_once_and_knows_when_the_one_before_was_heard() {
    let server = Server::in_memory().await.unwrap();
    let mut first = process(&server.client(), "only");
    first.acquire(|_| ()).await;
    assert_eq!(first.last_heard(), None);
    let mut next = process(&server.client(), "only");
    let began = Instant::now();
    next.acquire(|_| ()).await;
    assert_eq!(began.elapsed(), Duration::ZERO);
    let heard = next.last_heard();
    assert!(heard.is_some());
    next.acquire(|_| ()).await;
    assert_eq!(next.last_heard(), heard, "its own renewals are not those of others");
}

#[tokio::test(start_paused = true)]
async fn who_does_not_lead_knows_why() {
    let server = Server::in_memory().await.unwrap();
    let (mut first, mut second) = (process(&server.client(), "first"), process(&server.client(), "second"));
    let mut nowhere = Leadership::new(server.client(), "no-such", "third".to_owned());
    first.acquire(|_| ()).await;
    let (mut behind, mut absent) = (None, None);
    let waiting = async {
        tokio::join!(second.acquire(|it| behind = Some(it)), nowhere.acquire(|it| absent = Some(it)));
    };
    tokio::time::timeout(Duration::from_secs(5), waiting).await.unwrap_err();
    assert_eq!(behind, Some(Waiting::Behind("first".to_owned())));
    assert_eq!(absent, Some(Waiting::Nowhere("no-such".to_owned())));
}

/// So many seconds before now.
fn before(seconds: u64) -> Timestamp {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a time").as_secs();
    Timestamp::from_second(i64::try_from(now - seconds).expect("a time")).expect("a time")
}

/// An instance was on its way for an hour, which is longer than it may take. For all but a second of that there was no leader;
/// or nobody knows, because there was no lease, and the admission is the last that was heard; or there was one until now.
#[tokio::test(flavor = "multi_thread")]
async fn v39_time_without_a_leader_counts_towards_no_deadline_and_is_kept() {
    let admitted = before(3_600);
    for (last_heard, vacant_from, phase) in [
        (Some(before(3_599)), before(3_599), "Propagating"),
        (None, admitted, "Propagating"),
        (Some(before(1)), before(1), "Halted"),
    ] {
        let policy = json!({"propagation": {"progressDeadlineSeconds": 600}});
        let mut world = fleet(1, &policy).await;
        issue(&world, "bad", &policy).await;
        world.eventually(APP, |it| it["status"]["propagation"]["instances"]["inFlight"] == 1).await;
        world.quiet().await;
        world.kill_controllers();
        let began = before(7_200).to_string();
        world.merge_status(APP, json!({"propagation": {"startedAt": began}})).await;
        let (admission, then) = (json!({"at": admitted.to_string()}), admitted.to_string());
        let since = json!({"lastTransitionTime": then, "observedSince": null});
        let status = json!({"assignment": {"admission": admission}, "propagation": since});
        world.merge_status("App i000", status).await;
        world.take_over(last_heard);
        let is_seen = |it: &Value| {
            let propagation = &it["status"]["propagation"];
            propagation["phase"] == phase && propagation["standstills"].is_array()
        };
        world.eventually(APP, is_seen).await;
        world.settled().await;
        let told = &world.eventually(APP, is_seen).await["status"]["propagation"]["standstills"];
        assert_eq!(
            (&told[0]["from"], told.as_array().map(Vec::len)),
            (&json!(vacant_from.to_string()), Some(1))
        );
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
