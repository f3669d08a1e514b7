//! What the server makes of definitions.

use krono_model::wire::ResourceGraphDefinition;
use serde_json::{Value, json};

use crate::{corpus, server};

fn definition(schema: &Value, resources: &Value) -> Value {
    let mut all = json!({"kind": "WebApp", "apiVersion": "v1alpha1"});
    all.as_object_mut().unwrap().extend(schema.as_object().unwrap().clone());
    json!({
        "apiVersion": "kro.run/v1alpha1",
        "kind": "ResourceGraphDefinition",
        "metadata": {"name": "web"},
        "spec": {"schema": all, "resources": resources},
    })
}

fn template() -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "${schema.metadata.name}"}})
}

/// `written` with what the server fills in.
fn defaulted(written: &Value) -> Value {
    let mut spec = written["spec"].clone();
    for (field, value) in [("group", "kro.run"), ("scope", "Namespaced")] {
        if spec["schema"][field].is_null() {
            spec["schema"][field] = json!(value);
        }
    }
    spec
}

#[tokio::test]
async fn behaviour_1_upstream_yaml_is_accepted_unchanged() {
    let server = server::start().await;
    let definitions = corpus::definitions();
    for (file, definition) in &definitions {
        // A key with no value is no key.
        let mut written = definition.clone();
        drop_nulls(&mut written);
        let stored = server.apply(definition).await;
        let stored = stored.unwrap_or_else(|refusal| panic!("{}: {refusal}", file.display()));
        assert_eq!(stored["spec"], defaulted(&written), "{}", file.display());
    }
    println!("{} definitions", definitions.len());
}

#[test]
fn the_wire_types_lose_nothing_of_upstream_yaml() {
    for (file, mut definition) in corpus::definitions() {
        drop_nulls(&mut definition["spec"]);
        let read: ResourceGraphDefinition = serde_json::from_value(definition.clone()).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), definition, "{}", file.display());
    }
}

fn drop_nulls(value: &mut Value) {
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|_, it| !it.is_null());
        fields.values_mut().for_each(drop_nulls);
    } else if let Some(entries) = value.as_array_mut() {
        entries.iter_mut().for_each(drop_nulls);
    }
}

#[tokio::test]
async fn behaviour_1_what_names_the_kind_is_immutable() {
    let server = server::start().await;
    let resources = json!([]);
    server.apply(&definition(&json!({}), &resources)).await.unwrap();
    for (field, value) in
        [("kind", "Other"), ("apiVersion", "v1"), ("group", "example.com"), ("scope", "Cluster")]
    {
        let refusal = server.apply(&definition(&json!({field: value}), &resources)).await.unwrap_err();
        let expected = format!("spec.schema.{field}: Invalid value: \"{value}\": {field} is immutable");
        assert!(refusal.contains(&expected), "{refusal}");
    }
}

#[tokio::test]
async fn behaviour_2_group_and_scope_have_defaults() {
    let server = server::start().await;
    let stored = server.apply(&definition(&json!({}), &json!([]))).await.unwrap();
    assert_eq!(stored["spec"]["schema"]["group"], "kro.run");
    assert_eq!(stored["spec"]["schema"]["scope"], "Namespaced");
}

#[tokio::test]
async fn behaviour_3_exactly_one_of_template_and_external_reference() {
    let server = server::start().await;
    let external = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "key"}});
    let both = json!([{"id": "a", "template": template(), "externalRef": external}]);
    for resources in [both, json!([{"id": "a"}])] {
        let refusal = server.apply(&definition(&json!({}), &resources)).await.unwrap_err();
        assert!(refusal.contains("exactly one of template or externalRef must be provided"), "{refusal}");
    }
    let one = json!([{"id": "a", "externalRef": external}, {"id": "b", "template": template()}]);
    server.apply(&definition(&json!({}), &one)).await.unwrap();
}

#[tokio::test]
async fn behaviour_4_malformed_definitions_are_refused_with_the_field_named() {
    let server = server::start().await;
    let check = async |schema: Value, resource: Value, expected: &str| {
        let resources = if resource.is_null() { json!([]) } else { json!([resource]) };
        let refusal = server.apply(&definition(&schema, &resources)).await.unwrap_err();
        assert!(refusal.contains(expected), "{refusal}");
    };
    let schema = async |schema: Value, expected: &str| check(schema, Value::Null, expected).await;
    schema(json!({"kind": "webApp"}), "spec.schema.kind: Invalid value").await;
    schema(json!({"apiVersion": "1.0"}), "spec.schema.apiVersion: Invalid value").await;
    schema(json!({"scope": "Galaxy"}), "spec.schema.scope: Unsupported value").await;
    schema(json!({"shortNames": ["WA"]}), "spec.schema.shortNames[0]: Invalid value").await;
    schema(json!({"categories": ["a", "a"]}), ".spec.schema.categories: duplicate entries").await;
    schema(json!({"metadata": {"labels": {"a": 1}}}), "spec.schema.metadata.labels").await;
    schema(json!({"spce": {}}), "spec.schema.spce").await;
    schema(json!({"additionalPrinterColumns": [{"name": "A"}]}), "additionalPrinterColumns[0].jsonPath")
        .await;

    let resource = async |field: &str, value: Value, expected: &str| {
        check(json!({}), json!({"id": "a", "template": template(), field: value}), expected).await;
    };
    resource("forEach", json!([{}]), "spec.resources[0].forEach[0]").await;
    resource("forEach", json!([{"x": "${a}", "y": "${b}"}]), "spec.resources[0].forEach[0]").await;
    resource("readyWhen", json!([1]), "spec.resources[0].readyWhen[0]").await;
    resource("deletionPolicy", json!("Keep"), "spec.resources[0].deletionPolicy: Unsupported value").await;
    let reference = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": ""}});
    check(json!({}), json!({"id": "a", "externalRef": reference}), "externalRef.metadata.name").await;
    check(json!({}), json!({"template": template()}), "spec.resources[0].id: Required value").await;
}

#[tokio::test]
async fn v1_policy_fields_are_kept_and_checked() {
    let server = server::start().await;
    let mut written = definition(
        &json!({}),
        &json!([{
            "id": "data",
            "template": template(),
            "propagateWhen": ["${data.metadata.name != ''}"],
            "deletionPolicy": "Retain",
        }]),
    );
    written["spec"]["revisionManagement"] =
        json!({"historyLimit": 10, "updatePolicy": {"type": "Manual"}, "instances": {"pin": "Allow"}});
    written["spec"]["propagateWhen"] = json!(["${exponentiallyUpdated(instances, each)}"]);
    written["spec"]["propagation"] = json!({"maxInFlight": "25%", "maxFailures": 1, "onFailure": "Rollback", "windows": [{"zone": "UTC"}]});
    let stored = server.apply(&written).await.unwrap();
    assert_eq!(stored["spec"], defaulted(&written));
    let read: ResourceGraphDefinition = serde_json::from_value(written.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), written);

    for (pointer, value) in [
        ("/spec/revisionManagement/historyLimit", json!(0)),
        ("/spec/revisionManagement/updatePolicy/type", json!("Sometimes")),
        ("/spec/propagation/maxInFlight", json!("many")),
        ("/spec/propagation/onFailure", json!("Panic")),
    ] {
        let mut wrong = written.clone();
        *wrong.pointer_mut(pointer).unwrap() = value;
        let refusal = server.apply(&wrong).await.unwrap_err();
        assert!(refusal.contains(&pointer[1..].replace('/', ".")), "{refusal}");
    }
}

#[tokio::test]
async fn a_selector_may_be_an_expression_or_an_object() {
    let server = server::start().await;
    for selector in [json!("${schema.spec.selector}"), json!({"matchLabels": {"a": "${schema.spec.a}"}})] {
        let reference = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"selector": selector}});
        let written = definition(&json!({}), &json!([{"id": "a", "externalRef": reference}]));
        let stored = server.apply(&written).await.unwrap();
        assert_eq!(stored["spec"], defaulted(&written));
    }
}

#[tokio::test]
async fn status_is_kept_whole() {
    let server = server::start().await;
    server.apply(&definition(&json!({}), &json!([]))).await.unwrap();
    let status = json!({
        "state": "Active",
        "conditions": [{
            "type": "Ready", "status": "True", "reason": "Ready", "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 1,
        }],
        "topologicalOrder": ["a", "b"],
        "resources": [{"id": "b", "dependencies": [{"id": "a"}]}],
        "lastIssuedRevision": 3,
    });
    let stored = server.write_status("web", &status).await.unwrap();
    assert_eq!(stored["status"], status);
    let read: ResourceGraphDefinition = serde_json::from_value(stored).unwrap();
    assert_eq!(serde_json::to_value(read.status).unwrap(), status);
}

#[tokio::test]
async fn columns_are_those_of_kro() {
    let columns = server::start().await.columns().await;
    let expected = [
        ("Name", 0),
        ("APIVERSION", 0),
        ("KIND", 0),
        ("STATE", 0),
        ("READY", 0),
        ("TOPOLOGICALORDER", 1),
        ("AGE", 0),
    ];
    assert_eq!(columns, expected.map(|(name, priority)| (name.to_owned(), priority)));
}
