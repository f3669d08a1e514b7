//! What expressions make of values.

use serde_json::{Value, json};

use crate::world::{World, config_map, definition, message};

/// The data of the one `ConfigMap` of an instance with that spec.
async fn data(schema: &str, data: &str, spec: &str) -> Value {
    let world = World::start().await;
    world.define(&definition("App", schema, &config_map("one", data, ""))).await;
    world.instance("App a", spec).await;
    world.active("App a").await;
    world.settled().await;
    world.there("ConfigMap a-one").await["data"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_11_and_defect_b7_expressions_are_found_in_text() {
    let made = data(
        "spec: {text: string, n: integer}",
        r#"escaped: '${"${VAR}"}', around: 'a ${schema.spec.text} b ${string(schema.spec.n)}',
           quoted: "${'}' + schema.spec.text + '{'}", brace: "${'\"' + schema.spec.text}", dollar: '$ {x} $$'"#,
        "text: hello, n: 3",
    )
    .await;
    let expected = json!({"escaped": "${VAR}", "around": "a hello b 3", "quoted": "}hello{", "brace": "\"hello",
        "dollar": "$ {x} $$"});
    assert_eq!(made, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_11_an_expression_alone_keeps_its_type() {
    let world = World::start().await;
    let resource = "
- id: web
  template:
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: '${schema.metadata.name}', labels: '${schema.spec.labels}'}
    spec:
      replicas: ${schema.spec.replicas}
      paused: ${schema.spec.replicas > 2}
      selector: {matchLabels: {app: web}}
      template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: 'web:1'}]}}
";
    world
        .define(&definition("App", "spec: {replicas: integer, labels: 'map[string]string'}", resource))
        .await;
    world.instance("App a", "replicas: 3, labels: {team: a}").await;
    world.active("App a").await;
    let made = world.there("Deployment a").await;
    assert_eq!((&made["spec"]["replicas"], &made["spec"]["paused"]), (&json!(3), &json!(true)));
    assert_eq!(made["metadata"]["labels"]["team"], "a");
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_15_secrets_are_bytes_and_times_are_text() {
    let world = World::start().await;
    world.apply("{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {key: hidden}}").await;
    let resources = "- {id: secret, externalRef: {apiVersion: v1, kind: Secret, metadata: {name: s}}}\n"
        .to_owned()
        + &config_map(
            "one",
            "text: '${string(secret.data.key)}', made: '${string(secret.metadata.creationTimestamp)}'",
            "",
        );
    let schema = "spec: {}, status: {made: '${secret.metadata.creationTimestamp}'}";
    world.define(&definition("App", schema, &resources)).await;
    world.instance("App a", "").await;
    let told = world.active("App a").await;
    let made = world.there("Secret s").await["metadata"]["creationTimestamp"].clone();
    let copy = world.there("ConfigMap a-one").await["data"].clone();
    assert_eq!(copy, json!({"text": "hidden", "made": made}));
    assert_eq!(told["status"]["made"], made);
    world.settled().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_15_fields_nobody_described_can_be_read() {
    let made = data(
        "spec: {any: object}",
        "deep: '${schema.spec.any.a.b}', number: '${string(schema.spec.any.n)}'",
        "any: {a: {b: deep}, n: 4}",
    )
    .await;
    assert_eq!(made, json!({"deep": "deep", "number": "4"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_16_libraries_give_the_values_of_kro() {
    let made = data(
        "spec: {}",
        "random: '${random.seededString(10, \"test-seed\")}', number: '${string(random.seededInt(30000, 32768, \"test-seed\"))}', \
         hash: '${base64.encode(hash.fnv64a(\"hello world\"))}', json: '${json.marshal({\"b\": 1, \"a\": [true]})}', \
         merged: '${json.marshal({\"a\": \"1\"}.merge({\"a\": \"2\", \"b\": \"3\"}))}', \
         quantity: '${string(quantity(\"1Gi\").isGreaterThan(quantity(\"1G\")))}'",
        "",
    )
    .await;
    let expected = json!({"random": "5czheg3o5c", "number": "32628", "hash": "d5pl5wI80uc=",
        "json": "{\"a\":[true],\"b\":1}", "merged": "{\"a\":\"2\",\"b\":\"3\"}", "quantity": "true"});
    assert_eq!(made, expected);
}

/// kro's values stay what they are, since resources are named by them; two seeds give text that does not repeat.
#[tokio::test(flavor = "multi_thread")]
async fn defect_b8_text_repeats_only_where_kros_does_and_two_seeds_do_not() {
    let made = data(
        "spec: {}",
        "kros: '${random.seededString(20, \"test-seed\")}', \
         longer: '${random.seededString(8, \"test-seed\") + random.seededString(8, \"test-seed/2\")}'",
        "",
    )
    .await;
    assert_eq!(made["kros"], "5czheg3o5czheg3o5czh");
    let longer = made["longer"].as_str().unwrap_or_default();
    assert_eq!((longer.len(), &longer[..8]), (16, "5czheg3o"));
    assert_ne!(longer[..8], longer[8..]);
}

#[tokio::test(flavor = "multi_thread")]
async fn behaviour_17_expressions_inside_instance_data_are_never_evaluated() {
    let made = data(
        "spec: {text: string}",
        "alone: '${schema.spec.text}', within: 'x${schema.spec.text}'",
        "text: '${schema.metadata.name} ${1/0} ${'",
    )
    .await;
    let text = "${schema.metadata.name} ${1/0} ${";
    assert_eq!(made, json!({"alone": text, "within": format!("x{text}")}));
}

#[tokio::test(flavor = "multi_thread")]
async fn defect_b6_defaults_are_read_as_people_write_them() {
    let made = data(
        r#"spec: {text: 'string | default="say \"hi\""', flag: 'boolean | default=T', number: 'integer | default=+5'}"#,
        "text: '${schema.spec.text}', flag: '${string(schema.spec.flag)}', number: '${string(schema.spec.number)}'",
        "",
    )
    .await;
    assert_eq!(made, json!({"text": "say \"hi\"", "flag": "true", "number": "5"}));
}

#[tokio::test(flavor = "multi_thread")]
async fn defect_b15_ready_when_sees_times_and_bytes_as_what_they_are() {
    let world = World::start().await;
    let resources = "
- id: secret
  readyWhen:
  - ${secret.metadata.creationTimestamp < timestamp('2100-01-01T00:00:00Z')}
  - ${string(secret.data.key) == 'open'}
  template:
    apiVersion: v1
    kind: Secret
    metadata: {name: '${schema.metadata.name}'}
    stringData: {key: '${schema.spec.key}'}
";
    world.define(&definition("App", "spec: {key: string}", resources)).await;
    world.instance("App a", "key: shut").await;
    let told = world.state("App a", "IN_PROGRESS").await;
    assert!(message(&told, "ResourcesReady").contains("readyWhen"), "{told:#}");
    world.settled().await;
    world.instance("App a", "key: open").await;
    world.active("App a").await;
    world.settled().await;
}
