//! Older revisions, had back or held.

use serde_json::{Value, json};

use crate::line::Fault;
use crate::revisions::{APP, CRD, app, edit, numbers, revision, revisions, started, text_is};
use crate::world::{World, condition, config_map, definition, message};

const ROLLBACK: &str = "kro.run/rollback-to-revision";
const INPUT_ROLLBACK: &str = "kro.run/rollback-to-input-revision";
const HOLD: &str = "krono.dev/active-revision";

/// A world whose definition said `one`, `two` and `three`.
async fn with_three() -> World {
    let world = started().await;
    edit(&world, &app("two")).await;
    edit(&world, &app("three")).await;
    world.eventually("ConfigMap a-one", text_is("three")).await;
    world
}

/// Waits until a request is answered.
async fn answered(world: &World) -> Value {
    world.eventually(APP, |it| it["metadata"]["annotations"].get(ROLLBACK).is_none()).await;
    world.quiet().await;
    world.there(APP).await
}

fn spec_text(definition: &Value) -> &Value {
    &definition["spec"]["resources"][0]["template"]["data"]["text"]
}

#[tokio::test(flavor = "multi_thread")]
async fn v19_a_rollback_writes_the_spec_back_and_is_a_new_revision() {
    let world = with_three().await;
    let mut policy = json!({"spec": {"revisionManagement": {"historyLimit": 7}}});
    policy["spec"]["resources"] = world.there(APP).await["spec"]["resources"].clone();
    policy["spec"]["resources"][0]["deletionPolicy"] = json!("Retain");
    world.merge(APP, policy).await;
    world.annotate(APP, ROLLBACK, Some("1")).await;
    world.eventually("ConfigMap a-one", text_is("one")).await;
    world.settled().await;
    let told = world.there(APP).await;
    assert_eq!((numbers(&told).as_str(), spec_text(&told)), ("4 of 4", &json!("one")));
    assert_eq!(told["spec"]["revisionManagement"]["historyLimit"], 7, "policy stays");
    assert_eq!(told["spec"]["resources"][0]["deletionPolicy"], "Retain");
    assert_eq!(told["metadata"]["annotations"], json!({"krono.dev/answered-rollback": "1"}));
    assert_eq!(revision(&world, 4).await["spec"]["restoredFrom"], 1);
    assert!(world.told().await.contains(&"Normal RollingBack: rolling back to revision 1".to_owned()));
    // The same may be asked for again, by hand and with `krono rollback`.
    edit(&world, &app("five")).await;
    world.annotate(APP, ROLLBACK, Some("1")).await;
    world.eventually("ConfigMap a-one", text_is("one")).await;
    world.settled().await;
    assert_eq!(numbers(&world.there(APP).await), "6 of 6");
    edit(&world, &app("seven")).await;
    let mut asked = app("");
    asked.as_object_mut().expect("an object").remove("spec");
    asked["metadata"]["annotations"] = json!({ROLLBACK: "1"});
    world.try_put_as("krono", &asked).await.expect("an edit");
    world.eventually("ConfigMap a-one", text_is("one")).await;
    world.settled().await;
    assert_eq!(numbers(&world.there(APP).await), "8 of 8");
}

#[tokio::test(flavor = "multi_thread")]
async fn v19_a_rollback_rescues_a_definition_that_does_not_compile_and_needs_no_second_leave() {
    let world = with_three().await;
    let mut broken = app("${nobody.x}");
    broken["spec"]["revisionManagement"] = json!({"updatePolicy": {"type": "Manual"}});
    world.put_by_hand(&broken).await;
    world.eventually(APP, |it| condition(it, "GraphAccepted")["status"] == "False").await;
    world.annotate(APP, ROLLBACK, Some("2")).await;
    world.eventually("ConfigMap a-one", text_is("two")).await;
    world.settled().await;
    assert_eq!(numbers(&world.there(APP).await), "4 of 4");
}

#[tokio::test(flavor = "multi_thread")]
async fn v19_what_makes_no_sense_is_refused_and_changes_nothing() {
    let world = with_three().await;
    for (request, expected) in [
        ("9", "there is no revision 9 of app; the newest is 3"),
        ("3", "app has the content of revision 3 already; there is nothing to roll back"),
        ("two", "\"two\" is not the number of a revision; write a whole number from 1, such as \"3\""),
        ("-1", "\"-1\" is not the number of a revision; write a whole number from 1, such as \"3\""),
        ("02", "\"02\" is not the number of a revision; write a whole number from 1, such as \"3\""),
        (
            "99999999999999999999",
            "\"99999999999999999999\" is not the number of a revision; write a whole number from 1, such as \"3\"",
        ),
        ("", "\"\" is not the number of a revision; write a whole number from 1, such as \"3\""),
    ] {
        world.annotate(APP, ROLLBACK, Some(request)).await;
        let told = answered(&world).await;
        assert_eq!(message(&told, "RollbackRefused"), expected);
        assert_eq!((numbers(&told).as_str(), spec_text(&told)), ("3 of 3", &json!("three")));
        let told = world.told().await;
        assert!(told.contains(&format!("Warning RollbackRefused: not rolled back: {expected}")), "{told:#?}");
        world.settled().await;
    }
    // Two requests at once.
    let both = json!({ROLLBACK: "1", INPUT_ROLLBACK: "1"});
    world.merge(APP, json!({"metadata": {"annotations": both}})).await;
    let told = answered(&world).await;
    assert!(message(&told, "RollbackRefused").contains("ask for different things"), "{told:#}");
    let events = world.told().await;
    let words = "Warning RollbackRefused: not rolled back: kro.run/rollback-to-revision and";
    assert!(events.iter().any(|it| it.starts_with(words)), "{events:#?}");
    assert!(told["metadata"]["annotations"].get("kro.run/rollback-to-input-revision").is_none());
    assert_eq!((numbers(&told).as_str(), spec_text(&told)), ("3 of 3", &json!("three")));
    // One that only instances understand.
    world.annotate(APP, INPUT_ROLLBACK, Some("2")).await;
    let told = world.eventually(APP, |it| message(it, "RollbackRefused").contains("is for instances")).await;
    let words = "not rolled back: kro.run/rollback-to-input-revision is for instances; a definition goes back with \
                 kro.run/rollback-to-revision";
    assert_eq!(message(&told, "RollbackRefused"), words);
    assert!(told["metadata"]["annotations"].get(INPUT_ROLLBACK).is_none());
    assert_eq!((numbers(&told).as_str(), spec_text(&told)), ("3 of 3", &json!("three")));
    world.settled().await;
    let events = world.told().await;
    assert!(events.contains(&format!("Warning RollbackRefused: {words}")), "{events:#?}");
    // A restored backup brings both back: what was asked for, and that it was answered.
    let both = json!({ROLLBACK: "1", "krono.dev/answered-rollback": "1"});
    world.merge(APP, json!({"metadata": {"annotations": both}})).await;
    world.settled().await;
    let told = world.there(APP).await;
    assert_eq!((numbers(&told).as_str(), spec_text(&told)), ("3 of 3", &json!("three")));
    world.annotate(APP, ROLLBACK, None).await;
    // An edit ends the story.
    let told = edit(&world, &app("four")).await;
    assert!(condition(&told, "RollbackRefused").is_null());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v19_a_spec_that_the_server_does_not_take_back_is_refused_and_edits_go_on() {
    let world = with_three().await;
    let mut is_refused = false;
    world.line.break_with(move |it| {
        let is_meant = it.starts_with("PATCH") && it.contains("/resourcegraphdefinitions/app?");
        let is_first = is_meant && !is_refused;
        is_refused |= is_meant;
        is_first.then_some(Fault::Refused(422))
    });
    world.annotate(APP, ROLLBACK, Some("1")).await;
    let told = answered(&world).await;
    let words = "the API server does not take the spec of revision 1 for app: ";
    assert!(message(&told, "RollbackRefused").starts_with(words), "{told:#}");
    assert_eq!((numbers(&told).as_str(), spec_text(&told)), ("3 of 3", &json!("three")));
    assert_eq!(condition(&told, "Ready")["status"], "True", "{told:#}");
    world.line.mend();
    edit(&world, &app("four")).await;
    assert_eq!(numbers(&world.there(APP).await), "4 of 4");
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v19_what_failed_once_is_not_had_back() {
    let world = with_three().await;
    world
        .annotate("ResourceGraphDefinitionRevision app-rev-2", "krono.dev/failed", Some("half of the fleet"))
        .await;
    world.annotate(APP, ROLLBACK, Some("2")).await;
    let told = answered(&world).await;
    let expected = "revision 2 of app failed: half of the fleet; roll back to another one";
    assert_eq!(message(&told, "RollbackRefused"), expected);
    let events = world.told().await;
    assert!(events.contains(&format!("Warning RollbackRefused: not rolled back: {expected}")), "{events:#?}");
    assert_eq!((numbers(&told).as_str(), spec_text(&told)), ("3 of 3", &json!("three")));
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v19_where_a_tool_keeps_the_spec_it_is_refused_with_the_way_out() {
    let world = World::start().await;
    world.define(&app("one")).await;
    world.define(&app("two")).await;
    world.quiet().await;
    world.annotate(APP, ROLLBACK, Some("1")).await;
    let told = answered(&world).await;
    let words = message(&told, "RollbackRefused");
    assert!(
        words.contains("user keeps the spec of app")
            && words.contains("krono rollback rgd/app --to-revision=1 --hold"),
        "{words}"
    );
    assert_eq!(numbers(&told), "2 of 2");
    let forced = json!({ROLLBACK: "1", "krono.dev/rollback-force": "true"});
    world.merge(APP, json!({"metadata": {"annotations": forced}})).await;
    world.eventually(APP, |it| numbers(it) == "3 of 3").await;
    world.settled().await;
    assert_eq!(spec_text(&world.there(APP).await), "one");
}

#[tokio::test(flavor = "multi_thread")]
async fn v19_a_request_that_a_tool_puts_back_is_not_obeyed_twice() {
    let world = World::start().await;
    let mut asked = app("two");
    edit(&world, &app("one")).await;
    edit(&world, &app("two")).await;
    asked["metadata"]["annotations"] = json!({ROLLBACK: "1"});
    asked.as_object_mut().expect("an object").remove("spec");
    world.try_put_as("argocd-controller", &asked).await.expect("an edit");
    world.eventually(APP, |it| numbers(it) == "3 of 3").await;
    edit(&world, &app("four")).await;
    world.try_put_as("argocd-controller", &asked).await.expect("an edit");
    world.settled().await;
    let told = world.there(APP).await;
    assert_eq!((numbers(&told).as_str(), spec_text(&told)), ("4 of 4", &json!("four")));
    let events = world.told().await;
    assert!(
        events.iter().any(|it| it.starts_with("Warning RollbackIgnored: argocd-controller has put back")),
        "{events:#?}"
    );
    asked["metadata"]["annotations"] = json!({ROLLBACK: "2"});
    world.try_put_as("argocd-controller", &asked).await.expect("an edit");
    world.eventually(APP, |it| numbers(it) == "5 of 5").await;
    world.settled().await;
    // What makes no sense is refused once.
    asked["metadata"]["annotations"] = json!({INPUT_ROLLBACK: "9"});
    world.try_put_as("argocd-controller", &asked).await.expect("an edit");
    world.eventually(APP, |it| it["metadata"]["annotations"].get(INPUT_ROLLBACK).is_none()).await;
    world.try_put_as("argocd-controller", &asked).await.expect("an edit");
    world.settled().await;
    assert_eq!(world.there(APP).await["metadata"]["annotations"][INPUT_ROLLBACK], "9");
}

#[tokio::test(flavor = "multi_thread")]
async fn v19_what_people_ask_for_does_not_renew_the_request_of_a_tool() {
    let world = World::start().await;
    edit(&world, &app("one")).await;
    edit(&world, &app("two")).await;
    let mut asked = app("two");
    asked["metadata"]["annotations"] = json!({ROLLBACK: "1"});
    asked.as_object_mut().expect("an object").remove("spec");
    world.try_put_as("argocd-controller", &asked).await.expect("an edit");
    world.eventually(APP, |it| numbers(it) == "3 of 3").await;
    edit(&world, &app("four")).await;
    world.annotate(APP, ROLLBACK, Some("99")).await;
    let told = answered(&world).await;
    assert_eq!(message(&told, "RollbackRefused"), "there is no revision 99 of app; the newest is 4");
    world.try_put_as("argocd-controller", &asked).await.expect("an edit");
    world.settled().await;
    let told = world.there(APP).await;
    assert_eq!((numbers(&told).as_str(), spec_text(&told)), ("4 of 4", &json!("four")));
}

#[tokio::test(flavor = "multi_thread")]
async fn v20_a_hold_serves_an_older_revision_and_leaves_the_spec_alone() {
    let mut world = with_three().await;
    world.annotate(APP, HOLD, Some("1")).await;
    world.eventually("ConfigMap a-one", text_is("one")).await;
    world.settled().await;
    let told = world.there(APP).await;
    assert_eq!((numbers(&told).as_str(), spec_text(&told)), ("1 of 3", &json!("three")));
    assert!(message(&told, "Held").contains("remove the annotation krono.dev/active-revision to release it"));
    assert_eq!(told["status"]["state"], "Active");
    // Edits are recorded and reach nobody, whoever looks.
    edit(&world, &app("four")).await;
    world.start_controllers();
    world.instance("App b", "text: hello").await;
    world.eventually("ConfigMap b-one", text_is("one")).await;
    world.settled().await;
    assert_eq!(numbers(&world.there(APP).await), "1 of 4");
    assert_eq!(world.there(CRD).await["metadata"]["annotations"]["kro.run/rgd-revision"], "4");
    world.annotate(APP, HOLD, None).await;
    world.eventually("ConfigMap a-one", text_is("four")).await;
    world.settled().await;
    let told = world.there(APP).await;
    assert_eq!(numbers(&told), "4 of 4");
    assert!(condition(&told, "Held").is_null());
    let events = world.told().await;
    assert!(events.iter().any(|it| it.starts_with("Normal Held: revision 1 is served")), "{events:#?}");
    assert!(events.contains(&"Normal Held: no longer Held".to_owned()), "{events:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn v20_the_annotation_wins_over_the_field_and_nonsense_stops_everybody() {
    let world = with_three().await;
    let field = |number: Value| json!({"spec": {"revisionManagement": {"activeRevision": number}}});
    world.merge(APP, field(json!(1))).await;
    world.eventually("ConfigMap a-one", text_is("one")).await;
    world.annotate(APP, HOLD, Some("2")).await;
    world.eventually("ConfigMap a-one", text_is("two")).await;
    for nonsense in ["9", "two"] {
        world.eventually(APP, |it| numbers(it) == "2 of 3").await;
        world.annotate(APP, HOLD, Some(nonsense)).await;
        let told = world.eventually(APP, |it| condition(it, "HoldInvalid")["status"] == "True").await;
        assert!(message(&told, "HoldInvalid").starts_with("no instance moves:"), "{told:#}");
        world.quiet().await;
        let events = world.told().await;
        assert!(
            events.iter().any(|it| it.contains("HoldInvalid: no instance moves:") && it.contains(nonsense)),
            "{events:#?}"
        );
        world.settled().await;
        assert_eq!(numbers(&world.there(APP).await), "2 of 3");
        assert_eq!(world.there("ConfigMap a-one").await["data"]["text"], "two");
        world.annotate(APP, HOLD, Some("2")).await;
        world.eventually(APP, |it| condition(it, "HoldInvalid").is_null()).await;
    }
    world.annotate(APP, HOLD, None).await;
    world.eventually("ConfigMap a-one", text_is("one")).await;
    world.merge(APP, field(Value::Null)).await;
    world.eventually("ConfigMap a-one", text_is("three")).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v20_rolling_back_to_what_is_held_ends_the_hold() {
    let world = with_three().await;
    world.annotate(APP, HOLD, Some("1")).await;
    world.eventually("ConfigMap a-one", text_is("one")).await;
    world.annotate(APP, ROLLBACK, Some("1")).await;
    world.eventually(APP, |it| numbers(it) == "4 of 4").await;
    world.settled().await;
    let told = world.there(APP).await;
    assert_eq!(spec_text(&told), "one");
    assert!(told["metadata"]["annotations"].get(HOLD).is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn v24_the_same_content_moves_nobody() {
    let world = started().await;
    world.annotate(APP, HOLD, Some("1")).await;
    edit(&world, &app("two")).await;
    let before = world.there("ConfigMap a-one").await;
    world.annotate(APP, ROLLBACK, Some("1")).await;
    world.eventually(APP, |it| numbers(it) == "3 of 3").await;
    world.settled().await;
    assert_eq!(revisions(&world).await.len(), 3);
    assert_eq!(
        world.there("ConfigMap a-one").await["metadata"]["resourceVersion"],
        before["metadata"]["resourceVersion"]
    );
    let history = world.there(APP).await["status"]["revisionHistory"].clone();
    let counts: Vec<i64> =
        history.as_array().expect("a list").iter().filter_map(|it| it["instanceCount"].as_i64()).collect();
    assert_eq!(counts, [1, 0, 0], "counted at the newest with that content");
}

/// Instances of this revision never become ready.
fn never_ready(text: &str) -> Value {
    let mut made = app(text);
    made["spec"]["resources"][0]["readyWhen"] = json!(["${one.data.text == 'ready'}"]);
    made
}

#[tokio::test(flavor = "multi_thread")]
async fn v23_a_rollback_without_waves_reaches_a_small_fleet_at_once() {
    let world = started().await;
    for name in ["b", "c"] {
        world.instance(&format!("App {name}"), "text: hello").await;
        world.active(&format!("App {name}")).await;
    }
    for (mode, numbers_then) in
        [(None, "3 of 3"), (Some("Instant"), "5 of 5"), (Some("Controlled"), "7 of 7")]
    {
        world.put_by_hand(&never_ready("two")).await;
        for name in ["a", "b", "c"] {
            world.eventually(&format!("ConfigMap {name}-one"), text_is("two")).await;
        }
        let asked = json!({ROLLBACK: "1", "krono.dev/rollback-mode": mode});
        world.merge(APP, json!({"metadata": {"annotations": asked}})).await;
        let told = world.eventually(APP, |it| numbers(it) == numbers_then).await;
        for name in ["a", "b", "c"] {
            let current = told["status"]["currentRevision"].clone();
            let instance = format!("App {name}");
            // Those that failed at what is left go back like all others.
            world.eventually(&instance, |it| it["status"]["observedRGDRevision"] == current).await;
            world.active(&instance).await;
            assert!(text_is("one")(&world.there(&format!("ConfigMap {name}-one")).await));
        }
    }
    world.settled().await;
}

const CLAIM: &str = "- {id: claim, template: {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: '${schema.metadata.name}'},
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}\n";

#[tokio::test(flavor = "multi_thread")]
async fn v25_what_is_to_be_retained_outlives_the_revision_that_drops_it() {
    let world = started().await;
    let more = config_map("one", "text: two", "")
        + &config_map("gone", "text: two", "")
        + &config_map("kept", "text: two", "deletionPolicy: Retain")
        + CLAIM;
    edit(&world, &definition("App", "spec: {text: string}", &more)).await;
    world.there("PersistentVolumeClaim a").await;
    world.there("ConfigMap a-kept").await;
    world.annotate(APP, ROLLBACK, Some("1")).await;
    world.gone("ConfigMap a-gone").await;
    world.eventually(APP, |it| numbers(it) == "3 of 3").await;
    world.active("App a").await;
    world.settled().await;
    for what in ["ConfigMap a-kept", "PersistentVolumeClaim a"] {
        let left = world.there(what).await;
        assert!(left["metadata"]["annotations"]["krono.dev/retained-from"].is_string(), "{left:#}");
        assert!(left["metadata"]["labels"].get("kro.run/owned").is_none(), "{left:#}");
        assert!(left["metadata"].get("deletionTimestamp").is_none(), "{left:#}");
    }
    // What was left is had back when it is wanted again.
    world.annotate(APP, ROLLBACK, Some("2")).await;
    world.there("ConfigMap a-gone").await;
    world.eventually("ConfigMap a-kept", |it| it["metadata"]["labels"].get("kro.run/owned").is_some()).await;
    world.settled().await;
    let old = world.there("PersistentVolumeClaim a").await["metadata"]["uid"].clone();
    // A real server protects it until somebody has seen that no Pod uses it.
    world.merge("PersistentVolumeClaim a", json!({"metadata": {"finalizers": null}})).await;
    world.delete("PersistentVolumeClaim a").await;
    world.eventually("PersistentVolumeClaim a", |it| it["metadata"]["uid"] != old).await;
    world.settled().await;
}
