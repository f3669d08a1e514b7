//! Nodes that are many objects.

use serde_json::{Value, json};

use crate::world::{World, definition, message};

/// One `ConfigMap` per region, and per size if there are sizes.
const MANY: &str = "
- id: many
  forEach: [{region: '${schema.spec.regions}'}]
  template:
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: '${schema.metadata.name}-${region}'}
    data: {region: '${region}'}
";

async fn with_regions(regions: &str) -> World {
    let world = World::start().await;
    world.define(&definition("App", "spec: {regions: '[]string'}", MANY)).await;
    world.instance("App a", &format!("regions: {regions}")).await;
    world
}

fn label<'v>(object: &'v Value, name: &str) -> &'v str {
    object["metadata"]["labels"][format!("kro.run/collection-{name}")].as_str().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_20_products_vary_the_last_dimension_fastest() {
    let world = World::start().await;
    let resources = MANY
        .replace("'${schema.spec.regions}'}", "'${schema.spec.regions}'}, {size: '${schema.spec.sizes}'}")
        .replace("-${region}'", "-${region}-${size}'");
    let schema = "spec: {regions: '[]string', sizes: '[]string'}";
    world.define(&definition("App", schema, &resources)).await;
    world.instance("App a", "regions: [eu, us], sizes: [s, m, l]").await;
    world.active("App a").await;
    for (index, name) in ["eu-s", "eu-m", "eu-l", "us-s", "us-m", "us-l"].iter().enumerate() {
        let object = world.there(&format!("ConfigMap a-{name}")).await;
        assert_eq!((label(&object, "index"), label(&object, "size")), (index.to_string().as_str(), "6"));
    }
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_20_a_collection_has_limits() {
    let world = World::start().await;
    let resources = MANY
        .replace("{region: '${schema.spec.regions}'}", "{n: '${lists.range(schema.spec.count)}'}")
        .replace("${region}", "${string(n)}");
    world.define(&definition("App", "spec: {count: integer}", &resources)).await;
    world.instance("App a", "count: 1001").await;
    let told = world.state("App a", "ERROR").await;
    let words = message(&told, "ResourcesReady");
    assert!(words.contains("1001") && words.contains("1000"), "{words}");
    assert!(world.names("ConfigMap", "kro.run/node-id=many").await.is_empty());
    world.settled().await;
    world.instance("App a", "count: 2").await;
    world.active("App a").await;
    assert_eq!(world.names("ConfigMap", "kro.run/node-id=many").await, ["a-0", "a-1"]);
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_20_no_object_is_made_twice() {
    let world = with_regions("[eu, us, eu]").await;
    let told = world.state("App a", "ERROR").await;
    assert!(message(&told, "ResourcesReady").contains("identity collision"), "{told:#}");
    assert!(world.names("ConfigMap", "kro.run/node-id=many").await.is_empty());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_21_and_defect_b10_a_smaller_collection_loses_exactly_the_removed_items() {
    let world = with_regions("[eu, us, ap]").await;
    world.active("App a").await;
    let kept = [world.there("ConfigMap a-eu").await, world.there("ConfigMap a-us").await];
    world.instance("App a", "regions: [eu, us]").await;
    world.gone("ConfigMap a-ap").await;
    world.active("App a").await;
    world.settled().await;
    world.instance("App a", "regions: [eu, us, sa]").await;
    world.there("ConfigMap a-sa").await;
    world.active("App a").await;
    for before in kept {
        let name = before["metadata"]["name"].as_str().expect("a name");
        let after = world.there(&format!("ConfigMap {name}")).await;
        assert_eq!(after["metadata"]["resourceVersion"], before["metadata"]["resourceVersion"], "{name}");
    }
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_21_what_moves_in_a_collection_is_numbered_anew() {
    let world = with_regions("[eu, us]").await;
    world.active("App a").await;
    let before = world.there("ConfigMap a-us").await;
    world.instance("App a", "regions: [us]").await;
    let after = world.eventually("ConfigMap a-us", |it| label(it, "index") == "0").await;
    assert_eq!(label(&after, "size"), "1");
    assert_eq!(after["metadata"]["uid"], before["metadata"]["uid"]);
    world.gone("ConfigMap a-eu").await;
    world.active("App a").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_23_an_empty_collection_is_ready() {
    let world = with_regions("[]").await;
    world.active("App a").await;
    assert!(world.names("ConfigMap", "kro.run/node-id=many").await.is_empty());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_23_a_collection_is_ready_when_each_of_its_items_is() {
    let world = World::start().await;
    let resources = format!(
        "{MANY}  readyWhen: ['${{each.data.?checked.orValue(\"no\") == \"yes\"}}']\n\
         - {{id: after, template: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: '${{schema.metadata.name}}-after'}}, \
             data: {{all: '${{many.map(it, it.data.region).join(\"+\")}}'}}}}}}"
    );
    world.define(&definition("App", "spec: {regions: '[]string'}", &resources)).await;
    world.instance("App a", "regions: [eu, us]").await;
    let check = async |name: &str| {
        world.there(&format!("ConfigMap {name}")).await;
        world.merge(&format!("ConfigMap {name}"), json!({"data": {"checked": "yes"}})).await;
        world.settled().await;
    };
    check("a-eu").await;
    assert!(world.get("ConfigMap a-after").await.is_none());
    assert_eq!(world.there("App a").await["status"]["state"], "IN_PROGRESS");
    check("a-us").await;
    assert_eq!(world.there("ConfigMap a-after").await["data"]["all"], "eu+us");
    world.active("App a").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn defect_b3_drift_is_corrected_in_every_namespace() {
    let world = World::start().await;
    for name in ["eu", "us"] {
        world.apply(&format!("{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}}}}}")).await;
    }
    let resources = MANY.replace(
        "metadata: {name: '${schema.metadata.name}-${region}'}",
        "metadata: {name: here, namespace: '${region}'}",
    );
    world.define(&definition("App", "spec: {regions: '[]string'}", &resources)).await;
    world.instance("App a", "regions: [eu, us]").await;
    world.active("App a").await;
    world.merge("ConfigMap us/here", json!({"data": {"region": "elsewhere"}})).await;
    world.eventually("ConfigMap us/here", |it| it["data"]["region"] == "us").await;
    world.delete("ConfigMap eu/here").await;
    world.there("ConfigMap eu/here").await;
    world.settled().await;
    world.delete("App a").await;
    world.gone("App a").await;
    assert!(world.names("ConfigMap", "kro.run/owned=true").await.is_empty());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v17_items_carry_the_same_stamps_whenever_all_are_stamped() {
    let world = World::start().await;
    let mut made = definition("App", "spec: {regions: '[]string'}", MANY);
    made["spec"]["revisionManagement"] = json!({"stampResources": "Always"});
    world.define(&made).await;
    world.instance("App a", "regions: [eu, us]").await;
    let are_stamped = async |expected: &str, regions: &[&str]| {
        for region in regions {
            let item = world.there(&format!("ConfigMap a-{region}")).await;
            assert_eq!(item["metadata"]["annotations"]["kro.run/input-revision"], expected, "{region}");
        }
    };
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == 1).await;
    are_stamped("1", &["eu", "us"]).await;
    world.instance("App a", "regions: [eu, us, ap]").await;
    world.eventually("App a", |it| it["status"]["observedInputRevision"] == 2).await;
    world.settled().await;
    are_stamped("2", &["eu", "us", "ap"]).await;
}
