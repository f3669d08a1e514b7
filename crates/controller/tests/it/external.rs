//! Objects that others make.

use serde_json::{Value, json};

use crate::world::{World, condition, config_map, definition, message};

const BY_NAME: &str = "- {id: outside, externalRef: {apiVersion: v1, kind: ConfigMap, metadata: {name: '${schema.spec.from}'}}}\n";

fn outside(name: &str, text: &str) -> String {
    format!(
        "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}, labels: {{group: red}}}}, data: {{text: {text}}}}}"
    )
}

async fn by_name() -> World {
    let world = World::start().await;
    let resources = BY_NAME.to_owned() + &config_map("copy", "text: '${outside.data.text}'", "");
    world.define(&definition("App", "spec: {from: string}", &resources)).await;
    world
}

fn holds(text: &str) -> impl Fn(&Value) -> bool {
    move |object| object["data"]["text"] == text
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_24_a_missing_reference_is_waited_for_and_reacted_to() {
    let world = by_name().await;
    world.instance("App a", "from: later").await;
    let told = world.state("App a", "IN_PROGRESS").await;
    assert_eq!(condition(&told, "ResourcesReady")["reason"], "NotReady");
    assert!(message(&told, "ResourcesReady").contains("outside"), "{told:#}");
    world.settled().await;
    world.apply(&outside("later", "one")).await;
    world.eventually("ConfigMap a-copy", holds("one")).await;
    world.active("App a").await;
    world.apply(&outside("later", "two")).await;
    world.eventually("ConfigMap a-copy", holds("two")).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_24_a_reference_is_never_modified_or_deleted() {
    let world = by_name().await;
    world.apply(&outside("mine", "one")).await;
    let before = world.there("ConfigMap mine").await;
    world.instance("App a", "from: mine").await;
    world.active("App a").await;
    world.settled().await;
    world.delete("App a").await;
    world.gone("App a").await;
    assert_eq!(world.there("ConfigMap mine").await, before);
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_24_a_reference_may_change_its_target() {
    let world = by_name().await;
    world.apply(&outside("one", "one")).await;
    world.apply(&outside("two", "two")).await;
    world.instance("App a", "from: one").await;
    world.eventually("ConfigMap a-copy", holds("one")).await;
    world.instance("App a", "from: two").await;
    world.eventually("ConfigMap a-copy", holds("two")).await;
    world.active("App a").await;
    world.apply(&outside("two", "three")).await;
    world.eventually("ConfigMap a-copy", holds("three")).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_33_an_instance_is_deleted_though_its_reference_is_gone() {
    let world = by_name().await;
    world.apply(&outside("mine", "one")).await;
    world.instance("App a", "from: mine").await;
    world.active("App a").await;
    world.delete("ConfigMap mine").await;
    world.state("App a", "IN_PROGRESS").await;
    world.delete("App a").await;
    world.gone("App a").await;
    assert!(world.get("ConfigMap a-copy").await.is_none());
    world.settled().await;
}

async fn by_selector(metadata: &str, more: &str) -> World {
    let world = World::start().await;
    world.apply("{apiVersion: v1, kind: Namespace, metadata: {name: far}}").await;
    let resources =
        format!(
            "- {{id: all, externalRef: {{apiVersion: v1, kind: ConfigMap, metadata: {metadata}}}{more}}}\n"
        ) + &config_map("copy", "text: '${all.map(it, it.data.?text.orValue(\"\")).sort().join(\",\")}'", "");
    world.define(&definition("App", "spec: {}", &resources)).await;
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_25_a_selector_without_namespace_selects_in_all() {
    let world = by_selector("{selector: {matchLabels: {group: red}}}", "").await;
    world.instance("App a", "").await;
    world.eventually("ConfigMap a-copy", holds("")).await;
    world.active("App a").await;
    world.apply(&outside("here", "one")).await;
    world.eventually("ConfigMap a-copy", holds("one")).await;
    world.apply(&outside("there, namespace: far", "two")).await;
    world.eventually("ConfigMap a-copy", holds("one,two")).await;
    world.merge("ConfigMap here", json!({"metadata": {"labels": {"group": "blue"}}})).await;
    world.eventually("ConfigMap a-copy", holds("two")).await;
    world.delete("ConfigMap far/there").await;
    world.eventually("ConfigMap a-copy", holds("")).await;
    world.active("App a").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_25_an_empty_selector_selects_everything_in_its_namespace() {
    let world = by_selector("{namespace: far, selector: {}}", "").await;
    world.instance("App a", "").await;
    world.active("App a").await;
    world
        .apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: any, namespace: far}, data: {text: one}}")
        .await;
    world.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: any}, data: {text: two}}").await;
    world
        .eventually("ConfigMap a-copy", |it| {
            it["data"]["text"].as_str().is_some_and(|it| it.ends_with("one"))
        })
        .await;
    world.settled().await;
    assert!(!world.there("ConfigMap a-copy").await["data"]["text"].as_str().expect("text").contains("two"));
}

#[tokio::test(flavor = "multi_thread")]
async fn defect_b4_a_selection_becomes_ready_by_its_elements_or_as_a_whole() {
    for ready in ["each.data.text == \"ok\"", "all.all(it, it.data.text == \"ok\")"] {
        let world =
            by_selector("{selector: {matchLabels: {group: red}}}", &format!(", readyWhen: ['${{{ready}}}']"))
                .await;
        world.apply(&outside("one", "ok")).await;
        world.apply(&outside("two", "bad")).await;
        world.instance("App a", "").await;
        world.state("App a", "IN_PROGRESS").await;
        world.settled().await;
        assert!(world.get("ConfigMap a-copy").await.is_none());
        world.apply(&outside("two", "ok")).await;
        world.eventually("ConfigMap a-copy", holds("ok,ok")).await;
        world.active("App a").await;
        world.settled().await;
    }
}
