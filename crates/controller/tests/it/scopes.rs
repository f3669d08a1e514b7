//! Kinds of other scopes, other definitions' kinds, and kinds that come and go.

use serde_json::{Value, json};

use crate::world::{World, condition, config_map, definition, message};

const ROCKET: &str = "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: rockets.acme.io},
  spec: {group: acme.io, scope: Namespaced, names: {kind: Rocket, plural: rockets, singular: rocket, listKind: RocketList},
    versions: [{name: v1alpha1, served: true, storage: true, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object,
      properties: {spec: {type: object, properties: {fuel: {type: integer}}}, status: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}}]}}";

const LAUNCH: &str = "- {id: rocket, template: {apiVersion: acme.io/v1alpha1, kind: Rocket, \
    metadata: {name: '${schema.metadata.name}'}, spec: {fuel: '${schema.spec.fuel}'}}}";

const ROCKETS: &str = "CustomResourceDefinition /rockets.acme.io";

async fn build_rockets(world: &World) {
    world.apply(ROCKET).await;
    world.eventually(ROCKETS, |it| condition(it, "Established")["status"] == "True").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cluster_wide_instances_have_resources_in_namespaces() {
    let world = World::start().await;
    let resources = "
- id: space
  deletionPolicy: Delete
  template: {apiVersion: v1, kind: Namespace, metadata: {name: '${schema.metadata.name}'}}
- id: settings
  template:
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: settings, namespace: '${space.metadata.name}'}
    data: {tier: '${schema.spec.tier}'}
";
    world.define(&definition("Tenant", "scope: Cluster, spec: {tier: string}", resources)).await;
    world.instance("Tenant /red", "tier: gold").await;
    world.active("Tenant /red").await;
    let made = world.there("ConfigMap red/settings").await;
    assert_eq!(made["data"]["tier"], "gold");
    assert!(made["metadata"]["labels"].get("kro.run/instance-namespace").is_none());
    world.merge("ConfigMap red/settings", json!({"data": {"tier": "drifted"}})).await;
    world.eventually("ConfigMap red/settings", |it| it["data"]["tier"] == "gold").await;
    world.settled().await;
    world.delete("Tenant /red").await;
    world.gone("Tenant /red").await;
    assert!(world.get("ConfigMap red/settings").await.is_none());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_may_be_longer_than_labels() {
    let world = World::start().await;
    let name = "n".repeat(80);
    let mut long =
        definition("App", "spec: {text: string}", &config_map("one", "text: '${schema.spec.text}'", ""));
    long["metadata"]["name"] = "d".repeat(100).into();
    world.define(&long).await;
    for spec in ["text: a", "text: b"] {
        world.instance(&format!("App {name}"), spec).await;
        world.active(&format!("App {name}")).await;
    }
    let made = format!("ConfigMap {name}-one");
    assert_eq!(world.there(&made).await["data"]["text"], "b");
    world.merge(&made, json!({"data": {"text": "drifted"}})).await;
    world.eventually(&made, |it| it["data"]["text"] == "b").await;
    world.settled().await;
    world.delete(&format!("App {name}")).await;
    world.gone(&format!("App {name}")).await;
    assert!(world.get(&made).await.is_none());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn definitions_may_be_made_of_other_definitions_in_any_order() {
    let world = World::start().await;
    let outer = "
- id: inner
  readyWhen: ['${inner.status.state == \"ACTIVE\"}']
  template: {apiVersion: kro.run/v1alpha1, kind: Inner, metadata: {name: '${schema.metadata.name}-in'}, spec: {text: '${schema.spec.text}'}}
";
    let outer_schema = "spec: {text: string}, status: {text: '${inner.status.text}'}";
    world.put(&definition("Outer", outer_schema, outer)).await;
    world.state("ResourceGraphDefinition /outer", "Inactive").await;
    world.settled().await;
    let inner_schema = "spec: {text: string}, status: {text: '${one.data.text}'}";
    world
        .define(&definition("Inner", inner_schema, &config_map("one", "text: '${schema.spec.text}'", "")))
        .await;
    world.active("ResourceGraphDefinition /outer").await;
    world.instance("Outer a", "text: hello").await;
    let told = world.active("Outer a").await;
    assert_eq!(told["status"]["text"], "hello");
    assert_eq!(world.there("ConfigMap a-in-one").await["data"]["text"], "hello");
    world.instance("Outer a", "text: changed").await;
    world.eventually("Outer a", |it| it["status"]["text"] == "changed").await;
    world.active("Outer a").await;
    world.settled().await;
    world.delete("Outer a").await;
    world.gone("Outer a").await;
    assert!(world.get("Inner a-in").await.is_none());
    assert!(world.get("ConfigMap a-in-one").await.is_none());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn definitions_may_make_definitions() {
    let world = World::start().await;
    let resources = r#"
- id: made
  readyWhen: ['${made.status.state == "Active"}']
  template:
    apiVersion: kro.run/v1alpha1
    kind: ResourceGraphDefinition
    metadata: {name: '${schema.metadata.name}'}
    spec:
      schema: {apiVersion: v1alpha1, kind: '${schema.spec.kind}', spec: {text: string}}
      resources:
      - id: one
        template:
          apiVersion: v1
          kind: ConfigMap
          metadata: {name: '${"${schema.metadata.name}"}-made'}
          data: {text: '${"${schema.spec.text}"}'}
"#;
    world.define(&definition("Maker", "spec: {kind: string}", resources)).await;
    world.instance("Maker m", "kind: Made").await;
    world.active("Maker m").await;
    world.instance("Made a", "text: hello").await;
    world.active("Made a").await;
    assert_eq!(world.there("ConfigMap a-made").await["data"]["text"], "hello");
    world.settled().await;
    world.delete("Made a").await;
    world.gone("Made a").await;
    world.delete("Maker m").await;
    world.gone("Maker m").await;
    world.gone("ResourceGraphDefinition /m").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_definition_waits_for_the_kinds_it_names() {
    let world = World::start().await;
    world.put(&definition("App", "spec: {fuel: integer}", LAUNCH)).await;
    let told = world.state("ResourceGraphDefinition /app", "Inactive").await;
    assert!(crate::world::message(&told, "GraphAccepted").contains("Rocket"), "{told:#}");
    world.settled().await;
    world.apply(ROCKET).await;
    world.active("ResourceGraphDefinition /app").await;
    world.instance("App a", "fuel: 3").await;
    world.active("App a").await;
    assert_eq!(world.there("Rocket.acme.io a").await["spec"]["fuel"], 3);
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kind_that_goes_and_comes_back_is_looked_after_again() {
    let world = World::start().await;
    build_rockets(&world).await;
    world.define(&definition("App", "spec: {fuel: integer}", LAUNCH)).await;
    world.instance("App a", "fuel: 3").await;
    world.active("App a").await;
    world.settled().await;
    world.delete(ROCKETS).await;
    world.gone(ROCKETS).await;
    world.state("ResourceGraphDefinition /app", "Inactive").await;
    world.apply(ROCKET).await;
    world.active("ResourceGraphDefinition /app").await;
    world.eventually("Rocket.acme.io a", |it| it["spec"]["fuel"] == 3).await;
    world.active("App a").await;
    world.merge("Rocket.acme.io a", json!({"spec": {"fuel": 9}})).await;
    world.eventually("Rocket.acme.io a", |it| it["spec"]["fuel"] == 3).await;
    world.settled().await;
}

/// The very revision that could not be served when the controllers started is served again.
#[tokio::test(flavor = "multi_thread")]
async fn defect_b13_a_kind_that_was_gone_when_controllers_started_needs_no_new_revision() {
    let mut world = World::start().await;
    build_rockets(&world).await;
    world.define(&definition("App", "spec: {fuel: integer}", LAUNCH)).await;
    world.instance("App a", "fuel: 3").await;
    world.active("App a").await;
    world.settled().await;
    world.kill_controllers();
    world.delete(ROCKETS).await;
    world.gone(ROCKETS).await;
    world.start_controllers();
    let told = world.state("ResourceGraphDefinition /app", "Inactive").await;
    assert_eq!(condition(&told, "GraphAccepted")["reason"], "InvalidResourceGraph");
    assert!(message(&told, "GraphAccepted").contains("there is no kind \"Rocket\""), "{told:#}");
    let told = world.state("App a", "ERROR").await;
    assert_eq!(condition(&told, "ResourcesReady")["reason"], "NotReady", "{told:#}");
    world.settled().await;
    world.apply(ROCKET).await;
    world.active("ResourceGraphDefinition /app").await;
    world.eventually("Rocket.acme.io a", |it| it["spec"]["fuel"] == 3).await;
    world.active("App a").await;
    assert_eq!(world.names("ResourceGraphDefinitionRevision", "kro.run/rgd-name=app").await, ["app-rev-1"]);
    world.settled().await;
}

const GADGETS: &str = "CustomResourceDefinition /gadgets.acme.io";

/// A resource that is a CRD, and one that follows from what the API server says of it.
fn gadgets(field: &str, policy: &str) -> String {
    let crd = "
- id: crd
POLICY  readyWhen: ['${crd.status.conditions.exists(it, it.type == \"Established\" && it.status == \"True\")}']
  template:
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata: {name: gadgets.acme.io, labels: {team: '${schema.spec.team}'}}
    spec:
      group: acme.io
      scope: Namespaced
      names: {kind: Gadget, plural: gadgets, singular: gadget, listKind: GadgetList}
      versions:
      - name: v1alpha1
        served: true
        storage: true
        schema:
          openAPIV3Schema:
            type: object
            properties: {spec: {type: object, properties: {FIELD: {type: string}}}}
";
    let crd = crd.replace("FIELD", field).replace("POLICY", policy);
    crd + &config_map("told", "kind: '${crd.status.acceptedNames.kind}'", "")
}

#[tokio::test(flavor = "multi_thread")]
async fn v25_a_template_may_be_a_crd_which_stays() {
    let world = World::start().await;
    world.define(&definition("Maker", "spec: {team: string}", &gadgets("size", ""))).await;
    world.instance("Maker m", "team: blue").await;
    world.active("Maker m").await;
    assert_eq!(world.there("ConfigMap m-told").await["data"]["kind"], "Gadget");
    assert_eq!(world.there(GADGETS).await["metadata"]["labels"]["team"], "blue");
    world.settled().await;
    world.define(&definition("Maker", "spec: {team: string}", &gadgets("color", ""))).await;
    let field = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/color";
    let made = world.eventually(GADGETS, |it| it.pointer(field).is_some()).await;
    world.active("Maker m").await;
    world.settled().await;
    world.delete("Maker m").await;
    world.gone("Maker m").await;
    assert!(world.get("ConfigMap m-told").await.is_none());
    let left = world.there(GADGETS).await;
    assert_eq!(left["metadata"]["uid"], made["metadata"]["uid"]);
    assert!(left["metadata"].get("deletionTimestamp").is_none(), "{left:#}");
    assert!(left["metadata"]["annotations"]["krono.dev/retained-from"].is_string(), "{left:#}");
    assert!(left["metadata"]["labels"].get("kro.run/owned").is_none(), "{left:#}");
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn v25_a_crd_goes_with_its_instance_where_that_is_wished() {
    let world = World::start().await;
    let resources = gadgets("size", "  deletionPolicy: Delete\n");
    world.define(&definition("Maker", "spec: {team: string}", &resources)).await;
    world.instance("Maker m", "team: blue").await;
    world.active("Maker m").await;
    world.settled().await;
    world.delete("Maker m").await;
    world.gone("Maker m").await;
    assert!(world.get(GADGETS).await.is_none());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_33_an_instance_is_deleted_though_a_kind_of_its_resources_is_gone() {
    let world = World::start().await;
    build_rockets(&world).await;
    world
        .define(&definition(
            "App",
            "spec: {fuel: integer}",
            &(LAUNCH.to_owned() + "\n" + &config_map("one", "a: b", "")),
        ))
        .await;
    world.instance("App a", "fuel: 3").await;
    world.active("App a").await;
    world.delete(ROCKETS).await;
    world.gone(ROCKETS).await;
    world.delete("App a").await;
    world.gone("App a").await;
    assert!(world.get("ConfigMap a-one").await.is_none());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_schema_of_a_named_kind_is_noticed() {
    let world = World::start().await;
    world.apply(ROCKET).await;
    let launch = LAUNCH
        .replace("fuel: '${schema.spec.fuel}'", "fuel: '${schema.spec.fuel}', crew: '${schema.spec.fuel}'");
    world.put(&definition("App", "spec: {fuel: integer}", &launch)).await;
    world.state("ResourceGraphDefinition /app", "Inactive").await;
    world
        .apply(&ROCKET.replace("{fuel: {type: integer}}", "{fuel: {type: integer}, crew: {type: integer}}"))
        .await;
    world.active("ResourceGraphDefinition /app").await;
    world.instance("App a", "fuel: 3").await;
    world.eventually("Rocket.acme.io a", |it: &Value| it["spec"]["crew"] == 3).await;
    world.active("App a").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_that_is_not_there_is_told_and_waited_for() {
    let world = World::start().await;
    let resource = "- {id: far, template: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: '${schema.spec.ns}'}}}";
    world.define(&definition("App", "spec: {ns: string}", resource)).await;
    world.instance("App a", "ns: far").await;
    let told = world.state("App a", "ERROR").await;
    assert_eq!(condition(&told, "ResourcesReady")["status"], "False");
    assert!(message(&told, "ResourcesReady").contains("namespaces \"far\" not found"), "{told:#}");
    world.settled_in_vain().await;
    world.apply("{apiVersion: v1, kind: Namespace, metadata: {name: far}}").await;
    world.active("App a").await;
    world.there("ConfigMap far/a").await;
    world.settled().await;
}
