//! The definitions that kro's own end-to-end tests expect.

use krono_schema::crd::{Inference, InstanceSchema};
use krono_schema::structural;
use serde_json::{Value, json};

use crate::corpus::{corpus, definitions, documents};

fn expand(definition: &Value) -> Value {
    let instance = InstanceSchema::from_definition(definition).unwrap();
    let inference = Inference::new(definition, &instance);
    let expanded = instance.definition(&mut |expression| inference.schema_of(expression)).unwrap();
    let schema = expanded.spec.versions[0].schema().unwrap();
    assert_eq!(
        structural::check(schema, "schema"),
        [],
        "the API server would refuse {}",
        expanded.metadata.name
    );
    serde_json::to_value(expanded).unwrap()
}

/// Chainsaw's rule: maps may have more than is expected, lists may not.
fn assert_has(actual: &Value, expect: &Value, path: &str) {
    match (actual, expect) {
        (Value::Object(actual), Value::Object(expect)) => {
            for (name, expect) in expect {
                let path = format!("{path}.{name}");
                assert_has(actual.get(name).unwrap_or_else(|| panic!("{path} is missing")), expect, &path);
            }
        }
        (Value::Array(actual), Value::Array(expect)) => {
            assert_eq!(actual.len(), expect.len(), "{path}");
            for (index, (actual, expect)) in actual.iter().zip(expect).enumerate() {
                assert_has(actual, expect, &format!("{path}[{index}]"));
            }
        }
        _ => assert_eq!(actual, expect, "{path}"),
    }
}

/// What the API server adds to a definition.
fn remove_server_fields(expect: &mut Value) {
    let fields = expect.as_object_mut().unwrap();
    fields.remove("status");
    fields["metadata"].as_object_mut().unwrap().remove("generation");
    fields["spec"].as_object_mut().unwrap().remove("conversion");
}

#[test]
fn behaviour_5_definitions_are_as_kro_asserts() {
    let Some(corpus) = corpus() else { return };
    let mut checked = 0;
    for (file, definition) in definitions(&corpus.join("chainsaw")) {
        let assertion = file.with_file_name("instancecrd-assert.yaml");
        if !assertion.exists() {
            continue;
        }
        let (_, mut expect) = documents(&assertion).remove(0);
        remove_server_fields(&mut expect);
        assert_has(&expand(&definition), &expect, &file.display().to_string());
        checked += 1;
    }
    assert_eq!(checked, 6);
}

/// The assertions that spell the whole spec out, defaults and all, hold as equalities.
#[test]
fn behaviour_5_complete_specs_are_equal() {
    let Some(corpus) = corpus() else { return };
    for name in ["check-required-default-interactions", "check-arbitary-objects"] {
        let folder = corpus.join("chainsaw").join(name);
        let (_, definition) = definitions(&folder).remove(0);
        let (_, expect) = documents(&folder.join("instancecrd-assert.yaml")).remove(0);
        let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";
        let actual = expand(&definition);
        let (mut actual, mut expect) =
            (actual.pointer(spec).unwrap().clone(), expect.pointer(spec).unwrap().clone());
        sort_required(&mut actual);
        sort_required(&mut expect);
        assert_eq!(actual, expect, "{name}");
    }
}

fn sort_required(schema: &mut Value) {
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.sort_by_key(ToString::to_string);
    }
    match schema {
        Value::Object(fields) => fields.values_mut().for_each(sort_required),
        Value::Array(items) => items.iter_mut().for_each(sort_required),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn every_definition_expands() {
    let Some(corpus) = corpus() else { return };
    let all = definitions(&corpus);
    assert!(all.len() > 20, "{}", all.len());
    for (file, definition) in all {
        let expanded = expand(&definition);
        assert_eq!(expanded["kind"], "CustomResourceDefinition", "{}", file.display());
        let status = &expanded["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"];
        assert_eq!(status["properties"]["state"], json!({"type": "string"}), "{}", file.display());
    }
}
