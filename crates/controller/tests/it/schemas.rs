//! What authors write about fields, and what the API server is told.

use serde_json::{Value, json};

use crate::world::{World, condition, config_map, definition, message};

const APP: &str = "ResourceGraphDefinition /app";
const CRD: &str = "CustomResourceDefinition /apps.kro.run";

/// A definition without resources.
fn with_schema(spec: &Value, types: &Value) -> Value {
    let mut made = definition("App", "spec: {}", "[]");
    made["spec"]["schema"]["spec"] = spec.clone();
    if !types.is_null() {
        made["spec"]["schema"]["types"] = types.clone();
    }
    made
}

/// The schema that the API server has of the spec of instances.
async fn spec_schema(world: &World) -> Value {
    let crd = world.there(CRD).await;
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"].clone()
}

async fn check(spec: &Value, types: &Value, expect: &Value) -> World {
    let world = World::start().await;
    world.define(&with_schema(spec, types)).await;
    assert_eq!(spec_schema(&world).await, *expect);
    world.settled().await;
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_5_every_type_reaches_the_api_server() {
    let any = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    check(
        &json!({
            "text": "string", "count": "integer", "flag": "boolean", "ratio": "float", "any": "object",
            "lists": "[][]string", "map": "map[string]integer", "maps": "[]map[string]object", "inner": {"deep": "string"},
        }),
        &Value::Null,
        &json!({"type": "object", "properties": {
            "text": {"type": "string"},
            "count": {"type": "integer"},
            "flag": {"type": "boolean"},
            "ratio": {"type": "number"},
            "any": any,
            "lists": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
            "map": {"type": "object", "additionalProperties": {"type": "integer"}},
            "maps": {"type": "array", "items": {"type": "object", "additionalProperties": any}},
            "inner": {"type": "object", "properties": {"deep": {"type": "string"}}},
        }}),
    )
    .await;
}

/// All sixteen of them.
#[tokio::test(flavor = "multi_thread")]
async fn behaviour_5_every_marker_reaches_the_api_server() {
    let rule = |rule: &str, message: &str| json!([{"rule": rule, "message": message}]);
    let server = json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}});
    check(
        &json!({
            "b": r#"string | required=true default="x" description="a word" pattern="^[a-z]+$" minLength=1 maxLength=8"#,
            "a": r#"string | required=true enum="x,y""#,
            "count": r#"integer | minimum=1 maximum=9 validation="self != 5""#,
            "fixed": "string | immutable=true",
            "set": "[]string | uniqueItems=true minItems=1 maxItems=3",
            "atomic": "[]integer | listType=atomic",
            "servers": "[]Server | listType=map listMapKey=name",
        }),
        &json!({"Server": {"name": "string | required=true"}}),
        &json!({"type": "object", "required": ["a", "b"], "properties": {
            "b": {"type": "string", "default": "x", "description": "a word", "pattern": "^[a-z]+$", "minLength": 1, "maxLength": 8},
            "a": {"type": "string", "enum": ["x", "y"]},
            "count": {"type": "integer", "minimum": 1, "maximum": 9,
                "x-kubernetes-validations": rule("self != 5", "validation failed")},
            "fixed": {"type": "string", "x-kubernetes-validations": rule("self == oldSelf", "field is immutable")},
            "set": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set", "minItems": 1, "maxItems": 3},
            "atomic": {"type": "array", "items": {"type": "integer"}, "x-kubernetes-list-type": "atomic"},
            "servers": {"type": "array", "items": server, "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"]},
        }}),
    )
    .await;
}

/// They are written in an order in which each uses what comes later.
#[tokio::test(flavor = "multi_thread")]
async fn behaviour_7_custom_types_may_use_each_other_in_any_order() {
    let port = json!({"type": "integer", "minimum": 1, "default": 80});
    let server = json!({"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "port": port}});
    let world = check(
        &json!({"main": "Server", "others": "[]Server", "name": "Name"}),
        &json!({
            "Server": {"name": "Name", "port": "Port"},
            "Name": "Word | required=true",
            "Word": "string",
            "Port": "integer | minimum=1 default=80",
        }),
        &json!({"type": "object", "required": ["name"], "properties": {
            "main": server, "others": {"type": "array", "items": server}, "name": {"type": "string"},
        }}),
    )
    .await;
    let refused =
        world.try_put(&crate::world::instance("App a", "main: {port: 1}")).await.expect_err("no name");
    for field in ["spec.main.name: Required value", "spec.name: Required value"] {
        assert!(refused.contains(field), "{refused}");
    }
    world.instance("App a", "name: x, main: {name: z}").await;
    assert_eq!(world.active("App a").await["spec"]["main"], json!({"name": "z", "port": 80}));
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_7_a_cycle_of_custom_types_is_named() {
    let world = World::start().await;
    let types = json!({"Tree": {"left": "Branch"}, "Branch": {"trees": "[]Tree"}});
    world.put(&with_schema(&json!({"tree": "Tree"}), &types)).await;
    let told = world.eventually(APP, |it| condition(it, "GraphAccepted")["status"] == "False").await;
    let words = message(&told, "GraphAccepted");
    assert!(
        words.contains("Branch -> Tree -> Branch") || words.contains("Tree -> Branch -> Tree"),
        "{words}"
    );
    assert!(world.get(CRD).await.is_none());
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_3_a_reference_has_a_name_or_a_selector_and_not_both() {
    let world = World::start().await;
    let reference = |id: &str, metadata: &str| {
        format!("- {{id: {id}, externalRef: {{apiVersion: v1, kind: ConfigMap, metadata: {metadata}}}}}\n")
    };
    let resources = reference("both", "{name: a, selector: {matchLabels: {a: b}}}")
        + &reference("none", "{namespace: default}")
        + &reference("named", "{name: a}")
        + &reference("selected", "{selector: {matchLabels: {a: b}}}");
    world.put(&definition("App", "spec: {}", &resources)).await;
    let told = world.eventually(APP, |it| condition(it, "GraphAccepted")["status"] == "False").await;
    let words = message(&told, "GraphAccepted");
    for (index, is_wrong) in [(0, true), (1, true), (2, false), (3, false)] {
        let complaint =
            format!("spec.resources[{index}].externalRef.metadata: exactly one of name or selector");
        assert_eq!(words.contains(&complaint), is_wrong, "{words}");
    }
    world.settled().await;
}

/// `optional.none()` becomes null, which the API server reads as a field that is not there.
#[tokio::test(flavor = "multi_thread")]
async fn behaviour_13_an_empty_optional_is_null_in_a_field() {
    let world = World::start().await;
    let resource = "
- id: web
  template:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: '${schema.metadata.name}'}
    spec:
      replicas: ${schema.spec.?replicas}
      selector: {matchLabels: {app: web}}
      template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: 'web:1'}]}}
";
    let status = config_map("seen", "replicas: '${string(web.spec.replicas)}'", "");
    world
        .define(&definition(
            "App",
            "spec: {name: string, replicas: integer}",
            &(resource.to_owned() + &status),
        ))
        .await;
    world.instance("App a", "name: x").await;
    world.active("App a").await;
    assert_eq!(world.there("Deployment a").await["spec"]["replicas"], 1);
    assert_eq!(world.there("ConfigMap a-seen").await["data"]["replicas"], "1");
    world.settled().await;
    world.instance("App a", "name: x, replicas: 3").await;
    world.eventually("Deployment a", |it| it["spec"]["replicas"] == 3).await;
    world.active("App a").await;
    world.settled().await;
    world.instance("App a", "name: x").await;
    world.eventually("Deployment a", |it| it["spec"]["replicas"] == 1).await;
    world.active("App a").await;
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_a_definition_gains_reaches_instances_by_default_and_by_name() {
    let world = World::start().await;
    world
        .define(&definition("App", "spec: {a: string}", &config_map("one", "a: '${schema.spec.a}'", "")))
        .await;
    world.instance("App a", "a: '1'").await;
    world.active("App a").await;
    let data = "a: '${schema.spec.a}', b: '${schema.spec.b}'";
    let spec = "spec: {a: string, b: 'string | default=\"new\"'}";
    world.define(&definition("App", spec, &config_map("one", data, ""))).await;
    world.eventually("ConfigMap a-one", |it| it["data"] == json!({"a": "1", "b": "new"})).await;
    world.merge("App a", json!({"spec": {"b": "named"}})).await;
    world.eventually("ConfigMap a-one", |it| it["data"]["b"] == "named").await;
    world.settled().await;
}
