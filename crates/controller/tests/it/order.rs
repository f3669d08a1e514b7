//! What comes before what.

use serde_json::json;

use crate::world::{World, condition, config_map, definition, message};

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_18_dependencies_come_from_everything_but_ready_when() {
    let world = World::start().await;
    let resources = config_map("base", "list: 'x,y', on: 'yes'", "")
        + &config_map("template", "text: '${base.data.on}'", "")
        + "- {id: external, externalRef: {apiVersion: v1, kind: ConfigMap, metadata: {name: '${base.metadata.name}'}}}\n"
        + "- {id: many, forEach: [{it1: '${base.data.list.split(\",\")}'}], \
              template: {apiVersion: v1, kind: ConfigMap, metadata: {name: '${schema.metadata.name}-${it1}'}}}\n"
        + &config_map("included", "text: x", "includeWhen: ['${base.data.on == \"yes\"}']")
        + &config_map("ready", "text: x", "readyWhen: ['${ready.data.text == \"x\"}']");
    let made = world.define(&definition("App", "spec: {}", &resources)).await;
    let on_base = |id: &str| json!({"id": id, "dependencies": [{"id": "base"}]});
    let expected = ["template", "external", "many", "included"].map(on_base);
    assert_eq!(made["status"]["resources"], json!(expected));
    world.instance("App a", "").await;
    world.active("App a").await;
    let expected = ["a-base", "a-included", "a-ready", "a-template", "a-x", "a-y"];
    assert_eq!(world.names("ConfigMap", "kro.run/owned=true").await, expected);
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_19_the_authors_order_stays_where_it_can() {
    let world = World::start().await;
    let resources = config_map("c", "text: '${a.data.text}'", "")
        + &config_map("b", "text: b", "")
        + &config_map("a", "text: a", "");
    let made = world.define(&definition("App", "spec: {}", &resources)).await;
    assert_eq!(made["status"]["topologicalOrder"], json!(["b", "a", "c"]));
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_19_a_cycle_is_named() {
    let world = World::start().await;
    let resources = config_map("a", "text: '${b.data.text}'", "")
        + &config_map("b", "text: '${c.data.text}'", "")
        + &config_map("c", "text: '${a.data.text}'", "");
    world.put(&definition("App", "spec: {}", &resources)).await;
    let told = world.state("ResourceGraphDefinition /app", "Inactive").await;
    let expected = "graph contains a cycle: a -> b -> c -> a";
    assert!(message(&told, "GraphAccepted").contains(expected), "{}", message(&told, "GraphAccepted"));
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_23_dependents_wait_until_a_node_is_ready() {
    let world = World::start().await;
    let resources = "
- id: web
  readyWhen: ['${web.status.availableReplicas > 0}']
  template:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: '${schema.metadata.name}'}
    spec:
      selector: {matchLabels: {app: web}}
      template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: 'web:1'}]}}
"
    .to_owned()
        + &config_map("after", "replicas: '${string(web.status.availableReplicas)}'", "")
        + &config_map("independent", "text: x", "");
    world.define(&definition("App", "spec: {}", &resources)).await;
    world.instance("App a", "").await;
    world.there("ConfigMap a-independent").await;
    let told = world.state("App a", "IN_PROGRESS").await;
    assert_eq!(condition(&told, "ResourcesReady")["reason"], "NotReady");
    world.settled().await;
    assert!(world.get("ConfigMap a-after").await.is_none());
    world.merge_status("Deployment a", json!({"replicas": 2, "availableReplicas": 2})).await;
    world.eventually("ConfigMap a-after", |it| it["data"]["replicas"] == "2").await;
    world.active("App a").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_32_nothing_is_built_on_what_is_about_to_go() {
    let world = World::start().await;
    let resources = config_map("one", "text: one", "") + &config_map("two", "text: '${one.data.text}'", "");
    world.define(&definition("App", "spec: {}", &resources)).await;
    world.instance("App a", "").await;
    world.active("App a").await;
    world.merge("ConfigMap a-one", json!({"metadata": {"finalizers": ["acme.io/hold"]}})).await;
    world.delete("ConfigMap a-one").await;
    let told =
        world.eventually("App a", |it| condition(it, "ResourcesReady")["reason"] == "ResourceDeleting").await;
    assert_eq!(told["status"]["state"], "IN_PROGRESS");
    world.delete("ConfigMap a-two").await;
    world.settled().await;
    assert!(world.get("ConfigMap a-two").await.is_none());
    world.merge("ConfigMap a-one", json!({"metadata": {"finalizers": null}})).await;
    world.there("ConfigMap a-two").await;
    world.active("App a").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_is_made_without_waiting_between_its_levels() {
    let world = World::start().await;
    let mut resources = config_map("n0", "text: start", "");
    for level in 1..10 {
        resources += &config_map(&format!("n{level}"), &format!("text: '${{n{}.data.text}}'", level - 1), "");
    }
    world.define(&definition("App", "spec: {}", &resources)).await;
    world.settled().await;
    let before = world.line.writes().len();
    world.instance("App a", "").await;
    world.active("App a").await;
    assert_eq!(world.there("ConfigMap a-n9").await["data"]["text"], "start");
    world.settled().await;
    // Labels and inventory, ten objects, a status when it is assigned, when it begins and when it is done; the definition
    // counts its instances now and then.
    let mut written = world.line.writes().split_off(before);
    written.retain(|it| !it.contains("/resourcegraphdefinition"));
    assert!(written.len() <= 15, "{written:#?}");
}
