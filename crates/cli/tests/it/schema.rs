//! `krono schema`.

use serde_json::{Value, json};

use crate::corpus::{corpus, definitions, documents};
use crate::krono::{Run, file, krono, krono_reading};

const DEFINITION: &str = "\
apiVersion: kro.run/v1alpha1
kind: ResourceGraphDefinition
metadata:
  name: app
spec:
  schema:
    apiVersion: v1alpha1
    kind: App
    spec:
      replicas: integer | default=1
";

fn check(run: &Run, code: i32, stdout: &str, stderr: &str) {
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(code), stdout, stderr), "{run}");
}

/// The expanded document of a file that holds one.
fn expanded(path: &str) -> Value {
    let run = krono(&["schema", "expand", path, "-o", "json"]);
    assert_eq!(run.code, Some(0), "{path}: {run}");
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn a_simple_schema_becomes_open_api() {
    let run = krono_reading("name: string | required=true\nports: '[]integer'\n", &["schema", "expand", "-"]);
    let expected = "\
properties:
  name:
    type: string
  ports:
    items:
      type: integer
    type: array
required:
- name
type: object
";
    check(&run, 0, expected, "");
    let run = krono_reading("spec: {a: A}\ntypes: {A: string}\n", &["schema", "expand", "-", "-o", "json"]);
    let value: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(value, json!({"type": "object", "properties": {"a": {"type": "string"}}}));
}

#[test]
fn several_definitions_and_other_objects_in_one_file() {
    let second = DEFINITION.replace("kind: App", "kind: Box");
    let instance = "apiVersion: kro.run/v1alpha1\nkind: App\nmetadata:\n  name: a\n";
    let run = krono_reading(&format!("{DEFINITION}---\n{instance}---\n{second}"), &["schema", "expand", "-"]);
    assert_eq!(run.code, Some(0), "{run}");
    assert_eq!(run.stdout.matches("---\n").count(), 1, "{run}");
    assert!(
        run.stdout.contains("name: apps.kro.run\n") && run.stdout.contains("name: boxes.kro.run\n"),
        "{run}"
    );
    assert_eq!(run.stderr, "warning: <stdin>: left out, as it describes no schema: App\n");
}

#[test]
fn problems_have_a_place_and_a_path() {
    let path =
        file("wrong.yaml", &DEFINITION.replace("integer | default=1", "int\n      name: string | required"));
    let expected = format!(
        "\
error: {path}:10:17: spec.schema.spec.replicas: unknown type \"int\"; write \"integer\"
error: {path}:11:13: spec.schema.spec.name: marker \"required\" has no value; write required=… without spaces around \"=\"
"
    );
    let run = krono(&["schema", "expand", &path]);
    check(&run, 1, "", &expected);
}

#[test]
fn the_status_has_the_types_of_its_expressions() {
    let status = "    status:\n      twice: ${schema.spec.replicas * 2}\n      names: ${['a']}\n      ip: ${pod.status.podIP}\n  resources:\n  - id: pod\n";
    let path = file("status.yaml", &format!("{DEFINITION}{status}"));
    let crd = expanded(&path);
    let status =
        &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"];
    assert_eq!(status["twice"], json!({"type": "integer"}));
    assert_eq!(status["names"], json!({"type": "array", "items": {"type": "string"}}));
    assert_eq!(status["ip"], json!({"x-kubernetes-preserve-unknown-fields": true}));
    let path = file(
        "wrong-status.yaml",
        &format!("{DEFINITION}    status:\n      ip: ${{pod.status.ip + 1}}\n      up: up\n"),
    );
    let expected = format!(
        "\
error: {path}:12:11: spec.schema.status.ip: undeclared reference to 'pod' (in container '')
error: {path}:13:11: spec.schema.status.up: a status field needs an expression, ${{…}}; remove the field or refer to a resource
"
    );
    check(&krono(&["schema", "check", &path]), 1, "", &expected);
}

#[test]
fn what_is_no_schema_is_refused() {
    let refused = |text: &str, expected: &str| {
        let run = krono_reading(text, &["schema", "expand", "-"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{run}");
        assert!(run.stderr.starts_with(expected), "{run}");
    };
    refused("[1, 2]\n", "error: <stdin>:1:1: this is no map; expected a ResourceGraphDefinition, ");
    refused(
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n",
        "error: <stdin>:2:7: kind: Pod describes no schema",
    );
    refused("type: string\n", "error: an OpenAPI schema is expanded already\nhint: ");
    refused("", "error: <stdin> describes no schema\nhint: ");
    refused("a: [\n", "error: <stdin>:");
    let run = krono(&["schema", "expand", "no/such.yaml"]);
    check(&run, 2, "", "error: cannot read no/such.yaml: there is no such file\n");
}

#[test]
fn every_file_is_checked() {
    let good = file("good.yaml", DEFINITION);
    let bad = file("bad.yaml", "a: int\nb: string\n");
    let crd = file("crd.yaml", &krono(&["schema", "expand", &good]).stdout);
    let run = krono(&["schema", "check", &good, &bad, &crd]);
    let stdout = format!(
        "{good}: definition of App (kro.run/v1alpha1) is valid\n{crd}: CustomResourceDefinition apps.kro.run (v1alpha1, stored) is valid\n"
    );
    check(&run, 1, &stdout, &format!("error: {bad}:1:4: a: unknown type \"int\"; write \"integer\"\n"));
    assert_eq!(krono(&["schema", "check", &bad, "no/such.yaml"]).code, Some(2));
    assert_eq!(
        krono_reading("type: string\n", &["schema", "check", "-"]).stdout,
        "<stdin>: OpenAPI schema is valid\n"
    );
}

#[test]
fn changes_are_listed_and_breaking_ones_end_with_code_3() {
    let old = file("against-old.yaml", DEFINITION);
    let compare = |name: &str, text: &str| krono(&["schema", "check", &file(name, text), "--against", &old]);
    let run = compare("against-same.yaml", DEFINITION);
    assert_eq!(run.code, Some(0), "{run}");
    assert!(run.stdout.contains(": nothing changed since "), "{run}");
    let run = compare("against-more.yaml", &format!("{DEFINITION}      name: string\n"));
    assert_eq!(run.code, Some(0), "{run}");
    assert!(run.stdout.starts_with("compatible  spec.name: property was added (optional)\n"), "{run}");
    let run = compare(
        "against-less.yaml",
        &DEFINITION.replace("kind: App", "kind: Box").replace("integer", "string"),
    );
    assert_eq!(run.code, Some(3), "{run}");
    let expected = "breaking    kind changed from App to Box\ncompatible  spec.replicas: default changed from 1 to \"1\"\nbreaking    spec.replicas: type changed from integer to string\n";
    assert_eq!(run.stdout, expected);
    assert!(run.stderr.contains(": 2 changes are breaking\nhint: "), "{run}");
}

#[test]
fn a_crd_is_compared_version_by_version() {
    let crd = krono_reading(DEFINITION, &["schema", "expand", "-"]).stdout;
    let second = crd.replace("v1alpha1", "v1beta1");
    let (_, version) = second.split_once("versions:\n").unwrap();
    let old = file("versions-old.yaml", &crd);
    let new = file("versions-new.yaml", &format!("{crd}{version}"));
    let run = krono(&["schema", "check", &new, "--against", &old]);
    check(&run, 0, &format!("compatible  version v1beta1 was added\n{new}: compatible with {old}\n"), "");
    let run = krono(&["schema", "check", &old, "--against", &new]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (Some(3), "breaking    version v1beta1 was removed\n"),
        "{run}"
    );
    let usage = krono(&["schema", "check", &old, &new, "--against", &old]);
    check(&usage, 2, "", "error: `--against` compares one file with its older form\n");
}

#[test]
fn every_definition_of_the_corpus_expands() {
    let Some(corpus) = corpus() else { return };
    let files = definitions(&corpus);
    assert!(files.len() > 20, "{}", files.len());
    for path in files {
        let crd = expanded(path.to_str().unwrap());
        assert_eq!(crd["kind"], "CustomResourceDefinition", "{}", path.display());
        let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
        assert_eq!(schema["properties"]["status"]["properties"]["state"], json!({"type": "string"}));
    }
}

#[test]
fn definitions_of_the_corpus_expand_as_asserted() {
    let Some(corpus) = corpus() else { return };
    let mut checked = 0;
    for path in definitions(&corpus.join("chainsaw")) {
        let assertion = path.with_file_name("instancecrd-assert.yaml");
        if !assertion.exists() {
            continue;
        }
        let crd = expanded(path.to_str().unwrap());
        let mut expected = documents(&assertion).remove(0);
        remove_what_the_server_adds(&mut expected);
        assert_has(&crd, &expected, &path.display().to_string());
        let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";
        assert_same(crd.pointer(spec).unwrap(), expected.pointer(spec).unwrap(), &path.display().to_string());
        checked += 1;
    }
    assert_eq!(checked, 6);
}

fn remove_what_the_server_adds(crd: &mut Value) {
    crd.as_object_mut().unwrap().remove("status");
    crd["metadata"].as_object_mut().unwrap().remove("generation");
    crd["spec"].as_object_mut().unwrap().remove("conversion");
}

/// Chainsaw's rule: maps may have more than is expected, lists may not.
fn assert_has(actual: &Value, expected: &Value, path: &str) {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => {
            for (name, expected) in expected {
                let path = format!("{path}.{name}");
                assert_has(actual.get(name).unwrap_or_else(|| panic!("{path} is missing")), expected, &path);
            }
        }
        (Value::Array(actual), Value::Array(expected)) => {
            assert_eq!(actual.len(), expected.len(), "{path}");
            let pairs = actual.iter().zip(expected).enumerate();
            for (index, (actual, expected)) in pairs {
                assert_has(actual, expected, &format!("{path}[{index}]"));
            }
        }
        _ => assert_eq!(actual, expected, "{path}"),
    }
}

/// The other direction: nothing but defaults, which most assertions leave out, is there beyond what is expected.
fn assert_same(actual: &Value, expected: &Value, path: &str) {
    let Value::Object(actual) = actual else { return assert_has(actual, expected, path) };
    for (name, actual) in actual {
        match expected.get(name) {
            Some(expected) => assert_same(actual, expected, &format!("{path}.{name}")),
            None => assert_eq!(name, "default", "{path}.{name} is not expected"),
        }
    }
}
