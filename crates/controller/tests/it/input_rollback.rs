//! How instances go back to what they asked for before, and are held at it.

use serde_json::{Value, json};

use crate::inputs::{annotate, app, create, numbers, with_instances};
use crate::line::Fault;
use crate::world::{World, condition, config_map, definition, instance, message};

const INPUT_ROLLBACK: &str = "kro.run/rollback-to-input-revision";

#[tokio::test(flavor = "multi_thread")]
async fn v22_an_instance_rolls_back_to_spec_and_revision() {
    let world = with_instances(0).await;
    create(&world, "App a0").await;
    world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 1).await;
    world.define(&app("two")).await;
    world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 2).await;
    world.merge("App a0", json!({"spec": {"text": "bad"}})).await;
    world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 3).await;
    annotate(&world, "App a0", json!({"kro.run/rollback-to-input-revision": "1"})).await;
    let map = world.eventually("ConfigMap a0-one", |it| it["data"]["version"] == "one").await;
    assert_eq!(map["data"]["text"], "hello");
    let told = world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 4).await;
    assert_eq!(told["spec"]["text"], "hello");
    let annotations = &told["metadata"]["annotations"];
    assert_eq!(annotations["kro.run/rgd-revision"], "1");
    assert!(annotations.get("kro.run/rollback-to-input-revision").is_none());
    assert_eq!(told["status"]["inputRevisionHistory"][0]["restoredFrom"], json!(1));
    world.settled().await;
    annotate(&world, "App a0", json!({"kro.run/rollback-to-input-revision": "3"})).await;
    let told = world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 5).await;
    assert_eq!((&told["spec"]["text"], &told["status"]["observedRGDRevision"]), (&json!("bad"), &json!(2)));
    assert!(told["metadata"]["annotations"].get("kro.run/rgd-revision").is_none());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_a_rollback_that_makes_no_sense_changes_nothing_but_the_request() {
    let world = with_instances(1).await;
    let number = "is not the number of a revision; write a whole number from 1, such as \"3\"";
    for (request, expected) in [
        ("1", "app/a0 asks for what input revision 1 says already; there is nothing to roll back".to_owned()),
        ("9", "there is no input revision 9 of app/a0; the newest is 1".to_owned()),
        ("x", format!("\"x\" {number}")),
        ("-1", format!("\"-1\" {number}")),
        ("", format!("\"\" {number}")),
    ] {
        refuses(&world, json!({INPUT_ROLLBACK: request}), request, &expected).await;
    }
    let of_definition = "kro.run/rollback-to-revision is for definitions; an instance goes back with kro.run/rollback-to-input-revision";
    refuses(&world, json!({"kro.run/rollback-to-revision": "7"}), "7", of_definition).await;
    let both = json!({"kro.run/rollback-to-revision": "8", INPUT_ROLLBACK: "5"});
    let two = "kro.run/rollback-to-revision and kro.run/rollback-to-input-revision ask for different things; write one of them";
    refuses(&world, both, "5", two).await;
    // An edit ends the story.
    world.merge("App a0", json!({"spec": {"text": "two"}})).await;
    world.eventually("App a0", |it| condition(it, "RollbackRefused").is_null()).await;
    world.settled().await;
}

/// An instance that asked for `hello` and asks for `two`.
async fn edited() -> World {
    let world = with_instances(0).await;
    create(&world, "App a0").await;
    world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 1).await;
    world.merge("App a0", json!({"spec": {"text": "two"}})).await;
    world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 2).await;
    world
}

/// Its resources are looked after as ever.
async fn is_well(world: &World) -> Value {
    world.merge("ConfigMap a0-one", json!({"data": {"text": "drifted"}})).await;
    world.eventually("ConfigMap a0-one", |it| it["data"]["text"] == "two").await;
    let told = world.there("App a0").await;
    assert_eq!((&told["status"]["state"], &told["spec"]["text"]), (&json!("ACTIVE"), &json!("two")));
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_a_spec_that_the_server_does_not_take_back_is_refused_and_resources_go_on() {
    let world = edited().await;
    let mut fixed = app("one");
    fixed["spec"]["schema"]["spec"]["text"] = json!("string | default=hello immutable=true");
    fixed["metadata"]["annotations"] = json!({"kro.run/allow-breaking-changes": "true"});
    world.define(&fixed).await;
    world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 3).await;
    // The spec alone: with the older revision the field is not fixed.
    annotate(&world, "App a0", json!({INPUT_ROLLBACK: "1", "krono.dev/rollback-spec-only": "true"})).await;
    let words = "the API server does not take the spec of input revision 1 for app/a0: ";
    let told = world.eventually("App a0", |it| message(it, "RollbackRefused").starts_with(words)).await;
    assert!(message(&told, "RollbackRefused").contains("immutable"), "{told:#}");
    assert!(told["metadata"]["annotations"].get(INPUT_ROLLBACK).is_none(), "{told:#}");
    assert!(told["metadata"]["annotations"].get("kro.run/rgd-revision").is_none(), "{told:#}");
    is_well(&world).await;
    world.settled().await;
    let events = world.told().await;
    let told = |words: &str| events.iter().any(|it| it.starts_with(words));
    assert!(told("Warning RollbackRefused: not rolled back: the API server does not take"), "{events:#?}");
    assert!(!told("Normal RolledBack"), "{events:#?}");
    annotate(&world, "App a0", json!({INPUT_ROLLBACK: "1"})).await;
    world.eventually("ConfigMap a0-one", |it| it["data"]["text"] == "hello").await;
    world.settled().await;
    assert_eq!(world.there("App a0").await["metadata"]["annotations"]["kro.run/rgd-revision"], "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_while_a_request_cannot_be_answered_resources_go_on() {
    let world = edited().await;
    world.line.break_with(|it| {
        (it.starts_with("PATCH") && it.contains("/apps/a0?")).then_some(Fault::Refused(403))
    });
    annotate(&world, "App a0", json!({INPUT_ROLLBACK: "1"})).await;
    world.quiet().await;
    let events = world.told().await;
    let words = "Warning RollbackUnanswered: the request to roll back cannot be answered: ";
    assert_eq!(events.iter().filter(|it| it.starts_with(words)).count(), 1, "{events:#?}");
    let told = is_well(&world).await;
    assert_eq!(told["metadata"]["annotations"][INPUT_ROLLBACK], "1");
    world.line.mend();
    world.eventually("App a0", |it| it["spec"]["text"] == "hello").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_an_edit_of_a_paused_instance_can_be_undone() {
    let world = edited().await;
    annotate(&world, "App a0", json!({"kro.run/update-policy": "Paused"})).await;
    world.eventually("App a0", |it| it["status"]["assignment"]["because"] == "Paused").await;
    world.merge("App a0", json!({"spec": {"text": "three"}})).await;
    annotate(&world, "App a0", json!({INPUT_ROLLBACK: "2"})).await;
    let told = world.eventually("App a0", |it| it["spec"]["text"] == "two").await;
    assert!(told["metadata"]["annotations"].get(INPUT_ROLLBACK).is_none(), "{told:#}");
    world.settled().await;
    annotate(&world, "App a0", json!({INPUT_ROLLBACK: "2"})).await;
    let words = "app/a0 asks for what input revision 2 says already; there is nothing to roll back";
    world.eventually("App a0", |it| message(it, "RollbackRefused") == words).await;
    annotate(&world, "App a0", json!({"kro.run/update-policy": null})).await;
    let told = world.eventually("App a0", |it| it["status"]["assignment"]["because"] == "Following").await;
    assert_eq!(numbers(&told), [2, 1]);
    world.settled().await;
}

/// Nothing comes of a request but words about it.
async fn refuses(world: &World, requests: Value, answered: &str, expected: &str) {
    annotate(world, "App a0", requests).await;
    let is_told = |it: &Value| {
        it["metadata"]["annotations"]["krono.dev/answered-rollback"] == answered
            && message(it, "RollbackRefused") == expected
    };
    let told = world.eventually("App a0", is_told).await;
    let annotations = &told["metadata"]["annotations"];
    assert!(annotations.get(INPUT_ROLLBACK).is_none(), "{annotations}");
    assert!(annotations.get("kro.run/rollback-to-revision").is_none(), "{annotations}");
    assert_eq!((numbers(&told), &told["spec"]["text"]), (vec![1], &json!("hello")), "{answered}");
    world.settled().await;
    let events = world.told().await;
    let event = format!("Warning RollbackRefused: not rolled back: {expected}");
    assert!(events.contains(&event), "{event}\n{events:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_a_hold_runs_an_older_input_without_touching_the_spec() {
    let world = with_instances(1).await;
    world.define(&app("two")).await;
    world.merge("App a0", json!({"spec": {"text": "new"}})).await;
    world
        .eventually("ConfigMap a0-one", |it| it["data"]["text"] == "new" && it["data"]["version"] == "two")
        .await;
    annotate(&world, "App a0", json!({"krono.dev/hold-input-revision": "1"})).await;
    let map = world.eventually("ConfigMap a0-one", |it| it["data"]["version"] == "one").await;
    assert_eq!(map["data"]["text"], "hello");
    world.merge("App a0", json!({"spec": {"text": "newer"}})).await;
    world.settled().await;
    let told = world.there("App a0").await;
    assert_eq!(told["spec"]["text"], "newer");
    assert_eq!(told["status"]["assignment"]["because"], "InputHeld");
    assert_eq!(world.there("ConfigMap a0-one").await["data"]["text"], "hello");
    annotate(&world, "App a0", json!({"krono.dev/hold-input-revision": null})).await;
    world
        .eventually("ConfigMap a0-one", |it| it["data"]["text"] == "newer" && it["data"]["version"] == "two")
        .await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_a_hold_asks_nothing_of_the_spec_of_today() {
    let world = World::start().await;
    let sized = |most: u8| {
        let map = config_map("one", "size: '${string(schema.spec.size)}'", "");
        definition("App", &format!("spec: {{size: 'integer | default=3 maximum={most}'}}"), &map)
    };
    world.define(&sized(5)).await;
    create(&world, "App a0").await;
    world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 1).await;
    world.define(&sized(50)).await;
    world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 2).await;
    world.merge("App a0", json!({"spec": {"size": 20}})).await;
    world.eventually("ConfigMap a0-one", |it| it["data"]["size"] == "20").await;
    annotate(&world, "App a0", json!({"krono.dev/hold-input-revision": "1"})).await;
    world.eventually("ConfigMap a0-one", |it| it["data"]["size"] == "3").await;
    world.settled().await;
    let told = world.there("App a0").await;
    let assignment = &told["status"]["assignment"];
    assert_eq!((&assignment["because"], &assignment["revision"]), (&json!("InputHeld"), &json!(1)));
    assert_eq!((&assignment["message"], &told["spec"]["size"]), (&Value::Null, &json!(20)));
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_a_rollback_ends_the_hold() {
    let world = edited().await;
    world.merge("App a0", json!({"spec": {"text": "three"}})).await;
    world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 3).await;
    for (target, text) in [("1", "hello"), ("2", "two")] {
        annotate(&world, "App a0", json!({"krono.dev/hold-input-revision": "1"})).await;
        world.eventually("ConfigMap a0-one", |it| it["data"]["text"] == "hello").await;
        world.settled().await;
        annotate(&world, "App a0", json!({INPUT_ROLLBACK: target})).await;
        let told = world.eventually("App a0", |it| it["spec"]["text"] == text).await;
        let annotations = &told["metadata"]["annotations"];
        assert!(annotations.get("krono.dev/hold-input-revision").is_none(), "{annotations}");
        world.eventually("ConfigMap a0-one", |it| it["data"]["text"] == text).await;
        world.settled().await;
        assert_eq!(world.there("App a0").await["status"]["assignment"]["because"], "Following");
        world.merge("App a0", json!({"spec": {"text": "other"}})).await;
        world.eventually("ConfigMap a0-one", |it| it["data"]["text"] == "other").await;
        world.settled().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_a_rollback_is_refused_where_a_tool_keeps_the_spec() {
    let world = with_instances(1).await;
    world.merge("App a0", json!({"spec": {"text": "two"}})).await;
    world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 2).await;
    let marks = json!({"argocd.argoproj.io/tracking-id": "x", "kro.run/rollback-to-input-revision": "1"});
    annotate(&world, "App a0", marks).await;
    let is_answered = |it: &Value| it["metadata"]["annotations"]["krono.dev/answered-rollback"] == "1";
    world.eventually("App a0", is_answered).await;
    world.settled().await;
    let told = world.there("App a0").await;
    assert_eq!((&told["spec"]["text"], numbers(&told)), (&json!("two"), vec![2, 1]));
    let words = message(&told, "RollbackRefused");
    let way = "hold the input instead: krono rollback app/a0 -n default --to-input-revision=1 --hold";
    assert!(words.contains(way), "{words}");
    world.has_told(&format!("Warning RollbackRefused: not rolled back: {words}")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_a_request_that_a_tool_puts_back_is_not_obeyed_twice_and_told_once() {
    let world = with_instances(0).await;
    create(&world, "App a0").await;
    world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 1).await;
    world.merge("App a0", json!({"spec": {"text": "two"}})).await;
    world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 2).await;
    let mut asked = instance("App a0", "");
    asked.as_object_mut().expect("an object").remove("spec");
    asked["metadata"]["annotations"] = json!({INPUT_ROLLBACK: "1"});
    world.try_put_as("argocd-controller", &asked).await.expect("an edit");
    world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 3).await;
    world.try_put_as("argocd-controller", &asked).await.expect("an edit");
    world.settled().await;
    world.merge("App a0", json!({"spec": {"text": "four"}})).await;
    let told = world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 4).await;
    world.settled().await;
    assert_eq!(told["metadata"]["annotations"][INPUT_ROLLBACK], "1");
    let ignored = "Warning RollbackIgnored: argocd-controller has put back the request to roll back to 1";
    let events = world.told().await;
    assert_eq!(events.iter().filter(|it| it.starts_with(ignored)).count(), 1, "{events:#?}");
    asked["metadata"]["annotations"] = json!({INPUT_ROLLBACK: "2"});
    world.try_put_as("argocd-controller", &asked).await.expect("an edit");
    world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 5).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_who_waits_for_approvals_goes_back_to_what_has_become_current_again() {
    let world = with_instances(0).await;
    create(&world, "App a0").await;
    world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 1).await;
    annotate(&world, "App a0", json!({"kro.run/update-policy": "Manual"})).await;
    world.eventually("App a0", |it| it["status"]["assignment"]["because"] == "Manual").await;
    world.define(&app("two")).await;
    annotate(&world, "App a0", json!({"krono.dev/approve-revision": "2"})).await;
    world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 2).await;
    world.define(&app("one")).await;
    world.eventually("ResourceGraphDefinition /app", |it| it["status"]["latestRevision"] == 3).await;
    world.settled().await;
    assert_eq!(world.there("ConfigMap a0-one").await["data"]["version"], "two");
    annotate(&world, "App a0", json!({INPUT_ROLLBACK: "1"})).await;
    world.eventually("ConfigMap a0-one", |it| it["data"]["version"] == "one").await;
    world.settled().await;
    let told = world.there("App a0").await;
    assert_eq!(told["metadata"]["annotations"]["kro.run/rgd-revision"], "3");
    assert_eq!(told["status"]["observedRGDRevision"], 3);
    world
        .has_told(
            "Normal RolledBack: rolling back to input revision 1, pinned to revision 3 of the definition",
        )
        .await;
}
