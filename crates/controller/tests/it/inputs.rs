//! What instances ask for, numbered: stamps and histories.

use bytes::Bytes;
use kube::Api;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind, PostParams};
use serde_json::{Value, json};

use crate::line::{Fault, Weather};
use crate::world::{World, condition, config_map, definition, instance, message};

/// Five resources, of which only the first knows the version.
pub(crate) fn app(version: &str) -> Value {
    let first = config_map("one", &format!("version: {version}, text: '${{schema.spec.text}}'"), "");
    let others: String = ["two", "three", "four", "five"]
        .iter()
        .map(|id| config_map(id, "text: '${schema.spec.text}'", ""))
        .collect();
    definition("App", "spec: {text: 'string | default=hello'}", &(first + &others))
}

pub(crate) async fn with_instances(count: usize) -> World {
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

pub(crate) fn numbers(instance: &Value) -> Vec<i64> {
    let history = instance["status"]["inputRevisionHistory"].as_array();
    history.into_iter().flatten().filter_map(|it| it["revision"].as_i64()).collect()
}

/// Creates an instance as people do, who keep no copy of it: what is applied by a name that nobody knows is kept by a tool.
pub(crate) async fn create(world: &World, what: &str) {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("kro.run", "v1alpha1", "App"));
    let api: Api<DynamicObject> = Api::namespaced_with(world.client.clone(), "default", &resource);
    let object = serde_json::from_value(instance(what, "")).expect("an object");
    api.create(&PostParams::default(), &object).await.expect("a creation");
}

pub(crate) async fn annotate(world: &World, what: &str, annotations: Value) -> Value {
    world.merge(what, json!({"metadata": {"annotations": annotations}})).await
}

/// How often each of these was written.
fn counts<const N: usize>(writes: &[String], of: [&str; N]) -> [usize; N] {
    of.map(|part| writes.iter().filter(|it| it.contains(part)).count())
}

/// How many Events there are of this reason.
async fn told_of(world: &World, reason: &str) -> usize {
    world.told().await.iter().filter(|it| it.starts_with(reason)).count()
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
    world.settled().await;
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

/// What was assigned is told with the assignment, while nothing can be done for it yet.
#[tokio::test(flavor = "multi_thread")]
async fn v40_an_instance_says_that_its_revision_is_to_come() {
    for (keeping, kept) in [("Inline", "/configmaps/"), ("Objects", "/resourcegraphinputrevisions")] {
        let app = |version: &str| {
            let mut made =
                definition("App", "spec: {}", &config_map("one", &format!("version: {version}"), ""));
            made["spec"]["revisionManagement"] = json!({"inputRevisions": keeping});
            made
        };
        let world = World::start().await;
        world.define(&app("one")).await;
        create(&world, "App a").await;
        let before = world.eventually("App a", |it| it["status"]["observedRGDRevision"] == 1).await;
        assert_eq!(before["status"]["propagation"]["status"], "Completed", "{keeping}");
        world.settled().await;
        let is_refused = move |it: &str| !it.starts_with("GET") && it.contains(kept);
        world.line.break_with(move |request| is_refused(request).then_some(Fault::Refused(500)));
        world.put_by_hand(&app("two")).await;
        let told = world.eventually("App a", |it| it["status"]["assignment"]["revision"] == 2).await;
        let propagation = &told["status"]["propagation"];
        let of = |field: &str| propagation[field].clone();
        assert_eq!(
            (of("status"), of("targetInputRevision"), of("resourcesAtTarget")),
            (json!("Pending"), json!(2), json!(0)),
            "{keeping}: {told:#}"
        );
        assert_eq!(told["status"]["observedRGDRevision"], 1, "{keeping}");
        let since = propagation.get("observedSince").unwrap_or(&propagation["lastTransitionTime"]);
        assert_eq!(*since, before["status"]["propagation"]["lastTransitionTime"], "{keeping}: {told:#}");
        world.line.mend();
        let told = world.eventually("App a", |it| it["status"]["observedRGDRevision"] == 2).await;
        assert_eq!(told["status"]["propagation"]["status"], "Completed", "{keeping}");
        world.settled().await;
    }
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
    annotate(&world, "App a0", json!({"seen": "again"})).await;
    world.settled().await;
    let told = world.there("App a0").await;
    assert_eq!(numbers(&told), [1]);
    assert!(condition(&told, "FieldsIgnored").is_null(), "nobody has set it: {told:#}");
    world.merge("App a0", json!({"spec": {"size": 4}})).await;
    let told = world.eventually("App a0", |it| it["status"]["ignoredFields"] == json!(["spec.size"])).await;
    world.settled().await;
    assert_eq!(numbers(&told), [1]);
    assert!(message(&told, "FieldsIgnored").contains("revision 1 does not know spec.size"));
    assert_eq!(told_of(&world, "Warning FieldsIgnored").await, 1);
    annotate(&world, "App a0", json!({"kro.run/rgd-revision": null})).await;
    let told = world.eventually("App a0", |it| it["status"]["observedRGDRevision"] == 2).await;
    assert!(told["status"].get("ignoredFields").is_none());
    assert!(condition(&told, "FieldsIgnored").is_null());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v15_an_edit_that_its_revision_refuses_leaves_an_instance_as_it_is() {
    let world = World::start().await;
    let of = |version: &str, colours: &str| {
        let mut definition = app(version);
        let colour = format!("string | enum=\"{colours}\" default=\"red\"");
        definition["spec"]["schema"]["spec"]["colour"] = json!(colour);
        definition
    };
    world.define(&of("one", "red,blue")).await;
    let mut pinned = instance("App a0", "");
    pinned["metadata"]["annotations"] = json!({"kro.run/rgd-revision": "1"});
    world.put(&pinned).await;
    world.define(&of("two", "red,blue,green")).await;
    world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 1).await;
    world.merge("App a0", json!({"spec": {"colour": "green", "text": "new"}})).await;
    let told = world.eventually("App a0", |it| !condition(it, "SpecRefused").is_null()).await;
    world.settled().await;
    assert_eq!(numbers(&told), [1]);
    let words = "revision 1 does not accept the spec: spec.colour: Unsupported value: \"green\"";
    assert!(message(&told, "SpecRefused").starts_with(words), "{told:#}");
    assert!(message(&told, "SpecRefused").ends_with("; input revision 1 stands"), "{told:#}");
    assert_eq!(told_of(&world, "Warning SpecRefused").await, 1);
    assert_eq!(world.there("ConfigMap a0-one").await["data"]["text"], "hello");

    world.merge("App a0", json!({"spec": {"colour": "blue"}})).await;
    let told = world.eventually("App a0", |it| it["status"]["observedInputRevision"] == 2).await;
    assert!(condition(&told, "SpecRefused").is_null(), "{told:#}");
    world.merge("App a0", json!({"spec": {"colour": "green"}})).await;
    annotate(&world, "App a0", json!({"kro.run/rgd-revision": null})).await;
    let told = world.eventually("App a0", |it| it["status"]["observedRGDRevision"] == 2).await;
    assert!(condition(&told, "SpecRefused").is_null(), "{told:#}");
    assert_eq!(world.there("ConfigMap a0-one").await["data"]["version"], "two");
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
