//! Definitions: accepted, refused, changed, deleted.

use krono_controller::Options;
use serde_json::{Value, json};

use crate::world::{World, condition, config_map, definition, message, prompt};

const APP: &str = "ResourceGraphDefinition /app";
const CRD: &str = "CustomResourceDefinition /apps.kro.run";
const SPEC: &str = "spec: {text: string}";

/// Instances of `App` become one `ConfigMap` that holds their text.
fn app(text: &str) -> Value {
    definition("App", SPEC, &config_map("one", &format!("text: '{text}'"), ""))
}

fn holds(text: &str) -> impl Fn(&Value) -> bool {
    move |object| object["data"]["text"] == text
}

async fn with_an_instance() -> World {
    let world = World::start().await;
    world.define(&app("${schema.spec.text}")).await;
    world.instance("App a", "text: hello").await;
    world.active("App a").await;
    world
}

fn schema_of<'v>(crd: &'v Value, pointer: &str) -> &'v Value {
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"].pointer(pointer).unwrap_or(&Value::Null)
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_2_group_and_scope_have_defaults() {
    let world = with_an_instance().await;
    let crd = world.there(CRD).await;
    assert_eq!((&crd["spec"]["group"], &crd["spec"]["scope"]), (&json!("kro.run"), &json!("Namespaced")));
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_4_reserved_and_malformed_ids_are_told_all_at_once() {
    let world = World::start().await;
    let ids = ["schema", "status", "each", "kro", "while", "Upper", "with-dash", "1st"];
    let resources: String = ids.iter().map(|id| config_map(id, "", "")).collect();
    world.put(&definition("App", SPEC, &resources)).await;
    let told = world.eventually(APP, |it| condition(it, "GraphAccepted")["status"] == "False").await;
    assert_eq!(condition(&told, "GraphAccepted")["reason"], "InvalidResourceGraph");
    for (index, id) in ids.iter().enumerate() {
        let expected = format!("spec.resources[{index}].id: \"{id}\" is");
        assert!(message(&told, "GraphAccepted").contains(&expected), "{}", message(&told, "GraphAccepted"));
    }
    assert!(world.get(CRD).await.is_none());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_6_defaults_reach_instances_that_leave_out_their_parents() {
    let world = World::start().await;
    let spec = "spec: {outer: {inner: {size: 'integer | default=3'}}, b: 'string | required=true default=x', \
                a: 'string | required=true default=y'}";
    let resource = config_map("one", "size: '${string(schema.spec.outer.inner.size)}'", "");
    world.define(&definition("App", spec, &resource)).await;
    let crd = world.there(CRD).await;
    assert_eq!(*schema_of(&crd, "/properties/spec/required"), json!(["a", "b"]));
    assert_eq!(*schema_of(&crd, "/properties/spec/properties/outer/default"), json!({}));
    world.instance("App a", "").await;
    let instance = world.active("App a").await;
    assert_eq!(instance["spec"], json!({"outer": {"inner": {"size": 3}}, "a": "y", "b": "x"}));
    assert_eq!(world.there("ConfigMap a-one").await["data"]["size"], "3");
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_8_crds_have_the_plurals_of_kro() {
    let world = World::start().await;
    for (kind, plural) in [
        ("Policy", "policies"),
        ("Proxy", "proxies"),
        ("Person", "people"),
        ("Index", "indices"),
        ("Status", "statuses"),
    ] {
        world.define(&definition(kind, "spec: {}", "[]")).await;
        let crd = world.there(&format!("CustomResourceDefinition /{plural}.kro.run")).await;
        assert_eq!(crd["spec"]["names"]["listKind"], format!("{kind}List"));
    }
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_9_custom_printer_columns_replace_the_default_ones() {
    let world = with_an_instance().await;
    let names = |crd: &Value| -> Vec<String> {
        let columns = crd["spec"]["versions"][0]["additionalPrinterColumns"].as_array().cloned();
        columns.into_iter().flatten().map(|it| it["name"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(names(&world.there(CRD).await), ["State", "Ready", "Age"]);
    let mut changed = app("${schema.spec.text}");
    changed["spec"]["schema"]["additionalPrinterColumns"] =
        json!([{"name": "Text", "type": "string", "jsonPath": ".spec.text"}]);
    world.put(&changed).await;
    world.eventually(CRD, |it| names(it) == ["Text"]).await;
    world.active(APP).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_10_the_schema_of_status_is_inferred() {
    let world = World::start().await;
    let schema = "spec: {n: integer}, status: {twice: '${schema.spec.n * 2}', name: '${one.metadata.name}', \
                  names: ['${one.metadata.name}'], data: '${one.data}', made: '${one.metadata.creationTimestamp}'}";
    world.define(&definition("App", schema, &config_map("one", "a: b", ""))).await;
    let crd = world.there(CRD).await;
    let field = |name: &str| schema_of(&crd, &format!("/properties/status/properties/{name}")).clone();
    assert_eq!(field("twice"), json!({"type": "integer"}));
    assert_eq!(field("name"), json!({"type": "string"}));
    assert_eq!(field("names"), json!({"type": "array", "items": {"type": "string"}}));
    assert_eq!(field("data"), json!({"type": "object", "additionalProperties": {"type": "string"}}));
    assert_eq!(field("made"), json!({"type": "string", "format": "date-time"}));
    assert_eq!(field("state"), json!({"type": "string"}));
    assert_eq!(field("conditions")["type"], "array");
    world.instance("App a", "n: 21").await;
    let instance = world.active("App a").await;
    assert_eq!(instance["status"]["twice"], 42);
    assert_eq!(instance["status"]["data"], json!({"a": "b"}));
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_12_type_errors_are_found_when_the_definition_is_made() {
    let world = World::start().await;
    let resources = config_map("one", "number: 'n${schema.spec.n}'", "")
        + &config_map("two", "id: '${nobody.metadata.name}'", "")
        + &config_map("three", "call: '${frobnicate(1)}'", "")
        + "- {id: four, template: {apiVersion: apps/v1, kind: Deployment, metadata: {name: four}, \
              spec: {replicas: '${schema.spec.text}', sizes: 1}}}";
    world.put(&definition("App", "spec: {n: integer, text: string}", &resources)).await;
    let told = world.state(APP, "Inactive").await;
    let words = message(&told, "GraphAccepted");
    for expected in [
        "spec.resources[0].template.data.number:",
        "spec.resources[1].template.data.id:",
        "spec.resources[2].template.data.call:",
        "spec.resources[3].template.spec.replicas:",
        "spec.resources[3].template.spec.sizes:",
    ] {
        assert!(words.contains(expected), "{expected} in {words}");
    }
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_instance_with_bad_values_is_refused_with_the_field_named() {
    let world = World::start().await;
    let spec = "spec: {replicas: 'integer | minimum=1', size: 'string | enum=\"small,large\"', \
                name: 'string | required=true pattern=\"^[a-z]+$\"', fixed: 'string | immutable=true', \
                ports: '[]integer | maxItems=2'}";
    world.define(&definition("App", spec, "[]")).await;
    let refused = async |spec: &str, field: &str| {
        let refusal = world.try_put(&crate::world::instance("App a", spec)).await.expect_err(spec);
        assert!(refusal.contains(field), "{refusal}");
    };
    refused("", "spec.name: Required value").await;
    refused("name: Upper", "spec.name: Invalid value: \"Upper\"").await;
    refused("name: x, replicas: 0", "spec.replicas: Invalid value: 0").await;
    refused("name: x, size: medium", "spec.size: Unsupported value: \"medium\"").await;
    refused("name: x, replicas: many", "spec.replicas: expected numeric").await;
    refused("name: x, ports: [1, 2, 3]", "spec.ports: Too many: 3").await;
    world.instance("App a", "name: x, fixed: one").await;
    world.active("App a").await;
    refused("name: x, fixed: two", "field is immutable").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_37_an_invalid_edit_keeps_the_last_good_graph_serving() {
    let world = with_an_instance().await;
    world.put(&app("${schema.spec.text + nobody}")).await;
    let told = world.state(APP, "Inactive").await;
    assert_eq!(condition(&told, "GraphAccepted")["reason"], "InvalidResourceGraph");
    assert!(told["status"].get("topologicalOrder").is_none(), "{told:#}");
    world.instance("App a", "text: changed").await;
    world.eventually("ConfigMap a-one", holds("changed")).await;
    world.instance("App b", "text: new").await;
    world.eventually("ConfigMap b-one", holds("new")).await;
    world.settled().await;
    world.define(&app("better: ${schema.spec.text}")).await;
    world.eventually("ConfigMap a-one", holds("better: changed")).await;
    world.eventually("ConfigMap b-one", holds("better: new")).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_37_a_definition_says_what_it_is() {
    let world = with_an_instance().await;
    let told = world.active(APP).await;
    let reasons = |of: &str| (condition(&told, of)["status"].clone(), condition(&told, of)["reason"].clone());
    assert_eq!(reasons("GraphRevisionsResolved"), (json!("True"), json!("Resolved")));
    assert_eq!(reasons("GraphAccepted"), (json!("True"), json!("Valid")));
    assert_eq!(reasons("KindReady"), (json!("True"), json!("Ready")));
    assert_eq!(reasons("ControllerReady"), (json!("True"), json!("Running")));
    assert_eq!(reasons("Ready"), (json!("True"), json!("Ready")));
    assert_eq!(told["status"]["state"], "Active");
    assert_eq!(told["status"]["topologicalOrder"], json!(["one"]));
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_39_and_defect_b2_a_breaking_change_reaches_nobody_before_leave_is_given() {
    let world = with_an_instance().await;
    let breaking = definition("App", "spec: {words: string}", &config_map("one", "text: other", ""));
    world.put(&breaking).await;
    let told = world.eventually(APP, |it| condition(it, "KindReady")["status"] == "False").await;
    let words = message(&told, "KindReady");
    assert!(words.contains("breaking changes detected") && words.contains("text"), "{words}");
    world.settled().await;
    assert_eq!(world.there("ConfigMap a-one").await["data"]["text"], "hello");
    world.instance("App b", "text: new").await;
    world.eventually("ConfigMap b-one", holds("new")).await;
    world.settled().await;
    let leave = json!({"metadata": {"annotations": {"kro.run/allow-breaking-changes": "true"}}});
    world.merge(APP, leave).await;
    world.active(APP).await;
    world.eventually("ConfigMap a-one", holds("other")).await;
    world.eventually("ConfigMap b-one", holds("other")).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn defect_b1_every_change_of_a_schema_reaches_the_crd() {
    let world = World::start().await;
    let mut made = definition("App", "spec: {}", "[]");
    made["metadata"]["annotations"] = json!({"kro.run/allow-breaking-changes": "true"});
    let fields = json!({"size": "string", "list": "[]string", "map": "map[string]string", "note": "string"});
    made["spec"]["schema"]["spec"] = fields;
    world.define(&made).await;
    let changes: [(&str, &str, &str, Value); 6] = [
        ("size", "string | enum=\"s,m\"", "size/enum", json!(["s", "m"])),
        (
            "note",
            "string | validation=\"self != 'x'\"",
            "note/x-kubernetes-validations/0/rule",
            json!("self != 'x'"),
        ),
        ("note", "string | immutable=true", "note/x-kubernetes-validations/0/rule", json!("self == oldSelf")),
        ("list", "[]string | listType=set", "list/x-kubernetes-list-type", json!("set")),
        ("map", "map[string]integer", "map/additionalProperties/type", json!("integer")),
        ("note", "string | description=\"a note\"", "note/description", json!("a note")),
    ];
    for (field, text, pointer, expected) in changes {
        made["spec"]["schema"]["spec"][field] = text.into();
        world.put(&made).await;
        let pointer = format!("/properties/spec/properties/{pointer}");
        world.eventually(CRD, |it| *schema_of(it, &pointer) == expected).await;
    }
    made["spec"]["schema"]["metadata"] = json!({"labels": {"team": "a"}, "annotations": {"note": "b"}});
    made["spec"]["schema"]["shortNames"] = json!(["ap"]);
    world.put(&made).await;
    let crd = world.eventually(CRD, |it| it["metadata"]["labels"]["team"] == "a").await;
    assert_eq!(crd["metadata"]["annotations"]["note"], "b");
    assert_eq!(crd["spec"]["names"]["shortNames"], json!(["ap"]));
    world.active(APP).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_40_the_crd_and_the_instances_outlive_the_definition() {
    let world = with_an_instance().await;
    world.annotate(APP, "krono.dev/deletion-policy", Some("Orphan")).await;
    world.delete(APP).await;
    world.gone(APP).await;
    world.settled().await;
    assert!(world.get(CRD).await.is_some());
    assert!(world.get("ConfigMap a-one").await.is_some());
    let again = world.define(&app("again ${schema.spec.text}")).await;
    world.eventually("ConfigMap a-one", holds("again hello")).await;
    let uid = |object: &Value| object["metadata"]["labels"]["kro.run/resource-graph-definition-id"].clone();
    assert_eq!(uid(&world.there(CRD).await), again["metadata"]["uid"]);
    world.eventually("App a", |it| uid(it) == again["metadata"]["uid"]).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_40_with_leave_the_crd_and_the_instances_go_with_the_definition() {
    let world = World::start_with(Options { allow_crd_deletion: true, ..prompt() }).await;
    world.define(&app("${schema.spec.text}")).await;
    world.instance("App a", "text: hello").await;
    world.active("App a").await;
    world.delete(APP).await;
    world.gone(APP).await;
    assert!(world.get(CRD).await.is_none());
    assert!(world.get("ConfigMap a-one").await.is_none());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_40_an_instance_that_is_being_deleted_is_seen_off_before_the_definition_goes() {
    let world = with_an_instance().await;
    world.merge("ConfigMap a-one", json!({"metadata": {"finalizers": ["acme.io/hold"]}})).await;
    world.delete("App a").await;
    world.state("App a", "DELETING").await;
    world.delete(APP).await;
    world.settled().await;
    assert!(world.get(APP).await.is_some());
    world.merge("ConfigMap a-one", json!({"metadata": {"finalizers": null}})).await;
    world.gone(APP).await;
    world.gone("App a").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_40_two_definitions_of_one_kind_do_not_disturb_each_other() {
    let world = with_an_instance().await;
    let mut other = definition("App", SPEC, &config_map("two", "text: other", ""));
    other["metadata"]["name"] = "other".into();
    world.put(&other).await;
    let refused = "ResourceGraphDefinition /other";
    let told = world.eventually(refused, |it| condition(it, "KindReady")["status"] == "False").await;
    let expected = "owned by another ResourceGraphDefinition app";
    assert!(message(&told, "KindReady").contains(expected), "{}", message(&told, "KindReady"));
    world.settled().await;
    assert!(world.get("ConfigMap a-two").await.is_none());
    world.instance("App a", "text: still").await;
    world.eventually("ConfigMap a-one", holds("still")).await;
    world.delete(refused).await;
    world.gone(refused).await;
    world.active(APP).await;
    assert!(world.get(CRD).await.is_some());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_40_a_crd_that_nobody_defined_is_left_alone() {
    let world = World::start().await;
    world
        .apply(
            "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: apps.kro.run},
              spec: {group: kro.run, scope: Namespaced, names: {kind: App, plural: apps, singular: app, listKind: AppList},
                versions: [{name: v1alpha1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}",
        )
        .await;
    world.put(&app("${schema.spec.text}")).await;
    let told = world.eventually(APP, |it| condition(it, "KindReady")["status"] == "False").await;
    assert!(message(&told, "KindReady").contains("not owned by KRO"), "{}", message(&told, "KindReady"));
    world.settled().await;
    assert_eq!(*schema_of(&world.there(CRD).await, ""), json!({"type": "object"}));
    world.delete(CRD).await;
    world.active(APP).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_40_an_edited_crd_is_repaired() {
    let world = with_an_instance().await;
    world.merge(CRD, json!({"spec": {"names": {"shortNames": ["mine"]}}})).await;
    world.eventually(CRD, |it| it["spec"]["names"].get("shortNames").is_none()).await;
    let mut versions = world.there(CRD).await["spec"]["versions"].clone();
    versions[0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["more"] =
        json!({"type": "string"});
    world.merge(CRD, json!({"spec": {"versions": versions}})).await;
    world.eventually(CRD, |it| schema_of(it, "/properties/spec/properties/more").is_null()).await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_40_a_deleted_crd_is_made_again() {
    let world = with_an_instance().await;
    let before = world.there(CRD).await;
    world.delete(CRD).await;
    world.eventually(CRD, |it| it["metadata"]["uid"] != before["metadata"]["uid"]).await;
    world.active(APP).await;
    world.gone("ConfigMap a-one").await;
    world.settled().await;
    world.instance("App a", "text: again").await;
    world.active("App a").await;
    assert_eq!(world.there("ConfigMap a-one").await["data"]["text"], "again");
    world.settled().await;
}
