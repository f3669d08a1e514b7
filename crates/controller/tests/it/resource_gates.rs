//! `propagateWhen` of single resources: what is there waits for its change.

use serde_json::{Value, json};

use crate::line::Fault;
use crate::propagation::phase;
use crate::revisions::{APP, edit, revisions, text_is};
use crate::world::{World, condition, config_map, definition, message};

const SWITCH: &str =
    "- {id: switch, externalRef: {apiVersion: v1, kind: ConfigMap, metadata: {name: switch}}}\n";
const OPEN: &str = "propagateWhen: ['${switch.data.open == \"yes\"}']";

/// Two resources, the first of which changes only while the switch is on.
fn app(text: &str) -> Value {
    let one = config_map("one", &format!("text: '{text}', own: '${{schema.spec.text}}'"), OPEN);
    let two = config_map("two", "text: '${one.data.text}'", "");
    definition("App", "spec: {text: string}", &(SWITCH.to_owned() + &one + &two))
}

async fn switch(world: &World, open: &str) {
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "switch"}, "data": {"open": open}});
    world.put(&object).await;
}

/// An instance at the first revision, made while the switch was off.
async fn started() -> World {
    let world = World::start().await;
    switch(&world, "no").await;
    edit(&world, &app("one")).await;
    world.instance("App a", "text: hello").await;
    world.active("App a").await;
    world.settled().await;
    world
}

fn progress(instance: &Value) -> (&str, i64, i64) {
    let (status, number) = (&instance["status"], |field: &Value| field.as_i64().unwrap_or_default());
    let standing = status["propagation"]["status"].as_str().unwrap_or_default();
    (standing, number(&status["propagation"]["resourcesAtTarget"]), number(&status["observedRGDRevision"]))
}

#[tokio::test(flavor = "multi_thread")]
async fn v34_a_resource_waits_for_its_change_and_the_instance_says_why() {
    let world = started().await;
    edit(&world, &app("two")).await;
    let told = world.eventually("App a", |it| progress(it).0 == "Blocked").await;
    world.settled().await;
    assert_eq!(progress(&told), ("Blocked", 1, 1), "{told:#}");
    let expected = "node \"one\": ConfigMap default/a-one stays as it is: propagateWhen[0] is not true: \
                    switch.data.open == \"yes\"";
    assert_eq!(message(&told, "ResourceGated"), expected);
    assert_eq!(condition(&told, "Ready")["status"], "True", "what is there is ready: {told:#}");
    assert_eq!(world.there("ConfigMap a-one").await["data"]["text"], "one");
    let told = world.there(APP).await;
    assert_eq!(told["status"]["propagation"]["blocked"], json!({"count": 1, "first": ["default/a"]}));
    switch(&world, "yes").await;
    world.eventually("ConfigMap a-one", text_is("two")).await;
    world.eventually("ConfigMap a-two", text_is("two")).await;
    let told = world.eventually("App a", |it| progress(it).0 == "Completed").await;
    assert_eq!(progress(&told), ("Completed", 2, 2), "{told:#}");
    assert!(condition(&told, "ResourceGated").is_null(), "{told:#}");
    world.eventually(APP, |it| it["status"]["propagation"]["blocked"].is_null()).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v34_while_it_waits_drift_is_corrected_and_an_edit_waits_too() {
    let world = started().await;
    edit(&world, &app("two")).await;
    world.eventually("App a", |it| progress(it).0 == "Blocked").await;
    world.merge("ConfigMap a-one", json!({"data": {"text": "astray"}})).await;
    world.eventually("ConfigMap a-one", text_is("one")).await;
    world.instance("App a", "text: bye").await;
    world
        .eventually("App a", |it| it["status"]["currentInputRevision"] == 3 && progress(it).0 == "Blocked")
        .await;
    world.settled().await;
    let one = world.there("ConfigMap a-one").await;
    assert_eq!(one["data"], json!({"text": "one", "own": "hello"}));
    assert_eq!(one["metadata"]["annotations"]["kro.run/input-revision"], "1");
    world.delete("ConfigMap a-one").await;
    let again = world.eventually("ConfigMap a-one", text_is("two")).await;
    assert_eq!(again["data"]["own"], "bye", "what is not there is made as it should be");
    world.eventually("App a", |it| progress(it).0 == "Completed").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v34_a_restart_while_a_resource_waits_changes_nothing() {
    let mut world = started().await;
    edit(&world, &app("two")).await;
    world.eventually("App a", |it| progress(it).0 == "Blocked").await;
    world.settled().await;
    let before = world.there("ConfigMap a-one").await;
    world.start_controllers();
    world.settled().await;
    assert_eq!(world.there("ConfigMap a-one").await["data"], before["data"]);
    switch(&world, "yes").await;
    world.eventually("ConfigMap a-one", text_is("two")).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v34_taking_the_gate_away_lets_the_change_through_and_issues_nothing() {
    let world = started().await;
    edit(&world, &app("two")).await;
    world.eventually("App a", |it| progress(it).0 == "Blocked").await;
    let mut open = app("two");
    open["spec"]["resources"][1]["propagateWhen"] = json!([]);
    edit(&world, &open).await;
    world.eventually("ConfigMap a-one", text_is("two")).await;
    world.settled().await;
    assert_eq!(revisions(&world).await, ["app-rev-1", "app-rev-2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn v34_an_expression_without_a_value_keeps_a_resource_as_it_is_and_is_shown() {
    let world = started().await;
    world.delete("ConfigMap switch").await;
    edit(&world, &app("two")).await;
    let told = world.eventually("App a", |it| progress(it).0 == "Blocked").await;
    assert!(
        message(&told, "ResourceGated").contains("propagateWhen[0] has no value: switch.data.open"),
        "{told:#}"
    );
    let mut open = app("two");
    open["spec"]["propagation"] = json!({"failurePolicy": "Open"});
    edit(&world, &open).await;
    world.eventually("ConfigMap a-one", text_is("two")).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v23_an_instant_way_back_waits_for_no_gate_and_a_controlled_one_does() {
    for (mode, expected) in [("Instant", "one"), ("Controlled", "two")] {
        let world = started().await;
        switch(&world, "yes").await;
        edit(&world, &app("two")).await;
        world.eventually("App a", |it| progress(it) == ("Completed", 2, 2)).await;
        switch(&world, "no").await;
        let notes = json!({"kro.run/rollback-to-revision": "1", "krono.dev/rollback-mode": mode});
        world.merge(APP, json!({"metadata": {"annotations": notes}})).await;
        let standing = if mode == "Instant" { "Completed" } else { "Blocked" };
        world
            .eventually("App a", |it| it["status"]["currentRGDRevision"] == 3 && progress(it).0 == standing)
            .await;
        world.settled().await;
        assert_eq!(world.there("ConfigMap a-one").await["data"]["text"], expected, "{mode}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn v34_mistakes_in_gates_of_resources_are_told_at_once_and_nobody_moves() {
    let world = started().await;
    let mut wrong = app("two");
    wrong["spec"]["resources"][0]["propagateWhen"] = json!(["${true}"]);
    wrong["spec"]["resources"][1]["propagateWhen"] = json!(["${swich.data.open}", "${each.index}"]);
    wrong["spec"]["resources"][2]["propagateWhen"] = json!(["${fleet.settled > 3}", "${ready(two, one)}"]);
    world.put_by_hand(&wrong).await;
    let told = world.eventually(APP, |it| message(it, "PropagationInvalid").contains("swich")).await;
    let said = message(&told, "PropagationInvalid");
    for expected in [
        "spec.resources[0].propagateWhen: nothing is held back here",
        "spec.resources[1].propagateWhen[0]: undeclared reference to 'swich'; did you mean `switch`?",
        "spec.resources[1].propagateWhen[1]: returns type \"int\" but expected \"bool\"",
        "spec.resources[2].propagateWhen[0]: undeclared reference to 'fleet'",
        "spec.resources[2].propagateWhen[1]: found no matching overload for 'ready'",
    ] {
        assert!(said.contains(expected), "{expected} is not in {said}");
    }
    world.settled().await;
    assert_eq!(world.there("ConfigMap a-two").await["data"]["text"], "one");
    assert_eq!(world.there("App a").await["status"]["assignment"]["revision"], 1);
    switch(&world, "yes").await;
    edit(&world, &app("two")).await;
    world.eventually("ConfigMap a-two", text_is("two")).await;
    world.settled().await;
}

/// One `ConfigMap` for each word; that of a bad text never becomes ready.
fn many(text: &str, gate: &str) -> Value {
    let resources = format!(
        "
- id: many
  forEach: [{{word: '${{schema.spec.words}}'}}]
  readyWhen: ['${{each.data.text != \"bad\"}}']
  propagateWhen: ['${{{gate}}}']
  template:
    apiVersion: v1
    kind: ConfigMap
    metadata: {{name: '${{schema.metadata.name}}-${{word}}'}}
    data: {{text: '{text}'}}
"
    );
    definition("App", "spec: {words: '[]string'}", &resources)
}

/// The items that were written since, in order.
fn written(world: &World, since: usize) -> Vec<String> {
    let writes = world.line.writes();
    let names = writes[since..].iter().filter_map(|it| it.split_once("/configmaps/a-"));
    names.map(|(_, rest)| rest.split(['?', ' ']).next().unwrap_or_default().to_owned()).collect()
}

async fn collection(gate: &str) -> World {
    let world = World::start().await;
    edit(&world, &many("one", gate)).await;
    world.instance("App a", "words: [p, q, r, s]").await;
    world.active("App a").await;
    world.settled().await;
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn v35_the_items_of_a_collection_change_one_then_two_then_four() {
    let gate = "exponentiallyUpdated(many, each)";
    let world = collection(gate).await;
    let since = world.line.writes().len();
    edit(&world, &many("two", gate)).await;
    world.eventually("App a", |it| progress(it).0 == "Completed").await;
    world.settled().await;
    let mut waves = written(&world, since);
    assert_eq!(waves.len(), 4, "{waves:?}");
    waves[1..3].sort();
    assert_eq!(waves, ["p", "q", "r", "s"]);
    let since = world.line.writes().len();
    edit(&world, &many("bad", gate)).await;
    world.eventually("App a", |it| progress(it).0 == "Blocked").await;
    world.settled().await;
    assert_eq!(written(&world, since), ["p"]);
    let told = world.there("App a").await;
    let said = message(&told, "ResourceGated");
    assert!(
        said.starts_with("node \"many\": ConfigMap default/a-q stays as it is: propagateWhen[0] is not true"),
        "{said}"
    );
    edit(&world, &many("three", gate)).await;
    world.eventually("App a", |it| progress(it).0 == "Completed").await;
    world.settled().await;
    assert_eq!(world.there("ConfigMap a-s").await["data"]["text"], "three");
}

#[tokio::test(flavor = "multi_thread")]
async fn v35_the_items_of_a_collection_change_two_at_a_time_and_new_ones_are_made_at_once() {
    let gate = "linearlyUpdated(many, each, 2) && many.filter(it, updated(it) && !ready(it)).size() == 0";
    let world = collection(gate).await;
    let since = world.line.writes().len();
    edit(&world, &many("bad", gate)).await;
    world.eventually("App a", |it| progress(it).0 == "Blocked").await;
    world.instance("App a", "words: [p, q, r, s, t]").await;
    world.eventually("ConfigMap a-t", text_is("bad")).await;
    world.settled().await;
    let mut changed = written(&world, since);
    changed.sort();
    assert_eq!(changed, ["p", "q", "t"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn v37_a_gate_that_waits_for_what_is_there_hides_no_deadline() {
    let app = |text: &str| {
        let mut made = many(text, "linearlyUpdated(many, each, 2)");
        made["spec"]["propagation"] = json!({"progressDeadlineSeconds": 2});
        made
    };
    let world = World::start().await;
    edit(&world, &app("one")).await;
    world.instance("App a", "words: [p, q, r, s]").await;
    world.active("App a").await;
    edit(&world, &app("bad")).await;
    let told = world.eventually("App a", |it| progress(it).0 == "Blocked").await;
    assert!(told["status"]["propagation"]["hindered"]["since"].is_null(), "{told:#}");
    phase(&world, "Halted").await;
    assert_eq!(world.there("ConfigMap a-s").await["data"]["text"], "one");
    world.settled().await;
}

/// The one waits for longer than an instance may take; the other takes longer.
#[tokio::test(flavor = "multi_thread")]
async fn v37_the_time_for_which_a_resource_waits_counts_towards_no_deadline() {
    let world = World::start().await;
    let app = |text: &str| {
        let more =
            "readyWhen: ['${one.data.text != \"bad\"}'], propagateWhen: ['${schema.spec.text == \"go\"}']";
        let one = config_map("one", &format!("text: '{text}'"), more);
        let mut made = definition("App", "spec: {text: string}", &one);
        made["spec"]["propagation"] = json!({"progressDeadlineSeconds": 2, "onFailure": "Continue"});
        made
    };
    edit(&world, &app("one")).await;
    for (name, text) in [("stays", "wait"), ("goes", "go")] {
        world.instance(&format!("App {name}"), &format!("text: {text}")).await;
        world.active(&format!("App {name}")).await;
    }
    edit(&world, &app("bad")).await;
    let told = world.eventually(APP, |it| it["status"]["propagation"]["failures"].is_array()).await;
    let failures = &told["status"]["propagation"]["failures"];
    let message = "not ready at the new revision within the deadline";
    assert_eq!(*failures, json!([{"instance": "default/goes", "message": message}]));
    let stays = world.there("App stays").await;
    assert_eq!(progress(&stays).0, "Blocked");
    assert!(stays["status"]["propagation"]["hindered"]["since"].is_string(), "{stays:#}");
    assert_eq!(told["status"]["propagation"]["phase"], "Propagating");
    edit(&world, &app("two")).await;
    phase(&world, "Propagating").await;
    world.instance("App stays", "text: go").await;
    phase(&world, "Completed").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v34_while_a_gate_is_shut_deletion_goes_on() {
    let gate = "schema.spec.words.size() > 9";
    let world = collection(gate).await;
    edit(&world, &many("two", gate)).await;
    world.eventually("App a", |it| progress(it).0 == "Blocked").await;
    // An item that is no longer wanted goes; the others stay as they are.
    world.instance("App a", "words: [p, q, r]").await;
    world.gone("ConfigMap a-s").await;
    world.settled().await;
    assert_eq!(world.there("ConfigMap a-p").await["data"]["text"], "one");
    assert_eq!(progress(&world.there("App a").await).0, "Blocked");
    // A node that the next revision has no longer goes as well.
    let other = config_map("other", "text: three", "");
    edit(&world, &definition("App", "spec: {words: '[]string'}", &other)).await;
    for word in ["p", "q", "r"] {
        world.gone(&format!("ConfigMap a-{word}")).await;
    }
    world.eventually("ConfigMap a-other", text_is("three")).await;
    world.eventually("App a", |it| progress(it).0 == "Completed").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v34_an_instance_whose_resources_wait_can_be_deleted() {
    let gate = "schema.spec.words.size() > 9";
    let world = collection(gate).await;
    edit(&world, &many("two", gate)).await;
    world.eventually("App a", |it| progress(it).0 == "Blocked").await;
    world.settled().await;
    world.delete("App a").await;
    world.gone("App a").await;
    assert_eq!(world.names("ConfigMap", "").await.iter().filter(|it| it.starts_with("a-")).count(), 0);
    world.settled().await;
}

/// One goes first; the second follows where that was refused, the third when that has settled.
#[tokio::test(flavor = "multi_thread")]
async fn v35_gates_see_what_was_refused_and_what_has_settled() {
    let first = |is: &str| format!("many.exists(it, it.data.word == \"p\" && {is}(it))");
    let turn = |word: &str, when: &str| format!("each.data.word == \"{word}\" && {when}");
    let turns = [turn("p", "!settled(each)"), turn("q", &first("failed")), turn("r", &first("settled"))];
    let app = |text: &str| {
        let mut made = many(text, &turns.join(" || "));
        made["spec"]["resources"][0]["template"]["data"]["word"] = json!("${word}");
        made
    };
    let world = World::start().await;
    edit(&world, &app("one")).await;
    world.instance("App a", "words: [p, q, r]").await;
    world.active("App a").await;
    world.settled().await;
    let is_refused = |it: &str| !it.starts_with("GET") && it.contains("/configmaps/a-p");
    world.line.break_with(move |request| is_refused(request).then_some(Fault::Refused(422)));
    world.put_by_hand(&app("two")).await;
    world.eventually("ConfigMap a-q", text_is("two")).await;
    world.settled_in_vain().await;
    assert_eq!(world.there("ConfigMap a-p").await["data"]["text"], "one");
    assert_eq!(world.there("ConfigMap a-r").await["data"]["text"], "one");
    world.line.mend();
    world.eventually("ConfigMap a-p", text_is("two")).await;
    world.eventually("ConfigMap a-r", text_is("two")).await;
    world.eventually("App a", |it| progress(it).0 == "Completed").await;
    world.settled().await;
}
