//! What instances ask for, numbered: stamps, histories, rollbacks and holds.

use bytes::Bytes;
use kube::Api;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, PostParams};
use serde_json::{Value, json};

use crate::line::{Fault, Weather};
use crate::world::{World, condition, config_map, definition, instance, message};

const INPUT_ROLLBACK: &str = "kro.run/rollback-to-input-revision";

/// Five resources, of which only the first knows the version.
fn app(version: &str) -> Value {
    let first = config_map("one", &format!("version: {version}, text: '${{schema.spec.text}}'"), "");
    let others: String = ["two", "three", "four", "five"]
        .iter()
        .map(|id| config_map(id, "text: '${schema.spec.text}'", ""))
        .collect();
    definition("App", "spec: {text: 'string | default=hello'}", &(first + &others))
}

async fn with_instances(count: usize) -> World {
    let world = World::start().await;
    world.define(&app("one")).await;
    for index in 0..count {
        world.instance(&format!("App a{index}"), "").await;
    }
    for index in 0..count {
        world.eventually(&format!("App a{index}"), |it| it["status"]["observedInputRevision"] == 1).await;
    }
    world.quiet().await;
    world
}

fn stamps(object: &Value) -> (&str, &str) {
    let stamp = |key: &str| object["metadata"]["annotations"][key].as_str().unwrap_or_default();
    (stamp("kro.run/rgd-revision"), stamp("kro.run/input-revision"))
}

fn numbers(instance: &Value) -> Vec<i64> {
    let history = instance["status"]["inputRevisionHistory"].as_array();
    history.into_iter().flatten().filter_map(|it| it["revision"].as_i64()).collect()
}

/// Creates an instance as people do, who keep no copy of it: what is applied by a name that nobody knows is kept by a tool.
async fn create(world: &World, what: &str) {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("kro.run", "v1alpha1", "App"));
    let api: Api<DynamicObject> = Api::namespaced_with(world.client.clone(), "default", &resource);
    let object = serde_json::from_value(instance(what, "")).expect("an object");
    api.create(&PostParams::default(), &object).await.expect("a creation");
}

async fn annotate(world: &World, what: &str, annotations: Value) -> Value {
    world.merge(what, json!({"metadata": {"annotations": annotations}})).await
}

/// How often each of these was written.
fn counts<const N: usize>(writes: &[String], of: [&str; N]) -> [usize; N] {
    of.map(|part| writes.iter().filter(|it| it.contains(part)).count())
}

#[tokio::test(flavor = "multi_thread")]
async fn v16_an_instance_begins_with_one_write_of_itself_and_one_of_its_status() {
    let world = with_instances(1).await;
    let before = world.line.writes().len();
    create(&world, "App b").await;
    world.eventually("App b", |it| it["status"]["observedInputRevision"] == 1).await;
    world.quiet().await;
    let writes = &world.line.writes()[before..];
    let of = counts(writes, ["/configmaps/", "/apps/b?", "/apps/b/status?"]);
    assert_eq!(of, [5, 1, 1], "{writes:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn v16_a_change_to_one_of_five_resources_writes_one_resource_and_three_statuses() {
    const COUNT: usize = 10;
    let world = with_instances(COUNT).await;
    let before = world.line.writes().len();
    world.define(&app("two")).await;
    for index in 0..COUNT {
        world.eventually(&format!("App a{index}"), |it| it["status"]["observedRGDRevision"] == 2).await;
    }
    world.quiet().await;
    let writes = &world.line.writes()[before..];
    let [resources, statuses] = counts(writes, ["/configmaps/", "/apps/a"]);
    assert_eq!(resources, COUNT, "{writes:#?}");
    assert!(statuses <= 3 * COUNT, "{writes:#?}");
    let one = world.there("ConfigMap a0-one").await;
    assert_eq!(stamps(&one), ("2", "2"));
    let annotations = &one["metadata"]["annotations"];
    assert_eq!(annotations["kro.run/instance-name"], "a0");
    assert_eq!(annotations["kro.run/instance-namespace"], "default");
    assert_eq!(annotations["kro.run/resource-id"], "one");
    assert_eq!(stamps(&world.there("ConfigMap a0-two").await), ("1", "1"));
    let told = world.there("App a0").await;
    assert_eq!(told["status"]["propagation"]["resourcesAtTarget"], json!(5));
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v16_always_stamps_every_resource() {
    let world = with_instances(1).await;
    let mut always = app("two");
    always["spec"]["revisionManagement"] = json!({"stampResources": "Always"});
    world.define(&always).await;
    for id in ["one", "two", "three", "four", "five"] {
        world.eventually(&format!("ConfigMap a0-{id}"), |it| stamps(it) == ("2", "2")).await;
    }
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v16_a_resource_that_is_an_instance_itself_is_not_pinned_by_its_stamps() {
    let world = World::start().await;
    world.define(&app("one")).await;
    let nested = "- id: inner\n  template: {apiVersion: kro.run/v1alpha1, kind: App, \
                  metadata: {name: '${schema.metadata.name}-inner'}, spec: {text: nested}}\n";
    world.define(&definition("Outer", "spec: {}", nested)).await;
    world.instance("Outer o", "").await;
    world.active("Outer o").await;
    let inner = world.active("App o-inner").await;
    assert_eq!(stamps(&inner), ("", ""));
    let annotations = &inner["metadata"]["annotations"];
    assert_eq!(annotations["internal.kro.run/owner-input-revision"], "1");
    assert_eq!(inner["status"]["assignment"]["because"], "Following");
    world.define(&app("two")).await;
    world.eventually("ConfigMap o-inner-one", |it| it["data"]["version"] == "two").await;
    annotate(&world, "App o-inner", json!({"kro.run/rgd-revision": "1"})).await;
    world.eventually("ConfigMap o-inner-one", |it| it["data"]["version"] == "one").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v18_a_new_revision_alone_restarts_no_workload() {
    let with = |version: &str, stamping: &str| {
        let pods = "{metadata: {labels: {app: a}}, spec: {containers: [{name: main, image: 'web:1'}]}}";
        let web = format!(
            "- {{id: web, template: {{apiVersion: apps/v1, kind: Deployment, metadata: {{name: web}}, \
             spec: {{selector: {{matchLabels: {{app: a}}}}, template: {pods}}}}}}}\n"
        );
        let one = config_map("one", &format!("version: {version}"), "");
        let mut made = definition("App", "spec: {text: string}", &(web + &one));
        made["spec"]["revisionManagement"] = json!({"stampResources": stamping});
        made
    };
    let world = World::start().await;
    world.define(&with("one", "OnChange")).await;
    world.instance("App a", "").await;
    world.eventually("App a", |it| it["status"]["currentInputRevision"] == 1).await;
    let first = world.there("Deployment web").await;
    world.define(&with("two", "OnChange")).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["version"] == "two").await;
    world.settled().await;
    let second = world.there("Deployment web").await;
    assert_eq!(second["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
    world.define(&with("three", "Always")).await;
    let stamped = world.eventually("Deployment web", |it| stamps(it) == ("3", "3")).await;
    assert_eq!(stamped["spec"], first["spec"]);
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v17_what_was_observed_stays_observed() {
    let world = World::start().await;
    let ready = "readyWhen: ['${one.data.?done.orValue(\"no\") == \"yes\"}']";
    let data = |version: &str| config_map("one", &format!("version: {version}"), ready);
    world.define(&definition("App", "spec: {}", &data("one"))).await;
    world.instance("App a", "").await;
    let told = world.state("App a", "IN_PROGRESS").await;
    assert!(told["status"].get("observedInputRevision").is_none());
    assert_eq!(told["status"]["propagation"]["status"], "InProgress");
    assert_eq!(told["status"]["propagation"]["resourcesAtTarget"], json!(1));
    world.merge("ConfigMap a-one", json!({"data": {"done": "yes"}})).await;
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == 1).await;
    world.merge("ConfigMap a-one", json!({"data": {"done": "no"}})).await;
    let told = world.state("App a", "IN_PROGRESS").await;
    assert_eq!(told["status"]["observedInputRevision"], json!(1));
    assert_eq!(told["status"]["propagation"]["status"], "Completed");
    world.define(&definition("App", "spec: {}", &data("two"))).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["version"] == "two").await;
    world.quiet().await;
    let told = world.there("App a").await;
    assert_eq!(
        (&told["status"]["observedInputRevision"], &told["status"]["currentInputRevision"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(told["status"]["propagation"]["status"], "InProgress");
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v4_inputs_are_numbered_and_so_many_are_kept() {
    let world = with_instances(1).await;
    for text in ["b", "c", "d", "e", "f", "g"] {
        world.instance("App a0", &format!("text: {text}")).await;
        world.eventually("ConfigMap a0-five", |it| it["data"]["text"] == text).await;
        world.quiet().await;
    }
    let told = world.active("App a0").await;
    assert_eq!(numbers(&told), [7, 6, 5, 4, 3]);
    world.settled().await;
}

/// An instance that stays at the first revision, when the second has brought a field of this type.
async fn pinned_before_size(of: &str) -> World {
    let world = with_instances(1).await;
    annotate(&world, "App a0", json!({"kro.run/rgd-revision": "1"})).await;
    world.eventually("App a0", |it| it["status"]["assignment"]["because"] == "Pinned").await;
    let mut wider = app("two");
    wider["spec"]["schema"]["spec"]["size"] = json!(of);
    world.define(&wider).await;
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn v15_new_defaults_are_no_new_input_for_those_who_stay() {
    let world = pinned_before_size("integer | default=3").await;
    world.eventually("App a0", |it| it["spec"]["size"] == 3).await;
    world.settled().await;
    assert_eq!(numbers(&world.there("App a0").await), [1]);
    world.merge("App a0", json!({"spec": {"size": 4}})).await;
    let told = world.eventually("App a0", |it| it["status"]["ignoredFields"] == json!(["spec.size"])).await;
    world.settled().await;
    assert_eq!(numbers(&told), [1]);
    assert!(message(&told, "FieldsIgnored").contains("revision 1 does not know spec.size"));
    annotate(&world, "App a0", json!({"kro.run/rgd-revision": null})).await;
    let told = world.eventually("App a0", |it| it["status"]["observedRGDRevision"] == 2).await;
    assert!(told["status"].get("ignoredFields").is_none());
    assert!(condition(&told, "FieldsIgnored").is_null());
    world.settled().await;
}

/// A watch that was there before the field `size` was, and is slow.
#[derive(Default)]
struct OldWatch {
    has_told: bool,
}

impl Weather for OldWatch {
    fn fault(&mut self, _: &str) -> Option<Fault> {
        None
    }

    fn heard(&mut self, event: Bytes) -> Bytes {
        const SIZE: &str = "\"size\":4,";
        let text = String::from_utf8_lossy(&event);
        match () {
            () if !text.contains(SIZE) => event,
            () if std::mem::replace(&mut self.has_told, true) => Bytes::new(),
            () => text.replace(SIZE, "").into(),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn v15_what_an_old_watch_does_not_show_is_seen_in_answers() {
    let world = pinned_before_size("integer").await;
    world.settled().await;
    world.line.expose(OldWatch::default());
    world.merge("App a0", json!({"spec": {"size": 4}})).await;
    world.eventually("App a0", |it| it["status"]["ignoredFields"] == json!(["spec.size"])).await;
    world.line.mend();
    world.line.interrupt_watches();
    world.settled().await;
}

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
    annotate(&world, "App a0", json!({INPUT_ROLLBACK: "1"})).await;
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
async fn v11_an_input_tells_who_made_it_and_why() {
    let world = with_instances(0).await;
    world.instance("App b", "text: one").await;
    world.eventually("App b", |it| it["status"]["observedInputRevision"] == 1).await;
    annotate(&world, "App b", json!({"kubernetes.io/change-cause": "more of it"})).await;
    world.put_by_hand(&instance("App b", "text: more")).await;
    let told = world.eventually("App b", |it| it["status"]["observedInputRevision"] == 2).await;
    let [last, first] = [0, 1].map(|it| &told["status"]["inputRevisionHistory"][it]);
    assert_eq!((&last["author"]["manager"], &last["changeCause"]), (&json!("kubectl"), &json!("more of it")));
    assert_eq!((&first["author"]["manager"], &first["changeCause"]), (&json!("user"), &Value::Null));
    world.define(&app("two")).await;
    let told = world.eventually("App b", |it| it["status"]["observedInputRevision"] == 3).await;
    assert!(told["status"]["inputRevisionHistory"][0]["author"].is_null());
    world.settled().await;
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
    let told = world.eventually("App a0", is_answered).await;
    assert_eq!(told["spec"]["text"], "two");
    world.settled().await;
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
async fn v9_numbers_go_on_when_the_status_is_lost_and_nothing_is_written_anew() {
    let mut world = with_instances(1).await;
    world.define(&app("two")).await;
    world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 2).await;
    annotate(&world, "App a0", json!({"kro.run/update-policy": "Manual"})).await;
    world.eventually("App a0", |it| it["status"]["assignment"]["because"] == "Manual").await;
    world.define(&app("three")).await;
    world.quiet().await;
    world.kill_controllers();
    let lost = json!({"assignment": null, "inputRevisionHistory": null, "currentInputRevision": null,
        "observedInputRevision": null, "propagation": null, "currentRGDRevision": null, "observedRGDRevision": null});
    world.merge_status("App a0", lost).await;
    let before = world.there("ConfigMap a0-one").await;
    world.start_controllers();
    let told = world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 3).await;
    assert_eq!(told["status"]["assignment"]["revision"], json!(2));
    assert_eq!(world.there("ConfigMap a0-one").await, before);
    world.settled().await;
}
