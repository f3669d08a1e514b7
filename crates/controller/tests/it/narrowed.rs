//! How instances go back to what their kind has forgotten since.

use bytes::Bytes;
use serde_json::{Value, json};

use crate::inputs::annotate;
use crate::line::{Fault, Weather};
use crate::world::{World, condition, config_map, definition, instance, message};

const INPUT_ROLLBACK: &str = "kro.run/rollback-to-input-revision";
const SPEC_ONLY: &str = "krono.dev/rollback-spec-only";
const APP: &str = "ResourceGraphDefinition /app";
const CRD: &str = "CustomResourceDefinition /apps.kro.run";

/// A definition that keeps two inputs of each instance and may forget fields.
fn app(fields: &str, data: &str) -> Value {
    let schema = format!("spec: {{x: 'string | default=a', {fields}}}");
    let mut app =
        definition("App", &schema, &config_map("one", &format!("x: '${{schema.spec.x}}', {data}"), ""));
    app["metadata"]["annotations"] = json!({"kro.run/allow-breaking-changes": "true"});
    app["spec"]["revisionManagement"] = json!({"inputHistoryLimit": 2});
    app
}

fn with_extra(extra: &str) -> Value {
    app(&format!("extra: '{extra}'"), "extra: '${schema.spec.?extra.orValue(\"no\")}'")
}

fn without_extra() -> Value {
    app("", "version: two")
}

/// An instance that had something precious before its kind forgot the field.
async fn forgotten(extra: &str) -> World {
    let world = World::start().await;
    world.define(&with_extra(extra)).await;
    world.put_by_hand(&instance("App a", "x: one, extra: precious")).await;
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == 1).await;
    world.define(&without_extra()).await;
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == 2).await;
    world.settled().await;
    assert_eq!(world.there("App a").await["spec"], json!({"x": "one"}));
    assert_eq!(known(&world).await, ["x"]);
    world
}

/// The fields that the CRD knows.
async fn known(world: &World) -> Vec<String> {
    let crd = world.there(CRD).await;
    let spec = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    spec["properties"].as_object().expect("fields").keys().cloned().collect()
}

/// The instance, once it is at its third input; a watch that is older than the schema of the kind does not show all of a spec.
async fn gone_back(world: &World) -> Value {
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == 3).await;
    world.there("App a").await
}

/// The request is refused, and whatever the instance has stays.
async fn is_refused(world: &World, words: &[&str]) {
    let told = world.eventually("App a", |it| !condition(it, "RollbackRefused").is_null()).await;
    let refused = message(&told, "RollbackRefused");
    assert!(words.iter().all(|it| refused.contains(it)), "{refused}");
    world.settled().await;
    let told = world.there("App a").await;
    let annotations = &told["metadata"]["annotations"];
    assert!(annotations.get(INPUT_ROLLBACK).is_none(), "{annotations}");
    assert!(annotations.get("kro.run/rgd-revision").is_none(), "{annotations}");
    assert_eq!(told["spec"], json!({"x": "one"}));
    assert_eq!(
        (&told["status"]["currentInputRevision"], known(world).await),
        (&json!(2), vec!["x".to_owned()])
    );
    assert_eq!(told["status"]["inputRevisionHistory"][1]["revision"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_what_the_kind_has_forgotten_comes_back_whole() {
    for extra in ["string", "string | required=true"] {
        let world = forgotten(extra).await;
        annotate(&world, "App a", json!({INPUT_ROLLBACK: "1"})).await;
        let told = gone_back(&world).await;
        assert_eq!(told["spec"], json!({"x": "one", "extra": "precious"}), "{extra}");
        assert_eq!(told["status"]["inputRevisionHistory"][0]["restoredFrom"], 1, "{extra}");
        assert_eq!(told["metadata"]["annotations"]["kro.run/rgd-revision"], "1", "{extra}");
        assert!(told["metadata"]["annotations"].get(INPUT_ROLLBACK).is_none(), "{told:#}");
        assert_eq!(told["status"]["assignment"]["message"], Value::Null, "{told:#}");
        world.eventually("ConfigMap a-one", |it| it["data"]["extra"] == "precious").await;
        world.settled().await;
        assert_eq!(known(&world).await, ["extra", "x"]);
        let events = world.told().await;
        assert!(!events.iter().any(|it| it.starts_with("Warning Rollback")), "{events:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_a_server_may_take_its_time_to_take_in_what_the_kind_has_become() {
    let world = forgotten("string").await;
    let mut refused = 0;
    world.line.break_with(move |it| {
        let is_restored = it.starts_with("PATCH") && it.contains("/apps/a?") && it.contains("Strict");
        refused += usize::from(is_restored);
        (is_restored && refused <= 4).then_some(Fault::Refused(422))
    });
    annotate(&world, "App a", json!({INPUT_ROLLBACK: "1"})).await;
    let told = gone_back(&world).await;
    assert_eq!(told["spec"], json!({"x": "one", "extra": "precious"}));
    world.settled().await;
    let events = world.told().await;
    assert!(!events.iter().any(|it| it.starts_with("Warning Rollback")), "{events:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_a_field_comes_back_with_the_type_it_had() {
    let world = World::start().await;
    let (first, second) = ("n: 'string | default=none'", "n: 'integer | default=7'");
    world.define(&app(first, "n: '${schema.spec.n}'")).await;
    world.put_by_hand(&instance("App a", "x: one, n: many")).await;
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == 1).await;
    world.define(&app("", "n: gone")).await;
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == 2).await;
    // Three inputs are needed, and kept.
    let mut third = app(second, "n: '${string(schema.spec.n)}'");
    third["spec"]["revisionManagement"] = json!({"inputHistoryLimit": 3});
    world.define(&third).await;
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == 3).await;
    world.settled().await;
    annotate(&world, "App a", json!({INPUT_ROLLBACK: "1"})).await;
    let told = world.eventually("App a", |it| it["status"]["observedInputRevision"] == 4).await;
    assert_eq!(told["spec"], json!({"x": "one", "n": "many"}));
    assert_eq!(told["status"]["inputRevisionHistory"][0]["restoredFrom"], 1);
    world.eventually("ConfigMap a-one", |it| it["data"]["n"] == "many").await;
    world.settled().await;
}

/// A server that goes on answering through a schema that it no longer has.
struct OldSchema;

impl Weather for OldSchema {
    fn fault(&mut self, _: &str) -> Option<Fault> {
        None
    }

    fn answered(&mut self, answer: Bytes) -> Bytes {
        match serde_json::from_slice::<Value>(&answer) {
            Ok(mut object) if object["kind"] == "App" => {
                object["spec"]["n"] = json!("many");
                object.to_string().into()
            }
            _ => answer,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn v15_what_was_answered_through_an_old_schema_is_not_believed_for_ever() {
    let world = World::start().await;
    let (first, second) = ("n: 'string | default=none'", "n: 'integer | default=7'");
    world.define(&app(first, "n: '${schema.spec.n}'")).await;
    world.put_by_hand(&instance("App a", "x: one, n: many")).await;
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == 1).await;
    world.line.expose(OldSchema);
    world.define(&app("", "n: gone")).await;
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == 2).await;
    world.define(&app(second, "n: '${string(schema.spec.n)}'")).await;
    let refusal = |it: &Value| it["status"]["assignment"]["message"].as_str().map(str::to_owned);
    let told = world.eventually("App a", |it| refusal(it).is_some()).await;
    assert!(refusal(&told).is_some_and(|it| it.contains("does not accept the spec")), "{told:#}");
    world.line.mend();
    let told = world.eventually("App a", |it| it["status"]["observedInputRevision"] == 3).await;
    assert_eq!(refusal(&told), None);
    world.eventually("ConfigMap a-one", |it| it["data"]["n"] == "7").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_the_spec_alone_is_not_restored_where_its_kind_would_drop_some() {
    let world = forgotten("string").await;
    annotate(&world, "App a", json!({INPUT_ROLLBACK: "1", SPEC_ONLY: "true"})).await;
    is_refused(&world, &["does not take the spec of input revision 1", "unknown field \"spec.extra\""]).await;
    // What was refused cost nothing.
    annotate(&world, "App a", json!({INPUT_ROLLBACK: "1"})).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["extra"] == "precious").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_a_rollback_that_the_kind_is_not_widened_for_is_refused() {
    let world = forgotten("string").await;
    let content =
        world.there(APP).await["status"]["latestRevisionHash"].as_str().expect("a digest").to_owned();
    annotate(&world, APP, json!({"krono.dev/allow-data-loss": content})).await;
    world.settled().await;
    annotate(&world, "App a", json!({INPUT_ROLLBACK: "1"})).await;
    let words =
        ["unknown field \"spec.extra\"", "was asked to serve revision 1", "krono.dev/allow-data-loss"];
    is_refused(&world, &words).await;
    annotate(&world, APP, json!({"krono.dev/allow-data-loss": null})).await;
    world.settled().await;
    annotate(&world, "App a", json!({INPUT_ROLLBACK: "1"})).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["extra"] == "precious").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_a_definition_that_ends_is_not_waited_for() {
    let world = forgotten("string").await;
    world.delete(APP).await;
    world.eventually(APP, |it| !it["metadata"]["deletionTimestamp"].is_null()).await;
    annotate(&world, "App a", json!({INPUT_ROLLBACK: "1"})).await;
    is_refused(&world, &["unknown field \"spec.extra\""]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v28_a_rollback_that_is_forbidden_widens_nothing() {
    let world = forgotten("string").await;
    let mut strict = without_extra();
    strict["spec"]["revisionManagement"]["instances"] = json!({"pin": false});
    world.define(&strict).await;
    world.settled().await;
    annotate(&world, "App a", json!({INPUT_ROLLBACK: "1"})).await;
    is_refused(&world, &["needs a pin to revision 1, which the definition forbids"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v22_a_hold_needs_nothing_that_the_kind_has_forgotten() {
    let world = forgotten("string | required=true").await;
    annotate(&world, "App a", json!({"krono.dev/hold-input-revision": "1"})).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["extra"] == "precious").await;
    world.settled().await;
    let told = world.there("App a").await;
    let assignment = &told["status"]["assignment"];
    assert_eq!((&assignment["because"], &assignment["revision"]), (&json!("InputHeld"), &json!(1)));
    assert_eq!(told["spec"], json!({"x": "one"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn v6_who_goes_back_finds_room_beside_those_who_went_before() {
    let world = World::start().await;
    let define = async |mut app: Value| {
        app["spec"]["revisionManagement"] = json!({"inputHistoryLimit": 5});
        world.define(&app).await;
    };
    define(with_extra("string")).await;
    world.put_by_hand(&instance("App a", "x: one, extra: precious")).await;
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == 1).await;
    define(app("more: string", "more: '${schema.spec.?more.orValue(\"no\")}'")).await;
    world.put_by_hand(&instance("App b", "x: one, more: dear")).await;
    world.eventually("App b", |it| it["status"]["observedInputRevision"] == 1).await;
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == 2).await;
    define(without_extra()).await;
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == 3).await;
    world.eventually("App b", |it| it["status"]["observedInputRevision"] == 2).await;
    world.settled().await;
    assert_eq!(known(&world).await, ["x"]);
    annotate(&world, "App a", json!({INPUT_ROLLBACK: "1"})).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["extra"] == "precious").await;
    annotate(&world, "App b", json!({INPUT_ROLLBACK: "1"})).await;
    world.eventually("ConfigMap b-one", |it| it["data"]["more"] == "dear").await;
    world.settled().await;
    assert_eq!(known(&world).await, ["extra", "more", "x"]);
    assert_eq!(world.there("App a").await["spec"], json!({"x": "one", "extra": "precious"}));
    assert_eq!(world.there("App b").await["spec"], json!({"x": "one", "more": "dear"}));
}
