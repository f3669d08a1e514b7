//! Edits that would take something from instances that stay behind.

use serde_json::{Value, json};

use crate::world::{World, condition, config_map, definition, instance, message};

const APP: &str = "ResourceGraphDefinition /app";

/// A definition whose instances may say more, or no longer.
fn app(fields: &str, text: &str) -> Value {
    definition("App", &format!("spec: {{{fields}}}"), &config_map("one", &format!("text: '{text}'"), ""))
}

/// An instance that says more and stays at the revision that knows it, whatever the definition says next.
async fn with_an_instance_that_stays(annotation: &str, value: &str) -> World {
    let world = World::start().await;
    world.define(&app("text: string, more: string", "one")).await;
    let mut staying = instance("App a", "text: hello, more: precious");
    staying["metadata"]["annotations"] = json!({annotation: value});
    world.put(&staying).await;
    world.active("App a").await;
    world.settled().await;
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn v29_what_instances_stay_at_is_not_broken_under_them() {
    for (annotation, value) in [("kro.run/rgd-revision", "1"), ("kro.run/update-policy", "Manual")] {
        let world = with_an_instance_that_stays(annotation, value).await;
        let mut breaking = app("text: string", "two");
        breaking["metadata"]["annotations"] = json!({"kro.run/allow-breaking-changes": "true"});
        world.put(&breaking).await;
        let told = world.eventually(APP, |it| condition(it, "KindReady")["status"] == "False").await;
        let words = message(&told, "KindReady").to_owned();
        assert!(
            words.starts_with("cannot update CRD apps.kro.run: instances stay at revision 1, which it would break: spec.more: property was removed;"),
            "{words}"
        );
        world.settled().await;
        assert_eq!(told["status"]["latestRevision"], 1, "{annotation}");
        assert_eq!(world.there("App a").await["spec"]["more"], "precious");
        // Leave for other content is none.
        world.annotate(APP, "krono.dev/allow-data-loss", Some("000000000000")).await;
        world.settled().await;
        assert_eq!(world.there(APP).await["status"]["latestRevision"], 1);
        let digits = words.rsplit('"').nth(1).expect("digits").to_owned();
        world.annotate(APP, "krono.dev/allow-data-loss", Some(&digits)).await;
        world.eventually(APP, |it| it["status"]["latestRevision"] == 2).await;
        world.settled().await;
        assert_eq!(world.there("App a").await["spec"].get("more"), None);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn v29_what_moves_along_needs_the_usual_leave_alone() {
    let world = with_an_instance_that_stays("team", "web").await;
    world.put(&app("text: string", "two")).await;
    let told = world.eventually(APP, |it| condition(it, "KindReady")["status"] == "False").await;
    assert!(message(&told, "KindReady").contains("breaking changes detected"), "{told:#}");
    world.annotate(APP, "kro.run/allow-breaking-changes", Some("true")).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "two").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v29_who_begins_to_stay_or_ceases_to_is_noticed() {
    let world = with_an_instance_that_stays("team", "web").await;
    world.put(&app("text: string", "two")).await;
    let tells = |words: &'static str| move |it: &Value| message(it, "KindReady").contains(words);
    world.eventually(APP, tells("breaking changes detected")).await;
    world.annotate("App a", "kro.run/update-policy", Some("Paused")).await;
    world.eventually(APP, tells("instances stay at revision 1, which it would break")).await;
    world.annotate(APP, "kro.run/allow-breaking-changes", Some("true")).await;
    world.settled().await;
    assert_eq!(world.there(APP).await["status"]["latestRevision"], 1);
    world.annotate("App a", "kro.run/update-policy", None).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "two").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v29_an_edit_that_keeps_what_an_instance_stays_at_needs_no_leave_for_its_sake() {
    let world = with_an_instance_that_stays("kro.run/rgd-revision", "1").await;
    world.define(&app("text: string, more: string, extra: string", "two")).await;
    // What only the second revision knew goes with the usual leave.
    let mut third = app("text: string, more: string", "three");
    third["metadata"]["annotations"] = json!({"kro.run/allow-breaking-changes": "true"});
    world.define(&third).await;
    world.settled().await;
    assert_eq!(world.there(APP).await["status"]["currentRevision"], 3);
    assert_eq!(world.there("App a").await["spec"]["more"], "precious");
    assert_eq!(world.there("ConfigMap a-one").await["data"]["text"], "one");
}

#[tokio::test(flavor = "multi_thread")]
async fn v29_who_waits_for_a_turn_or_is_held_keeps_what_it_has() {
    let mut breaking = app("text: string", "two");
    breaking["metadata"]["annotations"] = json!({"kro.run/allow-breaking-changes": "true"});
    let (mut in_waves, mut held) = (breaking.clone(), breaking);
    in_waves["spec"]["propagation"] = json!({"maxInFlight": 1});
    held["metadata"]["annotations"]["krono.dev/active-revision"] = json!("1");
    for (breaking, cure) in [(in_waves, "let all of them move at once"), (held, "release the hold")] {
        let world = with_an_instance_that_stays("team", "web").await;
        world.put(&breaking).await;
        let told = world.eventually(APP, |it| message(it, "KindReady").contains(cure)).await;
        world.settled().await;
        assert_eq!(told["status"]["latestRevision"], 1, "{cure}");
        assert_eq!(world.there("App a").await["spec"]["more"], "precious", "{cure}");
    }
}
