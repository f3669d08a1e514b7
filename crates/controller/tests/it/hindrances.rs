//! API servers that say no while a revision is on its way.

use serde_json::{Value, json};

use crate::line::Fault;
use crate::propagation::phase;
use crate::revisions::{APP, edit, text_is};
use crate::world::{World, config_map, definition, message};

/// At its second revision, the instance called `clock` never becomes ready: when it has failed, the deadline is over.
fn app(text: &str) -> Value {
    let text =
        format!("text: '${{schema.spec.text == \"bad\" && \"{text}\" == \"two\" ? \"bad\" : \"{text}\"}}'");
    let one = config_map("one", &text, "readyWhen: ['${one.data.text != \"bad\"}']");
    let mut made = definition("App", "spec: {text: string}", &one);
    made["spec"]["propagation"] = json!({"progressDeadlineSeconds": 2, "onFailure": "Continue"});
    made
}

/// Requests whose description contains this are refused with this code, but for the first of them, while a new revision is on its
/// way.
async fn refused(part: &'static str, code: u16, mut spared: usize) -> World {
    let world = World::start().await;
    edit(&world, &app("one")).await;
    for (name, text) in [("held", "good"), ("clock", "bad")] {
        world.instance(&format!("App {name}"), &format!("text: {text}")).await;
        world.active(&format!("App {name}")).await;
    }
    world.settled().await;
    world.line.break_with(move |it: &str| {
        let is_meant = it.contains(part);
        let is_spared = is_meant && spared > 0;
        spared -= usize::from(is_spared);
        (is_meant && !is_spared).then_some(Fault::Refused(code))
    });
    world.put_by_hand(&app("two")).await;
    world
}

/// Who has failed when the deadline is over.
async fn failures(world: &World) -> Vec<Value> {
    let has_failed = |it: &Value| {
        let all = it["status"]["propagation"]["failures"].as_array();
        all.is_some_and(|all| all.iter().any(|it| it["instance"] == "default/clock"))
    };
    let told = world.eventually(APP, has_failed).await;
    let all = told["status"]["propagation"]["failures"].as_array().cloned().unwrap_or_default();
    all.into_iter().map(|it| it["instance"].clone()).collect()
}

async fn arrives(world: &World) {
    world.line.mend();
    world.eventually("ConfigMap held-one", text_is("two")).await;
    let told = world.eventually("App held", |it| it["status"]["observedRGDRevision"] == 2).await;
    assert!(told["status"]["propagation"]["hindered"].is_null(), "it has arrived: {told:#}");
    edit(world, &app("three")).await;
    phase(world, "Completed").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v37_a_resource_that_the_server_cannot_write_now_counts_towards_no_deadline() {
    let world = refused("/configmaps/held-one", 503, 0).await;
    assert_eq!(failures(&world).await, ["default/clock"]);
    let told = world.eventually("App held", |it| it["status"]["state"] == "ERROR").await;
    let propagation = &told["status"]["propagation"];
    assert!(propagation["hindered"]["since"].is_string() && propagation["errorSince"].is_null(), "{told:#}");
    arrives(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v37_a_resource_that_the_server_does_not_want_is_an_error_and_counts_towards_no_deadline() {
    let world = refused("/configmaps/held-one", 403, 0).await;
    assert_eq!(failures(&world).await, ["default/clock"]);
    let told = world.eventually("App held", |it| it["status"]["state"] == "ERROR").await;
    let propagation = &told["status"]["propagation"];
    assert!(
        propagation["hindered"]["since"].is_string() && propagation["errorSince"].is_string(),
        "{told:#}"
    );
    assert!(message(&told, "ResourcesReady").contains("held-one"), "{told:#}");
    arrives(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v37_a_status_that_the_server_cannot_write_now_counts_towards_no_deadline() {
    // The first lets it begin to move.
    let world = refused("/apps/held/status", 500, 1).await;
    assert_eq!(failures(&world).await, ["default/clock"]);
    let told = world.there("App held").await;
    assert_eq!(told["status"]["assignment"]["revision"], 2, "{told:#}");
    assert_eq!(told["status"]["observedRGDRevision"], 1, "{told:#}");
    arrives(&world).await;
}
