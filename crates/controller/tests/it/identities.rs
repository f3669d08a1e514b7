//! Names and places that objects cannot have, and instances that are resources of their own.

use krono_model::applyset::Inventory;
use serde_json::{Value, json};

use crate::world::{World, condition, config_map, definition, message};

const NAMESPACES: &str = "applyset.kubernetes.io/additional-namespaces";

fn placed() -> Value {
    let resource = "- {id: far, template: {apiVersion: v1, kind: ConfigMap, metadata: {name: '${schema.spec.name}', namespace: '${schema.spec.ns}'}}}";
    definition("App", "spec: {ns: string | default=default, name: string | default=made}", resource)
}

/// Writes on an instance that it has resources of these kinds and in these namespaces.
async fn record(world: &World, what: &str, kinds: &[&str], namespaces: &[&str]) -> String {
    let instance = world.there(what).await;
    let id = krono_model::metadata::InstanceRef::from_object(&instance).applyset_id();
    let group_kinds = kinds.iter().map(|it| it.parse().expect("a kind")).collect();
    let namespaces = namespaces.iter().map(|it| (*it).to_owned()).collect();
    let annotations = Inventory { group_kinds, namespaces }.annotations(&id);
    world.merge(what, json!({"metadata": {"annotations": annotations}})).await;
    id
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_be_no_namespace_is_told_and_hinders_nothing() {
    let world = World::start().await;
    world.define(&placed()).await;
    for (name, namespace) in
        [("a", "Team A"), ("b", "a/b"), ("c", "../../apis"), ("d", &"x".repeat(64)), ("e", "a,b")]
    {
        let what = format!("App {name}");
        let spec = format!("ns: '{namespace}', name: {name}");
        world.instance(&what, &spec).await;
        let told = world.state(&what, "ERROR").await;
        let expected = format!("metadata.namespace: {namespace:?}");
        assert!(message(&told, "ResourcesReady").contains(&expected), "{told:#}");
        assert_eq!(told["metadata"]["annotations"][NAMESPACES], "", "{namespace}");
    }
    world.settled().await;
    world.delete("App a").await;
    world.gone("App a").await;
    world.instance("App b", "ns: default, name: b").await;
    world.active("App b").await;
    world.there("ConfigMap b").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_inventory_with_what_can_be_no_namespace_heals() {
    let mut world = World::start().await;
    world.define(&placed()).await;
    for name in ["a", "b"] {
        world.instance(&format!("App {name}"), &format!("name: {name}")).await;
        world.active(&format!("App {name}")).await;
    }
    world.settled().await;
    world.kill_controllers();
    for name in ["a", "b"] {
        record(&world, &format!("App {name}"), &["ConfigMap"], &["Team A"]).await;
    }
    world.delete("App b").await;
    world.start_controllers();
    world.eventually("App a", |it| it["metadata"]["annotations"][NAMESPACES] == "").await;
    world.active("App a").await;
    world.gone("App b").await;
    assert!(world.get("ConfigMap b").await.is_none());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_of_instances_data_do_not_become_other_requests() {
    let world = World::start().await;
    world.define(&placed()).await;
    for (index, name) in
        ["a?dryRun=All", "x#y", "a/b", "../x", "..", "x%2fy", "a b", "a\tb"].into_iter().enumerate()
    {
        let what = format!("App i{index}");
        world.instance(&what, json!({"name": name}).to_string().trim_matches(['{', '}'])).await;
        let told = world.state(&what, "ERROR").await;
        assert!(
            message(&told, "ResourcesReady").contains(&format!("metadata.name: {name:?}: may not")),
            "{told:#}"
        );
        assert_eq!(condition(&told, "ResourcesReady")["status"], "False");
    }
    world.settled().await;
    assert!(world.names("ConfigMap", "kro.run/owned=true").await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lives_in_namespaces_is_not_made_without_one() {
    let world = World::start().await;
    let resource = "- {id: one, template: {apiVersion: v1, kind: ConfigMap, metadata: {name: one, namespace: '${schema.spec.ns}'}}}";
    world.define(&definition("Tenant", "scope: Cluster, spec: {ns: string}", resource)).await;
    world.instance("Tenant /red", "ns: ''").await;
    let told = world.state("Tenant /red", "ERROR").await;
    let expected = "metadata.namespace: expected text that is not empty";
    assert!(message(&told, "ResourcesReady").contains(expected), "{told:#}");
    assert!(world.names("ConfigMap", "kro.run/owned=true").await.is_empty());
    world.settled().await;
    world.instance("Tenant /red", "ns: default").await;
    world.active("Tenant /red").await;
    world.settled().await;
}

/// An instance that would be made by its own definition.
fn selfie(resources: &str) -> Value {
    definition("Selfie", "spec: {text: string}", resources)
}

const OWN: &str = "- {id: own, template: {apiVersion: kro.run/v1alpha1, kind: Selfie, \
    metadata: {name: '${schema.spec.text == \"own\" ? schema.metadata.name : \"another\"}'}, spec: {text: changed}}}\n";

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_20_an_instance_is_not_a_resource_of_its_own() {
    let world = World::start().await;
    let map = config_map("one", "text: '${schema.spec.text}'", "");
    world.define(&selfie(&map)).await;
    world.instance("Selfie a", "text: own").await;
    world.active("Selfie a").await;
    world.define(&selfie(&(map.clone() + OWN))).await;
    let told = world.state("Selfie a", "ERROR").await;
    assert!(message(&told, "ResourcesReady").contains("default/a is the instance itself"), "{told:#}");
    assert_eq!(told["spec"]["text"], "own");
    world.settled().await;
    world.define(&selfie(&map)).await;
    world.active("Selfie a").await;
    world.settled().await;
    assert_eq!(world.there("Selfie a").await["spec"]["text"], "own");
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_30_an_instance_that_was_made_a_resource_of_its_own_is_not_removed() {
    let mut world = World::start().await;
    world.define(&selfie(&config_map("one", "a: b", ""))).await;
    for what in ["Selfie a", "Selfie b"] {
        world.instance(what, "text: own").await;
        world.active(what).await;
    }
    world.settled().await;
    world.kill_controllers();
    for what in ["Selfie a", "Selfie b"] {
        let id = record(&world, what, &["ConfigMap", "Selfie.kro.run"], &[]).await;
        world.merge(what, json!({"metadata": {"labels": {"applyset.kubernetes.io/part-of": id}}})).await;
    }
    world.delete("Selfie b").await;
    world.start_controllers();
    world.gone("Selfie b").await;
    let kinds = "applyset.kubernetes.io/contains-group-kinds";
    let healed = world.eventually("Selfie a", |it| it["metadata"]["annotations"][kinds] == "ConfigMap").await;
    assert!(healed["metadata"]["labels"].get("applyset.kubernetes.io/part-of").is_none(), "{healed:#}");
    assert!(healed["metadata"]["annotations"].get("krono.dev/retained-from").is_none(), "{healed:#}");
    assert!(healed["metadata"].get("deletionTimestamp").is_none(), "{healed:#}");
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_33_an_instance_does_not_wait_for_the_namespace_it_is_in() {
    let world = World::start().await;
    world.apply("{apiVersion: v1, kind: Namespace, metadata: {name: team}}").await;
    let home = "- {id: home, deletionPolicy: Delete, template: {apiVersion: v1, kind: Namespace, \
        metadata: {name: '${schema.metadata.namespace}'}}}\n";
    world.define(&definition("App", "spec: {}", &(config_map("one", "a: b", "") + home))).await;
    world.instance("App team/a", "").await;
    world.active("App team/a").await;
    world.merge("ConfigMap team/a-one", json!({"metadata": {"finalizers": ["acme.io/hold"]}})).await;
    world.delete("App team/a").await;
    world.eventually("ConfigMap team/a-one", |it| it["metadata"].get("deletionTimestamp").is_some()).await;
    world.settled().await;
    assert!(world.there("Namespace /team").await["metadata"].get("deletionTimestamp").is_none());
    world.merge("ConfigMap team/a-one", json!({"metadata": {"finalizers": null}})).await;
    world.gone("App team/a").await;
    world.gone("Namespace /team").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_26_the_id_of_a_set_is_written_again() {
    let mut world = World::start().await;
    world.define(&definition("App", "spec: {}", &config_map("one", "a: b", ""))).await;
    for what in ["App a", "App b"] {
        world.instance(what, "").await;
        world.active(what).await;
    }
    world.settled().await;
    let lost = json!({"metadata": {"labels": {"applyset.kubernetes.io/id": null}}});
    world.merge("App a", lost.clone()).await;
    world.eventually("App a", |it| it["metadata"]["labels"].get("applyset.kubernetes.io/id").is_some()).await;
    world.active("App a").await;
    world.kill_controllers();
    world.merge("App b", lost).await;
    world.delete("App b").await;
    world.start_controllers();
    world.gone("App b").await;
    assert!(world.get("ConfigMap b-one").await.is_none());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_37_a_group_that_is_no_domain_is_told() {
    let world = World::start().await;
    let wrong = definition("App", "group: Not A Group, spec: {}", &config_map("one", "a: b", ""));
    world.put(&wrong).await;
    let told = world.state("ResourceGraphDefinition /app", "Inactive").await;
    let expected = "spec.schema.group: \"Not A Group\" is not a DNS subdomain";
    assert!(message(&told, "GraphAccepted").contains(expected), "{told:#}");
    world.settled().await;
}
