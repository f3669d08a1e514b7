//! Inputs of instances as objects of their own (V4).

use serde_json::{Value, json};

use crate::world::{World, config_map, definition};

fn app(kind: &str, keeping: &str) -> Value {
    let mut made =
        definition(kind, "spec: {text: string}", &config_map("one", "text: '${schema.spec.text}'", ""));
    made["spec"]["revisionManagement"] = json!({"inputRevisions": keeping, "inputHistoryLimit": 2});
    made
}

/// The same objects under other names.
fn renamed(mut definition: Value, suffix: &str) -> Value {
    let name = format!("{suffix}-${{schema.metadata.name}}");
    definition["spec"]["resources"][0]["template"]["metadata"]["name"] = json!(name);
    definition
}

async fn edit(world: &World, text: &str, number: i64) -> Value {
    world.merge("App a", json!({"spec": {"text": text}})).await;
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == number).await
}

async fn inputs(world: &World) -> Vec<String> {
    world.names("ResourceGraphInputRevision", "").await
}

fn is(standing: &str) -> impl Fn(&Value) -> bool {
    move |it: &Value| it["status"]["propagationStatus"] == standing
}

#[tokio::test(flavor = "multi_thread")]
async fn v04_an_input_is_an_object_where_that_is_wished() {
    let world = World::start().await;
    world.define(&app("App", "Objects")).await;
    world.instance("App a", "text: one").await;
    let first = world.eventually("ResourceGraphInputRevision a-input-rev-1", is("Completed")).await;
    let instance = world.active("App a").await;
    assert_eq!(first["spec"]["instanceSpec"], json!({"text": "one"}));
    assert_eq!(first["spec"]["rgdRevisionRef"]["name"], "app-rev-1");
    assert_eq!((&first["spec"]["inputRevision"], &first["spec"]["rgdRevision"]), (&json!(1), &json!(1)));
    assert_eq!(first["metadata"]["labels"]["kro.run/instance-name"], "a");
    assert_eq!(first["metadata"]["ownerReferences"][0]["uid"], instance["metadata"]["uid"]);
    let count = |field: &str| first["status"][field].as_i64();
    assert_eq!((count("resourcesAtRevision"), count("totalResources")), (Some(1), Some(1)));
    assert!(instance["status"]["inputRevisionHistory"][0]["spec"].is_null());
    world.settled().await;

    edit(&world, "two", 2).await;
    world.eventually("ResourceGraphInputRevision a-input-rev-1", is("Superseded")).await;
    edit(&world, "three", 3).await;
    world.gone("ResourceGraphInputRevision a-input-rev-1").await;
    world.eventually("ResourceGraphInputRevision a-input-rev-3", is("Completed")).await;
    assert_eq!(inputs(&world).await, ["a-input-rev-2", "a-input-rev-3"]);
    world.settled().await;

    world.delete("App a").await;
    world.gone("ResourceGraphInputRevision a-input-rev-3").await;
    world.gone("App a").await;
    world.settled().await;
    assert!(inputs(&world).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn v04_and_v22_an_instance_goes_back_to_what_an_object_holds() {
    let world = World::start().await;
    world.define(&app("App", "Objects")).await;
    world.put_by_hand(&crate::world::instance("App a", "text: one")).await;
    world.active("App a").await;
    edit(&world, "two", 2).await;
    world.annotate("App a", "krono.dev/hold-input-revision", Some("1")).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "one").await;
    world.annotate("App a", "krono.dev/hold-input-revision", None).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["text"] == "two").await;
    world.settled().await;
    let before = world.there("App a").await["status"]["currentInputRevision"].as_i64().expect("a number");
    world.annotate("App a", "krono.dev/rollback-force", Some("true")).await;
    world.annotate("App a", "kro.run/rollback-to-input-revision", Some(&(before - 1).to_string())).await;
    let told = world.eventually("App a", |it| it["status"]["observedInputRevision"] == before + 1).await;
    assert_eq!(told["spec"]["text"], "one");
    assert!(told["metadata"]["annotations"].get("krono.dev/rollback-force").is_none());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v04_a_name_that_another_kind_has_is_left_to_it() {
    let world = World::start().await;
    world.define(&app("App", "Objects")).await;
    world.define(&renamed(app("Web", "Objects"), "web")).await;
    world.instance("App a", "text: one").await;
    world.active("App a").await;
    world.instance("Web a", "text: one").await;
    world.active("Web a").await;
    world.settled().await;
    assert_eq!(inputs(&world).await, ["a-input-rev-1", "web-a-input-rev-1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn v04_a_history_moves_into_objects_when_that_is_wished() {
    let world = World::start().await;
    world.define(&app("App", "Inline")).await;
    world.instance("App a", "text: one").await;
    world.active("App a").await;
    let told = edit(&world, "two", 2).await;
    assert!(told["status"]["inputRevisionHistory"][1]["spec"].is_string());
    world.define(&app("App", "Objects")).await;
    let older = world.eventually("ResourceGraphInputRevision a-input-rev-1", is("Superseded")).await;
    assert_eq!(older["spec"]["instanceSpec"], json!({"text": "one"}));
    world.eventually("ResourceGraphInputRevision a-input-rev-2", is("Completed")).await;
    world.settled().await;
    assert_eq!(world.there("App a").await["status"]["currentInputRevision"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn v04_and_v22_objects_stay_the_history_of_an_instance_when_others_are_kept_inline() {
    let world = World::start().await;
    world.define(&app("App", "Objects")).await;
    world.put_by_hand(&crate::world::instance("App a", "text: one")).await;
    world.active("App a").await;
    edit(&world, "two", 2).await;
    world.eventually("ResourceGraphInputRevision a-input-rev-2", is("Completed")).await;
    world.define(&app("App", "Inline")).await;
    world.settled().await;
    assert_eq!(inputs(&world).await, ["a-input-rev-1", "a-input-rev-2"]);

    let told = edit(&world, "three", 3).await;
    world.gone("ResourceGraphInputRevision a-input-rev-1").await;
    world.eventually("ResourceGraphInputRevision a-input-rev-2", is("Superseded")).await;
    let history = &told["status"]["inputRevisionHistory"];
    assert!(history[0]["spec"].is_string() && history[1]["spec"].is_null(), "{history:#}");
    world.settled().await;

    let rollback = json!({"metadata": {"annotations": {"kro.run/rollback-to-input-revision": "2"}}});
    world.merge("App a", rollback).await;
    let told = world.eventually("App a", |it| it["status"]["observedInputRevision"] == 4).await;
    assert_eq!(told["spec"]["text"], "two");
    world.gone("ResourceGraphInputRevision a-input-rev-2").await;
    world.settled().await;
    assert_eq!(inputs(&world).await, Vec::<String>::new());
}

/// What stands in the way of an input is in another object; what was observed once stays observed (V17).
#[tokio::test(flavor = "multi_thread")]
async fn v05_an_input_has_failed_for_as_long_as_the_state_is_that_of_an_error() {
    for keeping in ["Inline", "Objects"] {
        let world = World::start().await;
        let divided = config_map("one", "a: '${string(1 / int(by.data.n))}'", "")
            + "- {id: by, externalRef: {apiVersion: v1, kind: ConfigMap, metadata: {name: by}}}\n";
        let mut made = definition("App", "spec: {text: string}", &divided);
        made["spec"]["revisionManagement"] = json!({"inputRevisions": keeping});
        world.define(&made).await;
        let by = |n: &str| {
            format!("{{apiVersion: v1, kind: ConfigMap, metadata: {{name: by}}, data: {{n: '{n}'}}}}")
        };
        world.apply(&by("0")).await;
        world.instance("App a", "text: one").await;
        for (n, state, expected) in
            [("0", "ERROR", "Failed"), ("1", "ACTIVE", "Completed"), ("0", "ERROR", "Completed")]
        {
            world.apply(&by(n)).await;
            let told = world.state("App a", state).await;
            world.settled().await;
            let status = &told["status"];
            assert_eq!(status["inputRevisionHistory"][0]["status"], expected, "{keeping} {n}: {status:#}");
            let of_failed = if expected == "Failed" { "InProgress" } else { expected };
            let shown = status["propagation"]["status"].as_str();
            assert!(shown == Some(of_failed) || n == "0" && shown == Some("Pending"), "{status:#}");
            if keeping == "Objects" {
                let input = world.there("ResourceGraphInputRevision a-input-rev-1").await;
                assert_eq!(input["status"]["propagationStatus"], expected, "{n}: {input:#}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn v04_whoever_may_view_or_edit_may_not_read_inputs_of_all_kinds() {
    let world = World::start().await;
    world.define(&app("App", "Objects")).await;
    world.instance("App a", "text: one").await;
    world.active("App a").await;
    world.settled().await;
    let names = |list: &Value, name: &str| list.as_array().is_some_and(|it| it.iter().any(|it| it == name));
    let roles = world.all("ClusterRole").await;
    assert!(["view", "edit"].iter().all(|name| roles.iter().any(|it| it["metadata"]["name"] == *name)));
    for role in roles {
        let labels = role["metadata"]["labels"].to_string();
        let name = role["metadata"]["name"].as_str().unwrap_or_default();
        let is_for_all = ["view", "edit"].contains(&name) || labels.contains("aggregate-to-");
        for rule in role["rules"].as_array().into_iter().flatten().filter(|_| is_for_all) {
            let grants = names(&rule["apiGroups"], "kro.run") || names(&rule["apiGroups"], "*");
            assert!(!grants || !names(&rule["resources"], "resourcegraphinputrevisions"), "{name}: {rule}");
            assert!(!grants || !names(&rule["resources"], "*"), "{name}: {rule}");
        }
    }
}
