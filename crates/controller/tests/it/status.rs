//! What instances say about themselves.

use serde_json::{Value, json};

use krono_controller::Options;

use crate::line::Fault;
use crate::world::{World, condition, config_map, definition, message};

const READY: &str = "readyWhen: ['${one.data.?done.orValue(\"no\") == \"yes\"}']";

async fn with(schema: &str, resources: &str) -> World {
    let world = World::start().await;
    world.define(&definition("App", schema, resources)).await;
    world.instance("App a", "text: hello").await;
    world
}

fn reason(object: &Value, of: &str) -> (String, String) {
    let word = |field: &str| condition(object, of)[field].as_str().unwrap_or_default().to_owned();
    (word("status"), word("reason"))
}

fn pair(status: &str, reason: &str) -> (String, String) {
    (status.to_owned(), reason.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_34_conditions_and_state_are_those_of_kro() {
    let world = with("spec: {text: string}", &config_map("one", "text: '${schema.spec.text}'", READY)).await;
    let told = world.state("App a", "IN_PROGRESS").await;
    assert_eq!(reason(&told, "InstanceManaged"), pair("True", "Managed"));
    assert_eq!(reason(&told, "GraphResolved"), pair("True", "Resolved"));
    assert_eq!(reason(&told, "ResourcesReady"), pair("False", "NotReady"));
    assert_eq!(reason(&told, "Ready"), pair("False", "NotReady"));
    assert!(message(&told, "Ready").starts_with("awaiting resource readiness: "));
    world.merge("ConfigMap a-one", json!({"data": {"done": "yes"}})).await;
    let told = world.state("App a", "ACTIVE").await;
    assert_eq!(reason(&told, "ResourcesReady"), pair("True", "AllResourcesReady"));
    assert_eq!(reason(&told, "Ready"), pair("True", "Ready"));
    let types: Vec<_> =
        told["status"]["conditions"].as_array().expect("conditions").iter().map(|it| &it["type"]).collect();
    assert_eq!(types.len(), 4);
    assert_eq!(types[3], "Ready");
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_34_a_first_status_is_put_and_takes_nothing_from_others() {
    let world = with("spec: {text: string}", &config_map("one", "text: '${schema.spec.text}'", READY)).await;
    world.state("App a", "IN_PROGRESS").await;
    let owners = async || {
        let told = world.there("App a").await;
        let managed = told["metadata"]["managedFields"].as_array().cloned().unwrap_or_default();
        let owner = |it: Value| {
            let fields = it["fieldsV1"].as_object().map(|it| it.keys().cloned().collect::<Vec<_>>());
            (it["manager"].clone(), it["subresource"].clone(), json!(fields))
        };
        managed.into_iter().map(owner).collect::<Vec<_>>()
    };
    let krono = (json!("krono"), json!("status"), json!(["f:status"]));
    let first = owners().await;
    assert!(first.contains(&krono), "{first:?}");
    world.merge("ConfigMap a-one", json!({"data": {"done": "yes"}})).await;
    world.active("App a").await;
    world.settled().await;
    assert_eq!(owners().await, first);
    let writes = world.line.writes();
    let methods = writes.iter().filter(|it| it.contains("/apps/a/status")).map(|it| &it[..3]);
    assert_eq!(methods.collect::<Vec<_>>(), ["PUT", "PAT"], "{writes:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_34_generations_are_observed_and_times_stay() {
    let world = with("spec: {text: string}", &config_map("one", "text: '${schema.spec.text}'", "")).await;
    let before = world.active("App a").await;
    world.settled().await;
    world.instance("App a", "text: changed").await;
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "changed").await;
    let after = world.active("App a").await;
    let generation = |object: &Value| object["metadata"]["generation"].as_i64().expect("a number");
    assert!(generation(&after) > generation(&before));
    let conditions = |object: &Value| object["status"]["conditions"].as_array().cloned().expect("conditions");
    for (before, after_it) in conditions(&before).iter().zip(&conditions(&after)) {
        assert_eq!(after_it["observedGeneration"], generation(&after));
        assert_eq!(after_it["lastTransitionTime"], before["lastTransitionTime"]);
    }
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_34_a_status_field_goes_when_its_source_goes() {
    let schema = "spec: {text: string}, status: {text: '${one.data.text}', extra: '${one.data.extra}', \
                  mixed: 'it says ${one.data.text}'}";
    let world = with(schema, &config_map("one", "text: '${schema.spec.text}'", "")).await;
    let told = world.active("App a").await;
    assert_eq!(
        (&told["status"]["text"], &told["status"]["mixed"]),
        (&json!("hello"), &json!("it says hello"))
    );
    assert!(told["status"].get("extra").is_none());
    world.merge("ConfigMap a-one", json!({"data": {"extra": "more"}})).await;
    world.eventually("App a", |it| it["status"]["extra"] == "more").await;
    world.merge("ConfigMap a-one", json!({"data": {"extra": null}})).await;
    world.eventually("App a", |it| it["status"].get("extra").is_none()).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_34_a_status_that_others_edit_is_written_again() {
    let world = with(
        "spec: {text: string}, status: {text: '${one.data.text}'}",
        &config_map("one", "text: '${schema.spec.text}'", ""),
    )
    .await;
    world.active("App a").await;
    world.merge_status("App a", json!({"text": "wrong", "state": "ERROR"})).await;
    world
        .eventually("App a", |it| it["status"]["text"] == "hello" && it["status"]["state"] == "ACTIVE")
        .await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_34_what_the_server_does_not_let_krono_manage_is_told_and_tried_again() {
    let world = World::start().await;
    world.define(&definition("App", "spec: {}", &config_map("one", "text: x", ""))).await;
    world
        .line
        .break_with(|it| (it.starts_with("PATCH") && it.contains("/apps/a?")).then_some(Fault::Refused(403)));
    world.instance("App a", "").await;
    let told = world.state("App a", "ERROR").await;
    assert_eq!(reason(&told, "InstanceManaged"), pair("False", "ManagementFailed"));
    assert_eq!(message(&told, "InstanceManaged"), "finalizer/labeling failed: the line is broken");
    assert_eq!(reason(&told, "Ready"), pair("False", "ManagementFailed"));
    world.settled_in_vain().await;
    assert!(world.get("ConfigMap a-one").await.is_none(), "nobody would delete it");
    world.line.mend();
    let told = world.active("App a").await;
    assert_eq!(reason(&told, "InstanceManaged"), pair("True", "Managed"));
    world.there("ConfigMap a-one").await;
    world.settled().await;
}

/// What is told while a resource becomes ready, ceases to be so, and is again.
async fn told_of_conditions(condition_events: bool) -> Vec<String> {
    let world = World::start_with(Options { condition_events, ..Options::default() }).await;
    world.define(&definition("App", "spec: {}", &config_map("one", "text: x", READY))).await;
    world.instance("App a", "").await;
    world.state("App a", "IN_PROGRESS").await;
    for (done, state) in [("yes", "ACTIVE"), ("no", "IN_PROGRESS"), ("yes", "ACTIVE")] {
        world.merge("ConfigMap a-one", json!({"data": {"done": done}})).await;
        world.state("App a", state).await;
        world.settled().await;
    }
    let is_about = |it: &String| it.contains(" Ready: ") || it.contains(" GraphResolved: ");
    let mut told: Vec<_> = world.told().await.into_iter().filter(is_about).collect();
    told.sort();
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_conditions_are_told_by_events_where_that_is_wished() {
    let expected = [
        "Normal GraphResolved: none -> True: Resolved",
        "Normal Ready: False -> True: Ready",
        "Normal Ready: False -> True: Ready",
        "Warning Ready: True -> False: NotReady",
        "Warning Ready: none -> False: NotReady",
    ];
    assert_eq!(told_of_conditions(true).await, expected);
    assert_eq!(told_of_conditions(false).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_35_author_conditions_replace_the_usual_ones() {
    let schema = "spec: {text: string}, status: {conditions: [\
        '${runtime.newCondition({type: \"Done\", status: one.data.?done.orValue(\"no\") == \"yes\" ? \"True\" : \"False\", reason: \"Checked\", message: one.data.text})}', \
        '${runtime.newCondition({type: \"Inner\", status: runtime.condition(schema, \"ResourcesReady\").status})}']}";
    let world = with(schema, &config_map("one", "text: '${schema.spec.text}'", READY)).await;
    let told = world.eventually("App a", |it| condition(it, "Inner")["status"] == "False").await;
    assert_eq!(reason(&told, "Done"), pair("False", "Checked"));
    assert_eq!(message(&told, "Done"), "hello");
    assert_eq!(told["status"]["state"], "IN_PROGRESS");
    world.merge("ConfigMap a-one", json!({"data": {"done": "yes"}})).await;
    let told = world.state("App a", "ACTIVE").await;
    assert_eq!(condition(&told, "Done")["status"], "True");
    assert_eq!(condition(&told, "Inner")["status"], "True");
    assert_eq!(condition(&told, "Done")["observedGeneration"], told["metadata"]["generation"]);
    assert_eq!(told["status"]["conditions"].as_array().map(Vec::len), Some(2));
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_14_missing_data_is_waited_for_and_mistakes_are_told() {
    let schema = "spec: {text: string, zero: 'integer | default=1', map: 'map[string]string', list: '[]string'}, \
        status: {late: '${absent.data.text}'}";
    let pending = config_map("key", "a: '${schema.spec.map[\"k\"]}'", "")
        + &config_map("index", "a: '${schema.spec.list[0]}'", "")
        + &config_map("field", "a: '${schema.spec.text}'", "")
        + &config_map("attribute", "a: '${absent.data.text}'", "")
        + "- {id: absent, externalRef: {apiVersion: v1, kind: ConfigMap, metadata: {name: absent}}}\n";
    let resources = pending + &config_map("divided", "a: '${string(1 / schema.spec.zero)}'", "");
    let world = with(schema, &resources).await;
    world.instance("App a", "map: {}, list: []").await;
    world.there("ConfigMap a-divided").await;
    let told = world.eventually("App a", |it| message(it, "ResourcesReady").contains("\"field\"")).await;
    for node in ["key", "index", "field", "attribute"] {
        assert!(message(&told, "ResourcesReady").contains(&format!("\"{node}\"")), "{told:#}");
    }
    assert_eq!(told["status"]["state"], "IN_PROGRESS");
    assert!(told["status"].get("late").is_none() && condition(&told, "StatusInvalid").is_null(), "{told:#}");
    world.settled().await;
    world.instance("App a", "map: {k: v}, list: [x], text: yy, zero: 0").await;
    let told = world.state("App a", "ERROR").await;
    assert!(message(&told, "ResourcesReady").contains("division by zero"), "{told:#}");
    world.settled().await;
    world.instance("App a", "map: {k: v}, list: [x], text: yy, zero: 1").await;
    world.state("App a", "IN_PROGRESS").await;
    world.settled().await;
    world.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: absent}, data: {text: here}}").await;
    assert_eq!(world.active("App a").await["status"]["late"], "here");
    assert_eq!(world.there("ConfigMap a-attribute").await["data"]["a"], "here");
    world.settled().await;
}
