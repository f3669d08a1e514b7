//! Wrong definitions: every mistake is told, with its path and what to do.

use krono_graph::{Options, compile};

use crate::world::{BuiltIn, definition};

const SCHEMA: &str = "schema:
  kind: App
  apiVersion: v1alpha1
  spec: {name: string, replicas: integer, regions: '[]string', open: boolean}
";

/// Compiles a definition with the usual schema and these resources.
fn check(resources: &str, expect: &[&str]) {
    check_whole(&format!("{SCHEMA}resources:\n{resources}"), expect);
}

fn check_whole(spec: &str, expect: &[&str]) {
    let found = compile(&definition(spec), &BuiltIn, Options::default()).map(drop).expect_err("a mistake");
    let found: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(found, expect, "\n{spec}");
}

/// A `ConfigMap` with some more fields.
fn config_map(id: &str, more: &str) -> String {
    format!("- id: {id}\n  template: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: {id}}}, {more}}}\n")
}

#[test]
fn resources_that_are_none() {
    check("  nothing: true", &["spec.resources: expected a list of resources"]);
    check("- text", &["spec.resources[0]: expected a map with an id and a template or externalRef"]);
    check("- {id: a}", &["spec.resources[0]: exactly one of template or externalRef must be provided"]);
    check(
        "- {id: a, template: {}, externalRef: {}}",
        &["spec.resources[0]: exactly one of template or externalRef must be provided"],
    );
    check(
        "- {id: a, template: text}",
        &["spec.resources[0].template: expected a map with apiVersion, kind and metadata"],
    );
}

#[test]
fn ids() {
    let wrong =
        |id: &str, expect: &str| check(&config_map(id, ""), &[&format!("spec.resources[0].id: {expect}")]);
    wrong("Web", "\"Web\" is not a lowerCamelCase word such as `webServer`");
    wrong("web-server", "\"web-server\" is not a lowerCamelCase word such as `webServer`");
    wrong("schema", "\"schema\" is a reserved word; choose another name");
    let twice = config_map("a", "") + &config_map("a", "");
    check(&twice, &["spec.resources[1].id: \"a\" is the id of spec.resources[0] already; ids are unique"]);
}

#[test]
fn kinds() {
    let template = |text: &str| format!("- id: a\n  template: {text}");
    check(
        &template("{apiVersion: v1, kind: Deployment, metadata: {name: a}}"),
        &[
            "spec.resources[0].template.kind: there is no kind \"Deployment\" in \"v1\"; there are Deployment in apps/v1",
        ],
    );
    check(
        &template("{apiVersion: acme.io/v1, kind: Rocket, metadata: {name: a}}"),
        &["spec.resources[0].template.kind: there is no kind \"Rocket\" in \"acme.io/v1\"; \
           install its CustomResourceDefinition first, or correct the name"],
    );
    check(
        &template("{apiVersion: v1, kind: '${schema.spec.name}', metadata: {name: a}}"),
        &["spec.resources[0].template.kind: kind cannot be an expression; the kind of a resource is fixed"],
    );
    check(
        &template("{kind: ConfigMap, metadata: {name: a}}"),
        &["spec.resources[0].template.apiVersion: expected a string, which is required"],
    );
    check(
        &template("{apiVersion: v1, kind: ConfigMap}"),
        &["spec.resources[0].template.metadata: expected a map with a name, which is required"],
    );
}

#[test]
fn fields() {
    let deployment = |spec: &str| {
        format!(
            "- id: a\n  template: {{apiVersion: apps/v1, kind: Deployment, metadata: {{name: a}}, spec: {spec}}}"
        )
    };
    let path = "spec.resources[0].template.spec";
    check(
        &deployment("{replicas: many}"),
        &[&format!("{path}.replicas: expected a value of type integer, found string")],
    );
    check(
        &deployment("{replicas: 'x-${schema.spec.name}'}"),
        &[&format!("{path}.replicas: expected a value of type integer, found string")],
    );
    check(
        &deployment("{replicas: '${schema.spec.name}'}"),
        &[&format!(
            "{path}.replicas: expression \"schema.spec.name\" returns type \"string\" but expected \"int\": \
             type kind mismatch: got \"string\", expected \"int\""
        )],
    );
    check(
        &deployment("{paused: {}}"),
        &[&format!("{path}.paused: expected a value of type boolean, found object")],
    );
    check(
        &deployment("{strategy: {kind: Recreate}}"),
        &[&format!("{path}.strategy.kind: unknown field; there are rollingUpdate, type")],
    );
}

#[test]
fn expressions() {
    let data = |text: &str| config_map("a", &format!("data: {{key: '{text}'}}"));
    let path = "spec.resources[0].template.data.key";
    check(
        &data("n${schema.spec.replicas}"),
        &[&format!(
            "{path}: expression \"schema.spec.replicas\" returns type \"int\", but it stands in text; \
             write ${{string(schema.spec.replicas)}}"
        )],
    );
    check(
        &data("${nothing.spec}"),
        &[&format!("{path}: undeclared reference to 'nothing' (in container '')")],
    );
    check(&data("${schema.spec.nam}"), &[&format!("{path}: undefined field 'nam'")]);
    check(
        &data("${schema.spec.name"),
        &[&format!("{path}: `${{` has no closing `}}`; close it, or write ${{\"${{\"}} for the text itself")],
    );
    check(
        &data("${schema.spec.name + ${schema.spec.name}}"),
        &[&format!(
            "{path}: `${{` stands inside an expression; names need no `${{`, and text is written in quotes"
        )],
    );
    check(
        &data("${a.metadata.name}"),
        &["spec.resources[0]: self references are not allowed; only readyWhen may look at \"a\" itself"],
    );
}

#[test]
fn conditions() {
    let with = |more: &str| format!("{}  {more}\n", config_map("a", ""));
    check(
        &with("includeWhen: ['schema.spec.open']"),
        &["spec.resources[0].includeWhen[0]: expected one expression, ${…}, with nothing around it"],
    );
    check(
        &with("includeWhen: ['${schema.spec.name}']"),
        &["spec.resources[0].includeWhen[0]: returns type \"string\" but expected \"bool\"; \
           compare it with something, as in `== 'Ready'`"],
    );
    check(
        &with("readyWhen: ['${schema.spec.open}']"),
        &["spec.resources[0].readyWhen[0]: undeclared reference to 'schema' (in container '')"],
    );
    check(&with("readyWhen: yes"), &["spec.resources[0].readyWhen: expected a list"]);
    check(
        &with("readyWhen: [1]"),
        &[
            "spec.resources[0].readyWhen[0]: expected an expression, ${…}",
            "spec.resources[0].readyWhen[0]: expected one expression, ${…}, with nothing around it",
        ],
    );
    check(&with("deletionPolicy: Keep"), &["spec.resources[0].deletionPolicy: expected Delete or Retain"]);
}

#[test]
fn collections() {
    let with = |name: &str, for_each: &str| {
        format!(
            "- id: a\n  template: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: '{name}'}}}}\n  forEach: {for_each}\n"
        )
    };
    let path = "spec.resources[0]";
    check(
        &with("fixed", "[{region: '${schema.spec.regions}'}]"),
        &[&format!(
            "{path}.template.metadata.name: all objects of this collection that differ in \"region\" alone have one name; \
             use region in metadata.name, as in `${{region}}-…`"
        )],
    );
    check(
        &with("${region}", "[{region: '${schema.spec.name}'}]"),
        &[&format!("{path}.forEach[0].region: returns type \"string\" but expected a list")],
    );
    check(
        &with("${a1}", "[{a1: '${schema.spec.regions}', b: '${[1]}'}]"),
        &[
            &format!(
                "{path}.forEach[0]: expected one iterator and its list, such as `region: ${{schema.spec.regions}}`"
            ),
            &format!("{path}.template.metadata.name: undeclared reference to 'a1' (in container '')"),
        ],
    );
    check(
        &with("${each}", "[{each: '${schema.spec.regions}'}]"),
        &[&format!("{path}.forEach[0].each: \"each\" is a reserved word; choose another name")],
    );
}

#[test]
fn references() {
    let with = |metadata: &str| {
        format!("- id: a\n  externalRef: {{apiVersion: v1, kind: ConfigMap, metadata: {metadata}}}")
    };
    let path = "spec.resources[0].externalRef.metadata";
    check(&with("{}"), &[&format!("{path}: exactly one of name or selector must be provided")]);
    check(
        &with("{name: a, selector: {}}"),
        &[&format!("{path}: exactly one of name or selector must be provided")],
    );
    check(
        &with("{name: a, label: b}"),
        &[&format!("{path}.label: unknown field; a reference has name or selector, and namespace")],
    );
    check(
        "- id: a\n  externalRef: {apiVersion: v1, kind: Namespace, metadata: {name: a, namespace: b}}",
        &[&format!("{path}.namespace: Namespace is not namespaced; remove the namespace")],
    );
}

#[test]
fn scopes_and_keys() {
    check(
        "- id: a\n  template: {apiVersion: v1, kind: Namespace, metadata: {name: a, namespace: b}}",
        &["spec.resources[0].template.metadata.namespace: Namespace is not namespaced; remove the namespace"],
    );
    let cluster = SCHEMA.replace("kind: App", "kind: App\n  scope: Cluster");
    check_whole(
        &format!("{cluster}resources:\n{}", config_map("a", "")),
        &["spec.resources[0].template.metadata.namespace: \
           instances of this definition are in no namespace, so the resource must name its own"],
    );
    check(
        "- id: a\n  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {kro.run/owned: 'no'}}}",
        &["spec.resources[0].template.metadata.labels[kro.run/owned]: \
           keys under kro.run/ are written by the controller; use another prefix"],
    );
}

#[test]
fn cycles() {
    let refers = |id: &str, to: &str| config_map(id, &format!("data: {{key: '${{{to}.metadata.name}}'}}"));
    check(
        &(refers("a", "b") + &refers("b", "c") + &refers("c", "a")),
        &["spec.resources: graph contains a cycle: a -> b -> c -> a; remove one of these references"],
    );
}

#[test]
fn statuses() {
    let with = |status: &str| SCHEMA.replace("kind: App", &format!("kind: App\n  status: {status}"));
    let path = "spec.schema.status";
    check_whole(
        &with("{a: text}"),
        &[&format!(
            "{path}.a: a status field needs an expression, ${{…}}; remove the field or refer to a resource"
        )],
    );
    check_whole(
        &with("{a: '${nothing}'}"),
        &[&format!("{path}.a: undeclared reference to 'nothing' (in container '')")],
    );
    check_whole(
        &with("{a: '${1 + 1}'}"),
        &[&format!(
            "{path}.a: expression \"1 + 1\" refers to no resource and not to schema; \
             a status tells about resources or the instance"
        )],
    );
    check_whole(
        &with("{conditions: ['${schema.spec.name}']}"),
        &[&format!(
            "{path}.conditions[0]: returns type \"string\" but expected a condition or a list of conditions; \
             write ${{runtime.newCondition({{type: …, status: …}})}}"
        )],
    );
}

#[test]
fn all_mistakes_at_once() {
    let resources = config_map("Web", "data: {key: '${nothing}'}") + "- {id: b}\n";
    check_whole(
        &format!("schema: {{kind: app, apiVersion: v1, spec: {{}}}}\nresources:\n{resources}"),
        &[
            "spec.schema.kind: \"app\" is not an UpperCamelCase word such as WebApp",
            "spec.resources[0].id: \"Web\" is not a lowerCamelCase word such as `webServer`",
            "spec.resources[1]: exactly one of template or externalRef must be provided",
            "spec.resources[0].template.data.key: undeclared reference to 'nothing' (in container '')",
        ],
    );
}
