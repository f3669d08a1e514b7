//! `propagateWhen` of resources.

use krono_cel::library::kro;
use krono_cel::{Env, Val};
use krono_graph::{CompiledGraph, Known, ResourceGates};
use serde_json::{Value, json};

use crate::world::{Objects, compiled, yaml};

const GRAPH: &str = "
schema: {apiVersion: v1alpha1, kind: App, spec: {words: '[]string', size: integer}}
resources:
- {id: outside, externalRef: {apiVersion: v1, kind: ConfigMap, metadata: {name: outside}}}
- {id: one, template: {apiVersion: apps/v1, kind: Deployment, metadata: {name: one}}}
- id: many
  forEach: [{word: '${schema.spec.words}'}]
  readyWhen: ['${each.data.ready == \"yes\"}']
  template: {apiVersion: v1, kind: ConfigMap, metadata: {name: '${word}'}}
";

fn functions() -> Env {
    kro::environment().build()
}

/// `id` and expressions.
fn gates(graph: &CompiledGraph, id: &str, expressions: &Value) -> (ResourceGates, Vec<String>) {
    let resources =
        json!([{"id": "gone", "propagateWhen": ["${nonsense}"]}, {"id": id, "propagateWhen": expressions}]);
    let (gates, found) = ResourceGates::compile(graph, &resources, &functions());
    (gates, found.iter().map(ToString::to_string).collect())
}

#[test]
fn v34_expressions_of_resources_see_the_instance_all_resources_and_the_one_that_waits() {
    let graph = compiled(GRAPH);
    for (id, expression) in [
        ("one", "schema.spec.size > 3"),
        ("one", "each.spec.replicas == one.status.readyReplicas"),
        ("one", "outside.data.open == 'yes'"),
        ("many", "each.index < 2 && many.all(it, it.index >= 0)"),
        ("many", "one.index == 0"),
    ] {
        let (gates, found) = gates(&graph, id, &json!([format!("${{{expression}}}")]));
        assert_eq!(found, Vec::<String>::new(), "{expression}");
        assert!(gates.has(if id == "one" { 1 } else { 2 }) && !gates.has(0));
    }
    assert!(gates(&graph, "one", &json!([])).0.is_empty());
    assert!(gates(&graph, "one", &Value::Null).0.is_empty());
}

#[test]
fn v34_wrong_expressions_of_resources_are_told_with_the_cure() {
    let graph = compiled(GRAPH);
    let check = |id: &str, expressions: Value, expected: &[&str]| {
        let (_, found) = gates(&graph, id, &expressions);
        assert_eq!(found, expected, "{expressions}");
    };
    check(
        "one",
        json!(["${on.spec}", "${each.spec.replica > 1}", "true"]),
        &[
            "spec.resources[1].propagateWhen[0]: undeclared reference to 'on'; did you mean `one`?",
            "spec.resources[1].propagateWhen[1]: undefined field 'replica'; did you mean `replicas`?",
            "spec.resources[1].propagateWhen[2]: expected one expression, ${…}, with nothing around it; write ${true}",
        ],
    );
    check(
        "many",
        json!(["${word == 'a'}", "${each.index}", 3]),
        &[
            "spec.resources[1].propagateWhen[0]: undeclared reference to 'word'; the names here are schema, outside, one, many, \
             each; text stands in quotes, \"word\"",
            "spec.resources[1].propagateWhen[1]: returns type \"int\" but expected \"bool\"; compare it with something, as in \
             `== 'Ready'`",
            "spec.resources[1].propagateWhen[2]: expected an expression, ${…}; write a condition such as \
             `${schema.spec.enabled}`",
        ],
    );
    check(
        "one",
        json!(["${true}", "${1 == 2}", "${1 / 0 == 1}"]),
        &[
            "spec.resources[1].propagateWhen[1]: is never true, so that the resource would never change; mention schema, each \
             or a resource",
            "spec.resources[1].propagateWhen[2]: never has a value: division by zero; mention schema, each or a resource",
        ],
    );
    check(
        "outside",
        json!(["${true}"]),
        &[
            "spec.resources[1].propagateWhen: nothing is held back here: others make what externalRef names; move it to the \
           resources that should wait",
        ],
    );
    let expected = "spec.resources[1].propagateWhen: expected a list; write a list of expressions, - ${…}";
    check("one", json!({"if": "${true}"}), &[expected]);
}

/// What keeps each of the items `a`, `b`, `c`, of which the first two are there and the first is ready.
fn closed(expression: &str) -> Vec<String> {
    let graph = compiled(GRAPH);
    let (gates, _) = gates(&graph, "many", &json!([format!("${{{expression}}}")]));
    let mut objects = Objects::default();
    for (name, ready) in [("a", "yes"), ("b", "no")] {
        let text = format!(
            "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}, namespace: x}}, data: {{ready: '{ready}'}}}}"
        );
        objects.add(yaml(&text));
    }
    let instance = json!({"metadata": {"name": "app", "namespace": "x"}, "spec": {"words": ["a", "b", "c"]}});
    let evaluation = graph.evaluate(&instance, &objects);
    let known = |_: usize, _: &Value, is_ready: bool| Known { name: "health", value: Val::Bool(is_ready) };
    let asking = gates.ask(&graph, &instance, &evaluation, &objects, &known);
    let closed =
        |name: &str| asking.closed(2, "x", name).map_or_else(|| "passes".to_owned(), |it| it.to_string());
    ["a", "b", "c"].map(closed).to_vec()
}

#[test]
fn v34_each_item_is_asked_about_by_itself() {
    let is_not = |expression: &str| format!("propagateWhen[0] is not true: {expression}");
    let check = |expression: &str, first: &str, second: &str| {
        // What is not there is not held back.
        assert_eq!(closed(expression), [first, second, "passes"], "{expression}");
    };
    check("true", "passes", "passes");
    check("false", &is_not("false"), &is_not("false"));
    check("each.index == 1", &is_not("each.index == 1"), "passes");
    check("many.size() == 2", "passes", "passes");
    check("dyn(each).health", "passes", &is_not("dyn(each).health"));
    let missing = "propagateWhen[0] has no value: outside.data.open == 'yes'";
    assert!(
        closed("outside.data.open == 'yes'")[0].starts_with(missing),
        "{:?}",
        closed("outside.data.open == 'yes'")
    );
    let wrong = "propagateWhen[0] has no value: ${word}: undeclared reference to 'word'";
    assert_eq!(closed("word")[0], wrong);
}
