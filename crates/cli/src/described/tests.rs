use serde_json::{Value, json};

use super::form::{self, Form};
use super::reading::Reading;

fn check_form(value: &Value, expected: Form<'_>) {
    assert_eq!(form::of(value), expected, "{value}");
}

#[test]
fn forms() {
    check_form(&json!({"kind": "ResourceGraphDefinition"}), Form::Definition);
    check_form(&json!({"apiVersion": "v1alpha1", "kind": "WebApp", "spec": {}}), Form::DefinitionSchema);
    check_form(&json!({"kind": "CustomResourceDefinition", "apiVersion": "x/v1"}), Form::Crd);
    check_form(&json!({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}}), Form::Other("Pod"));
    check_form(&json!({"kind": "WebApp", "apiVersion": "kro.run/v1"}), Form::Other("WebApp"));
    check_form(&json!({"kind": "string | required=true", "apiVersion": "string"}), Form::DefinitionSchema);
    check_form(&json!({"spec": {"a": "A"}, "types": {"A": "string"}}), Form::SimpleWithTypes);
    check_form(&json!({"replicas": "integer"}), Form::Simple);
    check_form(&json!({"type": "string", "size": "integer"}), Form::Simple);
    check_form(&json!({"type": "string | required=true"}), Form::Simple);
    check_form(&json!({"items": "[]string"}), Form::Simple);
    check_form(&json!({}), Form::Simple);
    check_form(&json!({"type": "string"}), Form::OpenApi);
    check_form(&json!({"type": "string", "format": "byte"}), Form::OpenApi);
    check_form(&json!({"type": "integer", "minimum": 1}), Form::OpenApi);
    check_form(&json!({"type": "object", "properties": {"a": {"type": "string"}}}), Form::OpenApi);
    check_form(&json!({"x-kubernetes-int-or-string": true}), Form::OpenApi);
    check_form(&json!([1]), Form::Scalar);
}

/// Problems as `path: message`, one per line.
fn check_problems(value: &Value, expected: &str) {
    let problems = Reading::of(value, form::of(value)).unwrap_err();
    let lines: Vec<_> = problems.iter().map(|it| format!("{}: {}", it.path, it.message)).collect();
    assert_eq!(lines.join("\n"), expected, "{value}");
}

#[test]
fn problems_are_told_all_at_once() {
    let schema = json!({
        "kind": "App", "apiVersion": "v1",
        "spec": {"a": "int", "b": {"c": 1}}, "status": {"d": "literal"},
    });
    let message = |field: &str| match field {
        "a" => "unknown type \"int\"; write \"integer\"",
        _ => "expected a type such as \"string\" or a map of fields, found a number",
    };
    let problems = Reading::of(
        &json!({"kind": "ResourceGraphDefinition", "spec": {"schema": schema}}),
        Form::Definition,
    );
    let problems = problems.unwrap_err();
    let places: Vec<_> = problems.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(places, ["spec.schema.spec.a", "spec.schema.spec.b.c", "spec.schema.status.d"]);
    check_problems(
        &json!({"a": "int", "b": {"c": 1}}),
        &format!("a: {}\nb.c: {}", message("a"), message("c")),
    );
    check_problems(
        &json!({"kind": "ResourceGraphDefinition"}),
        "spec.schema: expected a map with kind and apiVersion",
    );
    check_problems(
        &json!({"kind": "CustomResourceDefinition", "spec": {"versions": [{"schema": {"openAPIV3Schema": {"type": "int"}}}]}}),
        "spec.versions[0].schema.openAPIV3Schema.type: Unsupported value: \"int\": supported values: \"array\", \"boolean\", \"integer\", \"number\", \"object\", \"string\"",
    );
    check_problems(
        &json!({"kind": "CustomResourceDefinition"}),
        "spec.versions: expected a list of versions",
    );
}
