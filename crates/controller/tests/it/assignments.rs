//! Which revision instances run, and what they say about it.

use serde_json::{Value, json};

use crate::line::Fault;
use crate::world::{World, condition, config_map, definition, instance, message};

/// A definition whose one resource says which revision it is of.
fn app(version: &str, fields: &str) -> Value {
    let schema = format!("spec: {{text: 'string | default=hello'{fields}}}");
    definition(
        "App",
        &schema,
        &config_map("one", &format!("version: {version}, text: '${{schema.spec.text}}'"), ""),
    )
}

/// Revisions `one`, `two`, … of a definition with an instance `a`, which is at the first.
async fn with_an_instance() -> World {
    let world = World::start().await;
    world.define(&app("one", "")).await;
    world.instance("App a", "").await;
    world.eventually("App a", |it| observed(it) == (1, 1)).await;
    world
}

fn observed(instance: &Value) -> (i64, i64) {
    let number = |field: &str| instance["status"][field].as_i64().unwrap_or_default();
    (number("observedRGDRevision"), number("observedInputRevision"))
}

fn because(instance: &Value) -> &str {
    instance["status"]["assignment"]["because"].as_str().unwrap_or_default()
}

async fn annotate(world: &World, what: &str, annotations: Value) {
    world.merge(what, json!({"metadata": {"annotations": annotations}})).await;
}

async fn is_at(world: &World, map: &str, version: &str) {
    world.eventually(map, |it| it["data"]["version"] == version).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v14_an_instance_says_which_revision_it_is_assigned_to() {
    let world = with_an_instance().await;
    let told = world.active("App a").await;
    let assignment = &told["status"]["assignment"];
    assert_eq!((&assignment["revision"], because(&told)), (&json!(1), "Following"));
    assert_eq!(assignment["digest"].as_str().map(str::len), Some(40));
    world.define(&app("two", "")).await;
    is_at(&world, "ConfigMap a-one", "two").await;
    let told = world.eventually("App a", |it| observed(it) == (2, 2)).await;
    assert_eq!(told["status"]["assignment"]["revision"], json!(2));
    world.settled().await;
}

/// As a server does that has not taken in the schema of the kind yet.
#[tokio::test(flavor = "multi_thread")]
async fn v14_an_assignment_that_the_server_drops_is_written_again() {
    let world = with_an_instance().await;
    let mut drops = [0; 2];
    world.line.break_with(move |request| {
        let whose = ["/apps/a/status", "/apps/b/status"].iter().position(|it| request.contains(it))?;
        drops[whose] += 1;
        (!request.starts_with("GET") && drops[whose] < 4).then_some(Fault::Dropped)
    });
    world.instance("App b", "").await;
    world.define(&app("two", "")).await;
    for name in ["a", "b"] {
        let told = world.eventually(&format!("App {name}"), |it| observed(it).0 == 2).await;
        assert_eq!(told["status"]["assignment"]["revision"], 2);
    }
    world.settled().await;
}

/// Another instance that has its resources and whose status does not get through.
async fn unwritten(world: &World, version: &str) -> Value {
    world.line.break_with(|it| it.contains("/apps/b/status").then_some(Fault::Refused(500)));
    world.instance("App b", "").await;
    is_at(world, "ConfigMap b-one", version).await;
    world.there("ConfigMap b-one").await
}

#[tokio::test(flavor = "multi_thread")]
async fn v14_an_assignment_that_nobody_wrote_down_is_found_again() {
    let mut world = with_an_instance().await;
    let made = unwritten(&world, "one").await;
    world.kill_controllers();
    world.line.mend();
    world.start_controllers();
    world.eventually("App b", |it| observed(it).0 == 1).await;
    world.settled().await;
    let version = |it: &Value| it["metadata"]["resourceVersion"].clone();
    assert_eq!(version(&world.there("ConfigMap b-one").await), version(&made));
}

#[tokio::test(flavor = "multi_thread")]
async fn v14_a_pin_counts_that_comes_before_the_first_status() {
    let world = with_an_instance().await;
    world.define(&app("two", "")).await;
    is_at(&world, "ConfigMap a-one", "two").await;
    unwritten(&world, "two").await;
    annotate(&world, "App b", json!({"kro.run/rgd-revision": "1"})).await;
    world.line.mend();
    is_at(&world, "ConfigMap b-one", "one").await;
    let told = world.eventually("App b", |it| observed(it).0 == 1).await;
    assert_eq!(because(&told), "Pinned");
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v5_an_instance_has_all_fields_of_the_design() {
    let world = with_an_instance().await;
    let status = world.active("App a").await["status"].clone();
    for field in
        ["currentInputRevision", "currentRGDRevision", "observedInputRevision", "observedRGDRevision"]
    {
        assert_eq!(status[field], json!(1), "{field}");
    }
    let propagation = &status["propagation"];
    assert_eq!(propagation["status"], "Completed");
    assert_eq!(propagation["targetInputRevision"], json!(1));
    assert_eq!((&propagation["resourcesAtTarget"], &propagation["totalResources"]), (&json!(1), &json!(1)));
    assert!(propagation["lastTransitionTime"].is_string());
    let newest = &status["inputRevisionHistory"][0];
    assert_eq!((&newest["revision"], &newest["rgdRevision"]), (&json!(1), &json!(1)));
    assert_eq!(newest["status"], "Completed");
    assert!(newest["createdAt"].is_string() && newest["spec"].is_string());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v5_what_an_author_calls_the_same_stays_the_authors() {
    let world = World::start().await;
    let schema = "spec: {text: 'string | default=hello'}, status: {propagation: '${one.data.text}', \
                  currentRGDRevision: '${one.data.text}', assignment: '${one.data.text}', \
                  observedGeneration: '${one.data.text}'}";
    world.define(&definition("App", schema, &config_map("one", "text: '${schema.spec.text}'", ""))).await;
    world.instance("App a", "").await;
    let told = world.active("App a").await;
    let status = &told["status"];
    for field in ["propagation", "currentRGDRevision", "assignment", "observedGeneration"] {
        assert_eq!(status[field], "hello", "{field}");
    }
    assert_eq!(status["krono"]["observedGeneration"], told["metadata"]["generation"]);
    assert_eq!(status["krono"]["propagation"]["status"], "Completed");
    assert_eq!(status["krono"]["currentRGDRevision"], json!(1));
    assert_eq!(status["krono"]["assignment"]["revision"], json!(1));
    assert_eq!(status["observedRGDRevision"], json!(1));
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v26_a_pinned_instance_stays_and_is_served_by_its_own_revision() {
    let world = with_an_instance().await;
    annotate(&world, "App a", json!({"kro.run/rgd-revision": "1"})).await;
    world.eventually("App a", |it| because(it) == "Pinned").await;
    world.define(&app("two", ", size: 'integer | default=3'")).await;
    world.instance("App b", "").await;
    is_at(&world, "ConfigMap b-one", "two").await;
    world.merge("App a", json!({"spec": {"text": "edited"}})).await;
    let map = world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "edited").await;
    assert_eq!(map["data"]["version"], "one");
    world.settled().await;
    annotate(&world, "App a", json!({"kro.run/rgd-revision": null})).await;
    is_at(&world, "ConfigMap a-one", "two").await;
    world.eventually("App a", |it| because(it) == "Following" && observed(it).0 == 2).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v26_a_pin_that_makes_no_sense_leaves_everything_as_it_is_and_is_told() {
    let world = with_an_instance().await;
    world.define(&app("two", "")).await;
    is_at(&world, "ConfigMap a-one", "two").await;
    for (pin, reason) in [("latest", "PinInvalid"), ("7", "PinInvalid"), ("0", "PinInvalid")] {
        annotate(&world, "App a", json!({"kro.run/rgd-revision": pin})).await;
        let told = world.eventually("App a", |it| condition(it, "Assigned")["reason"] == reason).await;
        let words = message(&told, "Assigned");
        assert!(words.contains(pin), "{words}");
        assert_eq!(told["status"]["state"], "ACTIVE");
        world.settled().await;
        world.has_told(&format!("Warning {reason}: {words}")).await;
        assert_eq!(world.there("ConfigMap a-one").await["data"]["version"], "two");
        annotate(&world, "App a", json!({"kro.run/rgd-revision": null})).await;
        world.eventually("App a", |it| condition(it, "Assigned").is_null()).await;
    }
    annotate(&world, "App a", json!({"krono.dev/hold-input-revision": "banana"})).await;
    let told = world.eventually("App a", |it| condition(it, "Assigned")["reason"] == "HoldInvalid").await;
    world.quiet().await;
    let words = message(&told, "Assigned");
    assert!(words.contains("banana"), "{words}");
    world.has_told(&format!("Warning HoldInvalid: {words}")).await;
    annotate(&world, "App a", json!({"krono.dev/hold-input-revision": null})).await;
    world.eventually("App a", |it| condition(it, "Assigned").is_null()).await;
    let events = world.told().await;
    let turns = ["Normal Pinned:", "Normal Unpinned:", "Normal Held:", "Normal Released:"];
    assert!(!events.iter().any(|it| turns.iter().any(|turn| it.starts_with(turn))), "{events:#?}");
    annotate(&world, "App a", json!({"kro.run/rgd-revision": "7"})).await;
    world.eventually("App a", |it| condition(it, "Assigned")["reason"] == "PinInvalid").await;
    annotate(&world, "App a", json!({"kro.run/rgd-revision": "2"})).await;
    world.eventually("App a", |it| condition(it, "Assigned").is_null()).await;
    world.settled().await;
    world.has_told("Normal Pinned: pinned at revision 2").await;
    let mut born = instance("App b", "");
    born["metadata"]["annotations"] = json!({"kro.run/rgd-revision": "7"});
    world.put(&born).await;
    let told = world.state("App b", "ERROR").await;
    assert!(message(&told, "GraphResolved").contains("no revision 7"), "{told:#}");
    world.settled().await;
    assert!(world.get("ConfigMap b-one").await.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn v26_a_revision_that_failed_may_be_pinned_with_a_warning() {
    let world = with_an_instance().await;
    world.define(&app("two", "")).await;
    is_at(&world, "ConfigMap a-one", "two").await;
    world
        .annotate("ResourceGraphDefinitionRevision app-rev-1", "krono.dev/failed", Some("halted: it was bad"))
        .await;
    annotate(&world, "App a", json!({"kro.run/rgd-revision": "1"})).await;
    is_at(&world, "ConfigMap a-one", "one").await;
    let told = world.eventually("App a", |it| condition(it, "Assigned")["reason"] == "PinnedToFailed").await;
    assert_eq!((because(&told), &told["status"]["state"]), ("Pinned", &json!("ACTIVE")));
    world.settled().await;
    let words = message(&told, "Assigned");
    assert!(words.contains("revision 1") && words.contains("it was bad"), "{words}");
    world.has_told(&format!("Warning PinnedToFailed: {words}")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v27_a_manual_instance_waits_for_approval_and_follows_its_own_spec() {
    let world = with_an_instance().await;
    annotate(&world, "App a", json!({"kro.run/update-policy": "Manual"})).await;
    world.eventually("App a", |it| because(it) == "Manual").await;
    world.define(&app("two", "")).await;
    world.define(&app("three", "")).await;
    world.merge("App a", json!({"spec": {"text": "edited"}})).await;
    let map = world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "edited").await;
    assert_eq!(map["data"]["version"], "one");
    world.settled().await;
    annotate(&world, "App a", json!({"krono.dev/approve-revision": "2"})).await;
    is_at(&world, "ConfigMap a-one", "two").await;
    world.settled().await;
    annotate(&world, "App a", json!({"krono.dev/approve-revision": "3"})).await;
    is_at(&world, "ConfigMap a-one", "three").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v27_a_paused_instance_is_left_alone_and_can_be_deleted() {
    let world = with_an_instance().await;
    annotate(&world, "App a", json!({"kro.run/update-policy": "Paused"})).await;
    let paused = |it: &Value| condition(it, "ResourcesReady")["reason"] == "ReconciliationSuspended";
    let told = world.eventually("App a", paused).await;
    assert!(message(&told, "ResourcesReady").contains("kro.run/update-policy"));
    world.define(&app("two", "")).await;
    world.merge("ConfigMap a-one", json!({"data": {"text": "drifted"}})).await;
    world.merge("App a", json!({"spec": {"text": "edited"}})).await;
    world.settled().await;
    let map = world.there("ConfigMap a-one").await;
    assert_eq!((&map["data"]["version"], &map["data"]["text"]), (&json!("one"), &json!("drifted")));
    annotate(&world, "App a", json!({"kro.run/update-policy": "Auto"})).await;
    let map = world.eventually("ConfigMap a-one", |it| it["data"]["version"] == "two").await;
    assert_eq!(map["data"]["text"], "edited");
    annotate(&world, "App a", json!({"kro.run/update-policy": "Paused"})).await;
    world.eventually("App a", paused).await;
    world.delete("App a").await;
    world.gone("App a").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v28_the_platform_owner_limits_what_instances_decide() {
    let world = with_an_instance().await;
    annotate(&world, "App a", json!({"kro.run/rgd-revision": "1"})).await;
    world.eventually("App a", |it| because(it) == "Pinned").await;
    let mut limited = app("two", "");
    limited["spec"]["revisionManagement"] = json!({"instances": {"pin": false}});
    world.define(&limited).await;
    is_at(&world, "ConfigMap a-one", "two").await;
    let told = world.eventually("App a", |it| condition(it, "Assigned")["reason"] == "PinForbidden").await;
    assert_eq!(because(&told), "Following");
    limited["spec"]["revisionManagement"] = json!({"instances": {"pin": true}});
    world.define(&limited).await;
    is_at(&world, "ConfigMap a-one", "one").await;
    limited["spec"]["revisionManagement"] = json!({"instances": {"minimumRevision": 2}});
    world.define(&limited).await;
    is_at(&world, "ConfigMap a-one", "two").await;
    let is_lifted = |it: &Value| condition(it, "Assigned")["reason"] == "BelowMinimumRevision";
    let told = world.eventually("App a", is_lifted).await;
    assert_eq!(because(&told), "MinimumRevision");
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v15_a_spec_that_a_revision_refuses_stays_where_it_is() {
    let world = World::start().await;
    let sized = |version: &str, most: u8| {
        let map =
            config_map("one", &format!("version: {version}, size: '${{string(schema.spec.size)}}'"), "");
        definition("App", &format!("spec: {{size: 'integer | default=3 maximum={most}'}}"), &map)
    };
    world.define(&sized("one", 50)).await;
    world.instance("App a", "size: 20").await;
    world.instance("App b", "size: 4").await;
    is_at(&world, "ConfigMap a-one", "one").await;
    let mut strict = sized("two", 10);
    strict["metadata"]["annotations"] = json!({"kro.run/allow-breaking-changes": "true"});
    world.define(&strict).await;
    world.eventually("ResourceGraphDefinition /app", |it| it["status"]["latestRevision"] == 2).await;
    is_at(&world, "ConfigMap b-one", "two").await;
    let told = world.eventually("App a", |it| condition(it, "Assigned")["reason"] == "SpecRefused").await;
    let words = message(&told, "Assigned");
    assert!(words.contains("revision 2") && words.contains("spec.size"), "{words}");
    assert_eq!(told["status"]["assignment"]["revision"], 1, "{told:#}");
    world.settled().await;
    assert_eq!(world.there("ConfigMap a-one").await["data"], json!({"version": "one", "size": "20"}));
    let event = format!("Warning SpecRefused: {words}");
    let events = world.told().await;
    assert_eq!(events.iter().filter(|it| **it == event).count(), 1, "{events:#?}");
    world.merge("App a", json!({"spec": {"size": 5}})).await;
    is_at(&world, "ConfigMap a-one", "two").await;
    world.eventually("App a", |it| condition(it, "Assigned").is_null() && observed(it).0 == 2).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v29_hundreds_of_instances_live_side_by_side_on_different_revisions() {
    let world = World::start().await;
    let versions = ["one", "two", "three", "four", "five"];
    for version in versions {
        world.define(&app(version, "")).await;
    }
    for index in 0..200 {
        let mut pinned = instance(&format!("App a{index}"), "");
        let pin = (index % 5 + 1).to_string();
        pinned["metadata"]["annotations"] = json!({"kro.run/rgd-revision": pin});
        world.put(&pinned).await;
    }
    for index in 0..200 {
        is_at(&world, &format!("ConfigMap a{index}-one"), versions[index % 5]).await;
    }
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v28_a_pin_ends_when_its_time_has_come() {
    let world = with_an_instance().await;
    annotate(&world, "App a", json!({"kro.run/rgd-revision": "1"})).await;
    world.eventually("App a", |it| because(it) == "Pinned").await;
    let mut limited = app("two", "");
    limited["spec"]["revisionManagement"] = json!({"instances": {"pinExpires": "2s"}});
    world.define(&limited).await;
    is_at(&world, "ConfigMap a-one", "two").await;
    let told = world.eventually("App a", |it| condition(it, "Assigned")["reason"] == "PinExpired").await;
    assert_eq!(because(&told), "Following");
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v26_a_template_may_pin_the_instances_that_it_makes() {
    let world = with_an_instance().await;
    let inner = |pin: &str| {
        format!(
            "
- id: inner
  template:
    apiVersion: kro.run/v1alpha1
    kind: App
    metadata:
      name: ${{schema.metadata.name}}-inner
      annotations: {{kro.run/rgd-revision: '{pin}', kro.run/update-policy: Auto}}
    spec: {{text: inner}}
"
        )
    };
    world.define(&definition("Outer", "spec: {name: string}", &inner("1"))).await;
    world.instance("Outer o", "").await;
    world.active("Outer o").await;
    world.define(&app("two", "")).await;
    is_at(&world, "ConfigMap a-one", "two").await;
    world.settled().await;
    assert_eq!(because(&world.there("App o-inner").await), "Pinned");
    assert_eq!(world.there("ConfigMap o-inner-one").await["data"]["version"], "one");
    world.define(&definition("Outer", "spec: {name: string}", &inner("2"))).await;
    is_at(&world, "ConfigMap o-inner-one", "two").await;
    world.settled().await;

    let pin = "metadata: {annotations: {kro.run/rgd-revision: '1'}, ";
    let wrong = config_map("one", "a: b", "").replace("metadata: {", pin);
    world.put(&definition("Outer", "spec: {name: string}", &wrong)).await;
    let told = world
        .eventually("ResourceGraphDefinition /outer", |it| {
            condition(it, "GraphAccepted")["status"] == "False"
        })
        .await;
    assert!(message(&told, "GraphAccepted").contains("keys under kro.run/"), "{told:#}");
    world.settled().await;
}
