//! Servers that fail, lines that break, controllers that die.

use std::time::{Duration, Instant};

use krono_apiserver::Server;
use serde_json::json;
use tokio::sync::watch;

use crate::line::{Fault, Interruption, Weather};
use crate::place::Lease;
use crate::revisions::APP;
use crate::world::{World, condition, config_map, definition, message, prompt};

/// `one` is what `two` is made of, beside a collection.
fn resources() -> String {
    config_map("one", "text: '${schema.spec.text}'", "")
        + &config_map("two", "text: '${one.data.text}'", "includeWhen: ['${schema.spec.two}']")
        + "- {id: many, forEach: [{item1: '${schema.spec.items}'}], template: {apiVersion: v1, kind: ConfigMap, \
             metadata: {name: '${schema.metadata.name}-${item1}'}, data: {text: '${one.data.text}'}}}\n"
}

const SCHEMA: &str = "spec: {text: string, two: 'boolean | default=true', items: '[]string'}, \
    status: {text: '${one.data.text}'}";
const LARGE: &str = "text: hello, items: [p, q, r]";
const SMALL: &str = "text: bye, two: false, items: [p]";

async fn defined() -> World {
    let world = World::start().await;
    world.define(&definition("App", SCHEMA, &resources())).await;
    world
}

async fn is_large(world: &World, name: &str) {
    let told = world.active(&format!("App {name}")).await;
    assert_eq!(told["status"]["text"], "hello");
    let expected = ["one", "p", "q", "r", "two"].map(|it| format!("{name}-{it}"));
    assert_eq!(world.names("ConfigMap", &format!("kro.run/instance-name={name}")).await, expected);
}

async fn is_small(world: &World, name: &str) {
    world.eventually(&format!("App {name}"), |it| it["status"]["text"] == "bye").await;
    world.active(&format!("App {name}")).await;
    world.quiet().await;
    let expected = ["one", "p"].map(|it| format!("{name}-{it}"));
    assert_eq!(world.names("ConfigMap", &format!("kro.run/instance-name={name}")).await, expected);
}

async fn is_gone(world: &World, name: &str) {
    world.gone(&format!("App {name}")).await;
    assert!(world.names("ConfigMap", &format!("kro.run/instance-name={name}")).await.is_empty());
}

/// Every so many requests something is wrong.
fn faults() -> impl FnMut(&str) -> Option<Fault> + Send {
    let mut count = 0;
    move |_| {
        count += 1;
        match count % 12 {
            2 => Some(Fault::Refused(429)),
            5 => Some(Fault::Refused(500)),
            7 => Some(Fault::Refused(409)),
            11 => Some(Fault::Refused(503)),
            _ => None,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_fails_now_and_then_delays_and_changes_nothing() {
    let world = World::start().await;
    world.line.break_with(faults());
    world.define(&definition("App", SCHEMA, &resources())).await;
    world.instance("App a", LARGE).await;
    is_large(&world, "a").await;
    world.instance("App a", SMALL).await;
    is_small(&world, "a").await;
    world.instance("App b", LARGE).await;
    world.delete("App a").await;
    is_gone(&world, "a").await;
    is_large(&world, "b").await;
    world.line.mend();
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_are_sent_again_are_counted() {
    let world = defined().await;
    let mut refusals = 2;
    world.line.break_with(move |request| {
        let is_refused = request.contains("/configmaps/a-one") && refusals > 0;
        refusals -= i32::from(is_refused);
        is_refused.then_some(Fault::Refused(503))
    });
    world.instance("App a", SMALL).await;
    is_small(&world, "a").await;
    let counted = world.counted();
    let repeated = "rest_client_request_retries_total{code=\"503\",method=\"PATCH\"} 2";
    assert!(counted.iter().any(|it| it == repeated), "{counted:#?}");
    world.line.mend();
    world.settled().await;
}

/// Controllers that die after some writes: the last of them reached the server or not, and nobody was told.
fn die_after(world: &World, writes: usize, last: Fault) -> watch::Receiver<bool> {
    let (died, dead) = watch::channel(false);
    let mut left = writes;
    world.line.break_with(move |request| {
        if request.starts_with("GET") && !*died.borrow() {
            return None;
        }
        if *died.borrow() {
            return Some(Fault::Lost);
        }
        if left == 0 {
            died.send_replace(true);
            return Some(last);
        }
        left -= 1;
        None
    });
    dead
}

#[tokio::test(flavor = "multi_thread")]
async fn controllers_may_die_at_any_write_and_others_go_on() {
    let mut world = defined().await;
    for last in [Fault::Lost, Fault::Unanswered] {
        for writes in 0.. {
            let name = format!("a{writes}");
            let what = format!("App {name}");
            let mut deaths = 0;
            for step in ["large", "small", "gone"] {
                let mut dead = die_after(&world, writes, last);
                match step {
                    "large" => drop(world.instance(&what, LARGE).await),
                    "small" => drop(world.instance(&what, SMALL).await),
                    _ => world.delete(&what).await,
                }
                let done = async {
                    match step {
                        "large" => is_large(&world, &name).await,
                        "small" => is_small(&world, &name).await,
                        _ => world.gone(&what).await,
                    }
                };
                tokio::select! {
                    _ = dead.wait_for(|it| *it) => deaths += 1,
                    () = done => {}
                }
                world.start_controllers();
                match step {
                    "large" => is_large(&world, &name).await,
                    "small" => is_small(&world, &name).await,
                    _ => is_gone(&world, &name).await,
                }
                world.settled().await;
            }
            if deaths == 0 {
                break;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn restarted_controllers_write_nothing_in_a_settled_world() {
    let mut world = defined().await;
    world.instance("App a", LARGE).await;
    is_large(&world, "a").await;
    world.settled().await;
    world.start_controllers();
    world.settled().await;
    let is_own_kind = |it: &String| it.contains("/customresourcedefinitions/resourcegraph");
    assert!(world.line.writes().iter().all(is_own_kind), "{:#?}", world.line.writes());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_while_nobody_watches_is_made_up_for() {
    let mut world = defined().await;
    for name in ["a", "b", "c"] {
        world.instance(&format!("App {name}"), LARGE).await;
        is_large(&world, name).await;
    }
    world.kill_controllers();
    world.merge("ConfigMap a-one", json!({"data": {"text": "drifted"}})).await;
    world.delete("ConfigMap a-p").await;
    world.instance("App b", SMALL).await;
    world.delete("App c").await;
    world.instance("App d", LARGE).await;
    world.start_controllers();
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "hello").await;
    world.there("ConfigMap a-p").await;
    is_large(&world, "a").await;
    is_small(&world, "b").await;
    is_gone(&world, "c").await;
    is_large(&world, "d").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happens_while_watches_are_broken_is_made_up_for() {
    let world = defined().await;
    world.instance("App a", LARGE).await;
    world.instance("App c", LARGE).await;
    is_large(&world, "a").await;
    is_large(&world, "c").await;
    for code in [500, 410] {
        world.line.break_with(move |it| {
            (it.starts_with("GET") && it.contains("watch=true")).then_some(Fault::Refused(code))
        });
        world.line.interrupt_watches();
        world.merge("ConfigMap a-one", json!({"data": {"text": "drifted"}})).await;
        world.delete("ConfigMap a-p").await;
        world.instance("App b", LARGE).await;
        world.line.mend();
        world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "hello").await;
        world.there("ConfigMap a-p").await;
        is_large(&world, "b").await;
        world.settled().await;
        world.delete("App b").await;
        is_gone(&world, "b").await;
        world.settled().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_refuses_and_no_status_can_tell_is_told_by_an_event() {
    let world = World::start().await;
    let refused = |world: &World, method: &'static str, part: &'static str| {
        world.line.break_with(move |it| {
            (it.starts_with(method) && it.contains(part)).then_some(Fault::Refused(403))
        });
    };
    world.define(&definition("App", "spec: {text: string}", &config_map("one", "text: one", ""))).await;
    world.instance("App a", "text: one").await;
    world.active("App a").await;
    refused(&world, "PUT", "/apps/b/status");
    world.instance("App b", "text: one").await;
    world.quiet().await;
    world.has_told("Warning Refused: the status is not written: the line is broken").await;
    world.line.mend();
    world.active("App b").await;
    let text = |text: &str| {
        definition("App", "spec: {text: string}", &config_map("one", &format!("text: {text}"), ""))
    };
    refused(&world, "PATCH", "/apps/a/status");
    world.put(&text("two")).await;
    world.quiet().await;
    world.has_told("Warning Refused: the revision of the instance is not written: the line is broken").await;
    world.line.mend();
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "two").await;
    refused(&world, "PATCH", "/resourcegraphdefinitions/app/status");
    world.put(&text("three")).await;
    world.quiet().await;
    world.has_told("Warning Refused: the work on the definition does not go on: the line is broken").await;
    world.line.mend();
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "three").await;
    let refusals = world.told().await.iter().filter(|it| it.starts_with("Warning Refused")).count();
    assert!(refusals < 10, "{refusals} events about three refusals");
    world.settled().await;
}

/// Every watch must begin anew, and nobody lists kinds.
struct Forgetful;

impl Weather for Forgetful {
    fn fault(&mut self, request: &str) -> Option<Fault> {
        request.contains("/customresourcedefinitions?").then_some(Fault::Refused(500))
    }

    fn interruption(&mut self) -> Option<Interruption> {
        Some(Interruption::Expired)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kind_that_goes_while_nobody_watches_kinds_is_made_again() {
    let world = defined().await;
    world.instance("App a", LARGE).await;
    is_large(&world, "a").await;
    let crd = "CustomResourceDefinition /apps.kro.run";
    world.line.expose(Forgetful);
    let before = world.there(crd).await;
    world.delete(crd).await;
    world.gone(crd).await;
    world.line.mend();
    world.eventually(crd, |it| it["metadata"]["uid"] != before["metadata"]["uid"]).await;
    world.settled().await;
    world.instance("App a", LARGE).await;
    is_large(&world, "a").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn defect_b12_one_instance_does_not_hold_up_the_others() {
    let mut world = defined().await;
    world.line.break_with(|it| it.contains("configmaps/slow-").then_some(Fault::Lost));
    world.instance("App slow", LARGE).await;
    for number in 0..5 {
        world.instance(&format!("App a{number}"), LARGE).await;
    }
    for number in 0..5 {
        is_large(&world, &format!("a{number}")).await;
    }
    assert!(world.get("ConfigMap slow-one").await.is_none());
    assert!(world.there("App slow").await.pointer("/status/state").is_none());
    world.start_controllers();
    is_large(&world, "slow").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn defect_b12_an_edit_moves_the_others_while_one_instance_hangs() {
    let mut world = defined().await;
    for name in ["a0", "slow", "a1", "a2"] {
        world.instance(&format!("App {name}"), LARGE).await;
        is_large(&world, name).await;
    }
    world.settled().await;
    world.line.break_with(|it| it.contains("configmaps/slow-").then_some(Fault::Lost));
    let edited = resources().replace("'${one.data.text}'", "'${one.data.text}!'");
    world.put(&definition("App", SCHEMA, &edited)).await;
    for name in ["a0", "a1", "a2"] {
        world.eventually(&format!("ConfigMap {name}-two"), |it| it["data"]["text"] == "hello!").await;
        world.eventually(&format!("App {name}"), |it| it["status"]["observedRGDRevision"] == 2).await;
    }
    assert_eq!(world.there("ConfigMap slow-two").await["data"]["text"], "hello");
    world.start_controllers();
    world.eventually("ConfigMap slow-two", |it| it["data"]["text"] == "hello!").await;
    is_large(&world, "slow").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn defect_b12_an_edit_that_moves_nobody_has_no_instance_looked_at() {
    let world = defined().await;
    for name in ["a", "b", "c"] {
        world.instance(&format!("App {name}"), LARGE).await;
        is_large(&world, name).await;
    }
    world.settled().await;
    let looks = world.looks_at_instances();
    world.merge(APP, json!({"metadata": {"labels": {"team": "blue"}}})).await;
    world.quiet().await;
    assert_eq!(world.looks_at_instances(), looks, "a label");
    let mut edited =
        definition("App", SCHEMA, &resources().replace("'${one.data.text}'", "'${one.data.text}!'"));
    edited["metadata"]["labels"] = json!({"team": "blue"});
    edited["spec"]["propagateWhen"] = json!(["${size(instances) > 3}"]);
    world.put(&edited).await;
    world.eventually(APP, |it| it["status"]["latestRevision"] == 2).await;
    world.quiet().await;
    assert_eq!(world.looks_at_instances(), looks, "a revision that nobody may move to yet");
    world.settled().await;
    assert!(world.looks_at_instances() > looks, "another look at everything");
    edited["spec"]["propagateWhen"] = json!([]);
    world.put(&edited).await;
    for name in ["a", "b", "c"] {
        world.eventually(&format!("ConfigMap {name}-two"), |it| it["data"]["text"] == "hello!").await;
    }
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn defect_b13_an_instance_recovers_with_its_definition() {
    let mut world = defined().await;
    world.instance("App a", LARGE).await;
    is_large(&world, "a").await;
    world.put(&definition("App", SCHEMA, &resources().replace("'${one.data.text}'", "'${nobody}'"))).await;
    world.state("ResourceGraphDefinition /app", "Inactive").await;
    world.lose_revisions("app").await;
    world.start_controllers();
    let told = world.state("App a", "ERROR").await;
    assert_eq!(condition(&told, "GraphResolved")["reason"], "ResolutionFailed");
    world.settled().await;
    world.put(&definition("App", SCHEMA, &resources())).await;
    is_large(&world, "a").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_says_when_to_come_again_is_left_alone_until_then() {
    let world = defined().await;
    let (told, mut times) = watch::channel(Vec::new());
    world.line.break_with(move |request| {
        if request.starts_with("GET") || !request.contains("configmaps/a-one") {
            return None;
        }
        told.send_modify(|times| times.push(Instant::now()));
        (told.borrow().len() == 1).then_some(Fault::Deferred(503, 1))
    });
    world.instance("App a", LARGE).await;
    is_large(&world, "a").await;
    let times = times.borrow_and_update().clone();
    let [refused, served] = times[..] else { panic!("{times:?}") };
    assert!(served - refused >= Duration::from_secs(1), "{:?}", served - refused);
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kind_that_is_established_before_it_is_served_is_waited_for() {
    let server = Server::builder().imitate_establishing(true).start().await.expect("a server");
    let world = World::start_on(server, Lease::of_ones_own(), prompt()).await;
    world.define(&definition("App", SCHEMA, &resources())).await;
    let made = crate::world::instance("App a", LARGE);
    // A real server takes the first objects of a kind when it is ready, and says so.
    let mut tries = 0;
    while let Err(refusal) = world.try_put(&made).await {
        tries += 1;
        assert!(tries < 1000, "{refusal}");
        tokio::task::yield_now().await;
    }
    is_large(&world, "a").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kind_that_may_not_be_listed_is_told_on_instances() {
    let world = World::start().await;
    world.line.break_with(|it| it.contains("/secrets?").then_some(Fault::Refused(403)));
    let secret = "- {id: secret, template: {apiVersion: v1, kind: Secret, metadata: {name: '${schema.metadata.name}'}}}\n";
    world.define(&definition("App", "spec: {}", secret)).await;
    world.instance("App a", "").await;
    let told = world.state("App a", "ERROR").await;
    assert_eq!(condition(&told, "ResourcesReady")["status"], "False");
    let words = "the Secret objects of the cluster are not known yet: the line is broken";
    assert!(message(&told, "ResourcesReady").contains(words), "{told:#}");
    world.line.mend();
    world.active("App a").await;
    world.settled().await;
}
